"""JSON of others is read to a depth that Python can walk, and deeper JSON is refused, wherever it comes from."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from runner.errors import InputError
from runner.json_texts import MOST_LEVELS, parse_json, stored_json
from runner.jsonl import read_rows
from runner.prices import load_prices
from runner.suites.diff_edit.cases import load_cases
from runner.suites.nextedit.bundles import read_bundles
from suts.failures import MESSAGE_LIMIT, refusal

both_parsers = pytest.mark.parametrize(
    "parse", [pytest.param(orjson.loads, id="orjson"), pytest.param(json.loads, id="json")]
)


def nested(levels: int) -> bytes:
    return b"[" * levels + b"]" * levels


@both_parsers
@pytest.mark.parametrize("levels", [MOST_LEVELS + 1, 900, 1024, 1025, 100_000])
def test_what_is_nested_too_deep_is_refused(parse: Callable[[bytes | str], Any], levels: int) -> None:
    with pytest.raises(orjson.JSONDecodeError, match=r"nested deeper than 200 levels|depth limit exceeded"):
        parse_json(nested(levels), parse)


@both_parsers
def test_the_deepest_text_that_is_read_can_be_written_again(parse: Callable[[bytes | str], Any]) -> None:
    value = parse_json(nested(MOST_LEVELS), parse)

    assert orjson.dumps(value) == nested(MOST_LEVELS)


def test_many_brackets_beside_each_other_are_not_deep() -> None:
    text = "[" + ",".join(['{"a":["[[["]}'] * 1000) + "]"

    assert len(parse_json(text)) == 1000


def test_objects_count_as_levels() -> None:
    with pytest.raises(orjson.JSONDecodeError):
        parse_json('{"a":' * 201 + "1" + "}" * 201)


@pytest.mark.parametrize("levels", [300, 100_000])
@pytest.mark.parametrize(
    "name, read",
    [
        pytest.param("rows.jsonl", lambda path: list(read_rows(path)), id="rows"),
        pytest.param("case.json", lambda path: load_cases(path.parent), id="cases"),
        pytest.param("bundle.json", lambda path: list(read_bundles(path)), id="bundles"),
        pytest.param("prices.json", load_prices, id="prices"),
    ],
)
def test_a_deep_file_is_refused_in_one_line(
    name: str, read: Callable[[Path], object], levels: int, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(b'{"a":' + nested(levels) + b"}")

    with pytest.raises(InputError) as refused:
        read(path)

    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_stored_json_that_is_damaged_is_told_in_one_line() -> None:
    for text in ("{", nested(300), "[" * 100_000):
        with pytest.raises(InputError, match="the database holds damaged JSON"):
            stored_json(text)


def test_stored_json_may_hold_half_a_surrogate_pair() -> None:
    assert stored_json('["\\ud83d"]') == ["\ud83d"]


def test_a_deep_error_of_a_server_is_an_error_and_no_crash() -> None:
    error = refusal(b'{"error":' + nested(1000) + b"}", status=500)

    assert error.status == 500
    assert len(str(error)) <= MESSAGE_LIMIT
