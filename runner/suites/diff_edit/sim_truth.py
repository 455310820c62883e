"""The truth of diff edits, for simulated models: the blocks of a right answer, or whole answers in a tool's form."""

from collections import Counter
from collections.abc import Iterable

from diff_apply.generate import edit_blocks
from runner.records import REPAIR
from runner.run.protocols import TruthOf
from runner.storage.ledger import Question
from runner.suites.diff_edit.cases import DiffEditCase
from runner.suites.diff_edit.tool_truth import written_answers
from runner.suites.diff_edit.tools import ToolChoice
from suts.sut import Truth


def truth_of(cases: Iterable[DiffEditCase], seed: int, choice: ToolChoice | None = None) -> TruthOf:
    """The truth of each question: the blocks of a right answer; without an expected file, those of a small edit."""
    by_id = {case.case_id: case for case in cases}
    blocks: dict[str, tuple[tuple[str, str], ...]] = {}
    # Writing them takes milliseconds each, which would hold up every stream under way.
    written = {
        (name, case.case_id): written_answers(case, tool, _expected(case))
        for name, tool in (choice.tools if choice else {}).items()
        for case in by_id.values()
    }

    def truth(question: Question, about: object = None) -> Truth:  # noqa: ARG001 - the Protocol names it
        case = by_id[question.lane.case_id]
        if case.case_id not in blocks:
            blocks[case.case_id] = edit_blocks(case.file_contents, _expected(case))
        return Truth(
            case_id=case.case_id,
            number=question.number,
            seed=seed,
            repairs=question.step if question.mode == REPAIR else 0,
            path=case.file_path,
            blocks=blocks[case.case_id],
            before=case.file_contents,
            written=written.get((question.lane.prompt, case.case_id), {}),
        )

    return truth


def _expected(case: DiffEditCase) -> str:
    return case.expected_contents[0] if case.expected_contents else _small_edit(case.file_contents)


def _small_edit(text: str) -> str:
    """Return a text with one line changed, the longest of those that occur once, so that an edit of it can apply."""
    lines = text.split("\n")
    counts = Counter(lines)
    once = [at for at, line in enumerate(lines) if counts[line] == 1 and line.strip()]
    at = max(once or range(len(lines)), key=lambda at: len(lines[at]))
    body = lines[at].removesuffix("\r")
    return "\n".join([*lines[:at], f"{body} (edited){lines[at][len(body) :]}", *lines[at + 1 :]])
