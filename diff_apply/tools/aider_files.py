"""How Aider reads and writes files: line ends become LF, and a file that an edit names is created."""

from collections.abc import Iterable

from diff_apply.tools.refusal import Edited, EditError, Files, changes_between


class ChatFiles:
    """The files of a chat while edits are applied; `errors` collects what fails."""

    def __init__(self, files: Files) -> None:
        """Begin with the files as they are."""
        self._before = files
        self._now = dict(files)
        self.errors: list[EditError] = []

    def __contains__(self, path: str) -> bool:
        return path in self._now

    def read(self, path: str) -> str:
        """Return a file's text with universal newlines."""
        return universal(self._now[path])

    def write(self, path: str, text: str) -> None:
        """Replace a file's text; what the answer itself brings keeps its line ends."""
        self._now[path] = text

    def create(self, paths: Iterable[str]) -> list[str]:
        """Create the files that are missing, empty; return their paths in order."""
        missing = [path for path in dict.fromkeys(paths) if path not in self._now]
        self._now.update(dict.fromkeys(missing, ""))
        return missing

    def edited(self) -> Edited:
        """Return what changed."""
        return Edited(changes_between(self._before, self._now), tuple(self.errors))


def universal(text: str) -> str:
    """Return a text with LF for every CRLF and CR."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
