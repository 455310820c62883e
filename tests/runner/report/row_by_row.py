"""The figures of a run from all of its rows at once: what the report computes case by case."""

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from runner.report.answer_figures import CLOCKS, TOKENS, Spread
from runner.report.case_values import CLASSES, CaseKey
from runner.report.classes import (
    APPLIED,
    RIGHT,
    WRONG,
    Question,
    decides,
    never_valid,
    question_of,
    undecided_questions,
)
from runner.stats.flips import flips
from runner.stats.intervals import Interval, mean_over_cases, rate_over_cases
from runner.stats.paired import clustered_means, paired_difference
from runner.stats.paired_test import paired_test
from runner.stats.quota import valid_rate
from runner.storage.runs import VariantKey, quota_of, variant_key, variant_rows
from runner.storage.store import Row, Store

_ATTEMPTS = """
SELECT t.*, c.class, l.settled_at FROM attempts t JOIN classes c USING (scoring_id) JOIN lanes l USING (lane_id)
WHERE t.run_id = ? ORDER BY t.number, t.try, t.step, t.mode"""


def figures(store: Store, run: Row, edits: str | None = None) -> dict[VariantKey, dict[str, Any]]:
    """The fields of each `VariantSummary` that are computed from attempts."""
    rows = [row for row in store.rows(_ATTEMPTS, run["run_id"]) if edits in (None, _edits(row))]
    undecided = undecided_questions(rows)
    variants = [variant_key(row) for row in variant_rows(store, run["run_id"])]
    quota = quota_of(run) if edits is None else None
    return {
        key: _figures(store, [row for row in rows if variant_key(row) == key], quota, (undecided, decides(rows)))
        for key in variants
    }


def _edits(row: Row) -> str:
    return "3+" if (row["num_edits"] or 0) >= 3 else str(row["num_edits"])


def _figures(store: Store, rows: Sequence[Row], quota: int | None, decisions: tuple[Any, bool]) -> dict[str, Any]:
    undecided, is_decided = decisions
    counted = [row for row in rows if row["class"] != "infrastructure"]
    valid = [row for row in counted if row["valid"]]
    settled = never_valid(counted)
    decided = [row for row in [*valid, *(settled if is_decided else [])] if question_of(row) not in undecided]
    costs = [row["cost_usd"] for row in counted]
    return {
        "cases": len({row["case_id"] for row in counted}),
        "attempts": len(counted),
        "valid": len(valid),
        "solved": sum(row["solved"] for row in valid),
        "crashed": len(rows) - len(counted),
        "outcomes": _counts(rows, "outcome"),
        "valid_rate": _valid_rate(counted, quota) if quota else None,
        "right": _rate(decided, [row["class"] in RIGHT for row in decided]),
        "wrong": _rate(decided, [row["class"] in WRONG for row in decided]),
        "applied": _rate([*valid, *settled], [row["class"] in APPLIED for row in [*valid, *settled]]),
        "parse_kept": _parse_kept([row for row in valid if row["parses_after"] is not None]),
        "clocks": {name: spread for name in CLOCKS if (spread := _spread(counted, name))},
        "tokens": {name: _total(counted, name) for name in TOKENS},
        "cost_usd": math.fsum(costs) if costs and None not in costs else None,
        "scores": _scores(store, valid),
        "upstreams": _counts(counted, "upstream"),
        "served_models": _counts(counted, "served_model"),
        "untold": sum(all(row[name] is None for name in TOKENS) for row in counted),
    }


def _rate(rows: Sequence[Row], values: Sequence[float]) -> Interval | None:
    cases = defaultdict[str, list[float]](list)
    for row, value in zip(rows, values, strict=True):
        cases[row["case_id"]].append(value)
    return rate_over_cases([sum(case) / len(case) for case in cases.values()], len(rows))


def _parse_kept(rows: Sequence[Row]) -> Interval | None:
    return _rate(rows, [row["parses_after"] for row in rows])


def _valid_rate(rows: Sequence[Row], quota: int) -> Interval | None:
    cases = defaultdict[str, list[float]](list)
    for question, rate in _question_rates(rows, quota):
        cases[question[0]].append(rate)
    return rate_over_cases([statistics.fmean(rates) for rates in cases.values()], len(rows))


def _question_rates(rows: Sequence[Row], quota: int) -> Iterator[tuple[Question, float]]:
    questions = defaultdict[Question, list[Row]](list)
    for row in rows:
        questions[question_of(row)].append(row)
    for question, answers in questions.items():
        settled_at = answers[0]["settled_at"]
        before = [row for row in answers if settled_at is None or row["number"] < settled_at] or answers
        yield question, valid_rate([row["valid"] for row in before], quota, settled=settled_at is not None) or 0.0


def _spread(rows: Iterable[Row], name: str) -> Spread | None:
    values = sorted(row[name] for row in rows if row[name] is not None)
    if not values:
        return None
    return Spread(len(values), statistics.median(values), values[math.ceil(0.9 * len(values)) - 1])


def _total(rows: Iterable[Row], name: str) -> int | None:
    values = [row[name] for row in rows if row[name] is not None]
    return sum(values) if values else None


def _counts(rows: Iterable[Row], name: str) -> dict[str, int]:
    return dict(Counter(row[name] for row in rows if row[name] is not None))


def _scores(store: Store, rows: Sequence[Row]) -> dict[str, Interval]:
    cases = defaultdict[str, defaultdict[str, list[float]]](lambda: defaultdict(list))
    for row in rows:
        for score in store.rows("SELECT * FROM scores WHERE scoring_id = ?", row["scoring_id"]):
            cases[score["metric"]][row["case_id"]].append(score["value"])
    return {metric: _mean_score(list(by.values())) for metric, by in cases.items()}


def _mean_score(cases: Sequence[Sequence[float]]) -> Interval:
    means = [statistics.fmean(values) for values in cases]
    values = [value for case in cases for value in case]
    if all(0 <= value <= 1 for value in values):
        mean = rate_over_cases(means, len(values))
        assert mean
        return mean
    mean = mean_over_cases(means)
    assert mean
    return mean if min(values) < 0 else Interval(mean.estimate, max(0.0, mean.low), mean.high)


@dataclass(frozen=True)
class Sample:
    """What `CaseFigures` holds of one figure of a variant."""

    cases: dict[CaseKey, float]
    answers: dict[int, tuple[CaseKey, float]]
    clusters: dict[CaseKey, str]
    numbers: dict[CaseKey, list[float]]


def samples(store: Store, run: Row, metric: str) -> list[Sample]:
    """The samples of the variants of a run, in their order."""
    rows = [row for row in store.rows(_ATTEMPTS, run["run_id"]) if row["class"] != "infrastructure"]
    variants = [variant_key(row) for row in variant_rows(store, run["run_id"])]
    groups = {key: [row for row in rows if variant_key(row) == key] for key in variants}
    decided = metric == "applied" or (metric in CLASSES and decides(rows))
    settled = {row["scoring_id"] for key in variants for row in never_valid(groups[key])} if decided else set()
    return [_sample(store, groups[key], metric, undecided_questions(rows), settled, quota_of(run)) for key in variants]


def _sample(
    store: Store, rows: Sequence[Row], metric: str, undecided: Collection[Question], settled: set[int], quota: int
) -> Sample:
    digests = {row["case_id"]: row["digest"] for row in store.rows("SELECT case_id, digest FROM cases")}
    numbers, answers, clusters = defaultdict[CaseKey, list[float]](list), {}, {}
    for row in rows:
        case = row["case_id"], digests[row["case_id"]]
        counts = row["valid"] or row["scoring_id"] in settled
        if metric in CLASSES:
            is_open = metric != "applied" and question_of(row) in undecided
            value = float(row["class"] in CLASSES[metric]) if counts and not is_open else None
        elif metric in (*CLOCKS, *TOKENS, "cost_usd"):
            value = row[metric]
        elif metric == "valid":
            clusters[case] = row["case_id"]
            continue
        else:
            sql = "SELECT value FROM scores WHERE scoring_id = ? AND metric = ?"
            value = next((score[0] for score in store.rows(sql, row["scoring_id"], metric) if row["valid"]), None)
        if value is not None:
            numbers[case].append(value)
            answers[row["answer_id"]] = case, value
            clusters[case] = row["case_id"]
    if metric == "valid":
        for question, rate in _question_rates(rows, quota):
            numbers[question[0], digests[question[0]]].append(rate)
    return Sample({case: statistics.fmean(values) for case, values in numbers.items()}, answers, clusters, numbers)


def pair_difference(first: Sample, second: Sample) -> tuple[dict[CaseKey, float], int]:
    """The mean difference of each case over the answers that both have, and how many these are."""
    cases = defaultdict[CaseKey, list[float]](list)
    common = [answer for answer in first.answers if answer in second.answers]
    for answer in common:
        cases[first.answers[answer][0]].append(first.answers[answer][1] - second.answers[answer][1])
    return {case: statistics.fmean(values) for case, values in cases.items()}, len(common)


def comparison(store: Store, before: tuple[str, str], after: tuple[str, str], suts: Collection[str]) -> dict[str, Any]:
    """What `Comparison` says of answers of these systems; `before` and `after` name a run and an algorithm."""
    old, new = (
        {row["answer_id"]: row for row in store.rows(_ATTEMPTS, run_id) if row["diff_algorithm"] == algorithm}
        for run_id, algorithm in (before, after)
    )
    scored = [(old[answer], row) for answer, row in new.items() if answer in old and row["sut"] in suts]
    pairs = [pair for pair in scored if "infrastructure" not in (pair[0]["class"], pair[1]["class"])]
    undecided = undecided_questions(row for pair in pairs for row in pair)
    decided = [pair for pair in pairs if question_of(pair[1]) not in undecided]
    classes, pairs = (RIGHT, decided) if decided else (APPLIED, pairs)
    ended = [(before["class"] in classes, after["class"] in classes, after) for before, after in pairs]
    means = clustered_means((row["case_id"], row["case_id"], after - before) for before, after, row in ended)
    return {
        "table": flips((before, after) for before, after, _ in ended),
        "test": paired_test(means, single=len(pairs) == len(means)),
        "flipped": Counter((row["sut"], row["case_id"], row["number"]) for was, now, row in ended if was != now),
        "difference": paired_difference(means, len(pairs) / len(means)) if means else None,
    }
