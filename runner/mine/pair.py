"""Both texts of a file that a commit modified, read byte for byte, or the reason why it is left alone."""

from dataclasses import dataclass

from runner.git import PathChange, Repository
from runner.mine.case import CaseRefusedError, MiningRefusal
from runner.mine.file_filter import FileFilter

_REGULAR = frozenset({"100644", "100755"})
_WITHOUT_TEXTS = {"A": MiningRefusal.ADDED, "D": MiningRefusal.DELETED}


@dataclass(frozen=True, slots=True)
class FilePair:
    """A modified file: its paths and its texts, which are UTF-8, before and after the commit."""

    path: bytes
    old_path: bytes
    language: str
    before: bytes
    after: bytes


def read_pair(repository: Repository, change: PathChange, files: FileFilter) -> FilePair:
    """Both texts of a change. Raises RefusedError, and GitError where a text is missing."""
    if change.status in _WITHOUT_TEXTS:
        raise CaseRefusedError(_WITHOUT_TEXTS[change.status])
    if not {change.old_mode, change.new_mode} <= _REGULAR:
        raise CaseRefusedError(MiningRefusal.NO_FILE)
    if change.old_id == change.new_id:
        raise CaseRefusedError(MiningRefusal.NO_CHANGE)
    language = files.language(change.new_path)
    if language is None:
        raise CaseRefusedError(MiningRefusal.LANGUAGE)
    before, after = (_text(repository, blob, files.max_bytes) for blob in (change.old_id, change.new_id))
    return FilePair(change.new_path, change.old_path, language, before, after)


def _text(repository: Repository, blob_id: str, max_bytes: int) -> bytes:
    content = repository.blob(blob_id, max_bytes)
    if content is None:
        raise CaseRefusedError(MiningRefusal.TOO_LONG)
    if b"\0" in content:
        raise CaseRefusedError(MiningRefusal.BINARY)
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        raise CaseRefusedError(MiningRefusal.NOT_UTF8) from None
    return content
