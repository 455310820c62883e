"""A replay against the run that it replays: the same answers, what one algorithm solves and the other does not."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import NamedTuple

from runner.report.attempt_stream import LAUNCHED, AttemptStream
from runner.report.classes import APPLIED, RIGHT, WRONG, Question, ScoredKind, question_of, undecided_by
from runner.stats.flips import Flips
from runner.stats.intervals import Interval
from runner.stats.paired import paired_difference
from runner.stats.paired_test import PairedTest, paired_test
from runner.storage.runs import find_run
from runner.storage.store import Row, Store

_RULES = """
SELECT parser, diff_algorithm FROM variants
WHERE run_id = ? GROUP BY parser, diff_algorithm ORDER BY diff_algorithm = '', min(position)"""
_SYSTEMS = "SELECT sut, prompt FROM variants WHERE run_id = ? AND parser = ? AND diff_algorithm = ? ORDER BY position"
# The scoring of the same answer by the rule of the run that was replayed.
_BASELINE = """
CROSS JOIN scorings b ON b.answer_id = a.answer_id CROSS JOIN classes d ON d.scoring_id = b.scoring_id"""
_OF_BASELINE = """
AND b.run_id = ?7 AND b.parser = ?8 AND b.diff_algorithm = ?9
AND c.class != 'infrastructure' AND d.class != 'infrastructure'"""
_KINDS = """
l.case_id, a.step, a.mode, coalesce(CASE WHEN ?10 != '' THEN json_extract(s.detail, '$.' || ?10) END, l.case_id),
b.valid, d.class, b.outcome, b.equals_expected IS NOT NULL,
s.valid, c.class, s.outcome, s.equals_expected IS NOT NULL"""
_FLIPS = "l.case_id, a.step, a.mode, a.number, d.class AS class_before, b.outcome AS before, c.class, s.outcome"
# More are counted, and not listed.
MOST_FLIPS = 10_000


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
    `flipped` are at most the first 10,000, by model, prompt and case.
    """

    compared: Compared
    table: Flips
    difference: Interval | None
    test: PairedTest
    flipped: tuple[Flip, ...]
    figure: str = "right"

    @property
    def unlisted(self) -> int:
        """How many flips are not in `flipped`."""
        return self.table.first_only + self.table.second_only - len(self.flipped)


class _Ended(NamedTuple):
    """How answers ended that ended alike by both rules, and at the same question."""

    cluster: str
    before: ScoredKind
    after: ScoredKind


@dataclass(frozen=True, slots=True)
class _Pairs:
    """The answers of a system that both rules scored, counted by how they ended."""

    attempts: AttemptStream
    baseline: tuple[str, str, str]
    ended: Counter[_Ended]

    def flips(self, classes: frozenset[str], undecided: frozenset[Question]) -> Iterator[Flip]:
        """Yield the attempts that are of these classes by one rule alone."""
        rows = self.attempts.rows(_FLIPS, *self.baseline, joined=_BASELINE, where=_OF_BASELINE, order=LAUNCHED)
        sut, prompt, *_ = self.attempts.variant
        for row in rows:
            if (row["class_before"] in classes) != (row["class"] in classes) and question_of(row) not in undecided:
                before, after = _ending(row["class_before"], row["before"]), _ending(row["class"], row["outcome"])
                yield Flip(sut, prompt, row["case_id"], row["number"], before, after)


def compare(store: Store, source: Row, run_id: str, cluster: str = "") -> tuple[Comparison, ...]:
    """Each algorithm of a replay against each one of the run that was replayed; in all, then per model and prompt.

    Answers that are no diffs are compared by their parsers. `cluster` is the field of the scorings' detail whose value
    groups cases that are not independent; "" = the case.
    """
    run = find_run(store, run_id)
    return tuple(
        comparison
        for rule in _rules(store, run_id)
        for baseline in _rules(store, source["run_id"])
        for comparison in _comparisons(baseline, rule, list(_pairs(store, (source, run), (baseline, rule), cluster)))
    )


def _rules(store: Store, run_id: str) -> list[Rule]:
    return [Rule(row["parser"], row["diff_algorithm"]) for row in store.rows(_RULES, run_id)]


def _pairs(store: Store, runs: tuple[Row, Row], rules: tuple[Rule, Rule], cluster: str) -> Iterator[_Pairs]:
    """Yield the pairs of each system that has any: runs and rules are the replayed one and the replay's."""
    (source, run), (baseline, rule) = runs, rules
    against = (str(source["run_id"]), *baseline)
    for system in store.rows(_SYSTEMS, run["run_id"], *rule):
        attempts = AttemptStream(store, run, (system["sut"], system["prompt"], *rule))
        rows = attempts.rows(_KINDS, *against, cluster, joined=_BASELINE, where=_OF_BASELINE)
        ended = Counter(map(_ended, rows))
        if ended:
            yield _Pairs(attempts, against, ended)


def _ended(row: Row) -> _Ended:
    question = row[:3]
    return _Ended(row[3], ScoredKind(question, *row[4:8]), ScoredKind(question, *row[8:]))


def _comparisons(baseline: Rule, rule: Rule, systems: Sequence[_Pairs]) -> Iterator[Comparison]:
    """Yield the comparison of all answers that both scored; if several models or prompts gave them, one of each."""
    names = [pairs.attempts.variant[:2] for pairs in systems]
    if len(systems) > 1:
        suts, prompts = ({name[part] for name in names} for part in (0, 1))
        yield _comparison(Compared(baseline, rule, _only(suts), _only(prompts)), systems)
    for (sut, prompt), own in zip(names, systems, strict=True):
        yield _comparison(Compared(baseline, rule, sut, prompt, is_part=len(systems) > 1), [own])


def _only(names: set[str]) -> str | None:
    return next(iter(names)) if len(names) == 1 else None


def _comparison(compared: Compared, systems: Sequence[_Pairs]) -> Comparison:
    every = [(ended, n) for pairs in systems for ended, n in pairs.ended.items()]
    undecided = undecided_by(kind for ended, _ in every for kind in (ended.before, ended.after))
    decided = [(ended, n) for ended, n in every if ended.after.question not in undecided]
    classes = RIGHT if decided else APPLIED
    counts = Counter[tuple[bool, bool]]()
    sums, sizes = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for (cluster, before, after), n in decided or every:
        was, is_now = before.class_ in classes, after.class_ in classes
        counts[was, is_now] += n
        sums[cluster, after.question[0]] += (is_now - was) * n
        sizes[cluster, after.question[0]] += n
    clusters = defaultdict[str, list[float]](list)
    for case, size in sizes.items():
        clusters[case[0]].append(sums[case] / size)
    means = list(clusters.values())
    table = Flips(counts[True, True], counts[True, False], counts[False, True], counts[False, False])
    flipped = chain.from_iterable(pairs.flips(classes, undecided if decided else frozenset()) for pairs in systems)
    return Comparison(
        compared=compared,
        table=table,
        difference=_difference(means, counts.total()),
        test=paired_test(means, single=counts.total() == len(sizes)),
        flipped=tuple(islice(flipped, MOST_FLIPS)) if table.first_only or table.second_only else (),
        figure="right" if decided else "applied",
    )


def _ending(class_: str, outcome: str) -> str:
    return class_ if class_ in RIGHT | WRONG else outcome


def _difference(clusters: Sequence[Sequence[float]], answers: int) -> Interval | None:
    means = [mean for cluster in clusters for mean in cluster]
    if not means:
        return None
    difference = paired_difference(clusters, answers / len(means))
    # What one group has may be anything elsewhere.
    return difference.interval if difference else Interval(math.fsum(means) / len(means), -1.0, 1.0)
