"""What each variant of some runs scored at each case, by one figure: what comparisons are made of."""

import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from runner.calls import XML, calls_of, plain_name
from runner.errors import InputError
from runner.report.attempt_stream import AttemptStream
from runner.report.case_values import CLASSES, COLUMNS, VALID, CaseKey, CaseValues, ComparedFigure, case_values
from runner.report.classes import RIGHT, WRONG, decisions_of
from runner.storage.rows import config_of
from runner.storage.runs import context_of, quota_of, variant_key, variant_rows
from runner.storage.store import Row, Store

RATES = (*CLASSES, VALID)

_METRICS = "SELECT DISTINCT metric FROM scores JOIN scorings USING (scoring_id) WHERE run_id = ? ORDER BY metric"
_CLASSES = "SELECT DISTINCT class FROM classes JOIN scorings USING (scoring_id) WHERE run_id = ?"


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

    `answers` holds for each case the ids of its answers and their values; it is empty where a figure is not one of
    single answers. `attempts` is the mean number of values of a case, `single` whether no case has more than one;
    `binary` whether each value is 0 or 1, `shares` whether each is within 0..1.
    """

    variant: VariantName
    cases: Mapping[CaseKey, float]
    answers: Mapping[CaseKey, tuple[Sequence[int], Sequence[float]]]
    clusters: Mapping[CaseKey, str]
    attempts: float = 1.0
    single: bool = True
    binary: bool = True
    shares: bool = True


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
        figure = ComparedFigure(metric, cluster, quota_of(run), decisions_of(store, run["run_id"]))
        for variant in variant_rows(store, run["run_id"]):
            key = variant_key(variant)
            values = case_values(AttemptStream(store, run, key), figure)
            sample = _sample(names[run["run_id"], *key], values)
            samples.append(replace(sample, shares=False) if metric in COLUMNS else sample)
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
    return [*RATES, *scores, *COLUMNS]


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


def _sample(variant: VariantName, cases: Iterable[CaseValues]) -> CaseFigures:
    by_case = {at_case.case: at_case for at_case in cases}
    counts = [len(at_case.values) for at_case in by_case.values()]
    return CaseFigures(
        variant=variant,
        cases={case: statistics.fmean(at_case.values) for case, at_case in by_case.items()},
        answers={case: (at_case.ids, at_case.values) for case, at_case in by_case.items() if at_case.ids},
        clusters={case: at_case.cluster for case, at_case in by_case.items()},
        attempts=statistics.fmean(counts) if counts else 1.0,
        single=max(counts, default=1) == 1,
        binary=all(number in {0.0, 1.0} for at_case in by_case.values() for number in at_case.values),
        shares=all(0 <= number <= 1 for at_case in by_case.values() for number in at_case.values),
    )
