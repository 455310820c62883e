"""What a model that gives the worst answers costs the others: `python -m tests.bench.bench_neighbours [ROUNDS]`.

Two servers on loopback: one has simulated models, the other answers each shipped case with one of the worst answers,
of 100,000 lines, as fast as it is read. Each round runs `evals diff` three times: the simulated models alone, the same
beside the worst one, and 200 streams of ordinary answers. Shown is how late the first token of the simulated models is
read, at the 90th percentile: the client's clock less the server's own time to its first byte. Only answers that were
sent while the worst model was asked count. Beside it stands how late the event loop was (99th percentile).
"""

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from urllib.request import Request, urlopen

from runner.selftest.server import SimulatedServer, serving
from runner.suites.diff_edit.cases import DiffEditCase, load_cases
from suts.simulated.question import conversation_digest, read_question
from tests.echo_server import Chunk, sse
from tests.worst_answers import LINES, WORST

CASES = Path("cases/diff_edit")
# Slots are shared equally by the models: the worst one has four, or has as many answers in the line to be scored.
NEIGHBOURS, SLOTS_EACH, ATTEMPTS = 6, 4, 3
STREAMS, STREAMS_ATTEMPTS = 200, 20
# Characters of a piece: as a model sends them, and as a gateway sends them that waits for more.
PIECES = (64, 65_536)
_WRITTEN_BYTES = 65_536
_PLAIN = [f"openai/any?valid=1&pieces=100&jitter=0&ttft_ms=200&gap_ms={10 + number}" for number in range(NEIGHBOURS)]
_ORDINARY = "openai/any?valid=1&pieces=100&jitter=0.5&ttft_ms=500&gap_ms=30"
_WORST = "vllm/worst"
_EVALS = (sys.executable, "-c", "from runner.cli import main; main()")
_SERVER = (sys.executable, "-m", "tests.bench.bench_neighbours", "serve")
# A time of the database in milliseconds.
_MS = "(julianday(a.sent_at) - 2440587.5) * 86400000"
_CLOCKS = f"""
WITH asked AS (
    SELECT min({_MS}) AS first, max({_MS} + coalesce(a.round_trip_ms, 0)) AS last
    FROM answers a JOIN lanes l USING (lane_id) WHERE l.sut LIKE :sut
)
SELECT a.first_token_ms FROM answers a JOIN lanes l USING (lane_id), asked
WHERE l.sut LIKE 'openai/%' AND a.outcome = 'answered' AND {_MS} BETWEEN asked.first AND asked.last"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class Measured:
    """One session: the neighbours' answers that count, their lateness at the 90th percentile, and that of the loop."""

    answers: int
    p90_ms: float
    loop_p99_ms: float
    loop_max_ms: float
    load: float
    worst: int
    worst_mb: float


def stream_of(case: DiffEditCase, number: int) -> bytes:
    """The response with the worst answer of this number to a case."""
    name = list(WORST)[number % len(WORST)]
    text = WORST[name](case.file_path, case.file_contents, LINES)
    size = PIECES[number // len(WORST) % len(PIECES)]
    chunks: list[Chunk | str] = [_chunk(text[at : at + size]) for at in range(0, len(text), size)]
    body = sse([*chunks, _chunk("", "stop"), "[DONE]"])
    return b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body)


def _chunk(text: str, reason: str | None = None) -> Chunk:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": reason}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "worst", "choices": [choice]}


async def serve_worst(round_number: int) -> None:
    """Serve the worst answers until killed: in each round others to each case."""
    cases = load_cases(CASES).cases
    numbers = {
        conversation_digest(message.text for message in case.messages): (case, number + round_number * len(cases))
        for number, case in enumerate(cases)
    }
    streams = {digest: stream_of(case, number) for digest, (case, number) in numbers.items()}

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                size = int(head.partition(b"content-length: ")[2].split(b"\r\n")[0])
                body = await reader.readexactly(size)
                stream = streams[read_question("openai-chat", body).conversation]
                for at in range(0, len(stream), _WRITTEN_BYTES):
                    writer.write(stream[at : at + _WRITTEN_BYTES])
                    await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    sys.stdout.write(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


@contextmanager
def worst_server(round_number: int) -> Iterator[str]:
    """Run the server of the worst answers as a process of its own; its address."""
    with subprocess.Popen([*_SERVER, str(round_number)], stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield server.stdout.readline().strip()
        finally:
            server.kill()


def session(
    models: Sequence[str], slots: int, quota: int, urls: Mapping[str, str], server: SimulatedServer
) -> Measured:
    """Ask the models in one process of `evals diff`, and read what its database says."""
    with urlopen(Request(f"{server.url}/_sim/reset", method="POST")):  # noqa: S310 - loopback
        pass
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "evals.db"
        counts = ("-n", str(quota), "--max-attempts-per-case", str(quota), "--max-concurrency", str(slots))
        words = ("diff", *models, "--cases", str(CASES), "--db", str(db), "--json", "--yes", *counts)
        done = subprocess.run(
            [*_EVALS, *words], capture_output=True, text=True, env={**os.environ, **urls}, check=False
        )
        if done.returncode > 1:
            raise SystemExit(done.stderr)
        return _read(db, server, _WORST if _WORST in models else "openai/%")


def _read(db: Path, server: SimulatedServer, beside: str) -> Measured:
    with closing(sqlite3.connect(db)) as connection:
        client_ms = [ms for (ms,) in connection.execute(_CLOCKS, {"sut": beside})]
        ((p99_ms, max_ms),) = connection.execute("SELECT max(late_p99_ms), max(late_max_ms) FROM sessions")
        worst, size = connection.execute(
            "SELECT count(*), coalesce(sum(s.bytes), 0) FROM streams s JOIN answers USING (answer_id)"
            " JOIN lanes l USING (lane_id) WHERE l.sut = ? ",
            (_WORST,),
        ).fetchone()
    own_ms = [(entry.first_byte_ns - entry.arrived_ns) / 1e6 for entry in server.log() if entry.first_byte_ns]
    late_ms = p90(client_ms) - p90(own_ms)
    return Measured(len(client_ms), late_ms, p99_ms, max_ms, os.getloadavg()[0], worst, size / 1e6)


def p90(values: Sequence[float]) -> float:
    """The 90th percentile."""
    return sorted(values)[int(0.9 * len(values))]


def main(rounds: int) -> None:
    """Print each session, then the least and the median of each kind."""
    found: dict[str, list[Measured]] = {"alone": [], "beside the worst": [], f"{STREAMS} streams": []}
    keys = {"OPENAI_API_KEY": "sim-key-of-the-bench", "VLLM_API_KEY": "worst-key-of-the-bench"}
    with serving(["--cases", str(CASES)]) as server:
        for round_number in range(rounds):
            with worst_server(round_number) as worst:
                urls = {**keys, "OPENAI_BASE_URL": f"{server.url}/v1", "VLLM_BASE_URL": f"{worst}/v1"}
                slots = NEIGHBOURS * SLOTS_EACH
                found["alone"].append(session(_PLAIN, slots, ATTEMPTS, urls, server))
                found["beside the worst"].append(session([*_PLAIN, _WORST], slots + SLOTS_EACH, ATTEMPTS, urls, server))
            found[f"{STREAMS} streams"].append(session([_ORDINARY], STREAMS, STREAMS_ATTEMPTS, urls, server))
            for label, runs in found.items():
                show(label, {name: getattr(runs[-1], name) for name in Measured.__slots__})
    for label, runs in found.items():
        for name, of in (("least", min), ("median", median)):
            show(f"{label}, {name}", {field: of(getattr(run, field) for run in runs) for field in Measured.__slots__})


def show(label: str, figures: Mapping[str, float]) -> None:
    """Print a row."""
    rounded = {name: round(value, 1) for name, value in figures.items()}
    sys.stdout.write(f"{label:<26} {json.dumps(rounded)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        asyncio.run(serve_worst(int(sys.argv[2])))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
