"""Native calls in a transcript: blocks and marks are the same wherever it is cut."""

import json

from hypothesis import given
from hypothesis import strategies as st

from parsers import PARSERS
from parsers.blocks import Block, EditMarks, Text, ToolCall
from parsers.transcript import FRAME, Transcriber, TranscriptReader, arguments_of

PARSER = PARSERS["native-calls"]
DIFF = "------- SEARCH\nold é\n=======\nnew 😀\nlast\n+++++++ REPLACE\n"
PIECES = st.lists(st.tuples(st.integers(-1, 2), st.text(alphabet='ab"{}:\n\x1e é', max_size=6)), max_size=8)


def transcript(*parts: tuple[int, str, str]) -> str:
    """The transcript of these (number or -1 for prose, name, text)."""
    writer = Transcriber()
    return "".join(writer.prose(text) if call < 0 else writer.call(call, name, text) for call, name, text in parts)


def seen(pieces: list[str]) -> tuple[tuple[Block, ...], EditMarks]:
    parse = PARSER.start()
    for piece in pieces:
        parse.feed(piece)
    return parse.snapshot(), parse.marks


EDIT = json.dumps({"path": "a.py", "diff": DIFF})
ANSWER = transcript((-1, "", f"I edit. {FRAME} "), (3, "replace_in_file", EDIT[:30]), (3, "", EDIT[30:]),
                    (5, "read_file", "{}"), (-1, "", "Done."))  # fmt: skip


def test_an_answer_is_prose_and_calls_in_their_order() -> None:
    assert PARSER.parse(ANSWER) == (
        Text(f"I edit. {FRAME}"),
        ToolCall("replace_in_file", {"path": "a.py", "diff": DIFF}),
        ToolCall("read_file"),
        Text("Done.", partial=True),
    )


def test_every_cut_gives_the_snapshot_and_the_marks_of_a_fresh_parse() -> None:
    for end in range(len(ANSWER) + 1):
        fresh = seen([ANSWER[:end]])
        assert fresh[0] == PARSER.parse(ANSWER[:end])
        assert seen(list(ANSWER[:end])) == fresh
        assert seen([ANSWER[: end // 2], ANSWER[end // 2 : end]]) == fresh


def test_the_marks_are_where_the_call_begins_where_a_line_is_replaced_and_where_it_ends() -> None:
    _, marks = seen([ANSWER])

    assert ANSWER[: marks.opened].endswith('"name":"replace_in_file"}\n')
    assert ANSWER[: marks.first_line].endswith(json.dumps("new 😀\n")[1:-1])
    assert ANSWER[: marks.closed].endswith('REPLACE\\n"}')


def test_marks_are_of_the_first_edit_and_not_of_other_tools() -> None:
    text = transcript((0, "read_file", '{"path":"a"}'), (1, "replace_in_file", EDIT), (2, "replace_in_file", EDIT))

    _, marks = seen([text])

    assert marks.opened == text.index(EDIT)
    assert marks.closed == text.index(EDIT) + len(EDIT)


def test_an_unfinished_call_is_partial_and_a_broken_one_is_not() -> None:
    unfinished = transcript((0, "replace_in_file", '{"path":"a.py","diff":"-----'))
    broken = transcript((0, "replace_in_file", '{"path":"a.py","diff":"one\ntwo"}'))

    assert PARSER.parse(unfinished) == (ToolCall("replace_in_file", {"path": "a.py", "diff": "-----"}, partial=True),)
    assert PARSER.parse(broken) == (ToolCall("replace_in_file", {"path": "a.py", "diff": "one"}),)


def test_pieces_of_calls_that_alternate_are_put_together() -> None:
    text = transcript((7, "one", '{"a"'), (9, "two", '{"b"'), (7, "", ':"x"}'), (9, "", ':"y"}'))

    assert PARSER.parse(text) == (ToolCall("one", {"a": "x"}), ToolCall("two", {"b": "y"}))
    assert arguments_of(text) == (("one", '{"a":"x"}'), ("two", '{"b":"y"}'))


@given(PIECES)
def test_a_transcript_loses_nothing_of_prose_and_arguments(parts: list[tuple[int, str]]) -> None:
    wanted: dict[int, str] = {}
    for call, text in parts:
        wanted[call] = wanted.get(call, "") + text
    numbers = {call: number for number, call in enumerate(dict.fromkeys(call for call, _ in parts if call >= 0))}

    read: dict[int, str] = {}
    for part in TranscriptReader().feed(transcript(*((call, "t", text) for call, text in parts))):
        read[part.call] = read.get(part.call, "") + part.text

    assert {call: text for call, text in read.items() if text} == {
        numbers.get(call, -1): text for call, text in wanted.items() if text
    }


@given(st.text(alphabet='{}":call0name,\n\x1ex ', max_size=40), st.integers(1, 5))
def test_any_text_is_a_transcript(text: str, size: int) -> None:
    assert seen([text[at : at + size] for at in range(0, len(text), size)])[0] == PARSER.parse(text)
