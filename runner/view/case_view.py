"""The health of cases over all runs: how often each is right, and whether it separates models. Replays are merged."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from runner.report.classes import RIGHT
from runner.storage.store import Row, Store
from runner.view.filters import ViewFilter, address
from runner.view.list_view import list_link

# Each answer counts once, by the first parser and algorithm that scored it in the run that asked.
_COUNTS = """
WITH firsts AS (
    SELECT run_id, sut, prompt, parser, diff_algorithm,
        row_number() OVER (PARTITION BY run_id, sut, prompt ORDER BY position) AS place FROM variants)
SELECT k.case_id, k.digest, l.run_id, r.suite, r.created_at, l.sut, t.class, t.outcome, sum(t.n) AS n
FROM runs r JOIN scoring_tallies t USING (run_id) JOIN lanes l USING (lane_id)
JOIN cases k ON k.run_id = l.run_id AND k.case_id = l.case_id
JOIN firsts f ON f.run_id = t.run_id AND f.sut = l.sut AND f.prompt = l.prompt AND f.parser = t.parser
    AND f.diff_algorithm = t.diff_algorithm AND f.place = 1
WHERE r.replay_of IS NULL AND t.class != 'infrastructure' AND t.n > 0{condition}
GROUP BY k.case_id, k.digest, l.run_id, l.sut, t.class, t.outcome"""
_UNDECIDED = frozenset({"applied ?", "untested"})
PAGE = 300


@dataclass(frozen=True, slots=True)
class CaseHealth:
    """A version of a case: its share of right answers, counts, and what is odd about it."""

    case_id: str
    digest: str
    suite: str
    share: float | None
    right: int
    valid: int
    invalid: int
    models: int
    runs: int
    flags: tuple[str, ...]
    link: str


@dataclass(frozen=True, slots=True)
class CaseRun:
    """A model at a case in one run: right of valid, and the address of the attempts."""

    run_id: str
    created_at: str
    model: str
    right: int
    valid: int
    invalid: int
    outcomes: str
    link: str


def cases_health(store: Store) -> tuple[CaseHealth, ...]:
    """Return the health of every case of a database, the worst first."""
    groups: defaultdict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in store.rows(_COUNTS.format(condition="")):
        groups[row["case_id"], row["digest"]].append(row)
    versions = Counter(case_id for case_id, _ in groups)
    health = [_health(key, rows, versions) for key, rows in groups.items()]
    return tuple(sorted(health, key=lambda case: (case.share is None, case.share or 0.0, -case.valid, case.case_id)))


def case_runs(store: Store, case_id: str, digest: str) -> tuple[CaseHealth | None, tuple[CaseRun, ...]]:
    """Return the health of one version of a case, and how each model did at it in each run, newest first."""
    rows = store.rows(_COUNTS.format(condition=" AND k.case_id = ?"), case_id)
    groups: defaultdict[tuple[str, str, str], list[Row]] = defaultdict(list)
    for row in rows:
        if row["digest"] == digest:
            groups[row["created_at"], row["run_id"], row["sut"]].append(row)
    if not groups:
        return None, ()
    versions = Counter({case_id: len({row["digest"] for row in rows})})
    own = [row for row in rows if row["digest"] == digest]
    runs = tuple(_run(key, group, case_id) for key, group in sorted(groups.items(), reverse=True))
    return _health((case_id, digest), own, versions), runs


def _counts(rows: Sequence[Row]) -> tuple[int, int, int, int]:
    """Return how many are right, valid, invalid and undecided."""
    classes = Counter[str]()
    for row in rows:
        classes[row["class"]] += row["n"]
    invalid = classes["invalid"]
    right, undecided = (sum(classes[name] for name in names) for names in (RIGHT, _UNDECIDED))
    return right, classes.total() - invalid, invalid, undecided


def _health(key: tuple[str, str], rows: Sequence[Row], versions: Mapping[str, int]) -> CaseHealth:
    case_id, digest = key
    right, valid, invalid, undecided = _counts(rows)
    return CaseHealth(
        case_id,
        digest,
        rows[0]["suite"],
        right / valid if valid and not undecided else None,
        right,
        valid,
        invalid,
        len({row["sut"] for row in rows}),
        len({row["run_id"] for row in rows}),
        tuple(_flags(rows, versions[case_id], undecided=bool(undecided))),
        address(("case", digest), [("id", case_id)]),
    )


def _flags(rows: Sequence[Row], versions: int, *, undecided: bool) -> Iterator[str]:
    models: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        models[row["sut"]].append(row)
    counts = [_counts(own) for own in models.values()]
    tried = [(right, valid) for right, valid, _, _ in counts if valid]
    if not tried:
        yield "no valid attempt"
    elif undecided:
        yield "nothing decides what is right"
    elif flag := _solved(tried):
        yield flag
    if versions > 1:
        yield f"{versions} versions: its digest changed"
    failed = [row["outcome"] for row in rows if row["class"] == "failed"]
    if failed and set(failed) == {"ambiguous"}:
        yield "fails as ambiguous alone"


def _solved(tried: Sequence[tuple[int, int]]) -> str:
    """Return what is odd about who solves a case, from right and valid attempts by model; "" where nothing is."""
    solvers = sum(right > 0 for right, _ in tried)
    if not solvers:
        return "nobody solves it"
    if solvers == 1 < len(tried):
        return "one model alone solves it"
    return "everybody solves it, always" if all(right == valid for right, valid in tried) else ""


def _run(key: tuple[str, str, str], rows: Sequence[Row], case_id: str) -> CaseRun:
    created_at, run_id, sut = key
    right, valid, invalid, _ = _counts(rows)
    outcomes = Counter[str]()
    for row in rows:
        outcomes[row["outcome"]] += row["n"]
    chosen = ViewFilter({"case": (case_id,), "model": (sut,)})
    outcome_words = ", ".join(f"{name} {n}" for name, n in outcomes.most_common())
    return CaseRun(run_id, created_at[:19], sut, right, valid, invalid, outcome_words, list_link(run_id, chosen))
