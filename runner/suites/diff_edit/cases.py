"""The cases of the diff-edit suite: a conversation, a file, and the edit that is asked for.

The format is the one of Cline's diff-edit evaluation, read as it is, with optional fields of ours beside it;
cases/README.md describes every field.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from prompts import PromptDetails
from runner.case_digests import digest_of_cases
from runner.errors import InputError
from runner.findings import Finding
from runner.input_files import read_bytes
from runner.json_texts import parse_json
from runner.structs import fitted, kind_of
from runner.suites.diff_edit.case_form import DEFAULT_DETAILS, CaseFile, wrong_messages
from suts.sut import Message

# What JavaScript's trim removes: the original program skips a file of nothing else.
_BLANK = re.compile(r"[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*")

_FIELDS = {field.name for field in msgspec.structs.fields(CaseFile)}
# The other files of a folder that a note names.
_NAMED = 5


@dataclass(frozen=True, slots=True)
class DiffEditCase:
    """One edit that was asked for.

    `messages` end before the answer in question; `original_message` is the recorded one, "" if there is none.
    `expected_contents` are the acceptable results, none if unknown. `digest` identifies all that the file says.
    """

    case_id: str
    messages: tuple[Message, ...]
    file_contents: str
    file_path: str
    details: PromptDetails
    original_message: str
    expected_contents: tuple[str, ...]
    language: str | None
    source: str | None
    file: Path
    digest: str

    @property
    def working_folder(self) -> str:
        """The folder that `file_path` is relative to, as the prompt states it."""
        return self.details.cwd_value


@dataclass(frozen=True, slots=True)
class Skipped:
    """A case that cannot be attempted, and why; no error, as in the original program."""

    file: Path
    case_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class OtherFile:
    """A JSON file that has no field of a case, such as a list or a run's results."""

    file: Path


@dataclass(frozen=True, slots=True)
class CaseFolder:
    """The cases of a folder in the order of their files' names, those that were skipped, and the other files' names."""

    folder: Path
    cases: tuple[DiffEditCase, ...]
    skipped: tuple[Skipped, ...] = ()
    others: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """12 hexadecimal digits of SHA-256 over the ids and digests of the cases: equal for equal cases."""
        return digest_of_cases(self.cases)


def load_cases(folder: Path) -> CaseFolder:
    """The cases of a folder. Raises InputError with the first finding and the number of further ones."""
    loaded, findings = read_folder(folder)
    if not findings:
        return loaded
    more = f" ({len(findings) - 1} more: evals cases check {folder})" if len(findings) > 1 else ""
    raise InputError(f"{findings[0]}{more}")


def read_folder(folder: Path) -> tuple[CaseFolder, tuple[Finding, ...]]:
    """The good cases of a folder and all that is wrong with the others; files in the order of their names."""
    cases: list[DiffEditCase] = []
    skipped: list[Skipped] = []
    findings: list[Finding] = []
    try:
        files = sorted((path for path in folder.iterdir() if not path.is_dir()), key=lambda path: path.name)
    except OSError as error:
        why = f"cannot be read: {error.strerror}"
        return CaseFolder(folder, ()), (Finding(folder, "folder", why, "give a folder of case files (*.json)"),)
    others = [file.name for file in files if not file.name.endswith(".json") and not file.name.startswith(".")]
    for file in files:
        if not file.name.endswith(".json"):
            continue
        match read_case(file):
            case OtherFile():
                others.append(file.name)
            case DiffEditCase() as case:
                cases.append(case)
            case Skipped() as skip:
                skipped.append(skip)
            case wrong:
                findings.extend(wrong)
    findings.extend(_repeated_ids(cases))
    if not cases and not findings:
        findings.append(Finding(folder, "folder", _why_empty(skipped, others), "give a folder of case files (*.json)"))
    return CaseFolder(folder, tuple(cases), tuple(skipped), tuple(sorted(others))), tuple(findings)


def _why_empty(skipped: Sequence[Skipped], others: Sequence[str]) -> str:
    """Return why a folder without findings has no cases."""
    if skipped:
        return f"all {len(skipped)} cases are skipped, the first as {skipped[0].reason}"
    unlike = [name for name in others if name.endswith(".json")]
    return f"has no cases: {unlike[0]} has no field of a case" if unlike else "has no cases"


def others_note(folder: Path, others: Sequence[str]) -> str:
    """One line that names the files of a folder that are no cases."""
    more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
    return f"{folder}: not cases, left alone: {', '.join(others[:_NAMED])}{more}"


def read_case(file: Path) -> DiffEditCase | Skipped | OtherFile | tuple[Finding, ...]:
    """The case in a file; or why it is skipped; or all that is wrong with it; or that it is something else."""
    try:
        data = read_bytes(file)
    except OSError as error:
        return (Finding(file, "file", f"cannot be read: {error.strerror}", "make it readable"),)
    return parse_case(file, data)


def parse_case(file: Path, data: bytes) -> DiffEditCase | Skipped | OtherFile | tuple[Finding, ...]:
    """The case in the bytes of a file, which is only named."""
    values = _json_object(file, data)
    if isinstance(values, Finding):
        return (values,)
    if not _FIELDS & values.keys():
        return OtherFile(file)
    case_id, contents = values.get("test_id"), values.get("file_contents")
    if isinstance(case_id, str | None) and isinstance(contents, str | None) and _BLANK.fullmatch(contents or ""):
        return Skipped(file, case_id or _name(file), "file_contents is absent or only white space")
    case = fitted(values, CaseFile)
    wrong = (*(case if isinstance(case, tuple) else ()), *wrong_messages(values))
    if wrong or isinstance(case, tuple):
        return tuple(Finding(file, field.path or "file", field.problem, field.fix) for field in wrong)
    return _case(file, case, _digest(values))


def _case(file: Path, case: CaseFile, digest: str) -> DiffEditCase:
    expected = case.expected_contents or ()
    return DiffEditCase(
        case_id=case.test_id or _name(file),
        messages=tuple(message.as_asked() for message in case.messages),
        file_contents=case.file_contents,
        file_path=case.file_path,
        details=case.system_prompt_details.as_prompted() if case.system_prompt_details else DEFAULT_DETAILS,
        original_message=case.original_diff_edit_tool_call_message or "",
        expected_contents=(expected,) if isinstance(expected, str) else expected,
        language=case.language or None,
        source=case.source or None,
        file=file,
        digest=digest,
    )


def _name(file: Path) -> str:
    return file.name.removesuffix(".json")


def _json_object(file: Path, data: bytes) -> Mapping[str, object] | Finding:
    import orjson

    try:
        values = parse_json(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        return Finding(file, f"byte {error.start}", "is not UTF-8", "save the file as UTF-8")
    except orjson.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        return Finding(file, place, f"is not JSON: {error.msg}", "fix the JSON there")
    if isinstance(values, list) and any(isinstance(item, dict) and _FIELDS & item.keys() for item in values):
        return Finding(file, "file", f"is {kind_of(values)}", "write one JSON object, the case")
    # Any other JSON has no field of a case.
    return values if isinstance(values, dict) else {}


def _digest(values: Mapping[str, object]) -> str:
    import orjson

    return hashlib.sha256(orjson.dumps(values, option=orjson.OPT_SORT_KEYS)).hexdigest()[:12]


def _repeated_ids(cases: Iterable[DiffEditCase]) -> Iterable[Finding]:
    first: dict[str, Path] = {}
    for case in cases:
        if case.case_id in first:
            why = f"{case.case_id!r} is also the id of {first[case.case_id].name}"
            yield Finding(case.file, "test_id", why, "give one of them another test_id")
        first.setdefault(case.case_id, case.file)
