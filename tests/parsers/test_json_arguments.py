"""Arguments of calls are read while they arrive: at every cut what a fresh reading of the same text gives."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.json_arguments import JsonArguments

TEXTS = st.dictionaries(st.text(max_size=8), st.text(max_size=40), max_size=4)
VALUES = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=9), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3), max_leaves=6)  # fmt: skip  # noqa: E501
ESCAPED = '{"path" : "a\\/b\\u00e9.py", "diff":"tab\\t \\ud83d\\ude00 \\"q\\" \\\\ \\u0041\\n", "n": [1, {"x":"}"}]} \n'


def read(pieces: list[str]) -> JsonArguments:
    arguments = JsonArguments()
    for piece in pieces:
        assert all(0 < decoded.end <= len(piece) for decoded in arguments.feed(piece))
    return arguments


def facts(arguments: JsonArguments) -> tuple[object, ...]:
    return arguments.strings, sorted(arguments.others), arguments.is_closed, arguments.is_broken


@given(TEXTS, st.booleans(), st.integers(1, 9))
def test_strings_are_those_that_json_gives(values: dict[str, str], ascii_only: bool, size: int) -> None:
    text = json.dumps(values, ensure_ascii=ascii_only)

    arguments = read([text[at : at + size] for at in range(0, len(text), size)])

    assert facts(arguments) == (values, [], True, False)


@given(st.dictionaries(st.text(max_size=5), VALUES, max_size=4), st.integers(1, 9))
def test_other_values_are_named_and_skipped(values: dict[str, object], size: int) -> None:
    text = json.dumps(values)

    arguments = read([text[at : at + size] for at in range(0, len(text), size)])

    assert arguments.strings == {name: value for name, value in values.items() if isinstance(value, str)}
    assert arguments.others == {name for name, value in values.items() if not isinstance(value, str)}
    assert arguments.is_closed


def test_every_cut_reads_what_a_fresh_reading_reads() -> None:
    for end in range(len(ESCAPED) + 1):
        whole = facts(read([ESCAPED[:end]]))
        for cut in range(end + 1):
            assert facts(read([piece for piece in (ESCAPED[:cut], ESCAPED[cut:end]) if piece])) == whole, (end, cut)


@pytest.mark.parametrize(
    "text,value",
    [
        pytest.param('{"a":"\\ud83d\\ude00"}', "\U0001f600", id="a pair"),
        pytest.param('{"a":"\\ud83d"}', "\ufffd", id="a first half at the end"),
        pytest.param('{"a":"\\ud83dx"}', "\ufffdx", id="a first half before text"),
        pytest.param('{"a":"\\ude00"}', "\ufffd", id="a second half alone"),
        pytest.param('{"a":"\\ud83d\\ud83d\\ude00"}', "\ufffd\U0001f600", id="a half before a pair"),
    ],
)
def test_a_pair_of_surrogates_is_one_character_wherever_it_is_cut(text: str, value: str) -> None:
    for cut in range(1, len(text)):
        assert facts(read([text[:cut], text[cut:]])) == ({"a": value}, [], True, False)


@pytest.mark.parametrize("text", [
    "x", "[1]", '{"a" "b"}', '{"a":"b",}', '{"a":"b"}}', "{a:1}", '{"a":"line\nend"}', '{"a":"\\x"}', '{"a":"\\u12g4"}',
    '{"a":tru}', '{"a":1 2}', '{"a":[1,]}',
])  # fmt: skip
def test_what_json_does_not_allow_is_broken_wherever_it_is_cut(text: str) -> None:
    for cut in range(1, len(text)):
        assert read([text[:cut], text[cut:]]).is_broken


@given(st.text(alphabet='{}[]":,\\u0a1 \n\x1e', max_size=30))
def test_any_text_is_read_without_an_error_and_closes_only_as_json(text: str) -> None:
    arguments = read([text] if text else [])

    if arguments.is_closed:
        assert isinstance(json.loads(text), dict)
