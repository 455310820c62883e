"""The cases of the diff-edit suite: a conversation, a file, and the edit that is asked for.

The format is the one of Cline's diff-edit evaluation, read as it is, with optional fields of ours beside it;
cases/README.md describes every field.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from prompts import PromptDetails
from runner.errors import InputError
from runner.findings import Fields, Finding, kind_of
from runner.input_files import read_bytes
from runner.json_texts import parse_json
from suts.sut import Message

FORMAT = 1
# What JavaScript's trim removes: the original program skips a file of nothing else.
_BLANK = re.compile(r"[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*")
_IMAGE = re.compile(r"data:[\w.+-]+/[\w.+-]+;base64,[A-Za-z0-9+/]+={0,2}")


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
        """The folder that `file_path` is relative to, as the model was told."""
        return self.details.cwd_value


@dataclass(frozen=True, slots=True)
class Skipped:
    """A case that cannot be attempted, and why; no error, as in the original program."""

    file: Path
    case_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class CaseFolder:
    """The cases of a folder in the order of their files' names, and those that were skipped."""

    folder: Path
    cases: tuple[DiffEditCase, ...]
    skipped: tuple[Skipped, ...] = ()

    @property
    def digest(self) -> str:
        """12 hexadecimal digits of SHA-256 over the ids and digests of the cases: equal for equal cases."""
        text = "\n".join(f"{case.case_id}\t{case.digest}" for case in self.cases)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


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
        files = sorted(
            (path for path in folder.iterdir() if path.name.endswith(".json") and not path.is_dir()),
            key=lambda path: path.name,
        )
    except OSError as error:
        why = f"cannot be read: {error.strerror}"
        return CaseFolder(folder, ()), (Finding(folder, "folder", why, "give a folder of case files (*.json)"),)
    for file in files:
        match read_case(file):
            case DiffEditCase() as case:
                cases.append(case)
            case Skipped() as skip:
                skipped.append(skip)
            case wrong:
                findings.extend(wrong)
    findings.extend(_repeated_ids(cases))
    if not cases and not findings:
        why = f"all {len(skipped)} cases are skipped, the first as {skipped[0].reason}" if skipped else "has no cases"
        findings.append(Finding(folder, "folder", why, "give a folder of case files (*.json)"))
    return CaseFolder(folder, tuple(cases), tuple(skipped)), tuple(findings)


def read_case(file: Path) -> DiffEditCase | Skipped | tuple[Finding, ...]:
    """The case in a file; or why it is skipped; or all that is wrong with it."""
    try:
        data = read_bytes(file)
    except OSError as error:
        return (Finding(file, "file", f"cannot be read: {error.strerror}", "make it readable"),)
    return parse_case(file, data)


def parse_case(file: Path, data: bytes) -> DiffEditCase | Skipped | tuple[Finding, ...]:
    """The case in the bytes of a file, which is only named."""
    values = _json_object(file, data)
    if isinstance(values, Finding):
        return (values,)
    findings: list[Finding] = []
    fields = Fields(file, values, findings)
    case_id = fields.text("test_id", "make it a string, or leave it out to use the file's name", "")
    case_id = case_id or file.name.removesuffix(".json")
    contents = fields.text("file_contents", "make it the text of the file, a string", "")
    if not findings and _BLANK.fullmatch(contents):
        return Skipped(file, case_id, "file_contents is absent or only white space")
    newest = fields.whole("format", f"make it {FORMAT}, or leave it out", FORMAT)
    if newest > FORMAT:
        fields.report("format", f"is {newest}, newer than {FORMAT}", "read it with a newer version of evals")
    case = DiffEditCase(
        case_id=case_id,
        messages=tuple(_message(one) for one in fields.objects("messages", "list the turns of the conversation")),
        file_contents=contents,
        file_path=_path(fields),
        details=_details(fields.inner("system_prompt_details", "describe the user's machine in an object")),
        original_message=fields.text("original_diff_edit_tool_call_message", "make it a string or leave it out", ""),
        expected_contents=_expected(fields),
        language=fields.text("language", "make it a string or leave it out", "") or None,
        source=fields.text("source", "make it a string or leave it out", "") or None,
        file=file,
        digest=_digest(values),
    )
    return tuple(findings) or case


def _json_object(file: Path, data: bytes) -> Mapping[str, object] | Finding:
    import orjson

    try:
        values = parse_json(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        return Finding(file, f"byte {error.start}", "is not UTF-8", "save the file as UTF-8")
    except orjson.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        return Finding(file, place, f"is not JSON: {error.msg}", "mend the JSON there")
    if not isinstance(values, dict):
        return Finding(file, "file", f"is {kind_of(values)}", "write one JSON object, the case")
    return values


def _digest(values: Mapping[str, object]) -> str:
    import orjson

    return hashlib.sha256(orjson.dumps(values, option=orjson.OPT_SORT_KEYS)).hexdigest()[:12]


def _message(fields: Fields) -> Message:
    if "text" not in fields and "images" not in fields:
        fields.report("text", "is missing", "add what was said, a string")
    images = fields.texts("images", "list data URLs")
    for index, image in enumerate(images):
        if not _IMAGE.fullmatch(image):
            fields.report(f"images[{index}]", "is no data URL", "write data:<type>;base64,<data>")
    return Message(
        role=fields.role("role", "make it 'user' or 'assistant'"),
        text=fields.text("text", "make it a string", ""),
        images=images,
    )


def _path(fields: Fields) -> str:
    mend = "give the path that the edit must name, a string"
    path = fields.text("file_path", mend)
    if path == "" and "file_path" in fields:
        fields.report("file_path", "is empty", mend)
    return path


def _details(fields: Fields) -> PromptDetails:
    return PromptDetails(
        cwd_value=fields.text("cwd_value", "give the working folder, a string"),
        os_value=fields.text("os_value", "give the operating system, a string"),
        shell_value=fields.text("shell_value", "give the shell, a string"),
        home_value=fields.text("home_value", "give the home folder, a string"),
        mcp_string=fields.text("mcp_string", "make it a string or leave it out", ""),
        browser_use=fields.flag("browser_use", "make it true or false, or leave it out", default=False),
        width=fields.whole("width", "give pixels, a whole number, or leave it out", 900),
        height=fields.whole("height", "give pixels, a whole number, or leave it out", 600),
        user_custom_instructions=fields.text("user_custom_instructions", "make it a string or leave it out", ""),
    )


def _expected(fields: Fields) -> tuple[str, ...]:
    mend = "make it the file after the edit, a string, or an array of acceptable ones, or leave it out"
    expected = fields.texts("expected_contents", mend)
    if not expected and "expected_contents" in fields:
        fields.report("expected_contents", "is an empty array", mend)
    return expected


def _repeated_ids(cases: Iterable[DiffEditCase]) -> Iterable[Finding]:
    first: dict[str, Path] = {}
    for case in cases:
        if case.case_id in first:
            why = f"{case.case_id!r} is also the id of {first[case.case_id].name}"
            yield Finding(case.file, "test_id", why, "give one of them another test_id")
        first.setdefault(case.case_id, case.file)
