"""The normal form of Python source: equal for two texts that differ only in comments, docstrings and layout.

It is a function of the text alone, without the interpreter's own parser or tokenizer, so that every Python version
gives the same result. It is made for source that Python 3.11 accepts: an f-string that holds its own kind of quote in
an expression, as newer versions allow, is read as several strings.
"""

import re

# The body of a string: what is neither a quote nor a backslash, an escaped character, or quotes too few to end it.
_LITERAL = re.compile(
    r"""(\#[^\n]*"""
    r'''|"""(?:[^"\\]++|\\.|"(?!""))*+"""'''
    r"""|'''(?:[^'\\]++|\\.|'(?!''))*+'''"""
    r"""|"(?:[^"\\\n]++|\\.)*+"|'(?:[^'\\\n]++|\\.)*+')""",
    re.DOTALL,
)
_STRING = "\0"
# A statement that is nothing but strings; with the prefix `f` it could call something.
_STRING_STATEMENT = re.compile(r"[rRbBuU]*\0")
_WRAPPED_IMPORT = re.compile(r"^(\s*from\s+[\w.]+\s+import)\s*\(([^()]*?),?\s*\)\s*$")
_LAST_COMMA = re.compile(r",\s*\n\s*(?=[)\]}])")
# Spaces matter only between two words, and where a line begins.
_UNNEEDED_SPACE = re.compile(r" (?!\w)|(?<!\w) ")


def normal_form(source: str) -> str:
    """Return the source as logical lines, without comments, string statements, blank lines and unneeded spaces.

    A docstring is a string statement. The last comma of a bracket that is wrapped over lines counts as layout, unless
    it makes a tuple; so do the parentheses around imported names. Total: no text raises.
    """
    strings: list[str] = []
    # Split by one group: code at even positions, literals at odd ones.
    parts = _LITERAL.split(source.replace("\r\n", "\n").replace("\r", "\n"))
    for position in range(1, len(parts), 2):
        if parts[position][0] == "#":
            parts[position] = ""
        else:
            strings.append(parts[position])
            parts[position] = _STRING
    kept: list[str] = []
    literal = iter(strings)
    for line in _logical_lines("".join(parts)):
        pieces = [piece + next(literal, "") for piece in line.split(_STRING)[:-1]]
        if not _STRING_STATEMENT.fullmatch(line.lstrip(" ")):
            kept.append("".join([*pieces, line.rpartition(_STRING)[2]]))
    return "\n".join(kept)


def _logical_lines(code: str) -> list[str]:
    """Join the lines of each bracket; leave out those that are blank."""
    lines: list[str] = []
    open_lines: list[str] = []
    depth = 0
    for line in code.replace("\\\n", " ").split("\n"):
        count = line.count
        depth += count("(") - count(")") + count("[") - count("]") + count("{") - count("}")
        if depth > 0:
            open_lines.append(line)
        elif open_lines:
            lines.append(_without_spaces(_without_last_commas("\n".join([*open_lines, line]))))
            open_lines = []
        elif not line.isspace() and line:
            lines.append(_without_spaces(line))
    return [*lines, *map(_without_spaces, open_lines)]


def _without_spaces(line: str) -> str:
    body = line.lstrip()
    indent = line[: len(line) - len(body)].expandtabs()
    return indent + _UNNEEDED_SPACE.sub("", " ".join(body.split()))


def _without_last_commas(line: str) -> str:
    line = _WRAPPED_IMPORT.sub(r"\1 \2", line)
    return _LAST_COMMA.sub(lambda match: "," if _makes_tuple(line, match.start()) else "", line)


def _makes_tuple(line: str, comma: int) -> bool:
    """Return whether the bracket whose last comma this is would hold something else without it."""
    depth = 0
    for position in range(comma - 1, -1, -1):
        character = line[position]
        if character in ")]}":
            depth += 1
        elif character in "([{" and depth:
            depth -= 1
        elif character in "([{":
            # A call and a list have last commas that mean nothing, a parenthesis and an index do not.
            follows_name = position > 0 and (line[position - 1].isalnum() or line[position - 1] in "_)]")
            return character != "{" and (character == "(") != follows_name
        elif character == "," and not depth:
            return False
    return False
