"""`evals replay --from-stream`: over every wire the stored bytes say what was recorded live, or it is told."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import zstandard

from runner.storage.store import Store, Value
from runner.storage.streams import Packed, pack, unpack
from suts.sut import Received
from tests.runner.cli.conftest import Call

CASES = Path(__file__).parents[3] / "cases" / "diff_edit"
EVALS = Path(sys.executable).parent / "evals"
RATES = "valid=0.7&applied=0.7"
SCORED = "outcome, valid, solved, equals_expected, num_edits, error_text, parsed_calls, blocks, edited_id"
IN_PROCESS = {
    "openai-chat": f"sim/any?{RATES}&time=virtual&reasoning=20",
    "openai-chat of openrouter": f"sim/any?{RATES}&time=virtual&flavour=openrouter&cached=0.5",
    "anthropic-messages": f"sim/any?{RATES}&time=virtual&wire=anthropic&reasoning=20&cached=0.5",
    "in real time": f"sim/any?{RATES}&ttft_ms=5&gap_ms=1",
}
SERVED = [
    pytest.param("vllm", "/v1", id="openai-chat"),
    pytest.param("anthropic", "", id="anthropic-messages"),
    pytest.param("openai-sdk", "/v1", id="openai's sdk", marks=pytest.mark.wide),
    pytest.param("anthropic-sdk", "", id="anthropic's sdk", marks=pytest.mark.wide),
]


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "evals.db"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The address of a simulated server that fails often, each time in a way that is tried again."""
    faults = "500=0.1,529=0.05,cut=0.1,malformed=0.05,reset=0.05,error=0.05"
    words = [str(EVALS), "serve-sim", "--cases", str(CASES), "--ttft-ms", "5", "--gap-ms", "0.2", "--fault", faults]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield server.stdout.readline().split()[-1]
    finally:
        server.kill()
        server.communicate()


def run(call: Call, *words: object) -> None:
    done = call("diff", "--cases", CASES, "--run-id", "live", "--max-concurrency", 8, "--yes", "--json", *words)
    assert done.code == 0, done.err


def reread(call: Call, *words: object) -> dict[str, Any]:
    done = call("replay", "--run-id", "live", "--from-stream", "--json", *words)
    told: dict[str, Any] = json.loads(done.out)
    assert done.code == (1 if told["reread"]["different"] else 0)
    return told


def scorings(db: Path, run_id: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(db)) as connection:
        sql = f"SELECT answer_id, {SCORED} FROM scorings WHERE run_id = ? ORDER BY answer_id"  # noqa: S608 - constants
        return connection.execute(sql, (run_id,)).fetchall()


def wires(db: Path) -> set[str]:
    with closing(sqlite3.connect(db)) as connection:
        return {row[0] for row in connection.execute("SELECT DISTINCT wire FROM streams")}


def assert_equal(db: Path, told: dict[str, Any]) -> None:
    """Every answer was read again as it was recorded, and scored as it was scored."""
    live = scorings(db, "live")
    assert live
    assert told["reread"] == {"same": len(live), "pruned": 0, "different": [], "differing": {}}
    assert told["answers"] == len(live)
    assert scorings(db, told["run_id"]) == live


@pytest.mark.parametrize("model", IN_PROCESS.values(), ids=IN_PROCESS)
def test_every_answer_of_a_model_in_process_is_read_again_as_it_was(model: str, db: Path, call: Call) -> None:
    run(call, "--model-ids", model, "--max-cases", 8)

    told = reread(call)

    assert wires(db) == {"anthropic-messages" if "anthropic" in model else "openai-chat"}
    assert_equal(db, told)


@pytest.mark.wide
@pytest.mark.parametrize("provider,path", SERVED)
def test_every_answer_of_a_served_model_is_read_again_as_it_was(
    provider: str, path: str, db: Path, call: Call, url: str
) -> None:
    model = f"any?{RATES}&reasoning=10"
    run(call, "--model-ids", model, "--provider", provider, "--base-url", url + path, "--max-cases", 5)

    told = reread(call)

    assert wires(db) == {"anthropic-messages" if "anthropic" in provider else "openai-chat"}
    assert_equal(db, told)


def test_recorded_messages_are_read_again_as_they_were(db: Path, call: Call) -> None:
    run(call, "--replay")

    told = reread(call)

    assert wires(db) == {"plain"}
    assert_equal(db, told)


def test_a_replay_of_a_replay_reads_the_same_bytes(db: Path, call: Call) -> None:
    run(call, "--model-ids", IN_PROCESS["openai-chat"], "--max-cases", 3)
    first = reread(call)

    again = json.loads(call("replay", "--run-id", first["run_id"], "--from-stream", "--json").out)

    assert_equal(db, again)


@pytest.fixture
def tampered(db: Path, call: Call) -> int:
    """A run one of whose streams was changed: its second piece says another word; the answer's id."""
    run(call, "--model-ids", "sim/any?time=virtual", "--max-cases", 4)
    with closing(Store.open(db)) as store:
        row = store.rows("SELECT * FROM streams ORDER BY answer_id")[1]
        stream = list(unpack(Packed(row["pieces"], row["bytes"], row["data"]), zstandard.ZstdDecompressor()))
        place = next(at for at, piece in enumerate(stream) if b"<diff>" in piece.data)
        stream[place] = Received(stream[place].at_ns, stream[place].data.replace(b"<diff>", b"<dim> "))
        stream[-1] = Received(stream[-1].at_ns + 5_000_000, b"")
        packed = pack(stream, 0, zstandard.ZstdCompressor())
        store.update("streams", {"answer_id": row["answer_id"]}, {"data": packed.data})
        return int(row["answer_id"])


def test_a_stream_that_was_tampered_with_is_reported_with_what_differs(tampered: int, call: Call) -> None:
    told = reread(call)

    assert told["reread"]["different"] == [tampered]
    assert told["reread"]["same"] == told["answers"] - 1
    assert set(told["reread"]["differing"]) == {"text", "clocks"}


def test_a_tampered_stream_exits_with_1_and_says_so(tampered: int, call: Call) -> None:
    done = call("replay", "--run-id", "live", "--from-stream")

    assert tampered
    assert done.code == 1
    assert "1 differ (text of 1, clocks of 1), 0 are pruned" in done.out


def test_without_the_streams_a_replay_takes_what_was_recorded(tampered: int, call: Call) -> None:
    done = call("replay", "--run-id", "live", "--json")

    assert tampered
    assert done.code == 0
    assert json.loads(done.out)["reread"] is None


def test_answers_whose_streams_were_pruned_are_counted_and_scored_as_recorded(db: Path, call: Call) -> None:
    run(call, "--model-ids", IN_PROCESS["anthropic-messages"], "--max-cases", 4)
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("DELETE FROM streams WHERE answer_id = (SELECT min(answer_id) FROM streams)")

    told = reread(call)

    live = scorings(db, "live")
    assert told["reread"] == {"same": len(live) - 1, "pruned": 1, "different": [], "differing": {}}
    assert scorings(db, told["run_id"]) == live


def named(db: Path, wire: str) -> None:
    """Let every stream be on record as of this wire."""
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("UPDATE streams SET wire = ?", (wire,))


@pytest.mark.parametrize("own_name", ["their-wire", "their_wire:WIRE"])
def test_bytes_of_a_plug_in_s_wire_are_read_by_it_again_if_it_is_named(own_name: str, db: Path, call: Call) -> None:
    run(call, "--model-ids", IN_PROCESS["openai-chat"], "--max-cases", 2)
    (db.parent / "their_wire.py").write_text(
        "from suts.wires.openai_chat import OpenAiChatWire\n\n\nclass Theirs(OpenAiChatWire):\n"
        f"    name = {own_name!r}\n\n\nWIRE = Theirs()\n"
    )
    named(db, own_name)

    told = reread(call, "--wire", "their_wire:WIRE")

    assert_equal(db, told)


@pytest.mark.parametrize("wire", ["their-wire", "nowhere_at_all:WIRE"])
def test_bytes_of_a_wire_that_nobody_knows_are_refused_before_anything_is_written(
    wire: str, db: Path, call: Call
) -> None:
    run(call, "--model-ids", IN_PROCESS["openai-chat"], "--max-cases", 2)
    named(db, wire)

    done = call("replay", "--run-id", "live", "--from-stream")

    assert (done.code, done.err.count("\n")) == (2, 1)
    assert wire in done.err
    assert [run["run_id"] for run in json.loads(call("runs", "--json").out)] == ["live"]


@pytest.mark.parametrize("damage", ["half of the pieces", "other bytes", "no bytes"])
def test_bytes_that_no_longer_make_an_answer_are_reported_and_what_was_recorded_is_scored(
    damage: str, db: Path, call: Call
) -> None:
    run(call, "--model-ids", IN_PROCESS["openai-chat"], "--max-cases", 2)
    with closing(Store.open(db)) as store:
        row = store.rows("SELECT * FROM streams ORDER BY answer_id")[0]
        stream = unpack(Packed(row["pieces"], row["bytes"], row["data"]), zstandard.ZstdDecompressor())
        half = pack([*stream[: len(stream) // 2], stream[-1]], 0, zstandard.ZstdCompressor())
        damaged: dict[str, dict[str, Value]] = {
            "half of the pieces": {"pieces": half.pieces, "bytes": half.size, "data": half.data},
            "other bytes": {"data": b"no stream"},
            "no bytes": {"data": zstandard.ZstdCompressor().compress(b"")},
        }
        store.update("streams", {"answer_id": row["answer_id"]}, damaged[damage])

    told = reread(call)

    assert told["reread"]["different"] == [row["answer_id"]]
    assert told["reread"]["differing"] == {"stream": 1}
    assert scorings(db, told["run_id"]) == scorings(db, "live")
