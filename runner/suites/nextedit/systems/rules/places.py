"""Where a rule may look: the lines of the texts that no edit has made yet."""

from collections.abc import Iterator
from dataclasses import dataclass

from runner.suites.nextedit.commits import split_lines
from runner.suites.nextedit.editor import EditorSession


@dataclass(frozen=True, slots=True)
class Text:
    """A text as lines; `edited_lines` are the lines that edits of this commit put there."""

    path: str
    lines: tuple[str, ...]
    edited_lines: frozenset[int]

    def untouched(self, start: int, end: int) -> bool:
        """Whether no line in this range was put there by an edit."""
        return not any(line in self.edited_lines for line in range(start, end))


def texts_of(session: EditorSession) -> Iterator[Text]:
    """The texts of a session, that of the last edit first, since the next edit is often near."""
    last = session.past_edits[-1].edit.path
    for path in sorted(session.texts, key=lambda path: (path != last, path)):
        numbers = {
            line
            for past_edit in session.past_edits
            if past_edit.edit.path == path
            for line in range(past_edit.now.start, past_edit.now.end)
        }
        yield Text(path, split_lines(session.texts[path]), frozenset(numbers))
