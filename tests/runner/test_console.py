"""Tables for people: a grid where it fits, row by row where it does not, and nothing that steers the terminal."""

import os

import orjson
import pytest

from runner.console import harmless, put_json, say, show, show_lines
from runner.document import Document, Table

WIDE = Table(
    "results", ("model", "cases", "success"), (("sim/a", "29", "94.8% [85.3, 98.3]"), ("sim/b", "-", "[bold]1[/bold]"))
)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest) -> str:
    """What people see of a table on a terminal of this width; nothing of it is data."""
    monkeypatch.setenv("COLUMNS", str(request.param))
    show(Document("a run", (WIDE,), ("a note",)))
    told = capsys.readouterr()
    assert told.out == ""
    return told.err


@pytest.mark.parametrize("shown", [80], indirect=True)
def test_a_table_that_fits_is_a_grid(shown: str) -> None:
    lines = [line.rstrip() for line in shown.splitlines()]

    assert lines[:5] == ["a run", "", "results", "model  cases  success", "sim/a  29     94.8% [85.3, 98.3]"]
    assert lines[-1] == "a note"


@pytest.mark.parametrize("shown", [30], indirect=True)
def test_a_table_that_does_not_fit_is_shown_row_by_row(shown: str) -> None:
    lines = [line.rstrip() for line in shown.splitlines()]

    assert lines[2:7] == ["results", "sim/a", "  cases 29, success 94.8%", "  [85.3, 98.3]", "sim/b"]


@pytest.mark.parametrize("shown", [80, 30], indirect=True)
def test_what_looks_like_markup_is_shown_as_it_is(shown: str) -> None:
    assert "[bold]1[/bold]" in shown


def test_control_characters_do_not_reach_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    show_lines(["a\x1b[2Jb\tc"])

    assert capsys.readouterr().err == "a\\x1b[2Jb\tc\n"


def test_what_is_said_is_one_line_unless_lines_are_asked_for() -> None:
    assert harmless("a\r\nb\tc") == "a\\x0d\\x0ab\tc"
    assert harmless("a\r\nb\tc", lines=True) == "a\\x0d\nb\tc"


def test_what_a_server_said_cannot_steer_the_terminal_either(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    steering = "no \x1b]0;mine\x07\x1b[31mmodel"

    say(f"given up: {steering}")
    for columns in ("80", "8"):
        monkeypatch.setenv("COLUMNS", columns)
        show(Document(steering, (Table(steering, ("model", "why"), ((steering, steering),)),), (steering,)))

    told = capsys.readouterr().err
    assert "\x1b" not in told
    assert told.startswith("given up: no \\x1b]0;mine\\x07\\x1b[31mmodel\n")


def test_a_path_that_is_no_text_is_told_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    path = os.fsdecode(b"caf\xe9/\xf0\x9f\x98\x80")

    put_json({path: [path, 1, None, {"in": (path,)}]})

    told = "caf\ufffd/\U0001f600"
    assert orjson.loads(capsys.readouterr().out) == {told: [told, 1, None, {"in": [told]}]}


def test_what_no_json_can_hold_is_refused() -> None:
    with pytest.raises(TypeError):
        put_json({"a": object()})
