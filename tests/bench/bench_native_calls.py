"""What native calls cost beside calls in the text: reading and scoring an answer, CPU-seconds for 1,000 generations.

Run as `python -m tests.bench.bench_native_calls`. The same planned edits of the shipped cases, piece by piece over each
wire, without a network; rounds are interleaved, the best counts.
"""

import asyncio
import sys
from dataclasses import replace
from pathlib import Path
from time import process_time

from diff_apply import DIFF_ALGORITHMS
from parsers import PARSERS
from runner.calls import CALLS, NATIVE, NATIVE_PARSER
from runner.cli.serve_sim import book_of
from runner.run.diff_scoring import prepare_scoring, score_answer
from runner.storage.streams import AnswerReader
from runner.suites.diff_edit.cases import DiffEditCase, load_cases
from runner.suites.diff_edit.native_tools import native_request
from suts.settings import Settings
from suts.simulated import simulated
from suts.sut import Received, Request, Sampling
from suts.wires import WIRES

CASES = load_cases(Path(__file__).parents[2] / "cases" / "diff_edit").cases
NUMBERS, ROUNDS = 8, 5
MODEL = "sloppy?time=virtual&prose=60"
Streams = list[tuple[DiffEditCase, list[Received]]]


def streams(wire: str, calls: str) -> Streams:
    """The streams of some attempts at every case."""
    book = book_of(CASES).by_case
    sut = simulated(f"{MODEL}&wire={wire}", Settings(now_ns=lambda: 0))

    async def received(request: Request) -> list[Received]:
        return [piece async for piece in sut.stream(request)]

    found: Streams = []
    for case in CASES:
        plain = Request("Edit.", case.messages, Sampling())
        request = native_request("Edit.", case.messages, Sampling()) if calls == NATIVE else plain
        for number in range(1, NUMBERS + 1):
            truth = replace(book[case.case_id], number=number)
            found.append((case, asyncio.run(received(replace(request, truth=truth)))))
    return found


def seconds(wire: str, calls: str, answers: Streams, *, scored: bool) -> float:
    """CPU-seconds for 1,000 answers."""
    name = NATIVE_PARSER if calls == NATIVE else "xml-tools-v2"
    parser, algorithms = PARSERS[name], {"v4": DIFF_ALGORITHMS["v4"]}
    begun = process_time()
    for case, pieces in answers:
        reading = AnswerReader(WIRES[wire].decoder(), parser.start(), 0)
        for piece in pieces:
            reading.feed(piece)
        reading.end(pieces[-1].at_ns)
        if scored:
            score_answer(case, reading.completion(), (name, parser), algorithms, "strict")
    return (process_time() - begun) / len(answers) * 1000


def main() -> None:
    """Print a line for each wire."""
    prepare_scoring(CASES)
    for wire in ("openai-chat", "openai-responses", "anthropic-messages"):
        answers = {calls: streams(wire, calls) for calls in CALLS}
        for scored in (False, True):
            rounds = [[seconds(wire, calls, answers[calls], scored=scored) for calls in CALLS] for _ in range(ROUNDS)]
            xml, native = (min(row[at] for row in rounds) for at in (0, 1))
            what = "read and scored" if scored else "read"
            sys.stdout.write(f"{wire:<20} {what:<16} xml {xml:.2f} CPU-s   native {native:.2f} ({native / xml:.2f}x)\n")


if __name__ == "__main__":
    main()
