"""Answers of each outcome in the form of an edit tool, for simulated models: each is scored before it is used."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from parsers.transcript import Transcriber
from runner.edit_tools import EDIT_TOOLS
from runner.edit_tools.foreign_result import ToolFailedError
from runner.edit_tools.native_writing import native_calls
from runner.edit_tools.tool import EditTool
from runner.records import Completion, Outcome
from runner.run.diff_scoring import score_answer
from runner.suites.diff_edit.cases import DiffEditCase
from suts.simulated.calls import NativeCall
from suts.simulated.prose import invented_line
from suts.tools import ToolUse

_NO_CALL = "Before I touch the file I would like to know which of the two behaviours you prefer."
# What is left out of a right answer, one after the other, until the rest cannot be read.
_PARTS = (
    r"^=+\n",
    r"^@@.*\n",
    r"<(new\w+)>(?s:.*?)</\1>\n?",
    r'"loc": .*?, (?="content")',
    r'"start_line": \d+, ',
    r"^[-+ ].*\n",
    r"^PUT.*\n",
)
# Where answers are cut, the first place that makes them unreadable counts.
_TENTHS = (7, 8, 6, 9, 5)


Written = str | tuple[ToolUse, ...]


def written_answers(case: DiffEditCase, tool: EditTool, expected: str) -> Mapping[str, Written]:
    """Return an answer for each outcome that the tool and the case permit; `expected` is the file after a right one.

    An edit is the same, be its calls text or native.
    """
    if tool.is_native:
        return native_answers(case, tool, text_answers(case, EDIT_TOOLS[tool.name], expected), expected)
    return text_answers(case, tool, expected)


def text_answers(case: DiffEditCase, tool: EditTool, expected: str) -> dict[str, str]:
    """Return the same for a tool that is called in the text."""
    written: dict[str, str] = {}
    try:
        for outcome, text in _candidates(case, tool, expected):
            if outcome not in written and _is(outcome, text, case, tool, expected):
                written[outcome] = text
    except ToolFailedError:
        # A right model answers as it would, whatever a foreign tool then makes of it.
        written = {"no_call": _NO_CALL, **_right(case, tool, expected), **written}
    return written


def _right(case: DiffEditCase, tool: EditTool, expected: str) -> dict[str, str]:
    try:
        return {"applied": tool.write(case.file_path, case.file_contents, expected)}
    except ToolFailedError:
        return {}


def native_answers(case: DiffEditCase, tool: EditTool, texts: Mapping[str, str], expected: str) -> dict[str, Written]:
    """Return the native calls that say the same as answers in the text, and one with other arguments than declared."""
    written: dict[str, Written] = {}
    right = native_calls(tool.name.removesuffix("+"), tool.write(case.file_path, case.file_contents, expected))
    for outcome, calls in _called(tool, texts, right):
        if outcome not in written and _is(outcome, transcript_of(calls), case, tool, expected):
            written[outcome] = calls
    if "no_call" in texts:
        written["no_call"] = texts["no_call"]
    return written


def _called(
    tool: EditTool, texts: Mapping[str, str], right: tuple[ToolUse, ...]
) -> Iterator[tuple[str, tuple[ToolUse, ...]]]:
    name = tool.name.removesuffix("+")
    for outcome, text in texts.items():
        if outcome == "truncated":
            for tenths in _TENTHS:
                yield outcome, tuple(replace(call, arguments=_beginning(call.arguments, tenths)) for call in right)
        elif outcome != "no_call":
            yield outcome, native_calls(name, text)
    yield "bad_arguments", tuple(replace(call, arguments=f'{{"file": "", {call.arguments[1:]}') for call in right)


def transcript_of(calls: Iterable[NativeCall | ToolUse], prose: str = "") -> str:
    """Return the text of an answer that consists of prose and native calls."""
    writer = Transcriber()
    return writer.prose(prose) + "".join(
        writer.call(number, call.name, call.arguments) for number, call in enumerate(calls)
    )


def _is(outcome: str, text: str, case: DiffEditCase, tool: EditTool, expected: str) -> bool:
    finish_reason = "length" if outcome == "truncated" else "stop"
    completion = Completion(text, finish_reason=finish_reason)
    scoring = score_answer(case, completion, (tool.form_name, tool.parser), {"": tool.algorithm}, "strict")[0]
    if scoring.outcome is Outcome.CRASHED and tool.foreign is not None:
        raise ToolFailedError(scoring.error_text)
    return scoring.outcome == outcome and (scoring.outcome is not Outcome.APPLIED or scoring.edited == expected)


def _candidates(case: DiffEditCase, tool: EditTool, expected: str) -> Iterator[tuple[str, str]]:
    path, before = case.file_path, case.file_contents
    right = tool.write(path, before, expected)
    other = f"old/{path}"
    yield "applied", right
    yield "no_match", tool.write(path, *_elsewhere(case))
    yield from (("ambiguous", tool.write(path, line, f"{line}x\n")) for line in _repeated(before))
    for part in _PARTS:
        yield "malformed_diff", re.sub(part, "", right, flags=re.MULTILINE)
    yield from (("truncated", _beginning(right, tenths)) for tenths in _TENTHS)
    yield "applied_nothing", tool.write(path, before, before)
    yield "no_call", _NO_CALL
    yield "wrong_path", tool.write(other, before, expected)
    yield "missing_path", re.sub(r"<path>.*?</path>\n?", "", right)
    yield "missing_path", right.replace(f"{path}\n", "\n")
    yield "several_calls", f"{right}\n{right}"
    yield "several_calls", f"{right}\n{tool.write(other, before, expected)}"
    yield "other_tool", re.sub(r"(?<=<command>)\w+(?=</command>)", "view", right)


def _beginning(text: str, tenths: int) -> str:
    return text[: len(text) * tenths // 10]


def _elsewhere(case: DiffEditCase) -> tuple[str, str]:
    """Return a file of invented lines, longer than the case's, before and after an edit of its end."""
    count = case.file_contents.count("\n") + 20
    lines = [f"{invented_line((case.case_id, at))}\n" for at in range(count)]
    return "".join(lines), "".join([*lines[:-1], "the end\n"])


def _repeated(text: str) -> list[str]:
    lines = text.split("\n")
    return [f"{line}\n" for line in dict.fromkeys(lines) if line.strip() and lines.count(line) > 1][:3]
