"""`evals prune` and `evals runs --sizes`: what is deleted, what stays, what a run takes."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from runner.records import Outcome
from runner.storage.prune import cutoff, prune_texts, sizes
from runner.storage.store import Store, Value
from tests.runner.cli.conftest import Call
from tests.runner.made_runs import Made, make_run, plan

NOW = datetime.now(UTC).replace(tzinfo=None)


def ago(**span: float) -> str:
    return (NOW - timedelta(**span)).isoformat(timespec="milliseconds")


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """Two runs of two answers each, an old one and a new one, and a replay of the old one; all have streams."""
    path = tmp_path / "evals.db"
    with closing(Store.open(path)) as store:
        for run_id, sent_at in (("old", ago(days=40)), ("new", ago(hours=2))):
            made = Made(store, make_run(store, run_id, plan()))
            for case_id in ("a", "b"):
                answer_id = made.attempt(case_id, 1, Outcome.APPLIED, sent_at=sent_at, text=f"{run_id} {case_id}")
                stream: dict[str, Value] = {
                    "wire": "plain",
                    "codec": "varint-zstd-1",
                    "pieces": 3,
                    "bytes": 500,
                    "data": b"x" * 100,
                }
                store.insert("streams", {"answer_id": answer_id, **stream})
        make_run(store, "again", plan())
        store.update("runs", {"run_id": "again"}, {"replay_of": "old"})
    return path


@pytest.fixture
def store(db: Path) -> Iterator[Store]:
    with closing(Store.open(db)) as opened:
        yield opened


@pytest.fixture
def streams(db: Path) -> Callable[[], list[str]]:
    """The runs of the streams that are there."""

    def left() -> list[str]:
        with closing(Store.open(db)) as opened:
            sql = "SELECT run_id FROM streams JOIN answers USING (answer_id) JOIN lanes USING (lane_id) ORDER BY run_id"
            return [row[0] for row in opened.rows(sql)]

    return left


def test_only_streams_that_are_old_enough_are_deleted(db: Path, call: Call, streams: Callable[[], list[str]]) -> None:
    done = call("prune", "--streams", "--older-than", "30d", "--db", db)

    assert done.code == 0
    assert done.out == "run old: 2 streams, 0.2 kB, deleted\n"
    assert streams() == ["new", "new"]


def test_a_dry_run_tells_and_deletes_nothing(db: Path, call: Call, streams: Callable[[], list[str]]) -> None:
    words = ("--streams", "--older-than", "1h", "--texts", "--vacuum", "--dry-run", "--json")

    told = json.loads(call("prune", *words, "--db", db).out)

    assert [(one["run_id"], one["count"], one["stored_bytes"]) for one in told["streams"]] == [
        ("old", 2, 200),
        ("new", 2, 200),
    ]
    assert "file" not in told
    assert len(streams()) == 4


@pytest.mark.parametrize(
    "run,left",
    [
        pytest.param("new", ["old", "old"], id="an id"),
        pytest.param("ne", ["old", "old"], id="a prefix"),
        pytest.param("again", ["new", "new"], id="a replay means the run that it replays"),
    ],
)
def test_streams_of_one_run_are_deleted(
    run: str, left: list[str], db: Path, call: Call, streams: Callable[[], list[str]]
) -> None:
    done = call("prune", "--streams", "--run", run, "--db", db)

    assert done.code == 0
    assert streams() == left


def test_age_and_run_hold_together(db: Path, call: Call, streams: Callable[[], list[str]]) -> None:
    done = call("prune", "--streams", "--run", "new", "--older-than", "30d", "--db", db)

    assert done.out == "no streams match\n"
    assert len(streams()) == 4


def test_answers_and_scores_stay_when_streams_go(db: Path, call: Call) -> None:
    before = json.loads(call("report", "old", "--json", "--db", db).out)

    call("prune", "--streams", "--run", "old", "--db", db)

    assert json.loads(call("report", "old", "--json", "--db", db).out) == before


def test_only_texts_that_nothing_refers_to_are_deleted(store: Store) -> None:
    used = {row[0] for row in store.rows("SELECT text_id FROM texts")}
    store.put_text("said by nobody")

    count, size = prune_texts(store, dry_run=False)

    assert (count, size) == (1, len("said by nobody"))
    assert {row[0] for row in store.rows("SELECT text_id FROM texts")} == used
    assert store.rows("PRAGMA foreign_key_check") == []
    assert store.rows("PRAGMA foreign_keys")[0][0] == 1


def test_every_column_that_refers_to_a_text_protects_it(store: Store) -> None:
    for row in store.rows('SELECT name FROM sqlite_master WHERE type = "table"'):
        for reference in store.rows(f"PRAGMA foreign_key_list({row[0]})"):
            if reference["table"] == "texts":
                text_id = store.put_text(f"{row[0]}.{reference['from']}")
                store.execute(f"UPDATE {row[0]} SET {reference['from']} = ?", text_id)  # noqa: S608 - the schema's
    prune_texts(store, dry_run=False)

    assert store.rows("PRAGMA foreign_key_check") == []
    assert store.text(store.rows("SELECT content_id FROM cases")[0][0]) == "cases.content_id"
    assert store.text(store.rows("SELECT reasoning_id FROM answers")[0][0]) == "answers.reasoning_id"


def test_a_vacuum_makes_the_file_smaller(db: Path, call: Call) -> None:
    with closing(Store.open(db)) as opened:
        opened.update("streams", {"wire": "plain"}, {"data": bytes(range(256)) * 2000})
    large = db.stat().st_size

    told = json.loads(call("prune", "--streams", "--run", "old", "--vacuum", "--json", "--db", db).out)

    assert told["file"]["bytes_before"] == large
    assert told["file"]["bytes_after"] == db.stat().st_size < large * 0.6


@pytest.mark.parametrize(
    "words,told",
    [
        pytest.param((), "prune: nothing to delete; give --streams, --texts or --vacuum", id="nothing"),
        pytest.param(
            ("--streams",),
            "--streams: needs a choice of streams; give --older-than, such as 30d, or --run-id",
            id="all of them",
        ),
        pytest.param(
            ("--texts", "--run", "old"), "--older-than and --run-id: choose among streams", id="texts of a run"
        ),
        pytest.param(("--streams", "--older-than", "soon"), "--older-than: 'soon' is no age; write such", id="a word"),
        pytest.param(("--streams", "--older-than", "-1d"), "--older-than: '-1d' is no age", id="the future"),
        pytest.param(("--streams", "--run", "nobody"), "run 'nobody': there is none of that id", id="no run"),
    ],
)
def test_what_cannot_be_meant_is_one_line(
    words: tuple[str, ...], told: str, db: Path, call: Call, streams: Callable[[], list[str]]
) -> None:
    done = call("prune", *words, "--db", db)

    assert done.code == 2
    assert done.err.startswith(f"evals: {told}")
    assert done.err.count("\n") == 1
    assert len(streams()) == 4


@pytest.mark.parametrize(
    "age,moment",
    [
        ("30d", "2025-12-02T12:00:00.000"),
        ("2w", "2025-12-18T12:00:00.000"),
        ("1.5 h", "2026-01-01T10:30:00.000"),
        ("90m", "2026-01-01T10:30:00.000"),
        ("999999999999d", ""),
        ("999999d", ""),
    ],
)
def test_an_age_is_a_moment(age: str, moment: str) -> None:
    assert cutoff("2026-01-01T12:00:00.000", age) == moment


def test_sizes_are_told_per_run(store: Store) -> None:
    found = sizes(store)

    assert found["old"].streams == 2
    assert found["old"].stream_bytes == 200
    assert found["old"].raw_bytes == 1000
    # Two answers, one request and one system prompt for both.
    assert found["old"].texts == 4
    assert found["again"].streams == found["again"].texts == 0


def test_runs_are_listed_with_their_sizes_only_if_asked(db: Path, call: Call) -> None:
    plain = json.loads(call("runs", "--json", "--db", db).out)
    sized = json.loads(call("runs", "--sizes", "--json", "--db", db).out)
    shown = call("runs", "--sizes", "--db", db)

    assert {row["run_id"]: row["stream_bytes"] for row in sized} == {"old": 200, "new": 200, "again": 0}
    assert [{name: row[name] for name in plain[0]} for row in sized] == plain
    assert "a text that several runs use is counted in each" in shown.out
