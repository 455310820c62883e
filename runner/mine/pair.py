"""Both texts of a file that a commit modified, read byte for byte, or the reason why it is left alone."""

from dataclasses import dataclass

from runner.git import Change, Repository
from runner.mine.case import Refusal, RefusedError
from runner.mine.wanted import Wanted

_REGULAR = frozenset({"100644", "100755"})
_WITHOUT_TEXTS = {"A": Refusal.ADDED, "D": Refusal.DELETED}


@dataclass(frozen=True, slots=True)
class Pair:
    """A modified file: its paths and its texts, which are UTF-8, before and after the commit."""

    path: bytes
    old_path: bytes
    language: str
    before: bytes
    after: bytes


def read_pair(repository: Repository, change: Change, wanted: Wanted) -> Pair:
    """Both texts of a change. Raises RefusedError, and GitError where a text is missing."""
    if change.status in _WITHOUT_TEXTS:
        raise RefusedError(_WITHOUT_TEXTS[change.status])
    if not {change.old_mode, change.new_mode} <= _REGULAR:
        raise RefusedError(Refusal.NO_FILE)
    if change.old_id == change.new_id:
        raise RefusedError(Refusal.NO_CHANGE)
    language = wanted.language(change.new_path)
    if language is None:
        raise RefusedError(Refusal.LANGUAGE)
    before, after = (_text(repository, blob, wanted.max_bytes) for blob in (change.old_id, change.new_id))
    return Pair(change.new_path, change.old_path, language, before, after)


def _text(repository: Repository, blob_id: str, max_bytes: int) -> bytes:
    content = repository.blob(blob_id, max_bytes)
    if content is None:
        raise RefusedError(Refusal.TOO_LONG)
    if b"\0" in content:
        raise RefusedError(Refusal.BINARY)
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        raise RefusedError(Refusal.NOT_UTF8) from None
    return content
