"""The edits made so far as unified diffs, each with the lines that now stand around it."""

from collections.abc import Iterator, Mapping, Sequence

from runner.suites.nextedit.commits import split_lines
from runner.suites.nextedit.editor import Made

_CONTEXT = 3
_NO_END = "\\ No newline at end of file\n"


def diff_of_edit(past_edit: Made, texts: Mapping[str, str]) -> str:
    """Return an edit as a diff of one hunk, whose numbers are those of the lines as they now are.

    `texts` are the files as they now are; of a file that is not among them there is no context.
    """
    path, now = past_edit.edit.path, past_edit.now
    lines = split_lines(texts.get(path, ""))
    head, tail = lines[max(0, now.start - _CONTEXT) : now.start], lines[now.end : now.end + _CONTEXT]
    around = len(head) + len(tail)
    created = not past_edit.edit.before and not around
    deleted = path not in texts
    start = now.start - len(head)
    old, new = (_range(start, around + len(side)) for side in (past_edit.edit.before, past_edit.edit.after))
    return "".join(
        (
            "--- /dev/null\n" if created else f"--- a/{path}\n",
            "+++ /dev/null\n" if deleted else f"+++ b/{path}\n",
            f"@@ -{old} +{new} @@\n",
            *_marked(" ", head),
            *_marked("-", past_edit.edit.before),
            *_marked("+", past_edit.edit.after),
            *_marked(" ", tail),
        )
    )


def _range(start: int, size: int) -> str:
    """Lines as diff counts them: from 1, and from the line before where there is none."""
    return f"{start + (size > 0)},{size}"


def _marked(mark: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield f"{mark}{line}" if line.endswith("\n") else f"{mark}{line}\n{_NO_END}"
