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
from runner.git import Change, GitError
from runner.mine.case import Case, Kind, Refusal, RefusedError, Source, Touching
from runner.mine.pair import Pair, read_pair
from runner.mine.requests import request_of
from runner.suites.diff_edit.case_form import FORMAT
from runner.suites.diff_edit.cases import DiffEditCase, parse_case
from runner.suites.diff_edit.check import check_case

MOST_LINES = 200
_MACHINE = {"os_value": "Linux 6.8", "shell_value": "/bin/bash", "home_value": "/home/user"}
_TASK = "<task>\n{request}\n</task>\n\n<environment_details>\n# Files in {cwd}\n{path}\n</environment_details>"
_READ = "<read_file>\n<path>{path}</path>\n</read_file>"
_WAS_READ = "[read_file for '{path}'] Result:\n\n{text}"


def look(source: Source, commit: Touching) -> Iterator[Case | Refusal]:
    """One case or one refusal."""
    try:
        yield _case(source, commit)
    except RefusedError as error:
        yield error.reason
    except GitError:
        yield Refusal.MISSING_OBJECT


DIFF = Kind("commits", (), look)


def _case(source: Source, commit: Touching) -> Case:
    change = _only_change(commit)
    request = request_of(source.repository.commit(commit.sha).message)
    pair = read_pair(source.repository, change, source.wanted)
    path = _path(pair)
    before, after = pair.before.decode("utf-8"), pair.after.decode("utf-8")
    if _changed_lines(before, after) > MOST_LINES:
        raise RefusedError(Refusal.TOO_MANY_LINES)
    name = f"{source.project}-{commit.sha[:10]}"
    content = {
        "test_id": name,
        **_conversation(request, f"/home/user/{source.project}", path, before),
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


def _conversation(request: str, cwd: str, path: str, before: str) -> dict[str, object]:
    """What was said until the edit is due, and of which file on what machine."""
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


def _only_change(commit: Touching) -> Change:
    if len(commit.changes) > 1:
        raise RefusedError(Refusal.SEVERAL_FILES)
    if not commit.changes:
        raise RefusedError(Refusal.NO_CHANGE)
    return commit.changes[0]


def _path(pair: Pair) -> str:
    """The path that a model has to name: the one before the commit. Raises RefusedError if it cannot be told."""
    try:
        path = pair.old_path.decode("utf-8")
    except UnicodeDecodeError:
        raise RefusedError(Refusal.PATH) from None
    if not path.isprintable():
        raise RefusedError(Refusal.PATH)
    return path


def _changed_lines(before: str, after: str) -> int:
    """How many lines go and come."""
    return sum(
        change.end - change.start + change.stop - change.begin for change in changes(rows_of(before), rows_of(after))
    )


def _prove(file: Path, data: bytes) -> None:
    """Hold a case to what `evals cases check --strict` demands. Raises RefusedError with the first thing amiss."""
    case = parse_case(file, data)
    if not isinstance(case, DiffEditCase):
        raise RefusedError(Refusal.BLANK_FILE)
    for finding in check_case(case):
        if finding.field == "language":
            raise RefusedError(Refusal.LANGUAGE)
        raise RefusedError(Refusal.SYNTAX if "does not parse" in finding.problem else Refusal.OUT_OF_REACH)
