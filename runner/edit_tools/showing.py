"""How tools display a file: as it is in a fence, with numbers, or with a hash for each line or for the file."""

from diff_apply.tools.hashline import show_anchored
from diff_apply.tools.hashline_patch import show_tagged
from diff_apply.tools.text_editor import numbered
from parsers.forms.aider_names import fence_for


def fenced(path: str, text: str) -> str:
    """Return the path, then the text between fences that no line of it begins with."""
    opener, closer = fence_for([text])
    return f"{path}\n{opener}\n{text}{'' if text.endswith(chr(10)) else chr(10)}{closer}"


def with_wide_numbers(path: str, text: str) -> str:
    """Return the path, then each line after its number of six places and a tab."""
    return "\n".join((path, *numbered(text.split("\n"))))


def with_numbers(path: str, text: str) -> str:
    """Return the path, then each line after its number and a colon."""
    rows = text.split("\n")
    rows = rows[:-1] if not rows[-1] else rows
    return "\n".join((path, *(f"{number}: {row}" for number, row in enumerate(rows, 1))))


def with_line_hashes(path: str, text: str) -> str:
    """Return the path, then each line after its number and hash."""
    return f"{path}\n{show_anchored(text)}"


def with_file_hash(path: str, text: str) -> str:
    """Return the path with the file's hash, then each line after its number."""
    return show_tagged(path, text)
