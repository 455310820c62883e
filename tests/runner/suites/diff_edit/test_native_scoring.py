"""The same planted edits, called in the text and natively over every wire: the same outcomes, the same files."""

import asyncio
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from diff_apply import DIFF_ALGORITHMS
from parsers import PARSERS
from runner.calls import CALLS, NATIVE, NATIVE_PARSER
from runner.cli.serve_sim import book_of
from runner.records import Completion, Outcome, Scoring
from runner.run.diff_scoring import score_answer
from runner.storage.streams import AnswerReader, read_again
from runner.suites.diff_edit.cases import DiffEditCase, load_cases
from runner.suites.diff_edit.native_tools import native_request
from suts.settings import Settings
from suts.simulated import simulated
from suts.simulated.spec import FAILURES, WireName
from suts.sut import Received, Request, Sampling, SutError, Truth

CASES = load_cases(Path(__file__).parents[4] / "cases" / "diff_edit").cases[:5]
BOOK = book_of(CASES).by_case
V4 = {"v4": DIFF_ALGORITHMS["v4"]}
WIRES: tuple[WireName, ...] = ("openai-chat", "openai-responses", "anthropic-messages")
every_wire = pytest.mark.parametrize("wire", WIRES)


def pieces(case: DiffEditCase, truth: Truth, model: str, calls: str) -> list[Received]:
    """The stream of an answer, in virtual time from 0."""
    plain = Request("Edit.", case.messages, Sampling())
    request = native_request("Edit.", case.messages, Sampling()) if calls == NATIVE else plain
    sut = simulated(f"{model}&time=virtual", Settings(now_ns=lambda: 0))

    async def received() -> list[Received]:
        return [piece async for piece in sut.stream(replace(request, truth=truth))]

    return asyncio.run(received())


def parser_of(calls: str) -> str:
    return NATIVE_PARSER if calls == NATIVE else "xml-tools-v2"


def read(stream: list[Received], wire: str, calls: str) -> Completion:
    from suts.wires import WIRES as KNOWN

    parse = PARSERS[parser_of(calls)].start()
    reading = AnswerReader(KNOWN[wire].decoder(), parse, 0)
    for piece in stream:
        reading.feed(piece)
    reading.end(stream[-1].at_ns)
    answer = reading.completion()
    assert read_again(answer.stream, KNOWN[wire].decoder(), PARSERS[parser_of(calls)].start()) == answer
    return answer


def scored(case: DiffEditCase, answer: Completion, calls: str) -> Scoring:
    parser = parser_of(calls)
    (scoring,) = score_answer(case, answer, (parser, PARSERS[parser]), V4, "strict")
    return scoring


def answered(case: DiffEditCase, number: int, model: str, wire: str, calls: str) -> tuple[Completion, Scoring]:
    truth = replace(BOOK[case.case_id], number=number)
    answer = read(pieces(case, truth, f"{model}&wire={wire}", calls), wire, calls)
    return answer, scored(case, answer, calls)


@every_wire
@pytest.mark.parametrize("model", ["any?valid=0.5&applied=0.3&ttft_ms=9", "sloppy?ttft_ms=9"])
def test_outcomes_and_files_are_those_of_calls_in_the_text(model: str, wire: str) -> None:
    found: Counter[str] = Counter()
    for case in CASES:
        for number in range(1, 8):
            _, text = answered(case, number, model, wire, "xml")
            _, native = answered(case, number, model, wire, NATIVE)

            assert (native.outcome, native.edited) == (text.outcome, text.edited), (case.case_id, number)
            assert native.equals_expected == text.equals_expected
            found[native.outcome] += 1

    assert found["applied"]
    assert len(found) >= 6


@every_wire
def test_other_arguments_than_declared_are_an_outcome_of_their_own(wire: str) -> None:
    others = "&".join(f"{name}=0" for name in FAILURES if name != "bad_arguments")
    model = f"any?applied=0&bad_arguments=1&{others}"
    words = set()

    for case in CASES:
        for number in range(1, 5):
            _, scoring = answered(case, number, model, wire, NATIVE)

            assert (scoring.outcome, scoring.valid) == (Outcome.BAD_ARGUMENTS, True)
            assert scoring.error_text is not None
            words.add(scoring.error_text[:18])

    assert len(words) >= 3


@every_wire
def test_clocks_are_those_of_the_pieces_that_begin_and_end_the_call(wire: str) -> None:
    model = f"any?piece=9&ttft_ms=50&gap_ms=7&wire={wire}"
    for case in CASES:
        truth = BOOK[case.case_id]
        stream = pieces(case, truth, model, NATIVE)
        answer = read(stream, wire, NATIVE)

        times = [piece.at_ns for piece in stream if piece.data]
        begun = next(piece.at_ns for piece in stream if b"replace_in_file" in piece.data)
        assert answer.clocks.first_edit_ms == begun // 1000 / 1000
        assert answer.clocks.closed_ms == times[-2] // 1000 / 1000
        assert answer.clocks.first_line_ms is not None
        assert answer.clocks.first_edit_ms < answer.clocks.first_line_ms <= answer.clocks.closed_ms


@every_wire
def test_a_stream_that_is_cut_within_arguments_gives_what_came(wire: str) -> None:
    case = CASES[0]
    stream = pieces(case, BOOK[case.case_id], f"any?prose=0&wire={wire}", NATIVE)
    with_edit = next(piece for piece in stream if b"SEARCH" in piece.data)
    kept = stream[: stream.index(with_edit) + 3]

    with pytest.raises(SutError):
        read(kept, wire, NATIVE)


@pytest.mark.parametrize("limit", [20, 40, 60])
@every_wire
def test_a_limit_of_tokens_within_arguments_is_a_truncated_edit(wire: str, limit: int) -> None:
    case, truth = CASES[0], BOOK[CASES[0].case_id]
    sut = simulated(f"any?prose=0&time=virtual&wire={wire}", Settings(now_ns=lambda: 0))
    asked = native_request("Edit.", case.messages, Sampling(max_tokens=limit))

    async def received() -> list[Received]:
        return [piece async for piece in sut.stream(replace(asked, truth=truth))]

    answer = read(asyncio.run(received()), wire, NATIVE)

    assert answer.finish_reason in {"length", "max_tokens", "max_output_tokens"}
    assert scored(case, answer, NATIVE).outcome is Outcome.TRUNCATED


def test_answers_are_the_same_text_over_every_wire() -> None:
    case = CASES[1]

    texts = {answered(case, 1, "any?prose=9", wire, NATIVE)[0].text for wire in WIRES}

    assert len(texts) == 1


@pytest.mark.parametrize("calls", CALLS)
def test_a_call_in_the_other_form_is_none(calls: str) -> None:
    case = CASES[0]
    answer, _ = answered(case, 1, "any?prose=9", "openai-chat", calls)
    other = "xml-tools-v2" if calls == NATIVE else NATIVE_PARSER

    (scoring,) = score_answer(case, answer, (other, PARSERS[other]), V4, "strict")

    assert scoring.outcome is Outcome.NO_CALL
