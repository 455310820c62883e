"""What each variant of some runs scored at each case, by one figure: what comparisons are made of."""

import statistics
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from runner.calls import XML, calls_of, plain_name
from runner.errors import InputError
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
from runner.report.summary import CLOCKS, TOKENS
from runner.storage.rows import config_of
from runner.storage.runs import context_of, quota_of, variant_key, variant_rows
from runner.storage.store import Row, Store

CLASSES = {"right": RIGHT, "wrong": WRONG, "applied": APPLIED}
RATES = (*CLASSES, "valid")
_COLUMNS = (*CLOCKS, *TOKENS, "cost_usd")

# The same case in two runs has the same id and digest.
_ROWS = """
SELECT t.*, c.class, k.digest, x.value, l.settled_at,
    CASE WHEN ?3 = '' THEN NULL ELSE json_extract(s.detail, '$.' || ?3) END AS cluster
FROM attempts t
JOIN scorings s USING (scoring_id)
JOIN classes c USING (scoring_id)
JOIN lanes l USING (lane_id)
JOIN cases k ON k.run_id = ?2 AND k.case_id = t.case_id
LEFT JOIN scores x ON x.scoring_id = t.scoring_id AND x.metric = ?4
WHERE t.run_id = ?1 AND c.class != 'infrastructure'
ORDER BY t.number, t.try
"""
_METRICS = "SELECT DISTINCT metric FROM scores JOIN scorings USING (scoring_id) WHERE run_id = ? ORDER BY metric"
_CLASSES = "SELECT DISTINCT class FROM classes JOIN scorings USING (scoring_id) WHERE run_id = ?"

# A case by its id and the digest of all that it states.
CaseKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class VariantName:
    """A variant by its dimensions; where one name has several digests in the compared runs, its digest is behind it."""

    model: str
    prompt: str
    parser: str
    algorithm: str
    endpoint: str
    run: str
    simulated: bool
    context: str = ""
    calls: str = XML
    edit_tool: str = ""

    def part(self, dimension: str) -> str:
        """Return the value of a dimension, as `--by` names it."""
        if dimension == "edit-tool":
            return self.edit_tool or "replace-in-file"
        return str(getattr(self, dimension))


@dataclass(frozen=True, slots=True)
class CaseFigures:
    """One variant's figure: the mean of each case, the value of each answer, and the group that each case is in.

    `answers` is empty where a figure is not one of single answers. `attempts` is the mean number of values of a case,
    `single` whether no case has more than one; `binary` whether each value is 0 or 1, `shares` whether each is within
    0..1.
    """

    variant: VariantName
    cases: Mapping[CaseKey, float]
    answers: Mapping[int, tuple[CaseKey, float]]
    clusters: Mapping[CaseKey, str]
    attempts: float = 1.0
    single: bool = True
    binary: bool = True
    shares: bool = True


@dataclass(slots=True)
class _Values:
    by_case: dict[CaseKey, list[float]] = field(default_factory=lambda: defaultdict(list))
    answers: dict[int, tuple[CaseKey, float]] = field(default_factory=dict)
    clusters: dict[CaseKey, str] = field(default_factory=dict)


def samples_of(store: Store, runs: Sequence[Row], metric: str = "right", cluster: str = "") -> list[CaseFigures]:
    """Return the samples of all variants of the runs, in their order; `cluster` is the field of `detail` to group by.

    Raises InputError for a metric that the runs do not have.
    """
    known = known_metrics(store, runs)
    if metric not in known:
        raise InputError(f"--metric {metric}: no such figure in the run; choose one of {', '.join(known)}")
    names = _names(store, runs)
    samples = []
    for run in runs:
        groups: defaultdict[tuple[str, ...], list[Row]] = defaultdict(list)
        cases_of = run["replay_of"] or run["run_id"]
        for row in store.stream(_ROWS, run["run_id"], cases_of, cluster, metric):
            groups[variant_key(row)].append(row)
        undecided = undecided_questions(row for rows in groups.values() for row in rows)
        decided = any(map(decides, groups.values()))
        failed = groups.values() if metric == "applied" or (metric in CLASSES and decided) else ()
        counted = {row["scoring_id"] for rows in failed for row in never_valid(rows)}
        value_of = _value_of(metric, undecided, counted)
        for variant in variant_rows(store, run["run_id"]):
            rows = groups[variant_key(variant)]
            values = _rates_of_validity(rows, quota_of(run)) if metric == "valid" else _values(rows, value_of)
            sample = _sample(names[run["run_id"], *variant_key(variant)], values)
            samples.append(replace(sample, shares=False) if metric in _COLUMNS else sample)
    return samples


def headline(store: Store, runs: Sequence[Row]) -> str:
    """Return `right`, or `applied` where nothing decides what is right; "" where nothing is applied either."""
    classes = {row["class"] for run in runs for row in store.rows(_CLASSES, run["run_id"])}
    if classes & (RIGHT | WRONG):
        return "right"
    return "applied" if "applied ?" in classes else ""


def known_metrics(store: Store, runs: Sequence[Row]) -> list[str]:
    """Return the figures by which variants of the runs can be compared."""
    scores = {row["metric"]: None for run in runs for row in store.rows(_METRICS, run["run_id"])}
    return [*RATES, *scores, *_COLUMNS]


def _names(store: Store, runs: Sequence[Row]) -> dict[tuple[str, ...], VariantName]:
    variants = [row for run in runs for row in variant_rows(store, run["run_id"])]
    contexts = {run["run_id"]: context_of(config_of(run)["identity"]) for run in runs}
    parts = (("prompt", "prompt_digest"), ("parser", "parser_digest"), ("diff_algorithm", "algorithm_digest"))
    digests: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for row in variants:
        for name, digest in parts:
            digests[name, row[name]].add(row[digest])

    def named(row: Row, name: str, digest: str) -> str:
        return f"{row[name]}@{row[digest]}" if len(digests[name, row[name]]) > 1 else str(row[name])

    names: dict[tuple[str, ...], VariantName] = {}
    for row in variants:
        prompt, parser, algorithm = (named(row, *part) for part in parts)
        names[row["run_id"], *variant_key(row)] = VariantName(
            model=row["sut"],
            prompt=plain_name(prompt),
            parser=parser,
            algorithm=algorithm,
            endpoint=row["endpoint"],
            run=row["run_id"],
            simulated=bool(row["simulated"]),
            context=contexts[row["run_id"]],
            calls=calls_of(row["prompt"]),
            edit_tool=row["edit_tool"],
        )
    return names


def _value_of(metric: str, undecided: frozenset[Question], counted: Collection[int]) -> Callable[[Row], float | None]:
    """Return what reads the figure of one row; it returns None for a row that does not count.

    `counted` are the scorings that count in a class though they are not valid.
    """
    if metric in CLASSES:
        classes = CLASSES[metric]

        def in_class(row: Row) -> float | None:
            counts = row["valid"] or row["scoring_id"] in counted
            if not counts or (metric != "applied" and question_of(row) in undecided):
                return None
            return float(row["class"] in classes)

        return in_class
    if metric in _COLUMNS:
        return lambda row: row[metric]
    return lambda row: row["value"] if row["valid"] else None


def _values(rows: Sequence[Row], value_of: Callable[[Row], float | None]) -> _Values:
    values = _Values()
    for row in rows:
        value = value_of(row)
        if value is not None:
            case = row["case_id"], row["digest"]
            values.by_case[case].append(value)
            values.answers[row["answer_id"]] = case, value
            values.clusters[case] = row["cluster"] or row["case_id"]
    return values


def _rates_of_validity(rows: Sequence[Row], quota: int) -> _Values:
    """Return the estimated rate of valid answers of each question; see `question_rate`."""
    values = _Values()
    questions: defaultdict[tuple[CaseKey, Question], list[Row]] = defaultdict(list)
    for row in rows:
        case = row["case_id"], row["digest"]
        questions[case, question_of(row)].append(row)
        values.clusters[case] = row["cluster"] or row["case_id"]
    for (case, _), answers in questions.items():
        values.by_case[case].append(question_rate(answers, quota))
    return values


def _sample(variant: VariantName, values: _Values) -> CaseFigures:
    counts = [len(numbers) for numbers in values.by_case.values()]
    all_values = [number for numbers in values.by_case.values() for number in numbers]
    return CaseFigures(
        variant=variant,
        cases={case: statistics.fmean(numbers) for case, numbers in values.by_case.items()},
        answers=values.answers,
        clusters=values.clusters,
        attempts=statistics.fmean(counts) if counts else 1.0,
        single=max(counts, default=1) == 1,
        binary=all(number in {0.0, 1.0} for number in all_values),
        shares=all(0 <= number <= 1 for number in all_values),
    )
