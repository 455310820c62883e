"""Half a stream reads as a message of its own, however it was cut, and costs what it is long."""

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from parsers import PARSERS
from parsers.blocks import Block, EditMarks, Parser, ToolCall

TOKENS = [
    *(" ", "\n", "a", "🎉", "<", ">", '"', '">', "\ufeff", "</dif", "<replace_in_", "<function_c"),
    *("<replace_in_file>", "</replace_in_file>", "<diff>", "</diff>", "<path>", "</path>"),
    *("------- SEARCH\n", "=======\n", "+++++++ REPLACE\n", "<<< SEARCH>\r\n", "===\r\n"),
    *("<write_to_file>", "</write_to_file>", "<content>", "</content>", "<new_rule>", "</new_rule>"),
    *("<read_file>", "</read_file>", "<apply_patch>", "<input>", "</input>", "</execute_command>"),
    *("<function_calls>", "</function_calls>", "</invoke>", "</parameter>", '<invoke name="', '<parameter name="'),
    *('<invoke name="Bash">', '<invoke name="MultiEdit">', '<invoke name="Write">', '<invoke name="Other">'),
    *('<parameter name="edits">', '<parameter name="content">', '<parameter name="command">'),
]
messages = st.lists(st.sampled_from(TOKENS), max_size=24).map("".join)
DIFF = "------- SEARCH\na\n=======\nb\n+++++++ REPLACE"
EDIT = f"Ok.\n<replace_in_file>\n<path>a</path>\n<diff>\n{DIFF}\n</diff>\n</replace_in_file>"

every_parser = pytest.mark.parametrize("parser", PARSERS.values(), ids=PARSERS)


def _fresh(parser: Parser, text: str) -> tuple[list[object], EditMarks]:
    parse = parser.start()
    parse.feed(text)
    return _comparable(parse.snapshot()), parse.marks


def _comparable(blocks: tuple[Block, ...]) -> list[object]:
    """Blocks with the order of their parameters."""
    return [(block, list(block.params)) if isinstance(block, ToolCall) else block for block in blocks]


@every_parser
@given(text=messages)
@example(text=EDIT)
@settings(max_examples=60)
def test_after_every_character_the_parse_equals_a_fresh_one(parser: Parser, text: str) -> None:
    parse = parser.start()

    for at, character in enumerate(text, 1):
        parse.feed(character)

        assert (_comparable(parse.snapshot()), parse.marks) == _fresh(parser, text[:at])


@every_parser
@given(text=messages)
@example(text=EDIT)
@settings(max_examples=60)
def test_a_message_cut_anywhere_equals_the_whole_one(parser: Parser, text: str) -> None:
    whole = _fresh(parser, text)

    for at in range(len(text) + 1):
        parse = parser.start()
        parse.feed(text[:at])
        parse.feed(text[at:])

        assert (_comparable(parse.snapshot()), parse.marks) == whole


@every_parser
@given(text=messages, cuts=st.lists(st.floats(0, 1), max_size=8))
@settings(max_examples=100)
def test_any_cutting_gives_what_single_characters_give(parser: Parser, text: str, cuts: list[float]) -> None:
    single, cut = parser.start(), parser.start()
    places = sorted(int(len(text) * share) for share in cuts)

    for character in text:
        single.feed(character)
    for start, stop in zip([0, *places], [*places, len(text)], strict=True):
        cut.feed(text[start:stop])

    assert _comparable(cut.snapshot()) == _comparable(single.snapshot())
    assert cut.marks == single.marks


@every_parser
@given(text=messages)
@example(text=EDIT)
@settings(max_examples=60)
def test_a_mark_is_reached_by_its_last_character_and_not_before(parser: Parser, text: str) -> None:
    _, marks = _fresh(parser, text)

    for name in EditMarks.__slots__:
        at = getattr(marks, name)
        if at is not None:
            assert getattr(_fresh(parser, text[:at])[1], name) == at
            assert getattr(_fresh(parser, text[: at - 1])[1], name) is None


@every_parser
@given(text=st.text())
def test_no_text_raises(parser: Parser, text: str) -> None:
    assert parser.parse(text) is not None


def _seconds_by_character(parser: Parser, text: str) -> float:
    parse, start = parser.start(), time.process_time()
    for character in text:
        parse.feed(character)
    return time.process_time() - start


def _growth(parser: Parser, start: str, body: str) -> float:
    """How many times as much 80 kB cost as 20 kB."""
    short, long = (start + body * (size // len(body)) for size in (20_000, 80_000))
    return _seconds_by_character(parser, long) / _seconds_by_character(parser, short)


@pytest.mark.parametrize("name", ["xml-tools-v1", "xml-tools-v3"])
@pytest.mark.parametrize(
    "start, body",
    [
        pytest.param("", "some <b>prose</b> < more\n", id="prose"),
        pytest.param("<replace_in_file><diff>\n", "if a < b: </dif\n", id="diff"),
        pytest.param("<replace_in_file><diff>\n", "one endless line <p>", id="line"),
        pytest.param("<replace_in_file>", "<path>a</path>", id="parameters"),
        pytest.param("<new_rule>", "a</content>", id="stray_content"),
        pytest.param('<function_calls><invoke name="', "never ends < x", id="name"),
        pytest.param("<function_calls>", '<invoke name="Bash"></invoke>', id="invokes"),
        pytest.param(
            '<function_calls><invoke name="Write"></function_calls><content>',
            '</content></write_to_file><function_calls></invoke><invoke name="Write"></function_calls>',
            id="calls-closed-again",
        ),
    ],
)
def test_four_times_the_text_costs_about_four_times_as_much(name: str, start: str, body: str) -> None:
    # Joining the text anew at every piece grows tenfold and more, each time; a busy machine disturbs one time.
    assert any(_growth(PARSERS[name], start, body) < 6.5 for _ in range(4))


@every_parser
def test_snapshots_do_not_disturb_the_parse(parser: Parser) -> None:
    parse = parser.start()
    parse.feed(EDIT[:60])
    first = parse.snapshot()

    parse.feed(EDIT[60:])

    assert first == parser.parse(EDIT[:60])
    assert parse.snapshot() == parser.parse(EDIT)
