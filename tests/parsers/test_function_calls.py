import pytest

from parsers import PARSERS
from parsers.blocks import Block, EditMarks, Text, ToolCall

V3 = PARSERS["xml-tools-v3"]


def call(name: str, /, *, partial: bool = False, **params: str) -> ToolCall:
    return ToolCall(name, params, partial)


def inside(*invokes: str) -> str:
    return "<function_calls>" + "".join(invokes) + "</function_calls>"


def invoke(name: str, **params: str) -> str:
    values = "".join(f'<parameter name="{key}">{value}</parameter>' for key, value in params.items())
    return f'<invoke name="{name}">{values}</invoke>'


@pytest.mark.parametrize(
    "text, blocks",
    [
        pytest.param(
            "a\n" + inside(invoke("Read", file_path=" x ")) + "\nb",
            [Text("a"), call("read_file", path="x"), Text("b", partial=True)],
            id="text_call_text",
        ),
        pytest.param(
            inside(invoke("MultiEdit", file_path="x", edits="[]")),
            [call("replace_in_file", path="x", diff="[]")],
            id="a_multi_edit_is_an_edit",
        ),
        pytest.param(
            inside(invoke("LS", path="x"), invoke("LS")),
            [call("list_files", path="x", recursive="false"), call("list_files")],
            id="a_listing_with_a_path_is_not_recursive",
        ),
        pytest.param(
            inside(invoke("Bash", requires_approval="true"), invoke("Bash", requires_approval="True", timeout="1")),
            [call("execute_command", requires_approval="true"), call("execute_command", requires_approval="false")],
            id="approval_is_true_or_false_and_others_are_dropped",
        ),
        pytest.param(
            inside(invoke("Grep", pattern="p", path="x", include="*.py")),
            [call("search_files", regex="p", path="x", file_pattern="*.py")],
            id="renamed_parameters",
        ),
        pytest.param(inside(invoke("Unknown", path="x"), invoke("Read")), [call("read_file")], id="unknown_invoke"),
        pytest.param("<function_calls><read_file><path>x</path></read_file>a", [], id="nothing_of_xml_is_seen_inside"),
        pytest.param(
            inside('<invoke name="Bash"><parameter name="command">ls'),
            [call("execute_command", partial=True)],
            id="an_unfinished_parameter_is_not_kept",
        ),
        pytest.param(
            inside('<invoke name="Bash">') + "<command>ls</command></execute_command>b",
            [call("execute_command", command="ls"), Text("b", partial=True)],
            id="an_invoke_left_open_goes_on_as_an_xml_call",
        ),
        pytest.param(
            "<replace_in_file><diff>a" + inside(invoke("Read")) + "b</diff></replace_in_file>",
            [call("replace_in_file", diff="a" + inside(invoke("Read")) + "b")],
            id="no_invoke_opens_inside_an_open_call",
        ),
        pytest.param(
            "<replace_in_file><diff>a<function_calls></diff></replace_in_file>",
            [call("replace_in_file", partial=True, diff="a<function_calls></diff></replace_in_file>")],
            id="a_block_that_stays_open_swallows_the_closing_tags",
        ),
        pytest.param(
            '<function_calls><invoke name="x</function_calls><read_file></read_file>',
            [call("read_file")],
            id="a_name_that_never_ends_opens_nothing",
        ),
        pytest.param(
            '<function_calls><invoke name="x</function_calls><read_file></read_file>">',
            [],
            id="a_name_reaches_to_its_end_however_far",
        ),
        pytest.param(
            '<function_calls><invoke name="Read"><parameter name="x</invoke></function_calls>b',
            [call("read_file"), Text("b", partial=True)],
            id="a_parameter_whose_name_never_ends",
        ),
        pytest.param("</invoke></function_calls>", [Text("</invoke></function_calls>", partial=True)], id="outside"),
    ],
)
def test_function_calls_are_read_like_this(text: str, blocks: list[Block]) -> None:
    assert V3.parse(text) == tuple(blocks)


def test_the_marks_of_a_multi_edit_are_its_opening_and_its_end() -> None:
    text = "ok " + inside(invoke("MultiEdit", file_path="x", edits="[\n=======\n]\n")) + "!"
    parse = V3.start()

    parse.feed(text)

    opened = text.index('"MultiEdit">') + len('"MultiEdit">')
    assert parse.marks == EditMarks(opened, None, text.index("</invoke>") + len("</invoke>"))


def test_an_edit_that_turns_out_to_be_a_name_loses_its_marks() -> None:
    parse = V3.start()
    parse.feed('<function_calls><invoke name="x</function_calls><replace_in_file><diff>')
    before = parse.marks

    parse.feed('</diff></replace_in_file>">')

    assert before.opened is not None
    assert parse.marks == EditMarks()
