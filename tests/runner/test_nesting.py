"""A text that nests too deep is not parsed: nothing is known of its syntax, and nothing crashes or takes minutes."""

import subprocess
import sys

import pytest

from runner import syntax
from runner.mine.comments import differ_in_comments_only
from runner.nesting import MOST_BRACKETS, nests_too_deep
from runner.suites.completion.blocks import blocks
from runner.suites.nextedit.historian.paths import outline

DEEP = {
    "open brackets": ("python", "([{" * 33_000),
    "closed brackets before them": ("python", ")" * 5000 + "[" * 5000),
    "calls": ("scala", "f(" * 30_000),
    "elements": ("html", "<div>" * 100_000),
    "quotes of quotes": ("markdown", "> " * 1000),
    "lists of lists": ("markdown", "- " * 1000),
    "lists in a deep column": ("markdown", " " * 300 + "- a"),
}


@pytest.mark.parametrize("name", DEEP)
def test_nothing_is_known_of_a_deep_text(name: str) -> None:
    language, text = DEEP[name]

    assert syntax.parses(text, language) is None
    assert syntax.parse(text, language).root_node.child_count == 0
    assert syntax.comments(syntax.parse(text, language), language) == []


def test_a_text_at_the_limit_is_parsed() -> None:
    text = "(" * MOST_BRACKETS + "1" + ")" * MOST_BRACKETS

    assert syntax.parses(text, "python") is True
    assert syntax.parses(f"({text})", "python") is None


@pytest.mark.parametrize(
    "text, language",
    [
        pytest.param("x = [(1, 2), (3, 4)]\n" * 5000, "python", id="many brackets"),
        pytest.param("<p>a</p><br/>" * 20_000, "html", id="many elements"),
        pytest.param("- a\n> b\n\n-----\n" * 1000, "markdown", id="many blocks"),
        pytest.param("-" * 1000, "markdown", id="a long rule"),
    ],
)
def test_a_long_text_is_not_deep(text: str, language: str) -> None:
    assert not nests_too_deep(text.encode(), language)


@pytest.mark.parametrize("markers", ["> " * 100, ">" * 200, "- " * 100, "  " * 100])
def test_what_is_parsed_does_not_crash_the_parser_of_markdown(markers: str) -> None:
    """In a process of its own, which a grammar that writes out of its memory would end."""
    words = [
        sys.executable,
        "-c",
        "import sys; from runner import syntax; print(syntax.parses(sys.argv[1], 'markdown'))",
    ]

    done = subprocess.run([*words, f"{markers}a\n"], capture_output=True, text=True, check=False, timeout=600)

    assert (done.returncode, done.stdout) == (0, "True\n")


def test_texts_that_are_too_deep_for_comments_are_compared_as_they_stand() -> None:
    deep = b"([{" * 33_000

    assert differ_in_comments_only(deep, deep + b"  ", "python")
    assert not differ_in_comments_only(deep, deep + b"# a", "python")


def test_an_expression_that_recurses_without_brackets_gives_no_blocks_and_no_constructs() -> None:
    text = f"def f():\n    {'1+' * 5000}1\n"

    assert list(blocks(text.encode())) == []
    assert outline(text, "a.py").around(1) == []
