"""Answers of each outcome in the form of an edit tool, for simulated models: each is scored before it is used."""

import re
from collections.abc import Iterator

from runner.edit_tools.foreign_result import ToolFailedError
from runner.edit_tools.tool import EditTool
from runner.records import Completion, Outcome
from runner.run.diff_scoring import score_answer
from runner.suites.diff_edit.cases import DiffEditCase
from suts.simulated.prose import invented_line

_NO_CALL = "Before I touch the file I would like to know which of the two behaviours you prefer."
# What is left out of a right answer, one after the other, until the rest cannot be read.
_PARTS = (
    r"^=+\n",
    r"^@@.*\n",
    r"<(new\w+)>(?s:.*?)</\1>\n?",
    r"(?<=<edits>)\[",
    r"^[-+ ].*\n",
    r"\[(?=\{)",
    r"^PUT.*\n",
)


def written_answers(case: DiffEditCase, tool: EditTool, expected: str) -> dict[str, str]:
    """Return an answer for each outcome that the tool and the case permit; `expected` is the file after a right one."""
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


def _is(outcome: str, text: str, case: DiffEditCase, tool: EditTool, expected: str) -> bool:
    finish_reason = "length" if outcome == "truncated" else "stop"
    completion = Completion(text, finish_reason=finish_reason)
    scoring = score_answer(case, completion, ("", tool.parser), {"": tool.algorithm}, "strict")[0]
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
    yield from (("truncated", right[: len(right) * tenths // 10]) for tenths in (7, 8, 6, 9, 5))
    yield "applied_nothing", tool.write(path, before, before)
    yield "no_call", _NO_CALL
    yield "wrong_path", tool.write(other, before, expected)
    yield "missing_path", re.sub(r"<path>.*?</path>\n?", "", right)
    yield "missing_path", right.replace(f"{path}\n", "\n")
    yield "several_calls", f"{right}\n{right}"
    yield "several_calls", f"{right}\n{tool.write(other, before, expected)}"
    yield "other_tool", re.sub(r"(?<=<command>)\w+(?=</command>)", "view", right)


def _elsewhere(case: DiffEditCase) -> tuple[str, str]:
    """Return a file of invented lines, longer than the case's, before and after an edit of its end."""
    count = case.file_contents.count("\n") + 20
    lines = [f"{invented_line((case.case_id, at))}\n" for at in range(count)]
    return "".join(lines), "".join([*lines[:-1], "the end\n"])


def _repeated(text: str) -> list[str]:
    lines = text.split("\n")
    return [f"{line}\n" for line in dict.fromkeys(lines) if line.strip() and lines.count(line) > 1][:3]
