"""A stored answer played back: every character in order, marks where and when the clocks say."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers import PARSERS
from runner.errors import InputError
from runner.records import Outcome
from runner.storage.playback import AnswerQuery, Frame, frames, recording
from runner.storage.runs import find_run
from runner.storage.store import Store
from runner.storage.streams import read_again
from suts.sut import Received
from suts.wires import WIRES
from tests.runner.made_runs import SUT, Made, make_run
from tests.runner.scripted import chunk, ending
from tests.suts.reading import RECORDED, recorded, wire_of

PARSER = PARSERS["xml-tools-v2"]
CHAT = WIRES["openai-chat"]
CALL = (
    "Sure. <replace_in_file>\n<path>a.py</path>\n<diff>\n------- SEARCH\nold\n=======\nnew\n+++++++ REPLACE\n</diff>\n"
    "</replace_in_file>"
)


def spoken(*texts: str, reason: str = "stop") -> tuple[Received, ...]:
    """A stream whose pieces arrive a millisecond apart."""
    pieces = [*(chunk(text) for text in texts), ending(reason), b""]
    return tuple(Received(1_000_000 * at, piece) for at, piece in enumerate(pieces, 1))


def texts_of(found: list[Frame]) -> str:
    return "".join(one.text for one in found if one.kind == "text")


def marks_of(found: list[Frame]) -> dict[str, float]:
    """Milliseconds of each mark."""
    return {one.text: one.at_ns / 1e6 for one in found if one.kind == "mark"}


@given(cuts=st.lists(st.integers(min_value=1, max_value=len(CALL) - 1), max_size=12))
def test_however_the_text_is_cut_nothing_is_lost_and_each_mark_stands_behind_its_character(cuts: list[int]) -> None:
    ends = [0, *sorted(set(cuts)), len(CALL)]
    stream = spoken(*(CALL[start:end] for start, end in pairwise(ends)))

    found = list(frames(stream, CHAT, PARSER))
    shown = "".join(f"[{one.text}]" if one.kind == "mark" else one.text for one in found)

    assert texts_of(found) == CALL
    assert (
        shown
        == "[first token]"
        + CALL.replace("<replace_in_file>", "<replace_in_file>[first edit]").replace(
            "new\n", "new\n[first replacement line]"
        )
        + "[call closed][end: stop]"
    )


@pytest.mark.parametrize("name", [path.stem for path in sorted(RECORDED.glob("*.sse"))])
def test_marks_stand_at_the_clocks_of_a_rereading(name: str) -> None:
    wire = wire_of(name)
    lines = recorded(name).splitlines(keepends=True)
    stream = tuple(Received(3_000_000 * at, data) for at, data in enumerate([*lines, b""], 1))

    again = read_again(stream, wire.decoder(), PARSER.start())
    found = list(frames(stream, wire, PARSER))
    marks = marks_of(found)

    assert texts_of(found) == again.text
    assert "".join(one.text for one in found if one.kind == "reasoning") == again.reasoning
    assert marks.get("first token") == again.clocks.first_token_ms
    assert marks.get("first edit") == again.clocks.first_edit_ms
    assert marks.get("first replacement line") == again.clocks.first_line_ms
    assert marks.get("call closed") == again.clocks.closed_ms


def test_a_stream_that_was_cut_says_so_at_its_end() -> None:
    stream = (Received(1, chunk("half")), Received(2_000_000, b""))

    *_, last = frames(stream, CHAT, PARSER)

    assert last.kind == "broken"
    assert last.text.startswith("cut: ")


@pytest.fixture
def made(store: Store) -> Made:
    make_run(store)
    return Made(store)


def test_a_run_without_the_answer_says_where_to_look(made: Made) -> None:
    with pytest.raises(InputError, match="case 'a' number 7: has no answer; see `evals show r1 a`"):
        recording(made.store, find_run(made.store, "r1"), AnswerQuery("a", 7))


def test_a_pruned_answer_says_so(made: Made) -> None:
    made.attempt("a", 1, Outcome.APPLIED)

    with pytest.raises(InputError, match="its stream was pruned"):
        recording(made.store, find_run(made.store, "r1"), AnswerQuery("a", 1))


def test_answers_of_several_models_are_told_apart(made: Made) -> None:
    for sut in ("test/one", "test/two"):
        made.answer(made.lane("a", sut))
    run = find_run(made.store, "r1")

    with pytest.raises(InputError, match="2 answers have it; give one of: --model test/one --prompt basic --step 0; "):
        recording(made.store, run, AnswerQuery("a", 1))
    with pytest.raises(InputError, match="its stream was pruned"):
        recording(made.store, run, AnswerQuery("a", 1, sut="test/two"))


def test_a_failed_try_is_not_the_answer(made: Made) -> None:
    made.answer(made.lane("a"), outcome="timeout")

    with pytest.raises(InputError, match="has no answer"):
        recording(made.store, find_run(made.store, "r1"), AnswerQuery("a", 1, SUT))
