"""Why an edit ended as it did: its cause, the failed block and the place that is most like it, or what it changed."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import islice

from diff_apply.nearest import nearest
from runner.diagnosis.attempts import WITHOUT_DIFF, FileOfCase, diff_of, refused_block
from runner.diagnosis.counts import cause_name, is_forgivable
from runner.diagnosis.failure import Diagnosis, FailedDiff, diagnose_diff
from runner.diagnosis.markers import read_leniently
from runner.diagnosis.tool_causes import diagnose_call, is_of_tool
from runner.errors import InputError
from runner.report.export import Record

# Lines of a diff that are shown; lists have one more where there are more.
SHOWN_LINES = 24


@dataclass(frozen=True, slots=True)
class RefusedBlock:
    """A block that did not match: its SEARCH, and the lines of the file that are most like it.

    `first_line` is None, and `place` empty, where nothing in the file is alike. `similarity` is 0..1.
    """

    number: int
    count: int
    search: tuple[str, ...]
    place: tuple[str, ...] = ()
    first_line: int | None = None
    similarity: float = 0.0

    @property
    def name(self) -> str:
        """Its number among the blocks of the diff."""
        return f"block {self.number} of {self.count}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """What is known of an edit.

    - `cause` names why it failed, `promise` what would come of forgiving it; "" where it did not fail.
    - `changes` are lines of a unified diff: from the file before, or of a wrong result from the expected file.
    - `block` is the refused block, `unreadable` the lines of a diff in which it cannot be found.
    """

    cause: str = ""
    promise: str = ""
    changes: tuple[str, ...] = ()
    block: RefusedBlock | None = None
    unreadable: tuple[str, ...] = ()


def explained(record: Record, file: FileOfCase) -> Explanation | None:
    """Return the explanation of a scored edit; None where the file of its case is not on record."""
    try:
        original, expected = file.original, file.expected
    except InputError:
        return None
    edited = record["edited_file"]
    if edited is not None and record["equals_expected"] is not False:
        return Explanation(changes=_changes(original, edited, "before", "after"))
    if record["outcome"] in WITHOUT_DIFF:
        return Explanation(cause=str(WITHOUT_DIFF[record["outcome"]]))
    diff = diff_of(record["parsed_calls"] or [])
    if not diff:
        return Explanation()
    refused = refused_block(record["blocks"])
    failed = FailedDiff(original, diff, expected, record["diff_algorithm"], edited, refused)
    of_tool = is_of_tool(record["parser"])
    diagnosis = diagnose_call(failed, record["blocks"]) if of_tool else diagnose_diff(failed)
    explanation = Explanation(cause=cause_name(diagnosis.cause), promise=_promise(diagnosis))
    if edited is not None:
        changes = _changes(expected[0] if expected else original, edited, "expected", "made")
        return replace(explanation, changes=changes)
    return _with_block(explanation, original, diff, refused) if refused else explanation


def _promise(diagnosis: Diagnosis) -> str:
    if not is_forgivable(diagnosis.cause) or diagnosis.right is None:
        return ""
    return f"; forgiven, the file would be {'right' if diagnosis.right else 'wrong'}"


def _changes(before: str, after: str, name: str, other: str) -> tuple[str, ...]:
    lines = difflib.unified_diff(before.split("\n"), after.split("\n"), name, other, lineterm="", n=2)
    return _first(lines, SHOWN_LINES + 1)


def _with_block(explanation: Explanation, original: str, diff: str, number: int) -> Explanation:
    read = read_leniently(diff)
    block = next((block for block in read.blocks if block.number == number), None) if read else None
    if read is None or block is None:
        return replace(explanation, unreadable=_first(diff.split("\n"), SHOWN_LINES))
    refused = RefusedBlock(number, len(read.blocks), tuple(block.search.rows))
    candidate = nearest(original, block.search.text)
    if candidate is not None:
        place = original.split("\n")[candidate.first_line - 1 : candidate.last_line]
        refused = replace(refused, place=tuple(place), first_line=candidate.first_line, similarity=candidate.similarity)
    return replace(explanation, block=refused)


def _first(lines: Iterable[str], count: int) -> tuple[str, ...]:
    return tuple(islice(lines, count))
