"""A replacement takes the line endings and the indentation of its place; what it repeats keeps the file's text."""

import pytest

from diff_apply.reshape import reshaped

TABLE = [
    pytest.param("a|b", "a|c", "a|b", "", "a|c", id="what fits stays"),
    pytest.param("a|b", "a|x|b", "  a|  b", "", "  a|  x|  b", id="deeper"),
    pytest.param("a|  b", "a|  x|    y", "    a|      b", "", "    a|      x|        y", id="deeper in steps"),
    pytest.param("    a|    b", "    a|    x|y", "  a|  b", "", "  a|  x|y", id="less deep, no deeper than the margin"),
    pytest.param("    a", "  x|    y", " a", "", "x| y", id="less indented than the shift starts at the margin"),
    pytest.param("  a|    b", "  x|    y|     z", "\ta|\t\tb", "", "\tx|\t\ty|\t\t z", id="tabs for spaces"),
    pytest.param("\ta|\t\tb", "\tx|\t\ty", "  a|    b", "", "  x|    y", id="spaces for tabs"),
    pytest.param("{|    a|}", "{|    x|}", "{|\ta|}", "", "{|\tx|}", id="unindented lines fit any width"),
    pytest.param("a|b", "a|x|b", "  a|    b", "", "  a|x|    b", id="no uniform shift"),
    pytest.param("   a|  b", "   x|  y", "\ta|\tb", "", "   x|  y", id="no uniform width"),
    pytest.param("   a", "   x|  y", "\t\ta", "", "   x|  y", id="no whole width"),
    pytest.param("a|\tb", "x|\ty", "  a|    b", "", "x|\ty", id="no spaces for what was not indented"),
    pytest.param("a|b", "  a|  x|  b", "  a|  b", "", "  a|  x|  b", id="written in the file's indentation"),
    pytest.param("a||b", "a||x", "  a||  b", "", "  a||  x", id="blank lines do not count"),
    pytest.param("a", "|x", "  a", "", "|  x", id="nor are they indented"),
    pytest.param("a |b", "a |x", "a|b", "", "a|x", id="a repeated line keeps its end"),
    pytest.param("a|b", "a|x", "a\r|b\r", "\r", "a\r|x\r", id="CRLF"),
    pytest.param("a\r|b\r", "a\r|x\r", "a|b", "", "a|x", id="LF"),
    pytest.param("one line|b", "one line|x", "one lime|b", "", "one lime|x", id="a repeated line keeps its text"),
    pytest.param("one line|b", "one line|x", "}|b", "", "one line|x", id="unless that is another line"),
    pytest.param("|b", "|x", "}|b", "", "|x", id="or no blank one"),
]


def lines(text: str) -> list[str]:
    return text.split("|")


@pytest.mark.parametrize("search, replacement, found, ending, expected", TABLE)
def test_a_replacement_is_reshaped(search: str, replacement: str, found: str, ending: str, expected: str) -> None:
    assert reshaped(lines(search), lines(replacement), lines(found), ending) == lines(expected)
