"""The figures of a run from the counts that are kept: those of its report, without a look at each attempt."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from runner.report.answer_figures import Spread
from runner.report.class_counts import ClassCounts
from runner.report.classes import APPLIED, RIGHT, UNDECIDED, WRONG
from runner.report.lateness import Lateness
from runner.report.summary import RunSummary, VariantSummary
from runner.report.turns import further_turns
from runner.stats.intervals import Interval, rate_over_cases
from runner.storage.runs import VariantKey, quota_of, variant_key, variant_rows
from runner.storage.store import Row, Store
from runner.view.filters import ViewFilter

_COUNTS = """
SELECT l.sut, l.prompt, t.parser, t.diff_algorithm, l.case_id, t.step, t.mode, t.class,
    t.class IN ('failed', 'applied ?', 'untested') AND NOT t.compared AS unknown,
    t.outcome IN ('solved', 'unsolved', 'untested') AS judged, l.settled_at IS NOT NULL AS settled, sum(t.n) AS n
FROM scoring_tallies t JOIN lanes l USING (lane_id)
JOIN cases k ON k.run_id = l.run_id AND k.case_id = l.case_id
WHERE t.run_id = ? AND {condition}
GROUP BY l.sut, l.prompt, t.parser, t.diff_algorithm, l.case_id, t.step, t.mode, t.class, unknown, judged, settled
HAVING sum(t.n) > 0"""
_ANSWERS = """
SELECT sut, prompt, first_edit_ms, sum(n) AS n, sum(output_tokens) AS output_tokens, sum(cost_usd) AS cost_usd,
    sum(unpriced) AS unpriced
FROM answer_tallies WHERE run_id = ? AND outcome IN ('answered', 'crashed')
GROUP BY sut, prompt, first_edit_ms HAVING sum(n) > 0 ORDER BY first_edit_ms"""
# The counts that are kept do not separate turns: where one may follow another, the answers of the first are counted.
_FIRST_TURNS = """
SELECT l.sut, l.prompt, coalesce(a.first_edit_ms, -1) AS first_edit_ms, 1 AS n,
    coalesce(a.output_tokens, 0) AS output_tokens, coalesce(a.provider_cost_usd, a.list_cost_usd, 0) AS cost_usd,
    a.provider_cost_usd IS NULL AND a.list_cost_usd IS NULL AS unpriced
FROM answers a JOIN lanes l USING (lane_id)
WHERE l.run_id = ? AND a.mode != 'repair' AND a.outcome IN ('answered', 'crashed') ORDER BY first_edit_ms"""
Question = tuple[str, int, str]


@dataclass(frozen=True, slots=True)
class RunFigures:
    """The variants of a run with their figures, and how their attempts ended at each case."""

    variants: tuple[VariantSummary, ...]
    counts: ClassCounts


@dataclass(slots=True)
class _CaseCounts:
    """The valid attempts of a variant at a case, and those that something decides, by class."""

    valid: Counter[str] = field(default_factory=Counter)
    decided: Counter[str] = field(default_factory=Counter)
    settled: bool = False


@dataclass(frozen=True, slots=True)
class _Asked:
    """The answers of a model to a prompt: the spread of the time to the first edit, tokens, cost if all is priced."""

    first_edit: Spread | None
    output_tokens: int
    cost_usd: float | None


def run_figures(store: Store, run: Row, chosen: ViewFilter) -> RunFigures:
    """Return the figures of the attempts that a filter chooses."""
    condition, values = chosen.condition()
    rows = store.rows(_COUNTS.format(condition=condition), run["run_id"], *values)
    undecided = _undecided(rows)
    groups: defaultdict[VariantKey, list[Row]] = defaultdict(list)
    for row in rows:
        groups[variant_key(row)].append(row)
    answered = _answers_of(store, run)
    variants = variant_rows(store, run["run_id"])
    known = any(row["class"] in RIGHT | WRONG for row in rows)
    return RunFigures(
        tuple(
            _summary(row, groups[variant_key(row)], answered.get((row["sut"], row["prompt"])), (undecided, known))
            for row in variants
            if groups[variant_key(row)] or not chosen.chosen
        ),
        ClassCounts({key: _by_case(group) for key, group in groups.items()}),
    )


def _undecided(rows: Sequence[Row]) -> frozenset[Question]:
    """Return the questions for which nothing decides what is right, as `undecided_questions` does."""
    valid = [row for row in rows if row["class"] not in {"invalid", "infrastructure"}]
    judged = any(row["judged"] for row in valid)
    return frozenset(_question(row) for row in valid if row["class"] in UNDECIDED or (not judged and row["unknown"]))


def _question(row: Row) -> Question:
    return row["case_id"], row["step"], row["mode"]


def _by_case(rows: Sequence[Row]) -> Mapping[str, Mapping[str, int]]:
    cases: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        cases[row["case_id"]][row["class"]] += row["n"]
    return cases


def _summary(
    variant: Row, rows: Sequence[Row], answered: _Asked | None, decides: tuple[frozenset[Question], bool]
) -> VariantSummary:
    cases = _case_counts(rows, decides[0])
    classes = Counter[str]()
    for row in rows:
        classes[row["class"]] += row["n"]
    crashed, invalid = classes["infrastructure"], classes["invalid"]
    attempts = classes.total() - crashed
    settled = [case for case in cases.values() if case.settled and not case.valid]
    decided = [case.decided for case in cases.values() if case.decided]
    decided += [Counter({"failed": 1}) for _ in settled] if decides[1] else []
    valid = [case.valid for case in cases.values() if case.valid] + [Counter({"failed": 1}) for _ in settled]
    return VariantSummary(
        sut=variant["sut"],
        prompt=variant["prompt"],
        parser=variant["parser"],
        diff_algorithm=variant["diff_algorithm"],
        signature=variant["signature"],
        simulated=bool(variant["simulated"]),
        endpoint=variant["endpoint"],
        cases=len(cases),
        attempts=attempts,
        valid=attempts - invalid,
        solved=0,
        crashed=crashed,
        outcomes={},
        valid_rate=None,
        right=_rate(decided, RIGHT),
        wrong=_rate(decided, WRONG),
        applied=_rate(valid, APPLIED),
        parse_kept=None,
        clocks={"first_edit_ms": answered.first_edit} if answered and answered.first_edit else {},
        tokens={"output_tokens": answered.output_tokens if answered else None},
        cost_usd=answered.cost_usd if answered else None,
    )


def _case_counts(rows: Sequence[Row], undecided: frozenset[Question]) -> dict[str, _CaseCounts]:
    cases: defaultdict[str, _CaseCounts] = defaultdict(_CaseCounts)
    for row in rows:
        if row["class"] == "infrastructure":
            continue
        case = cases[row["case_id"]]
        case.settled = case.settled or bool(row["settled"])
        if row["class"] != "invalid":
            case.valid[row["class"]] += row["n"]
            if _question(row) not in undecided:
                case.decided[row["class"]] += row["n"]
    return cases


def _rate(cases: Sequence[Counter[str]], classes: frozenset[str]) -> Interval | None:
    shares = [sum(case[name] for name in classes) / case.total() for case in cases]
    return rate_over_cases(shares, sum(case.total() for case in cases))


def _answers_of(store: Store, run: Row) -> dict[tuple[str, str], _Asked]:
    groups: defaultdict[tuple[str, str], list[Row]] = defaultdict(list)
    sql = _FIRST_TURNS if further_turns(run) else _ANSWERS
    for row in store.rows(sql, run["replay_of"] or run["run_id"]):
        groups[row["sut"], row["prompt"]].append(row)
    return {key: _of_answers(rows) for key, rows in groups.items()}


def _of_answers(rows: Sequence[Row]) -> _Asked:
    clocks = [(row["first_edit_ms"], row["n"]) for row in rows if row["first_edit_ms"] >= 0]
    unpriced = any(row["unpriced"] for row in rows)
    count = sum(n for _, n in clocks)
    spread = Spread(count, _quantile(clocks, 0.5), _quantile(clocks, 0.9)) if count else None
    cost_usd = None if unpriced else sum(row["cost_usd"] for row in rows)
    return _Asked(spread, sum(row["output_tokens"] for row in rows), cost_usd)


def _quantile(clocks: Sequence[tuple[float, int]], share: float) -> float:
    """Return the value below which a share of the counted values lies; the values are in order."""
    rank, seen = share * sum(n for _, n in clocks), 0
    for value, n in clocks:
        seen += n
        if seen >= rank:
            return value
    return clocks[-1][0]


def summary_of(run: Row, variants: Sequence[VariantSummary]) -> RunSummary:
    """Return these variants as the summary of a run, without what only its report has."""
    return RunSummary(
        run_id=run["run_id"],
        suite=run["suite"],
        state=run["state"],
        created_at=run["created_at"],
        replay_of=run["replay_of"],
        name=run["name"],
        version=run["version"],
        quota=quota_of(run),
        variants=tuple(variants),
        short_lanes=(),
        skipped_cases={},
        infrastructure={},
        lateness=Lateness(None, 0, None),
    )


def simulated_words(variants: Sequence[VariantSummary]) -> str:
    """Return the banner of a run with simulated models; "" without any."""
    names = sorted({variant.sut for variant in variants if variant.simulated})
    if not names:
        return ""
    if all(variant.simulated for variant in variants):
        return "All models of this run are simulated: no number is a real model's."
    return f"Simulated, and so no real model's numbers: {', '.join(names)}."
