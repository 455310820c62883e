import pytest

from parsers import PARSERS
from parsers.blocks import Block, Parser, Text, ToolCall

V2 = PARSERS["xml-tools-v2"]
XML = [name for name in PARSERS if name.startswith("xml-tools")]


def call(name: str, /, *, partial: bool = False, **params: str) -> ToolCall:
    return ToolCall(name, params, partial)


def rest(content: str) -> Text:
    return Text(content, partial=True)


@pytest.mark.parametrize("parser", [PARSERS[name] for name in XML], ids=XML)
@pytest.mark.parametrize(
    "text, blocks",
    [
        pytest.param("", [], id="nothing"),
        pytest.param(" \n\ufeff\u2028", [], id="blank_text_is_no_block"),
        pytest.param(" a < b > c ", [rest("a < b > c")], id="text_alone_stays_partial"),
        pytest.param("\x85a\x1c", [rest("\x85a\x1c")], id="what_javascript_does_not_trim"),
        pytest.param(
            "Hi.\n<read_file>\n<path> a b </path>\n</read_file>\nBye.",
            [Text("Hi."), call("read_file", path="a b"), rest("Bye.")],
            id="text_call_text",
        ),
        pytest.param(
            "<read_file></read_file> <read_file></read_file>",
            [call("read_file"), call("read_file")],
            id="two_calls_and_no_text_between",
        ),
        pytest.param(
            "Use `<read_file>` for it",
            [Text("Use `"), call("read_file", partial=True)],
            id="a_tag_quoted_in_prose_opens_a_tool",
        ),
        pytest.param(
            "<unknown><path>a</path></unknown>", [rest("<unknown><path>a</path></unknown>")], id="unknown_tool"
        ),
        pytest.param(
            '<Read_File><read_file ><read_file a="b">',
            [rest('<Read_File><read_file ><read_file a="b">')],
            id="tags_are_exact",
        ),
        pytest.param("</read_file>", [rest("</read_file>")], id="a_closing_tag_alone_is_text"),
        pytest.param(
            "<read_file>a<unknown>b</unknown>c</read_file>",
            [call("read_file")],
            id="text_and_unknown_parameters_in_a_call_are_dropped",
        ),
        pytest.param(
            "<read_file><write_to_file></write_to_file></path></read_file>",
            [call("read_file")],
            id="other_tools_and_closing_tags_in_a_call_are_dropped",
        ),
        pytest.param(
            "<read_file><coordinate>1</coordinate></read_file>",
            [call("read_file", coordinate="1")],
            id="any_tool_may_have_any_parameter",
        ),
        pytest.param(
            "<replace_in_file><diff><read_file></replace_in_file><path>x</path></diff></replace_in_file>",
            [call("replace_in_file", diff="<read_file></replace_in_file><path>x</path>")],
            id="nothing_nested_is_seen_in_a_value",
        ),
        pytest.param(
            "<replace_in_file><diff>a</diff>b</diff></replace_in_file>",
            [call("replace_in_file", diff="a")],
            id="the_first_closing_tag_ends_a_value",
        ),
        pytest.param(
            "<read_file><path>a</path><url>u</url><path>b</path></read_file>",
            [call("read_file", path="b", url="u")],
            id="a_later_occurrence_overwrites",
        ),
        pytest.param(
            "<read_file><path> a\n</path> <url>",
            [call("read_file", partial=True, path="a", url="")],
            id="an_open_parameter_is_kept_even_if_empty",
        ),
        pytest.param(
            "<read_file><path>a</pat",
            [call("read_file", partial=True, path="a</pat")],
            id="half_a_closing_tag_belongs_to_the_value",
        ),
        pytest.param("a <read_fil", [rest("a <read_fil")], id="half_an_opening_tag_belongs_to_the_text"),
        pytest.param("<<read_file>></read_file>", [Text("<"), call("read_file")], id="brackets_beside_tags"),
    ],
)
def test_all_versions_read_these_messages_alike(parser: Parser, text: str, blocks: list[Block]) -> None:
    assert parser.parse(text) == tuple(blocks)


def test_parameters_stand_in_the_order_in_which_they_first_closed() -> None:
    text = "<read_file><url>1</url><path>2</path><url>3</url></read_file>"

    (block,) = V2.parse(text)

    assert isinstance(block, ToolCall)
    assert list(block.params) == ["url", "path"]


@pytest.mark.parametrize("name", XML)
def test_a_file_may_contain_the_closing_content_tag(name: str) -> None:
    text = "<write_to_file><path>a</path><content>x</content> y</content></write_to_file>"

    assert PARSERS[name].parse(text) == (call("write_to_file", path="a", content="x</content> y"),)


@pytest.mark.parametrize(
    "text, of_v1, of_v2",
    [
        pytest.param(
            "<write_to_file><content>a</content>b</content>",
            call("write_to_file", partial=True, content="a</content>b"),
            call("write_to_file", partial=True, content="a"),
            id="a_call_that_never_closes",
        ),
        pytest.param(
            "<new_rule><content>a</content>b</content></new_rule>",
            call("new_rule", content="a</content>b"),
            call("new_rule", content="a"),
            id="a_new_rule",
        ),
        pytest.param(
            "<write_to_file><content>a</content>b</content><content>c</content></write_to_file>",
            call("write_to_file", content="c"),
            call("write_to_file", content="a</content>b</content><content>c"),
            id="a_later_content_parameter",
        ),
        pytest.param(
            "<new_rule><content>a</content>b</content>c</content></new_rule>",
            call("new_rule", content="a</content>b</content>c"),
            call("new_rule", content="a"),
            id="the_last_stray_tag_wins",
        ),
        pytest.param(
            "<new_rule>0123456789</content></new_rule>",
            call("new_rule", content="89"),
            call("new_rule"),
            id="no_content_tag_at_all",
        ),
        pytest.param(
            "<new_rule>🎉🎉🎉🎉89</content></new_rule>",
            call("new_rule", content="89"),
            call("new_rule"),
            id="the_offset_counts_utf16_units",
        ),
        pytest.param(
            "<new_rule>0123</content></new_rule>", call("new_rule", content=""), call("new_rule"), id="too_short"
        ),
        pytest.param(
            "<read_file>0123456789</content></read_file>",
            call("read_file"),
            call("read_file"),
            id="other_tools_have_no_content_rule",
        ),
    ],
)
def test_the_first_version_applies_its_content_rule_at_once(text: str, of_v1: ToolCall, of_v2: ToolCall) -> None:
    assert PARSERS["xml-tools-v1"].parse(text) == (of_v1,)
    assert V2.parse(text) == (of_v2,)


def test_a_split_surrogate_pair_stays_split_in_the_first_version() -> None:
    (block,) = PARSERS["xml-tools-v1"].parse("<new_rule>0123456🎉9</content></new_rule>")

    assert block == call("new_rule", content="\udf899")


def test_a_parameter_inside_the_content_stays() -> None:
    text = "<write_to_file><content>a</content><path>p</path></content></write_to_file>"

    assert V2.parse(text) == (call("write_to_file", content="a</content><path>p</path>", path="p"),)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("<apply_patch><input>x</input></apply_patch>", id="tool"),
        pytest.param("<read_file><task_progress>x</task_progress></read_file>", id="parameter"),
        pytest.param("<read_file><absolutePath>x</absolutePath></read_file>", id="parameter_with_a_capital"),
    ],
)
def test_only_the_core_form_knows_the_newer_words(text: str) -> None:
    (core,) = PARSERS["xml-tools-v2-core"].parse(text)
    (evaluation,) = V2.parse(text)

    assert isinstance(core, ToolCall)
    assert list(core.params.values()) == ["x"]
    assert not isinstance(evaluation, ToolCall) or evaluation.params == {}
