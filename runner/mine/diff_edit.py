"""Diff-edit cases from commits: one that modified a single file is a request, that file, and what became of it.

They have the form of `cases/diff_edit`, and are such that `evals cases check --strict` takes them. The message is the
request, without trailers; the file before the commit was read; the file after it is expected.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import orjson

from diff_apply.changes import changes
from diff_apply.lines import rows_of
from runner.git import GitError, PathChange
from runner.mine.case import Case, CaseKind, CaseRefusedError, MiningRefusal, MiningSource, Touching
from runner.mine.pair import FilePair, read_pair
from runner.mine.requests import request_of
from runner.suites.diff_edit.case_form import FORMAT
from runner.suites.diff_edit.cases import DiffEditCase, parse_case
from runner.suites.diff_edit.check import check_case

MOST_LINES = 200
_MACHINE = {"os_value": "Linux 6.8", "shell_value": "/bin/bash", "home_value": "/home/user"}
_TASK = "<task>\n{request}\n</task>\n\n<environment_details>\n# Files in {cwd}\n{path}\n</environment_details>"
_READ = "<read_file>\n<path>{path}</path>\n</read_file>"
_WAS_READ = "[read_file for '{path}'] Result:\n\n{text}"


def look(source: MiningSource, commit: Touching) -> Iterator[Case | MiningRefusal]:
    """One case or one refusal."""
    try:
        yield _case(source, commit)
    except CaseRefusedError as error:
        yield error.reason
    except GitError:
        yield MiningRefusal.MISSING_OBJECT


DIFF = CaseKind("commits", (), look)


def _case(source: MiningSource, commit: Touching) -> Case:
    change = _only_change(commit)
    request = request_of(source.repository.commit(commit.sha).message)
    pair = read_pair(source.repository, change, source.files)
    path = _path(pair)
    before, after = pair.before.decode("utf-8"), pair.after.decode("utf-8")
    if _changed_lines(before, after) > MOST_LINES:
        raise CaseRefusedError(MiningRefusal.TOO_MANY_LINES)
    name = f"{source.project}-{commit.sha[:10]}"
    content = {
        "test_id": name,
        **conversation(request, f"/home/user/{source.project}", path, before),
        "expected_contents": after,
        "language": pair.language,
        "source": f"{source.project}@{commit.sha}",
        "format": FORMAT,
    }
    file = f"{name}.json"
    data = orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    _prove(Path(file), data)
    key = hashlib.sha256(b"%d %b%b" % (len(pair.before), pair.before, pair.after)).digest()
    about = {"file": file, "path": path, "language": pair.language}
    return Case(key, (pair.language,), lambda _number: {file: data}, about)


def conversation(request: str, cwd: str, path: str, before: str) -> dict[str, object]:
    """Return the conversation until the edit is due, with its file and the user's machine."""
    turns = (
        ("user", _TASK.format(request=request, cwd=cwd, path=path)),
        ("assistant", _READ.format(path=path)),
        ("user", _WAS_READ.format(path=path, text=before)),
    )
    return {
        "messages": [{"role": role, "text": text} for role, text in turns],
        "file_contents": before,
        "file_path": path,
        "system_prompt_details": {"cwd_value": cwd, **_MACHINE},
    }


def _only_change(commit: Touching) -> PathChange:
    if len(commit.changes) > 1:
        raise CaseRefusedError(MiningRefusal.SEVERAL_FILES)
    if not commit.changes:
        raise CaseRefusedError(MiningRefusal.NO_CHANGE)
    return commit.changes[0]


def _path(pair: FilePair) -> str:
    """Return the path that a model has to name: the one before the commit. Raises RefusedError if it is not known."""
    try:
        path = pair.old_path.decode("utf-8")
    except UnicodeDecodeError:
        raise CaseRefusedError(MiningRefusal.PATH) from None
    if not path.isprintable():
        raise CaseRefusedError(MiningRefusal.PATH)
    return path


def _changed_lines(before: str, after: str) -> int:
    """Return how many lines go and come."""
    return sum(
        change.end - change.start + change.stop - change.begin for change in changes(rows_of(before), rows_of(after))
    )


def _prove(file: Path, data: bytes) -> None:
    """Check a case as `evals cases check --strict` does. Raises RefusedError with the first fault."""
    case = parse_case(file, data)
    if not isinstance(case, DiffEditCase):
        raise CaseRefusedError(MiningRefusal.BLANK_FILE)
    for finding in check_case(case):
        if finding.field == "language":
            raise CaseRefusedError(MiningRefusal.LANGUAGE)
        raise CaseRefusedError(
            MiningRefusal.SYNTAX if "does not parse" in finding.problem else MiningRefusal.OUT_OF_REACH
        )
