"""What a run shows, as numbers: one summary per variant, from the rows of evals.db."""

import statistics
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from runner.report.classes import (
    APPLIED,
    RIGHT,
    WRONG,
    Question,
    decides,
    never_valid,
    question_of,
    question_rate,
    undecided_questions,
)
from runner.report.lateness import Lateness, lateness_of
from runner.report.replicas import ReplicaFigures, replicas_of_run
from runner.report.speeds import Speed, speeds_of
from runner.stats.intervals import Interval, mean_over_cases, rate_over_cases
from runner.storage.overflows import overflows_of
from runner.storage.runs import VariantKey, quota_of, variant_key, variant_rows
from runner.storage.store import Row, Store

Edits = Literal["1", "2", "3+"]

CLOCKS = ("first_token_ms", "first_edit_ms", "first_line_ms", "closed_ms", "round_trip_ms")
TOKENS = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")


@dataclass(frozen=True, slots=True)
class Spread:
    """The middle and the slow end of a clock, in milliseconds, over all answers that have it."""

    count: int
    median: float
    p90: float


@dataclass(frozen=True, slots=True)
class VariantSummary:
    """One variant over the cases of a run. Rates are means over cases, with intervals clustered by case.

    `attempts` counts scored attempts, `crashed` those whose scoring crashed or whose judge broke off (in no
    denominator). `right`, `wrong` and `applied` are over valid attempts, by the view `classes`; `right` and `wrong`
    leave out questions that nothing decides, of which answers count as applied. A case that settled without a valid
    attempt counts with 0 in all three. `cost_usd` is unknown (None) as soon as the cost of one answer is. `tokens` are
    sums over the answers that reported theirs, `untold` counts the others. `upstreams` and `served_models` count the
    answers by who served them, as far as the provider reported that. `unsent` are the parameters of the run that the
    system was not sent.
    """

    sut: str
    prompt: str
    parser: str
    diff_algorithm: str
    signature: str
    simulated: bool
    endpoint: str
    cases: int
    attempts: int
    valid: int
    solved: int
    crashed: int
    outcomes: dict[str, int]
    valid_rate: Interval | None
    right: Interval | None
    wrong: Interval | None
    applied: Interval | None
    parse_kept: Interval | None
    clocks: dict[str, Spread]
    tokens: dict[str, int | None]
    cost_usd: float | None
    scores: dict[str, Interval] = field(default_factory=dict)
    upstreams: dict[str, int] = field(default_factory=dict)
    served_models: dict[str, int] = field(default_factory=dict)
    untold: int = 0
    unsent: str = ""

    @property
    def key(self) -> VariantKey:
        """What identifies the variant within its run."""
        return self.sut, self.prompt, self.parser, self.diff_algorithm

    @property
    def usd_per_valid(self) -> float | None:
        """The cost of a valid attempt; None where it is unknown."""
        return self.cost_usd / self.valid if self.cost_usd is not None and self.valid else None


@dataclass(frozen=True, slots=True)
class LaneNote:
    """A case that did not fill its quota, and why: the state of its lane, or a reason."""

    sut: str
    prompt: str
    case_id: str
    state: str


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run: its variants, what was left out, and what the infrastructure did.

    `too_long` are the lanes whose question does not fit into the context window; `state` says which window.
    """

    run_id: str
    suite: str
    state: str
    created_at: str
    replay_of: str | None
    name: str | None
    version: str
    quota: int
    variants: tuple[VariantSummary, ...]
    short_lanes: tuple[LaneNote, ...]
    skipped_cases: dict[str, str]
    infrastructure: dict[str, dict[str, int]]
    lateness: Lateness
    too_long: tuple[LaneNote, ...] = ()
    speeds: tuple[Speed, ...] = ()
    replicas: tuple[ReplicaFigures, ...] = ()
    edits: Edits | None = None

    @property
    def simulated(self) -> bool:
        """Return whether any number here comes from a simulated model."""
        return any(variant.simulated for variant in self.variants)


@dataclass(frozen=True, slots=True)
class _Figures:
    """What the summaries of all variants of a run need: the quota, None if unknown, and the scores by scoring.

    `decided` is whether anything decides what is right.
    """

    quota: int | None
    undecided: Collection[Question]
    decided: bool
    scores: Mapping[int, Mapping[str, float]]


_ATTEMPTS = """
SELECT t.*, c.class, l.settled_at FROM attempts t JOIN classes c USING (scoring_id) JOIN lanes l USING (lane_id)
WHERE t.run_id = ? ORDER BY t.number, t.try"""


def summarize(store: Store, run: Row, edits: Edits | None = None) -> RunSummary:
    """Return the summary of a run; with `edits` only attempts whose diff had so many blocks."""
    run_id: str = run["run_id"]
    answers_of = run["replay_of"] or run_id
    quota = quota_of(run)
    # Attempts that were chosen by their blocks say nothing of how often an attempt is valid.
    stopped_at = None if edits else quota
    groups: defaultdict[tuple[str, str, str, str], list[Row]] = defaultdict(list)
    for row in store.stream(_ATTEMPTS, run_id):
        if edits is None or _has_edits(row["num_edits"], edits):
            groups[variant_key(row)].append(row)
    undecided = undecided_questions(row for rows in groups.values() for row in rows)
    decided = any(map(decides, groups.values()))
    figures = _Figures(stopped_at, undecided, decided, _scores(store, run_id))
    variants = [_variant(row, groups[variant_key(row)], figures) for row in variant_rows(store, run_id)]
    return RunSummary(
        run_id=run_id,
        suite=run["suite"],
        state=run["state"],
        created_at=run["created_at"],
        replay_of=run["replay_of"],
        name=run["name"],
        version=run["version"],
        quota=quota,
        variants=tuple(variants),
        short_lanes=_short_lanes(store, answers_of),
        too_long=tuple(LaneNote(**dict(row)) for row in overflows_of(store, answers_of)),
        speeds=speeds_of(store, answers_of),
        replicas=() if edits else replicas_of_run(store, run),
        skipped_cases=_skipped(store, answers_of),
        infrastructure=_infrastructure(store, answers_of),
        lateness=lateness_of(store, answers_of),
        edits=edits,
    )


def summary_data(summary: RunSummary) -> dict[str, Any]:
    """Return the summary as JSON values, its parts as they are."""
    return {part.name: getattr(summary, part.name) for part in fields(summary)} | {"simulated": summary.simulated}


def _has_edits(count: int | None, edits: Edits) -> bool:
    if count is None:
        return False
    return count >= 3 if edits == "3+" else count == int(edits)


def _variant(row: Row, attempts: Sequence[Row], figures: _Figures) -> VariantSummary:
    counted = [attempt for attempt in attempts if attempt["class"] != "infrastructure"]
    valid = [attempt for attempt in counted if attempt["valid"]]
    settled = never_valid(counted)
    decidable = [*valid, *settled] if figures.decided else valid
    decided = [attempt for attempt in decidable if question_of(attempt) not in figures.undecided]
    return VariantSummary(
        sut=row["sut"],
        prompt=row["prompt"],
        parser=row["parser"],
        diff_algorithm=row["diff_algorithm"],
        signature=row["signature"],
        simulated=bool(row["simulated"]),
        endpoint=row["endpoint"],
        cases=len({attempt["case_id"] for attempt in counted}),
        attempts=len(counted),
        valid=len(valid),
        solved=sum(attempt["solved"] for attempt in valid),
        crashed=len(attempts) - len(counted),
        outcomes=dict(Counter(attempt["outcome"] for attempt in attempts).most_common()),
        valid_rate=_valid_rate(counted, figures.quota) if figures.quota else None,
        right=_rate_of(decided, RIGHT),
        wrong=_rate_of(decided, WRONG),
        applied=_rate_of([*valid, *settled], APPLIED),
        parse_kept=_rate(_knowing(valid, "parses_after"), "parses_after"),
        clocks=_clocks(counted),
        tokens={name: _total(counted, name) for name in TOKENS},
        cost_usd=_cost(counted),
        scores=_mean_scores(valid, figures.scores),
        upstreams=_counts(counted, "upstream"),
        served_models=_counts(counted, "served_model"),
        untold=sum(all(attempt[name] is None for name in TOKENS) for attempt in counted),
        unsent=row["unsent"],
    )


def _counts(rows: Iterable[Row], column: str) -> dict[str, int]:
    """Return how often each value stands there, the commonest first; rows without one are left out."""
    return dict(Counter(row[column] for row in rows if row[column] is not None).most_common())


def _by_case(rows: Iterable[Row]) -> dict[str, list[Row]]:
    groups: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[row["case_id"]].append(row)
    return groups


def _knowing(rows: Iterable[Row], column: str) -> list[Row]:
    return [row for row in rows if row[column] is not None]


def _rate(rows: Sequence[Row], column: str) -> Interval | None:
    cases = _by_case(rows).values()
    return rate_over_cases([sum(row[column] for row in case) / len(case) for case in cases], len(rows))


def _rate_of(rows: Sequence[Row], classes: frozenset[str]) -> Interval | None:
    cases = _by_case(rows).values()
    return rate_over_cases([sum(row["class"] in classes for row in case) / len(case) for case in cases], len(rows))


def _valid_rate(rows: Sequence[Row], quota: int) -> Interval | None:
    """Return the mean over cases; where a case asks several questions, each of which has its quota, of their means."""
    cases = [_questions_rate(case, quota) for case in _by_case(rows).values()]
    return rate_over_cases(cases, len(rows))


def _questions_rate(rows: Sequence[Row], quota: int) -> float:
    """Return how often an answer is valid, over the questions of one case, of which there is at least one."""
    questions: defaultdict[Question, list[Row]] = defaultdict(list)
    for row in rows:
        questions[question_of(row)].append(row)
    return statistics.fmean(question_rate(answers, quota) for answers in questions.values())


def _clocks(rows: Sequence[Row]) -> dict[str, Spread]:
    spreads = {}
    for name in CLOCKS:
        values = sorted(row[name] for row in rows if row[name] is not None)
        if values:
            p90 = values[min(len(values) - 1, -(-9 * len(values) // 10) - 1)]
            spreads[name] = Spread(len(values), statistics.median(values), p90)
    return spreads


def _total(rows: Sequence[Row], column: str) -> int | None:
    values = [row[column] for row in rows if row[column] is not None]
    return sum(values) if values else None


def _cost(rows: Sequence[Row]) -> float | None:
    costs = [row["cost_usd"] for row in rows]
    return sum(costs) if costs and None not in costs else None


def _scores(store: Store, run_id: str) -> dict[int, dict[str, float]]:
    scores: defaultdict[int, dict[str, float]] = defaultdict(dict)
    sql = "SELECT c.scoring_id, c.metric, c.value FROM scores c JOIN scorings s USING (scoring_id) WHERE s.run_id = ?"
    for row in store.stream(sql, run_id):
        scores[row["scoring_id"]][row["metric"]] = row["value"]
    return scores


def _mean_scores(rows: Sequence[Row], scores: Mapping[int, Mapping[str, float]]) -> dict[str, Interval]:
    """Per metric the mean over cases of the case means, over the valid attempts that have it."""
    cases: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        for metric, value in scores.get(row["scoring_id"], {}).items():
            cases[metric][row["case_id"]].append(value)
    means = {metric: _mean_score(list(by.values())) for metric, by in cases.items()}
    return {metric: mean for metric, mean in means.items() if mean is not None}


def _mean_score(cases: Sequence[Sequence[float]]) -> Interval | None:
    """Return a mean over cases; the interval of shares stays within 0..1, that of counts above 0."""
    means = [statistics.fmean(values) for values in cases]
    if all(0 <= value <= 1 for values in cases for value in values):
        return rate_over_cases(means, sum(map(len, cases)))
    mean = mean_over_cases(means)
    if mean is None or min(value for values in cases for value in values) < 0:
        return mean
    return replace(mean, low=max(0.0, mean.low))


def _short_lanes(store: Store, run_id: str) -> tuple[LaneNote, ...]:
    """Return the lanes short of their quota; one that the run did not reach has no row in `lanes`."""
    sql = """
        SELECT v.sut, v.prompt, c.case_id,
            iif(l.settled_at IS NULL, coalesce(l.state, 'open'), 'settled') AS state
        FROM (SELECT DISTINCT run_id, sut, prompt FROM variants) v
        JOIN cases c USING (run_id)
        LEFT JOIN lanes l USING (run_id, sut, prompt, case_id)
        WHERE run_id = ? AND c.skipped IS NULL AND coalesce(l.state, 'open') != 'full'
            AND (v.sut, v.prompt, c.case_id) NOT IN (SELECT sut, prompt, case_id FROM overflows o
                WHERE o.run_id = c.run_id)
        ORDER BY v.sut, v.prompt, c.position"""
    return tuple(LaneNote(**dict(row)) for row in store.rows(sql, run_id))


def _skipped(store: Store, run_id: str) -> dict[str, str]:
    sql = "SELECT case_id, skipped FROM cases WHERE run_id = ? AND skipped IS NOT NULL ORDER BY position"
    return {row["case_id"]: row["skipped"] for row in store.rows(sql, run_id)}


def _infrastructure(store: Store, run_id: str) -> dict[str, dict[str, int]]:
    sql = """
        SELECT sut, CASE error_kind WHEN 'context' THEN 'too_long' ELSE outcome END AS outcome, count(*) AS n
        FROM infrastructure WHERE run_id = ? GROUP BY 1, 2 ORDER BY sut, n"""
    counts: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for row in store.rows(sql, run_id):
        counts[row["sut"]][row["outcome"]] = row["n"]
    return dict(counts)
