"""Failures as a page embeds them: the cause, the refused block beside its nearest place, the answer's beginning."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from runner.diagnosis.attempts import FileOfCase
from runner.pages.naming import NamedVariant
from runner.pages.outcomes import CLASSES, INFRASTRUCTURE, ClassMark
from runner.report.class_counts import ClassCounts
from runner.report.explanation import SHOWN_LINES, Explanation, RefusedBlock, explained
from runner.report.export import Record, scored_record
from runner.report.informative_failures import informative_failures
from runner.report.side_by_side import common_ends, visible
from runner.storage.store import Row, Store

# What is shown of texts, in characters; a cut says how much it leaves out.
_LINE, _ANSWER, _ERROR, _NAME = 200, 2400, 1200, 160
_ROWS, _BEFORE = 24, 3


@dataclass(frozen=True, slots=True)
class LinePart:
    """A line in three parts, of which the middle one differs from the line beside it."""

    head: str
    middle: str
    tail: str


@dataclass(frozen=True, slots=True)
class PairRow:
    """A line of the SEARCH beside one of the file."""

    left: LinePart
    right: LinePart


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of a unified diff: `kind` is add, del, head or same."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class BlockView:
    """A refused block, with the lines from its first difference on; `left_out` counts the others."""

    title: str
    nearest: str
    rows: tuple[PairRow, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class FailureView:
    """A failed attempt; texts may be cut, and say so."""

    case_id: str
    number: int
    model: str
    simulated: bool
    prompt: str
    diff: str
    kind: str
    mark: ClassMark
    outcome: str
    cause: str
    error: str
    block: BlockView | None
    changes_title: str
    changes: tuple[DiffLine, ...]
    answer: str
    command: str


@dataclass(frozen=True, slots=True)
class Failures:
    """The failures that are embedded, and how many there are in all."""

    failures: tuple[FailureView, ...]
    total: int
    command: str


def failures_of(store: Store, run: Row, named: Sequence[NamedVariant], counts: ClassCounts, most: int) -> Failures:
    """Return the most informative failures of the first variant of each model and prompt."""
    variants = {variant.key for variant in named if variant.first}
    ids, total = informative_failures(store, run, variants, counts, most)
    files: dict[str, FileOfCase] = {}
    views = []
    for scoring_id in ids:
        record = scored_record(store, scoring_id)
        case_id = record["case_id"]
        file = files.setdefault(case_id, FileOfCase(store, run["replay_of"] or run["run_id"], case_id))
        views.append(_view(run["run_id"], record, file))
    return Failures(tuple(views), total, f"evals show {run['run_id']} --failed")


def _view(run_id: str, record: Record, file: FileOfCase) -> FailureView:
    explanation = (explained(record, file) if record["diff_algorithm"] else None) or Explanation()
    step = f" step {record['step']} {record['mode']}" if record["mode"] else ""
    return FailureView(
        case_id=cut(f"{record['case_id']}{step}", _NAME),
        number=record["number"],
        model=cut(record["model_id"], _NAME),
        simulated=record["simulated"],
        prompt=cut(record["prompt"], _NAME),
        diff=cut(record["diff_algorithm"] or record["parser"] or "", _NAME),
        kind=record["class"],
        mark=CLASSES.get(record["class"], INFRASTRUCTURE),
        outcome=record["outcome"],
        cause=f"{explanation.cause}{explanation.promise}",
        error=cut(record["error_text"] or "", _ERROR, keep_end=True),
        block=block_view(explanation.block) if explanation.block else None,
        changes_title="expected and made" if record["equals_expected"] is False else "before and after",
        changes=tuple(_diff_line(line) for line in _changes(explanation)),
        answer=cut(record["raw_output"] or "", _ANSWER),
        command=show_command(run_id, record),
    )


def _changes(explanation: Explanation) -> list[str]:
    lines = [*explanation.changes, *explanation.unreadable]
    return [*lines[:SHOWN_LINES], *(["@@ more: see the command below"] if len(lines) > SHOWN_LINES else [])]


def _diff_line(line: str) -> DiffLine:
    if line.startswith(("---", "+++", "@@")):
        return DiffLine("head", cut(line, _LINE))
    kind = {"+": "add", "-": "del"}.get(line[:1], "same")
    return DiffLine(kind, line[:1] + cut(visible(line[1:]), _LINE))


def block_view(block: RefusedBlock) -> BlockView:
    """Return the lines from a few before the first difference on."""
    pairs = list(zip_longest(block.search, block.place, fillvalue=""))
    first = next((at for at, (line, actual) in enumerate(pairs) if line != actual), 0)
    start = max(0, first - _BEFORE) if block.place else 0
    window = pairs[start : start + _ROWS]
    nearest = (
        f"line {block.first_line} of the file, alike {block.similarity:.2f}"
        if block.first_line is not None
        else "nothing in the file is alike"
    )
    rows = tuple(_pair(line, actual, alone=not block.place) for line, actual in window)
    return BlockView(f"SEARCH of {block.name}", nearest, rows, len(pairs) - len(window))


def _pair(line: str, actual: str, *, alone: bool) -> PairRow:
    left, right = cut(visible(line), _LINE), cut(visible(actual), _LINE)
    if alone:
        return PairRow(LinePart(left, "", ""), LinePart("", "", ""))
    start, end = common_ends(left, right)
    return PairRow(_parts(left, start, end), _parts(right, start, end))


def _parts(line: str, start: int, end: int) -> LinePart:
    stop = len(line) - end
    return LinePart(line[:start], line[start:stop], line[stop:])


def cut(text: str, most: int, *, keep_end: bool = False) -> str:
    """Return a text of at most so many characters, and how many it leaves out."""
    if len(text) <= most:
        return text
    left_out = f"[{len(text) - most} more characters]"
    return f"{left_out} {text[-most:]}" if keep_end else f"{text[:most]} {left_out}"


def show_command(run_id: str, record: Record) -> str:
    """Return the command that shows all of an attempt."""
    words = ["evals", "show", run_id, record["case_id"], str(record["number"]), "--model", record["model_id"]]
    for option, name in (("--prompt", "prompt"), ("--diff", "diff_algorithm")):
        words += [option, record[name]] if record[name] else []
    return shlex.join([*words, "--full"])
