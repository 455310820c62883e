"""A line number in a model's answer: the last `<line>` tag, or a last line that says nothing but one number."""

import re

_TAG = re.compile(r"<line>\s*([0-9]+)\s*</line>", re.IGNORECASE)
_OPEN_TAG = re.compile(r"<line>", re.IGNORECASE)
# Around a number without a tag: marks of emphasis and quotation, and these words.
_MARKS = re.compile(r"[*_`#>\"'().:]")
_WORDS = frozenset(("the", "answer", "line", "number", "is"))

# A number of more digits is no line of any file.
_MOST_DIGITS = 9


def parse_line_number(text: str) -> int | None:
    """The line that an answer names, None where it names none. Total: no input raises.

    Tags count before all else, and of several the last: a model may think aloud about others first. Without a tag,
    the last line that is not blank must be one number, perhaps with the word "line" or marks of emphasis around it.
    A number that stands among other words is no answer, nor is a tag that was never closed.
    """
    tags = _TAG.findall(text)
    if tags:
        return _number(tags[-1])
    if _OPEN_TAG.search(text):
        return None
    last = next((line for line in reversed(text.split("\n")) if line.strip()), "")
    words = _MARKS.sub(" ", last).split()
    alone = bool(words) and all(word.lower() in _WORDS for word in words[:-1])
    return _number(words[-1]) if alone else None


def _number(digits: str) -> int | None:
    plain = digits.isascii() and digits.isdecimal() and len(digits) <= _MOST_DIGITS
    return int(digits) if plain else None
