"""A replay against the run that it replays: the same answers, what one algorithm solves and the other does not."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from runner.report.classes import APPLIED, RIGHT, WRONG, question_of, undecided_questions
from runner.stats.flips import Flips, flips
from runner.stats.intervals import Interval
from runner.stats.paired import clustered_means, paired_difference
from runner.stats.paired_test import PairedTest, paired_test
from runner.storage.store import Row, Store

_RULES = """
SELECT parser, diff_algorithm FROM variants
WHERE run_id = ? GROUP BY parser, diff_algorithm ORDER BY diff_algorithm = '', min(position)"""
_OUTCOMES = """
SELECT t.*, c.class, coalesce(CASE WHEN ?4 != '' THEN json_extract(s.detail, '$.' || ?4) END, t.case_id) AS cluster
FROM attempts t JOIN classes c USING (scoring_id) JOIN scorings s USING (scoring_id)
WHERE t.run_id = ?1 AND t.parser = ?2 AND t.diff_algorithm = ?3 AND c.class != 'infrastructure'"""


class Rule(NamedTuple):
    """How answers are scored: by a parser and a diff algorithm; "" where a suite has no such part."""

    parser: str
    diff_algorithm: str

    @property
    def name(self) -> str:
        """The algorithm, or the parser of answers that are no diffs."""
        return self.diff_algorithm or self.parser


@dataclass(frozen=True, slots=True)
class Flip:
    """An attempt that is right by one algorithm and not by the other, with `right`, `wrong` or its outcome."""

    sut: str
    prompt: str
    case_id: str
    number: int
    outcome_before: str
    outcome_after: str


@dataclass(frozen=True, slots=True)
class Compared:
    """What is compared: answers as a replay's rule scores them, against the `baseline` of the run that was replayed.

    `sut` and `prompt` are those of the answers, None if those of several are compared together. `is_part` says that
    another comparison covers these answers and those of other models or prompts.
    """

    baseline: Rule
    rule: Rule
    sut: str | None = None
    prompt: str | None = None
    is_part: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """The same answers, scored by two rules.

    `figure` is what an attempt is or is not: `right`, or `applied` where nothing decides what is right. `difference`
    is in the share of such attempts, the mean over cases, with a 95 % interval by groups of cases, as `test` is.
    """

    compared: Compared
    table: Flips
    difference: Interval | None
    test: PairedTest
    flipped: tuple[Flip, ...]
    figure: str = "right"


def compare(store: Store, source: Row, run_id: str, cluster: str = "") -> tuple[Comparison, ...]:
    """Each algorithm of a replay against each one of the run that was replayed; in all, then per model and prompt.

    Answers that are no diffs are compared by their parsers. `cluster` is the field of the scorings' detail whose value
    groups cases that are not independent; "" = the case.
    """
    before = {rule: _outcomes(store, source["run_id"], rule, cluster) for rule in _rules(store, source["run_id"])}
    after = {rule: _outcomes(store, run_id, rule, cluster) for rule in _rules(store, run_id)}
    return tuple(
        comparison
        for rule, outcomes in after.items()
        for baseline, recorded in before.items()
        for comparison in _comparisons(baseline, rule, recorded, outcomes)
    )


def _rules(store: Store, run_id: str) -> list[Rule]:
    return [Rule(row["parser"], row["diff_algorithm"]) for row in store.rows(_RULES, run_id)]


def _outcomes(store: Store, run_id: str, rule: Rule, cluster: str) -> dict[int, Row]:
    return {row["answer_id"]: row for row in store.rows(_OUTCOMES, run_id, rule.parser, rule.diff_algorithm, cluster)}


def _comparisons(
    baseline: Rule, rule: Rule, before: Mapping[int, Row], after: Mapping[int, Row]
) -> Iterator[Comparison]:
    """Yield the comparison of all answers that both scored; if several models or prompts gave them, one of each."""
    pairs = [(before[answer], row) for answer, row in after.items() if answer in before]
    lanes = dict[tuple[str, str], list[tuple[Row, Row]]]()
    for old, new in pairs:
        lanes.setdefault((new["sut"], new["prompt"]), []).append((old, new))
    if len(lanes) > 1:
        suts, prompts = ({lane[part] for lane in lanes} for part in (0, 1))
        yield _comparison(Compared(baseline, rule, _only(suts), _only(prompts)), pairs)
    for (sut, prompt), own in lanes.items():
        yield _comparison(Compared(baseline, rule, sut, prompt, is_part=len(lanes) > 1), own)


def _only(names: set[str]) -> str | None:
    return next(iter(names)) if len(names) == 1 else None


def _comparison(compared: Compared, pairs: Sequence[tuple[Row, Row]]) -> Comparison:
    undecided = undecided_questions(row for pair in pairs for row in pair)
    decided = [(old, new) for old, new in pairs if question_of(new) not in undecided]
    classes = RIGHT if decided else APPLIED
    pairs = decided or pairs
    flipped = [
        Flip(new["sut"], new["prompt"], new["case_id"], new["number"], _ending(old), _ending(new))
        for old, new in pairs
        if (old["class"] in classes) != (new["class"] in classes)
    ]
    clusters = clustered_means(
        (new["cluster"], new["case_id"], (new["class"] in classes) - (old["class"] in classes)) for old, new in pairs
    )
    single = len(pairs) == sum(map(len, clusters))
    return Comparison(
        compared=compared,
        table=flips((old["class"] in classes, new["class"] in classes) for old, new in pairs),
        difference=_difference(clusters, len(pairs)),
        test=paired_test(clusters, single=single),
        flipped=tuple(flipped),
        figure="right" if decided else "applied",
    )


def _ending(row: Row) -> str:
    return str(row["class"] if row["class"] in RIGHT | WRONG else row["outcome"])


def _difference(clusters: Sequence[Sequence[float]], answers: int) -> Interval | None:
    means = [mean for cluster in clusters for mean in cluster]
    if not means:
        return None
    difference = paired_difference(clusters, answers / len(means))
    # What one group has may be anything elsewhere.
    return difference.interval if difference else Interval(math.fsum(means) / len(means), -1.0, 1.0)
