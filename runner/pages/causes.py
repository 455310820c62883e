"""Why edits failed, by cause: what a more lenient tool would have had to forgive."""

from collections.abc import Sequence
from dataclasses import dataclass

from runner.diagnosis.attempts import attempts
from runner.diagnosis.counts import AlgorithmCounts, cause_name, counted, is_forgivable
from runner.errors import InputError
from runner.pages.naming import NamedVariant
from runner.report.class_counts import ClassCounts
from runner.storage.attempt_filter import AttemptFilter
from runner.storage.store import Row, Store

# Each diagnosis takes milliseconds: of more failures an even sample is diagnosed.
MOST_DIAGNOSED = 1500
WIDTH = 160
_FAILED = ("wrong", "failed", "invalid")


@dataclass(frozen=True, slots=True)
class CauseRow:
    """A cause: its failures by model, in all, and once forgiven."""

    name: str
    counts: tuple[int, ...]
    total: int
    width: float
    right: str
    wrong: str


@dataclass(frozen=True, slots=True)
class Causes:
    """The causes under one algorithm; `note` stands in place of them where there is none."""

    algorithm: str
    columns: tuple[str, ...]
    rows: tuple[CauseRow, ...]
    sentence: str
    note: str = ""


def causes_of(store: Store, run: Row, named: Sequence[NamedVariant], counts: ClassCounts) -> Causes:
    """Return the causes of what failed under the first algorithm of the run."""
    algorithm = next((name for variant in named if variant.first and (name := variant.summary.diff_algorithm)), "")
    if not algorithm:
        return Causes("", (), (), "", "The answers of this run are no SEARCH/REPLACE blocks: nothing to diagnose.")
    keys = [variant.key for variant in named if variant.summary.diff_algorithm == algorithm]
    failed = sum(counts.totals(key)[name] for key in keys for name in _FAILED)
    one_in = max(1, -(-failed // MOST_DIAGNOSED))
    chosen = AttemptFilter(diffs=(algorithm,))
    try:
        diagnosed = counted(attempts(store, run, chosen, one_in)) if failed else []
    except InputError as error:
        return Causes(algorithm, (), (), "", str(error))
    # A replay may read the answers by several parsers: that with the most failures is shown.
    count = max(diagnosed, key=lambda count: count.failed.total(), default=None)
    if count is None or not count.failed.total():
        return Causes(algorithm, (), (), "", f"No edit failed under {algorithm}.")
    return _causes(count, one_in, failed)


def _causes(count: AlgorithmCounts, one_in: int, failed: int) -> Causes:
    lanes = list(count.failed)
    most = max(row.answers.total() for row in count.causes.values())
    rows = []
    for cause, row in count.in_order():
        forgivable = is_forgivable(cause)
        results = (str(row.right), str(row.wrong)) if forgivable else ("-", "-")
        total = row.answers.total()
        numbers = tuple(row.answers[lane] for lane in lanes)
        rows.append(CauseRow(cause_name(cause), numbers, total, round(WIDTH * total / most, 1), *results))
    several = len({prompt for _, prompt in lanes}) > 1
    sample = f" An even sample: about one in {one_in} answers, of {failed} that failed." if one_in > 1 else ""
    return Causes(
        algorithm=count.algorithm,
        columns=tuple(f"{model} {prompt}" if several else model for model, prompt in lanes),
        rows=tuple(rows),
        sentence=(
            f"{count.failed.total()} of {count.answers.total()} answers failed under {count.algorithm}, parser "
            f"{count.parser}. Right and wrong: what a tool that forgives the cause would make of them.{sample}"
        ),
    )
