"""`evals stream`: a stored answer in the terminal, at its speed, harmless."""

import os
import pty
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
import zstandard

from runner.storage.store import Store, Value
from runner.storage.streams import pack
from suts.sut import Received
from tests.runner.cli.conftest import Call
from tests.runner.scripted import chunk, ending

ROOT = Path(__file__).parents[3]
EVALS = Path(sys.executable).parent / "evals"
CASE = "py_lru_cache_peek"
# So slow that whatever a busy machine adds is little beside it.
PACE = "valid=1&applied=1&time=virtual&ttft_ms=60000&gap_ms=1500&pieces=40&jitter=0"


@pytest.fixture
def db(tmp_path: Path, call: Call) -> Path:
    """A run of one answer, whose first piece comes after 60 s and whose last after 120 s."""
    cases = tmp_path / "cases"
    cases.mkdir()
    (cases / f"{CASE}.json").write_bytes((ROOT / "cases" / "diff_edit" / f"{CASE}.json").read_bytes())
    made = tmp_path / "evals.db"
    call("diff", "--model-ids", f"sim/any?{PACE}", "--cases", cases, "--db", made, "--run-id", "one", "--json")
    return made


def test_an_answer_over_a_wire_that_nobody_knows_is_refused(db: Path, store: Store, call: Call) -> None:
    store.execute("UPDATE streams SET wire = 'their-wire'")

    done = call("stream", "one", CASE, 1, "--db", db)

    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "the wire 'their-wire', which is not one of evals" in done.err


@pytest.fixture
def store(db: Path) -> Iterator[Store]:
    with closing(Store.open(db)) as opened:
        yield opened


def replace_stream(store: Store, *pieces: bytes) -> None:
    stream = [Received(at, piece) for at, piece in enumerate((*pieces, b""))]
    packed = pack(stream, 0, zstandard.ZstdCompressor())
    with store.transaction():
        row: dict[str, Value] = {"pieces": packed.pieces, "bytes": packed.size, "data": packed.data}
        store.update("streams", {"answer_id": store.rows("SELECT answer_id FROM streams")[0][0]}, row)


def test_a_stream_that_is_damaged_is_told_in_one_line(db: Path, store: Store, call: Call) -> None:
    store.execute("UPDATE streams SET data = ?", b"no stream")

    done = call("stream", "one", CASE, 1, "--db", db)

    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "its stream is damaged: it cannot be unpacked" in done.err


def test_at_speed_zero_the_whole_answer_stands_there_with_its_marks(db: Path, call: Call) -> None:
    began = time.monotonic()
    done = call("stream", "one", CASE, 1, "--speed", 0, "--db", db)
    took_s = time.monotonic() - began
    text = re.sub(r"\[[^]]*? \d+\.\d{3} s\]", "", done.out)

    assert done.code == 0
    assert took_s < 30
    assert re.findall(r"\[([a-z: ]+?) \d+\.\d{3} s\]", done.out) == [
        "first token", "first edit", "first replacement line", "call closed", "end: stop",
    ]  # fmt: skip
    assert done.out.startswith("[first token 60.000 s]")
    assert "<replace_in_file>" in text
    assert "sim/any?" in done.err
    assert "(simulated), prompt basic: " in done.err


def test_the_text_without_its_marks_is_the_stored_answer(db: Path, call: Call, store: Store) -> None:
    done = call("stream", "one", CASE, 1, "--speed", 0, "--db", db)
    text = re.sub(r"\[[a-z: ]+ \d+\.\d{3} s\]", "", done.out)

    stored = store.text(store.rows("SELECT text_id FROM answers")[0][0])
    assert text == f"{stored}\n"


def test_an_answer_takes_as_long_as_it_took_divided_by_the_speed(db: Path, call: Call, store: Store) -> None:
    round_trip_s = store.rows("SELECT round_trip_ms FROM answers")[0][0] / 1000
    began = time.monotonic()
    call("stream", "one", CASE, 1, "--speed", 200, "--db", db)
    took_s = time.monotonic() - began

    assert took_s >= round_trip_s / 200
    assert took_s < round_trip_s / 4


def test_what_a_model_wrote_cannot_steer_the_terminal(db: Path, call: Call, store: Store) -> None:
    replace_stream(store, chunk("a\x1b[2Jb\u202ec\td\n"), ending("st\x1bop"))

    done = call("stream", "one", CASE, 1, "--speed", 0, "--db", db)

    assert "a\\x1b[2Jb\\x202ec\td\n" in done.out
    assert "[end: st\\x1bop" in done.out
    assert "\x1b" not in done.out


def test_a_broken_stream_is_played_to_where_it_breaks_and_exits_with_1(db: Path, call: Call, store: Store) -> None:
    replace_stream(store, chunk("half an answer"))

    done = call("stream", "one", CASE, 1, "--speed", 0, "--db", db)

    assert done.code == 1
    assert "half an answer[cut: " in done.out


def test_an_answer_that_nobody_was_asked_for_has_no_moments(tmp_path: Path, call: Call) -> None:
    cases = ROOT / "cases" / "diff_edit"
    call("diff", "--replay", "--cases", cases, "--db", tmp_path / "r.db", "--run-id", "one", "--json")
    with closing(Store.open(tmp_path / "r.db")) as opened:
        case = opened.rows("SELECT case_id FROM lanes JOIN answers USING (lane_id)")[0][0]

    done = call("stream", "one", case, 1, "--db", tmp_path / "r.db")

    assert done.code == 0
    assert done.out.startswith("[first token]")


def test_a_case_that_is_not_there_is_one_line(db: Path, call: Call) -> None:
    done = call("stream", "latest", "nowhere", 1, "--db", db)

    assert done.code == 2
    assert done.err == "evals: run one: case 'nowhere' number 1: has no answer; see `evals show one nowhere`\n"


def on_a_terminal(db: Path, **variables: str) -> str:
    """What `evals stream` writes where its output is a terminal."""
    leader, follower = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    words = [str(EVALS), "stream", "one", CASE, "1", "--speed", "0", "--db", str(db)]
    process = subprocess.Popen(words, stdout=follower, stderr=subprocess.DEVNULL, env={**environment, **variables})
    os.close(follower)
    written = b""
    # Linux says that nobody writes any more by an error, others by an empty piece.
    with suppress(OSError):
        while piece := os.read(leader, 65_536):
            written += piece
    os.close(leader)
    assert process.wait(timeout=600) == 0
    return written.decode()


def test_marks_are_coloured_on_a_terminal(db: Path) -> None:
    written = on_a_terminal(db)

    assert re.search(r"<replace_in_file>\x1b\[1;36m\[first edit \d+\.\d{3} s\]\x1b\[0m", written)


def test_nothing_is_coloured_where_nobody_wants_it(db: Path) -> None:
    written = on_a_terminal(db, NO_COLOR="1")

    assert "\x1b" not in written
    assert "<replace_in_file>[first edit " in written
