"""Whatever a model sends, an edit tool refuses it or gives a result, soon."""

from contextlib import suppress
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diff_apply.tools.refusal import EditError
from tests.diff_apply.edit_tool_calls import CALLS

# What tools read as more than text, and what lines are made of.
WORDS = (
    *(
        "<<<<<<< SEARCH",
        "=======",
        ">>>>>>> REPLACE",
        "```",
        "```diff",
        "--- a/src/a.py",
        "+++ b/src/a.py",
        "@@",
        "@@ a",
    ),
    *("*** Update File: src/a.py", "*** Add File: b", "*** Delete File: src/a.py", "*** Move to: c", "*** End of File"),
    *("src/a.py", "...", "+", "-", " ", "+a", "-a", " a", "-  a", "+ b", "a", "  a", "\ta", "", "\r", "a\r", "\ufeff"),
    *(
        "PUT 1.=2:",
        "PUT <1:",
        "PUT >$:",
        "CUT 1.=1",
        "PUT >1",
        "REM",
        "MV d",
        "1#SY",
        "2#KM:",
        "\\n",
        "\\",
        "$&",
        "\u2190",
    ),
    *("\ud800", "\U0001f600", "\x0b", "\x85", "\u2028", "(a|b)*"),
)
texts = st.lists(st.sampled_from(WORDS), max_size=9).flatmap(
    lambda words: st.sampled_from(("\n", "\r\n", "\n", "")).map(lambda end: end.join(words) + end)
)


@pytest.mark.parametrize("name", CALLS)
@settings(max_examples=150, deadline=None)
@given(file=texts, old=texts, new=texts)
def test_a_hostile_answer_is_refused_or_applied(name: str, file: str, old: str, new: str) -> None:
    with suppress(EditError):
        CALLS[name](file, old, new)


MEGABYTE = 2**20


def filled(text: str) -> str:
    return text * (MEGABYTE // len(text))


LARGE = {
    "equal lines": (filled("  a\n"), "  a\n" * 5000 + "b\n", "c\n"),
    "lines that differ by indentation": (filled("    aaaa\n\taaaa\n"), "  aaaa\n" * 9999 + "  b\n", "c\n"),
    "blank lines": (filled("\n"), "\n" * 9999 + "b\n", "\n"),
    "blanks": (filled(" "), " " * 99999 + "b", " "),
    "one line": (filled("ab"), "ab" * 99999 + "c", "d"),
    "dots": (filled("...\n"), "a\n" + "...\n" * 99999, "b\n" + "...\n" * 99999),
    "a first line that is everywhere": (filled("a\nb\nc\n"), "a\n" + "x\n" * 9999 + "c\n", "y\n"),
    "backslashes": (filled("\\\n"), "\\n\\t" * 30000 + "z", "c"),
    "context": (filled("x = 1\n"), "```diff\n" + " x = 2\n" * 9999 + "-y\n+z\n" + " x = 2\n" * 9999, "```\n"),
    "sections": (filled("a\n"), "*** Update File: src/a.py\n" + "@@\n a\n-a\n+b\n" * 50000, ""),
    "anchors": (filled("a\n"), "1#SY\n" * 50000, "x"),
    "operations": (filled("a\n"), "PUT 1.=99999:\n+b\n" * 30000, ""),
    "heads": (filled("a\n"), "src/a.py\n<<<<<<< SEARCH\n" * 30000, "=======\n" * 30000),
    "words": (filled("a b "), "a  b  " * 50000, "c"),
    "dollars": (filled("a"), "a", "$`" * 99),
}


@pytest.mark.slow
@pytest.mark.parametrize("large", LARGE)
@pytest.mark.parametrize("name", CALLS)
def test_a_megabyte_takes_seconds(name: str, large: str) -> None:
    start = process_time()

    with suppress(EditError):
        CALLS[name](*LARGE[large])

    assert process_time() - start < 10
