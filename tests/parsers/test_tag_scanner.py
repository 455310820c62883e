"""A version is a composition: another grammar is another parser."""

from parsers.blocks import Text, ToolCall
from parsers.tag_scanner import Grammar, XmlTools

GRAMMAR = Grammar(
    tools=frozenset({"say", "shout"}),
    params=frozenset({"content", "tone"}),
    content_tools=frozenset({"shout"}),
    content=str.upper,
)


def test_a_grammar_decides_what_is_a_tool_and_a_parameter() -> None:
    blocks = XmlTools(GRAMMAR).parse("<read_file><say><tone>low</tone><path>x</path></say>")

    assert blocks == (Text("<read_file>"), ToolCall("say", {"tone": "low"}))


def test_a_content_rule_is_given_the_text_of_its_tools_calls_when_they_close() -> None:
    text = "<say>a</say><shout>b<tone>c</tone></shout><shout>d"

    assert XmlTools(GRAMMAR).parse(text) == (
        ToolCall("say"),
        ToolCall("shout", {"tone": "c", "content": "B<TONE>C</TONE>"}),
        ToolCall("shout", partial=True),
    )


def test_a_content_rule_for_stray_tags_is_given_the_text_before_the_last_one() -> None:
    grammar = Grammar(GRAMMAR.tools, GRAMMAR.params, GRAMMAR.content_tools, GRAMMAR.content, at_strays=True)
    text = "<shout>a</content>b</content>c"

    assert XmlTools(grammar).parse(text) == (ToolCall("shout", {"content": "A</CONTENT>B"}, partial=True),)


def test_calls_of_one_parser_do_not_share_their_parameters() -> None:
    parser = XmlTools(GRAMMAR)

    first, second = parser.parse("<say><tone>a</tone></say>"), parser.parse("<say></say>")

    assert first == (ToolCall("say", {"tone": "a"}),)
    assert second == (ToolCall("say"),)
