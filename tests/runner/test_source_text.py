"""The normal form of source is equal for equal behaviour, whatever the comments and the layout, and only for that."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from runner.source_text import normal_form

ROOT = Path(__file__).parents[2]
MODULES = sorted(path for folder in ("parsers", "diff_apply") for path in (ROOT / folder).glob("*.py"))
RUFF = (sys.executable, "-m", "ruff", "format", "--isolated", "--quiet", "--stdin-filename", "x.py")

PLAIN = """
def area(width: int, height: int = 2) -> int:
    if width < 0:
        raise ValueError(f"{width} is # negative")
    sides = [width, height]
    return sides[0] * sides[1]
"""


@pytest.mark.parametrize(
    "old, new",
    [
        pytest.param("\n    if", "\n    # A reason.\n    if", id="a comment on a line of its own"),
        pytest.param("0:\n", "0:  # why\n", id="a comment after code"),
        pytest.param("-> int:\n", '-> int:\n    """The area of "it"."""\n', id="a docstring"),
        pytest.param(
            "-> int:\n", "-> int:\n    r'''Two\n\n    lines \\'''.'''\n", id="a raw docstring of several lines"
        ),
        pytest.param("\ndef", '"""A module."""\n\nimport x\ndef'.replace("import x\n", ""), id="a module's docstring"),
        pytest.param("\n    sides", "\n\n\n   \n    sides", id="blank lines"),
        pytest.param("width, height]", "\n        width,\n        height,\n    ]", id="a wrapped list"),
        pytest.param("int = 2)", "int = 2,\n)", id="a wrapped signature"),
        pytest.param('negative")', 'negative",\n        )', id="a wrapped call of one argument"),
        pytest.param(" * ", " *  \\\n        ", id="a line that goes on after a backslash"),
        pytest.param("< 0", "<0", id="spaces around an operator"),
        pytest.param("\n", "\r\n", id="line ends"),
    ],
)
def test_comments_docstrings_and_layout_do_not_matter(old: str, new: str) -> None:
    changed = PLAIN.replace(old, new)

    assert changed != PLAIN
    assert normal_form(changed) == normal_form(PLAIN)


@pytest.mark.parametrize(
    "old, new",
    [
        pytest.param("= 2", "= 3", id="a number"),
        pytest.param("is # negative", "is #  negative", id="a space in a string"),
        pytest.param("is # negative", "is", id="what looks like a comment in a string"),
        pytest.param("    return", "return", id="an indentation"),
        pytest.param("ValueError", "TypeError", id="a name"),
        pytest.param("[width, height]", "[width], height", id="a bracket"),
        pytest.param("width < 0", "not width", id="a word"),
    ],
)
def test_a_change_of_behaviour_changes_the_normal_form(old: str, new: str) -> None:
    changed = PLAIN.replace(old, new)

    assert changed != PLAIN
    assert normal_form(changed) != normal_form(PLAIN)


@pytest.mark.parametrize(
    "one, other",
    [
        pytest.param("x = (\n    a,\n)\n", "x = (\n    a\n)\n", id="a tuple of one"),
        pytest.param("x = y[\n    a,\n]\n", "x = y[\n    a\n]\n", id="an index of one"),
        pytest.param("x = a\nb\n", "x = ab\n", id="two statements"),
        pytest.param('f(x)\nf"{g()}"\n', "f(x)\n", id="a string that calls"),
        pytest.param('x = """a\n\nb"""\n', 'x = """a\nb"""\n', id="a blank line in a string"),
        pytest.param("x = 'a'\n", "x = 'b'\n", id="strings"),
    ],
)
def test_texts_that_mean_different_things_stay_different(one: str, other: str) -> None:
    assert normal_form(one) != normal_form(other)


@pytest.mark.parametrize(
    "one, other",
    [
        pytest.param("x = (a, b)\n", "x = (\n    a,\n    b,\n)\n", id="a tuple of two"),
        pytest.param("x = {a}\n", "x = {\n    a,\n}\n", id="a set"),
        pytest.param("from a import b, c\n", "from a import (\n    b,\n    c,\n)\n", id="an import of two names"),
        pytest.param("from a import b\n", "from a import (\n    b,\n)\n", id="an import of one name"),
        pytest.param(
            "class A:\n    b: int\n", 'class A:\n    b: int\n    """What b is."""\n', id="a field's docstring"
        ),
    ],
)
def test_texts_that_mean_the_same_are_equal(one: str, other: str) -> None:
    assert normal_form(one) == normal_form(other)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: f"{path.parent.name}.{path.stem}")
def test_the_normal_form_of_our_modules_is_the_same_program(path: Path) -> None:
    source = path.read_text(encoding="utf-8")

    assert ast.dump(_without_docstrings(normal_form(source))) == ast.dump(_without_docstrings(source))


def test_line_lengths_change_no_normal_form_unless_they_add_parentheses() -> None:
    sources = [path.read_text(encoding="utf-8") for path in MODULES]
    pairs = [(_formatted(source, 60), _formatted(source, 300)) for source in sources]
    wrapped = [(short, long) for short, long in pairs if short != long and short.count("(") == long.count("(")]

    assert wrapped
    for short, long in wrapped:
        assert normal_form(short) == normal_form(long)


def test_no_text_raises() -> None:
    for text in ("", "'", '"""', ")]}", "((", "\0", "\\", "#", "x = '\n'"):
        assert isinstance(normal_form(text), str)


def _formatted(source: str, length: int) -> str:
    command = (*RUFF, "--line-length", str(length), "-")
    return subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout


def _without_docstrings(source: str) -> ast.Module:
    """Parse the source, with `pass` in place of each body that is only a docstring."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            node.body = [one for one in node.body if not _is_text(one)] or [ast.Pass()]
    return tree


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
