"""What the worst answers cost their neighbours: `python -m tests.bench.bench_neighbours [SECONDS]`.

While one endpoint answers with 100,000 lines that are hard to score, 200 streams of another one are read in the same
event loop. Shown is by how much the first token of the others is late, at the 90th percentile, against a control in
which no answer is scored, and how late the event loop was. The others' tokens come from a timer of the operating
system in another process, so that nothing but this loop can be late.
"""

import asyncio
import json
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from runner.records import Completion
from runner.run.answer_scoring import AnswerScoring
from runner.run.diff_scoring import prepare_scoring
from runner.run.heartbeat import Heartbeat
from runner.run.resolve import choose_algorithms, choose_parser
from runner.run.worker_pool import WorkerPool
from runner.suites.diff_edit.cases import DiffEditCase, load_cases
from tests.worst_answers import LINES, WORST

STREAMS = 200
CASES = Path("cases/diff_edit")
_STAMP = struct.Struct("!Q")
# Sends the present moment over every connection in turn, each five times a second.
_SENDER = """
import socket, struct, sys, time
connections = [socket.create_connection(("127.0.0.1", int(sys.argv[1]))) for _ in range(int(sys.argv[2]))]
while True:
    for connection in connections:
        connection.sendall(struct.pack("!Q", time.monotonic_ns()))
        time.sleep(0.2 / len(connections))
"""


async def late_tokens(late_ms: list[float], reader: asyncio.StreamReader) -> None:
    """Add how late each stamp of a stream is read."""
    while True:
        (sent_ns,) = _STAMP.unpack(await reader.readexactly(_STAMP.size))
        late_ms.append((time.monotonic_ns() - sent_ns) / 1e6)


async def measured(scoring: AnswerScoring | None, cases: Sequence[DiffEditCase], seconds: float) -> dict[str, float]:
    """The neighbours' lateness while answers are scored one after the other, or while none is."""
    late_ms: list[float] = []
    readers: list[asyncio.Task[None]] = []

    def connected(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        readers.append(asyncio.ensure_future(late_tokens(late_ms, reader)))

    heartbeat, scored, began_s = Heartbeat(), 0, time.monotonic()
    server = await asyncio.start_server(connected, "127.0.0.1", 0, family=socket.AF_INET)
    port = server.sockets[0].getsockname()[1]
    sender = subprocess.Popen([sys.executable, "-c", _SENDER, str(port), str(STREAMS)])  # noqa: ASYNC220 - begun once
    try:
        await asyncio.sleep(1)
        late_ms.clear()
        with heartbeat.beating():
            while time.monotonic() - began_s < seconds:
                scored += 1
                await (score_one(scoring, cases, scored) if scoring else asyncio.sleep(0.1))
    finally:
        sender.kill()
        sender.wait()
        for task in readers:
            task.cancel()
        server.close()
    late_ms.sort()
    p90, p99 = (late_ms[int(share * len(late_ms))] for share in (0.9, 0.99))
    return {"answers": scored, "p90 ms": p90, "p99 ms": p99, "loop p99 ms": heartbeat.lag().p99_ms}


_ANSWERS: dict[tuple[str, str], str] = {}


async def score_one(scoring: AnswerScoring, cases: Sequence[DiffEditCase], number: int) -> None:
    """Score the next of the worst answers into the next of the cases."""
    case, name = cases[number % len(cases)], list(WORST)[number % len(WORST)]
    await scoring.scorings(case, Completion(_ANSWERS[case.case_id, name]))


def main(seconds: float) -> None:
    """Print the control, then the worst answers scored in worker processes, then the control again."""
    cases = load_cases(CASES).cases
    prepare_scoring(cases)
    for number in range(len(cases) * len(WORST)):
        case, name = cases[number % len(cases)], list(WORST)[number % len(WORST)]
        _ANSWERS[case.case_id, name] = WORST[name](
            case.file_path, case.file_contents, LINES // 10 if number % 2 else LINES
        )
    with WorkerPool() as pool:
        names = ["v1", "v2", "v3", "v4"]
        scoring = AnswerScoring(
            choose_parser("xml-tools-v2", lambda _: None), choose_algorithms(names, lambda _: None), pool=pool
        )
        for label, chosen in (("control", None), ("worst answers", scoring), ("control", None)):
            found = asyncio.run(measured(chosen, cases, seconds))
            sys.stdout.write(f"{label:<14} {json.dumps({name: round(value, 1) for name, value in found.items()})}\n")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0)
