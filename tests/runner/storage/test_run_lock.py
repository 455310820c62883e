"""A run has one session at a time; a killed session leaves nothing that the next one minds."""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import pytest

from runner.errors import InputError
from runner.storage.run_lock import claimed
from runner.storage.store import Store
from tests.runner.made_runs import make_run

HOLD = """
import sys, time
from pathlib import Path
from runner.storage.run_lock import claimed
with claimed(Path(sys.argv[1]), "r"):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_session_of_a_run_is_refused_and_one_of_another_run_is_not(tmp_path: Path) -> None:
    db = tmp_path / "evals.db"

    with claimed(db, "r"), claimed(db, "other"):
        with pytest.raises(InputError, match="--run-id r: another process is at work"), claimed(db, "r"):
            pass
        with pytest.raises(InputError), claimed(db, "r"):
            pass


def test_nothing_is_left_beside_the_database_and_the_run_can_be_claimed_again(tmp_path: Path) -> None:
    for _ in range(2):
        with claimed(tmp_path / "evals.db", "r"):
            assert len(list(tmp_path.iterdir())) == 1

    assert list(tmp_path.iterdir()) == []


def test_a_link_in_the_place_of_the_lock_is_not_followed(tmp_path: Path) -> None:
    db, elsewhere = tmp_path / "evals.db", tmp_path / "elsewhere"
    with claimed(db, "r"):
        (lock,) = tmp_path.iterdir()
    lock.symlink_to(elsewhere)

    with pytest.raises(InputError, match="cannot be made or opened"), claimed(db, "r"):
        pass

    assert not elsewhere.exists()


@pytest.mark.parametrize(
    "link", [pytest.param("linked.db", id="link to the file"), pytest.param("folder/evals.db", id="link to its folder")]
)
def test_a_link_to_the_database_shares_its_lock(tmp_path: Path, link: str) -> None:
    (tmp_path / "real").mkdir()
    db, name = tmp_path / "real" / "evals.db", tmp_path / link
    db.touch()
    if name.parent == tmp_path:
        name.symlink_to(db)
    else:
        name.parent.symlink_to(db.parent)

    with claimed(db, "r"), pytest.raises(InputError, match="another process is at work"), claimed(name, "r"):
        pass
    with claimed(name, "r"):
        assert len(list(db.parent.iterdir())) == 2


def test_the_claim_of_a_killed_process_ends_with_it(tmp_path: Path) -> None:
    db = tmp_path / "evals.db"
    with subprocess.Popen([sys.executable, "-c", HOLD, str(db)], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(InputError), claimed(db, "r"):
            pass
        holder.kill()

    with claimed(db, "r"):
        assert len(list(tmp_path.iterdir())) == 1


def test_of_many_who_come_and_go_one_holds_the_run_at_a_time(tmp_path: Path) -> None:
    held, most = [0], list[int]()
    until = time.monotonic() + 0.5

    def come_and_go() -> None:
        while time.monotonic() < until:
            with suppress(InputError), claimed(tmp_path / "evals.db", "r"):
                held[0] += 1
                most.append(held[0])
                time.sleep(0)
                held[0] -= 1

    with ThreadPoolExecutor(8) as executor:
        for done in [executor.submit(come_and_go) for _ in range(8)]:
            done.result()

    assert most
    assert set(most) == {1}


def test_a_database_with_two_names_is_read_and_not_written(tmp_path: Path) -> None:
    db, name = tmp_path / "evals.db", tmp_path / "another.db"
    with closing(Store.open(db)) as store:
        make_run(store)
    name.hardlink_to(db)
    before = db.read_bytes()

    with closing(Store.open(name)) as store:
        (run,) = store.rows("SELECT run_id FROM runs")
        with pytest.raises(InputError, match=r"another\.db: has 2 names \(hard links\)"), store.transaction():
            pytest.fail("the block was entered")
    with pytest.raises(InputError, match="hard links"):
        Store.refuse_unwritable(db)

    assert run["run_id"] == "r1"
    assert db.read_bytes() == before
    name.unlink()
    Store.refuse_unwritable(db)
