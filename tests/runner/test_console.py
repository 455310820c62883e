"""Tables for people: as many columns as fit, and nothing that steers the terminal."""

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
    """What a person sees of a table at this width; all of it is data."""
    monkeypatch.setenv("COLUMNS", str(request.param))
    show(Document("a run", (WIDE,), ("a note",)))
    written = capsys.readouterr()
    assert written.err == ""
    return written.out


@pytest.mark.parametrize("shown", [80], indirect=True)
def test_a_table_that_fits_is_a_grid(shown: str) -> None:
    lines = shown.splitlines()

    assert lines[:5] == ["a run", "", "results", "model  cases  success", "sim/a     29  94.8% [85.3, 98.3]"]
    assert lines[-1] == "a note"


@pytest.mark.parametrize("shown", [24], indirect=True)
def test_a_table_that_does_not_fit_has_fewer_columns_and_says_so(shown: str) -> None:
    lines = shown.splitlines()

    assert lines[2:] == [
        "results",
        "model  cases",
        "sim/a     29",
        "sim/b      -",
        "(1 more column: --wide)",
        "",
        "a note",
    ]


@pytest.mark.parametrize("columns", ["24", "0", "wide"])
def test_wide_tables_have_all_columns_at_any_width(
    columns: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", columns)

    show(Document("a run", (WIDE,)), wide=True)

    assert "sim/a     29  94.8% [85.3, 98.3]" in capsys.readouterr().out


def test_without_a_terminal_and_a_width_nothing_is_left_out_or_broken(capsys: pytest.CaptureFixture[str]) -> None:
    note = "a note " * 50

    show(Document("a run", (Table("names", ("name", "what"), (("n" * 300, "w" * 300),)),), (note,)))

    lines = capsys.readouterr().out.splitlines()
    assert lines[4] == f"{'n' * 300}  {'w' * 300}"
    assert lines[-1] == note


@pytest.mark.parametrize("shown", [80], indirect=True)
def test_what_looks_like_markup_is_shown_as_it_is(shown: str) -> None:
    assert "[bold]1[/bold]" in shown


def test_control_characters_do_not_reach_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    show_lines(["a\x1b[2Jb\tc"])

    assert capsys.readouterr().out == "a\\x1b[2Jb\tc\n"


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

    written = capsys.readouterr()
    assert "\x1b" not in written.err + written.out
    assert written.err.startswith("given up: no \\x1b]0;mine\\x07\\x1b[31mmodel\n")


def test_a_path_that_is_no_text_is_told_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    path = os.fsdecode(b"caf\xe9/\xf0\x9f\x98\x80")

    put_json({path: [path, 1, None, {"in": (path,)}]})

    told = "caf\ufffd/\U0001f600"
    assert orjson.loads(capsys.readouterr().out) == {told: [told, 1, None, {"in": [told]}]}


def test_what_no_json_can_hold_is_refused() -> None:
    with pytest.raises(TypeError):
        put_json({"a": object()})
