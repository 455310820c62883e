"""Native calls of edit tools: wherever their arguments are cut, they read as a fresh parse, with exact marks."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.blocks import Block, EditMarks, Text, ToolCall
from parsers.forms.native_form import NATIVE_FORMS
from parsers.transcript import FRAME, Transcriber
from runner.edit_tools import EDIT_TOOLS
from runner.edit_tools.native_writing import native_calls

NAMES = [*NATIVE_FORMS]
PATH = "src/a.py"
BEFORE, AFTER = 'one = "é😀"\ntwo = 2\nthree\n', 'one = "\\é😀\\t"\nnew 😀 "line"\ntwo = 2\nthree\n'


def arguments(name: str, *, ascii_only: bool = False) -> str:
    (call,) = native_calls(name, EDIT_TOOLS[name].write(PATH, BEFORE, AFTER))
    return json.dumps(json.loads(call.arguments), ensure_ascii=ascii_only)


def transcript(*calls: tuple[str, str], prose: str = f"I edit. {FRAME} ") -> str:
    writer = Transcriber()
    parts = [writer.call(number, tool, text) for number, (tool, text) in enumerate(calls)]
    return "".join([writer.prose(prose) if prose else "", *parts])


def answer(name: str, *, ascii_only: bool = False) -> str:
    return transcript((NATIVE_FORMS[name].tool, arguments(name, ascii_only=ascii_only)))


def read(name: str, *pieces: str) -> tuple[tuple[Block, ...], EditMarks]:
    parse = NATIVE_FORMS[name].about(PATH).start()
    for piece in pieces:
        parse.feed(piece)
    return parse.snapshot(), parse.marks


def calls_in(name: str, text: str) -> list[ToolCall]:
    return [block for block in NATIVE_FORMS[name].about(PATH).parse(text) if isinstance(block, ToolCall)]


@pytest.mark.parametrize("ascii_only", [False, True], ids=["letters", "escapes"])
@pytest.mark.parametrize("name", NAMES)
def test_at_every_cut_an_answer_reads_as_a_fresh_parse_of_it(name: str, ascii_only: bool) -> None:
    text = answer(name, ascii_only=ascii_only)
    arriving = NATIVE_FORMS[name].about(PATH).start()

    for end in range(1, len(text) + 1):
        arriving.feed(text[end - 1])
        assert (arriving.snapshot(), arriving.marks) == read(name, text[:end])


@pytest.mark.parametrize("name", NAMES)
def test_a_whole_call_is_the_edit_that_the_text_has(name: str) -> None:
    tool = EDIT_TOOLS[name]

    (call,) = calls_in(name, answer(name, ascii_only=True))

    assert (call.name, call.params["path"], call.partial) == ("edit_file", PATH, False)
    assert tool.algorithm(BEFORE, call.params["diff"]).text == AFTER


# The end of the first line that is new, or that goes where the form has that first.
FIRST = {
    "aider-diff": '\\n=======\\none = \\"\\\\é😀\\\\t\\"\\n',
    "aider-udiff": '-one = \\"é😀\\"\\n',
    "aider-whole": '\\n```\\none = \\"\\\\é😀\\\\t\\"\\n',
    "apply-patch": '-one = \\"é😀\\"\\n',
    "v4a": '-one = \\"é😀\\"\\n',
    "text-editor": '"new_str": "one = \\"\\\\é😀\\\\t\\"\\n',
    "opencode-edit": '"newString": "one = \\"\\\\é😀\\\\t\\"\\n',
    "hashline": '"content": ["one = \\"\\\\é😀\\\\t\\""',
    "hashline-patch": '+one = \\"\\\\é😀\\\\t\\"\\n',
    "line-range": '"new_text": "one = \\"\\\\é😀\\\\t\\"\\n',
}


@pytest.mark.parametrize("name", NAMES)
def test_marks_are_where_the_call_begins_where_a_line_is_replaced_and_where_it_ends(name: str) -> None:
    text = answer(name)

    _, marks = read(name, text)

    assert marks == EditMarks(
        opened=text.index(arguments(name)),
        first_line=text.index(FIRST[name]) + len(FIRST[name]),
        closed=len(text),
    )


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=15, deadline=None)
@given(cuts=st.lists(st.integers(1, 40), max_size=12))
def test_marks_do_not_depend_on_the_pieces(name: str, cuts: list[int]) -> None:
    rest, pieces = answer(name, ascii_only=True), list[str]()
    whole = read(name, rest)

    for cut in cuts:
        pieces.append(rest[:cut])
        rest = rest[cut:]

    assert read(name, *pieces, rest) == whole


@pytest.mark.parametrize(
    "text, place",
    [
        pytest.param('{"new_str":""}', '""', id="an empty text"),
        pytest.param('{"new_str":"a\\u000ab"}', "\\u000a", id="a line end as a code unit"),
        pytest.param('{"old_str":"a\\nb","new_str":"c"}', '"c"', id="a last line"),
        pytest.param('{"command":"view"}', '"view"}', id="without new text the end"),
        pytest.param('{"x":{"new_str":["a"]}}', '"a"', id="in lists and objects"),
        pytest.param('{"new_str" : 1, "x":"a\\n", "new_str":"b\\n', "b\\n", id="behind another type"),
        pytest.param('{"a":"}","new_str":"\\"\\n', '\\"\\n', id="brackets and quotes in texts"),
    ],
)
def test_the_first_line_of_a_text_is_complete_after(text: str, place: str) -> None:
    answer_so_far = transcript((NATIVE_FORMS["text-editor"].tool, text))

    _, marks = read("text-editor", *answer_so_far)

    assert marks.first_line == answer_so_far.index(place) + len(place)


def test_calls_of_other_tools_are_named_and_have_no_marks() -> None:
    blocks, marks = read("hashline", transcript(("read_file", '{"path":"a"}'), prose=""))

    assert blocks == (ToolCall("read_file", {"path": "a"}),)
    assert marks == EditMarks()


def test_calls_in_parallel_and_pieces_that_alternate_are_calls_of_their_own() -> None:
    writer, text = Transcriber(), arguments("line-range")
    parts = [writer.call(at % 2, "replace_lines" if at < 2 else "", text[at // 2]) for at in range(2 * len(text))]

    assert [call.params["path"] for call in calls_in("line-range", "".join(parts))] == [PATH, PATH]


def test_a_view_is_another_tool_and_a_text_without_an_edit_is_about_the_only_file() -> None:
    view = transcript(("str_replace_based_edit_tool", json.dumps({"command": "view", "path": PATH})))
    empty = transcript(("apply_patch", json.dumps({"input": "I would not."})))

    assert [call.name for call in calls_in("text-editor", view)] == ["read_file"]
    assert [call.params["path"] for call in calls_in("apply-patch", empty)] == [PATH]


@pytest.mark.parametrize("name", NAMES)
def test_an_answer_without_a_call_is_prose(name: str) -> None:
    (prose,) = NATIVE_FORMS[name].parse(EDIT_TOOLS[name].write(PATH, BEFORE, AFTER))

    assert isinstance(prose, Text)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=20, deadline=None)
@given(text=st.text(alphabet='{}[]":,\\nu0a+=\n\x1ex', max_size=40), cut=st.integers(0, 300))
def test_any_arguments_have_blocks_and_marks(name: str, text: str, cut: int) -> None:
    hostile = answer(name)[:cut] + text

    assert read(name, *hostile) == read(name, hostile)


@pytest.mark.parametrize("name", NAMES)
def test_the_arguments_that_are_read_are_those_that_the_tool_declares(name: str) -> None:
    declaration = EDIT_TOOLS[name].declaration
    properties = declaration.parameters["properties"]

    assert NATIVE_FORMS[name].tool == declaration.name
    assert dict(NATIVE_FORMS[name].kinds) == {key: value["type"] for key, value in properties.items()}
