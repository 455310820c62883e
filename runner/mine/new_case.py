"""Makes one diff-edit case from two files, from a file and an instruction, or from the last commit of a repository."""

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson

from runner.errors import InputError
from runner.findings import Finding
from runner.git import GitError, PathChange, Repository, one_line
from runner.input_files import read_text
from runner.mine.diff_edit import conversation
from runner.suites.diff_edit.case_form import DEFAULT_DETAILS, FORMAT
from runner.suites.diff_edit.cases import DiffEditCase, parse_case
from runner.suites.diff_edit.check import check_case

_OF_TWO_FILES = "Apply this change to {path}:\n\n{change}"


@dataclass(frozen=True, slots=True)
class Material:
    """What a case is made of: the file's path, its text before the edit and after it (None = unknown), the request."""

    path: str
    before: str
    after: str | None
    request: str


def of_files(before: Path, after: Path | None, request: str, path: str) -> Material:
    """Return the material of one or two files; of two, the request may be missing and is then their difference."""
    name = path or before.name
    old, new = _text(before), None if after is None else _text(after)
    if not request.strip() and new is None:
        raise InputError("--instruction: is missing; say what to change, or give the file after the edit, too")
    return Material(name, old, new, request.strip() or _difference(name, old, new or ""))


def of_last_commit(folder: Path, request: str, path: str) -> Material:
    """Return the material of the last commit: one file that it modified, and its message unless there is a request."""
    with Repository(folder) as repository:
        try:
            commits = repository.run("rev-list", "--parents", "-n", "1", "HEAD").decode().split()
        except GitError as error:
            raise InputError(f"--repo {folder}: has no commit: {error}") from error
        if len(commits) != 2:
            raise InputError(f"--repo {folder}: its last commit is the first one or a merge; give two files instead")
        sha, parent = commits
        change = _change(folder, repository.changes(parent, sha), path)
        before, after = (_blob(repository, blob_id, change) for blob_id in (change.old_id, change.new_id))
        message = repository.commit(sha).message
    return Material(change.old_path.decode("utf-8", "replace"), before, after, request.strip() or message.strip())


def write_case(material: Material, out: Path, name: str) -> tuple[Path, tuple[Finding, ...]]:
    """Write a case into a folder; return its file and what `evals cases check --strict` would report of it.

    Raises InputError for a file that exists, and for a text that makes no case.
    """
    case_id = name or f"{Path(material.path).stem}_new"
    if Path(case_id).name != case_id or case_id.startswith("."):
        raise InputError(f"--id: {case_id!r} is no name of a file; give one without slashes")
    content = {
        "test_id": case_id,
        **conversation(material.request, DEFAULT_DETAILS.cwd_value, material.path, material.before),
        **({} if material.after is None else {"expected_contents": material.after}),
        "format": FORMAT,
    }
    data = orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    file = out / f"{case_id}.json"
    case = parse_case(file, data)
    if not isinstance(case, DiffEditCase):
        raise InputError(f"{material.path}: is blank before the edit; a case needs a file with text")
    try:
        out.mkdir(parents=True, exist_ok=True)
        with file.open("xb") as opened:
            opened.write(data)
    except FileExistsError as error:
        raise InputError(f"{file}: is there already; give another --id") from error
    except OSError as error:
        raise InputError(f"{file}: cannot be written ({error.strerror}); name another --out") from error
    return file, tuple(_findings(case))


def _findings(case: DiffEditCase) -> Iterator[Finding]:
    """Yield what a strict check reports, except for an expected file that is not known."""
    return (finding for finding in check_case(case) if case.expected_contents or finding.field == "language")


def _text(file: Path) -> str:
    try:
        return read_text(file)
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: is not UTF-8 text; save it as UTF-8") from error
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror}); name a file") from error


def _difference(path: str, before: str, after: str) -> str:
    if before == after:
        raise InputError(f"{path}: the two files are equal; make the edit in the second one")
    lines = difflib.unified_diff(before.split("\n"), after.split("\n"), path, path, lineterm="")
    return _OF_TWO_FILES.format(path=path, change="\n".join(lines))


def _change(folder: Path, changes: tuple[PathChange, ...], path: str) -> PathChange:
    modified = [change for change in changes if change.status == "M"]
    chosen = [change for change in modified if path in {"", change.old_path.decode("utf-8", "replace")}]
    if len(chosen) == 1:
        return chosen[0]
    names = ", ".join(change.old_path.decode("utf-8", "replace") for change in modified[:5]) or "no file"
    raise InputError(f"--repo {folder}: its last commit modified {one_line(names.encode())}; choose one by --path")


def _blob(repository: Repository, blob_id: str, change: PathChange) -> str:
    try:
        return (repository.blob(blob_id) or b"").decode("utf-8")
    except (GitError, UnicodeDecodeError) as error:
        name = change.old_path.decode("utf-8", "replace")
        raise InputError(f"{name}: is not UTF-8 text in the last commit; choose another file by --path") from error
