"""CodRep tasks from commits: each file in which a commit replaced exactly one line is one.

They have the competition's form: `Tasks/<k>.txt` and `Solutions/<k>.txt`, k from 1. A task file is the new line without
indentation, an empty line, and the program before the commit, byte for byte; its solution is the number of the replaced
line, without a line end.
"""

import hashlib
from collections.abc import Iterator, Mapping

from runner.git import GitError, PathChange
from runner.mine.case import Case, CaseKind, CaseRefusedError, MiningRefusal, MiningSource, Touching
from runner.mine.one_line import find_replacement
from runner.mine.pair import read_pair


def look(source: MiningSource, commit: Touching) -> Iterator[Case | MiningRefusal]:
    """Yield a task or a refusal for each file of the commit."""
    for change in commit.changes:
        try:
            yield _task(source, change)
        except CaseRefusedError as error:
            yield error.reason
        except GitError:
            yield MiningRefusal.MISSING_OBJECT


CODREP = CaseKind("files", ("Tasks", "Solutions"), look)


def _task(source: MiningSource, change: PathChange) -> Case:
    pair = read_pair(source.repository, change, source.files)
    replaced = find_replacement(pair)
    task = replaced.new_line.encode("utf-8") + b"\n\n" + pair.before

    def files(number: int) -> Mapping[str, bytes]:
        return {f"Tasks/{number}.txt": task, f"Solutions/{number}.txt": b"%d" % replaced.number}

    renamed = {} if pair.old_path == pair.path else {"old_path": readable(pair.old_path)}
    about = {"path": readable(pair.path), **renamed, "line": replaced.number, "language": pair.language}
    return Case(hashlib.sha256(task).digest(), (pair.language,), files, about)


def readable(path: bytes) -> str:
    r"""Return a path as text; bytes that are no UTF-8 are spelt out, as in `caf\\xe9.py`."""
    return path.decode("utf-8", "backslashreplace")
