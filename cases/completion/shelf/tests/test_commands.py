"""Tests of the terminal."""

import pytest
from shelf.commands import obey, obey_all
from shelf.stock import Stock


@pytest.mark.parametrize(
    "line, answer",
    [
        ("put a1 rope 3 pcs", "ok"),
        ("find rope", "nowhere"),
        ("", ""),
        ("dance", "what is dance?"),
        ("put a1 rope 3 ells", "refused: unknown unit 'ells'"),
    ],
)
def test_a_line_is_answered(line: str, answer: str) -> None:
    """Each line has its answer."""
    assert obey(Stock(), line) == answer


def test_lines_are_obeyed_in_turn() -> None:
    """The answers come in the order of the lines, up to the stop."""
    lines = ["put a1 flour 2 kg", "put b2 flour 500 g", "", "find flour", "take a1 flour 500", "stop", "find flour"]

    assert obey_all(Stock(), lines) == ["ok", "ok", "a1, b2", "took 500 g"]
