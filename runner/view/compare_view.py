"""Two variants side by side, of one run or of two: the paired difference, the cases, and two attempts."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runner.errors import InputError
from runner.pages.axes import Tick, linear_axis, linear_ticks
from runner.pages.intervals import WIDTH, Whisker, whisker
from runner.report.classes import APPLIED, RIGHT, UNDECIDED, WRONG
from runner.stats.intervals import Interval
from runner.stats.paired import paired_difference
from runner.storage.runs import find_run, variant_rows
from runner.storage.store import Row, Store
from runner.view.attempt_rows import attempts_at, scoring_row
from runner.view.attempt_view import AttemptView, attempt_view
from runner.view.filters import address

PARTS = {"model": "sut", "prompt": "prompt", "parser": "parser", "diff": "diff_algorithm"}
MOST_ROWS = 400
# Ids of the database have fewer.
_DIGITS = 19
_COUNTS = """
SELECT l.case_id, k.digest, t.class, sum(t.n) AS n FROM scoring_tallies t JOIN lanes l USING (lane_id)
JOIN cases k ON k.run_id = l.run_id AND k.case_id = l.case_id
WHERE t.run_id = ? AND l.sut = ? AND l.prompt = ? AND t.parser = ? AND t.diff_algorithm = ?
    AND t.class NOT IN ('invalid', 'infrastructure') AND t.n > 0 GROUP BY l.case_id, k.digest, t.class"""
Case = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """A side: its run and variant, and what can be chosen in place of it; `choices` are (name, values, chosen)."""

    run: Row
    variant: Row
    choices: tuple[tuple[str, tuple[str, ...], str], ...]

    @property
    def name(self) -> str:
        """The variant in words."""
        parts = (str(self.variant[column]) for column in PARTS.values())
        return ", ".join(filter(None, (self.run["run_id"], *parts)))


@dataclass(frozen=True, slots=True)
class ComparedCase:
    """A case that both sides have: good of valid attempts."""

    case_id: str
    first: str
    second: str
    difference: str
    link: str


@dataclass(frozen=True, slots=True)
class VariantComparison:
    """The page; without common cases it has a sentence alone. `swapped` is the address with the sides exchanged."""

    sides: tuple[ComparedSide, ...]
    differing: tuple[str, ...]
    caution: str
    sentence: str
    drawn: Whisker | None
    ticks: tuple[Tick, ...]
    zero: float
    rows: tuple[ComparedCase, ...]
    left_out: int
    case_id: str
    attempts: tuple[AttemptView, ...]
    swapped: str


def compared(store: Store, query: Mapping[str, str]) -> VariantComparison:
    """Return the comparison that an address names by `a`, `b`, their parts, and a case. Raises InputError."""
    sides = tuple(_side(store, query, side) for side in "ab")
    counts = tuple(_counts(store, side) for side in sides)
    common = [case for case in counts[0] if case in counts[1]]
    judged = any(not (RIGHT | WRONG).isdisjoint(count[case]) for count in counts for case in common)
    good, figure = (RIGHT, "right") if judged else (APPLIED, "applied")
    if judged:
        common = [case for case in common if all(UNDECIDED.isdisjoint(count[case]) for count in counts)]
    shares = {case: tuple(_share(count[case], good) for count in counts) for case in common}
    order = sorted(common, key=lambda case: (shares[case][0] - shares[case][1], case))
    differing, ids = _differing(*sides), query.get("case", "")
    sentence, drawn, ticks, zero = _difference(shares, counts, figure)
    pairs = [*_chosen("a", sides[0]), *_chosen("b", sides[1])]
    rows = tuple(
        ComparedCase(
            case[0],
            _of(counts[0][case], good),
            _of(counts[1][case], good),
            f"{100 * (shares[case][0] - shares[case][1]):+.0f}",
            address(("compare",), [*pairs, ("case", case[0])]) + "#attempts",
        )
        for case in order[:MOST_ROWS]
    )
    return VariantComparison(
        sides=sides,
        differing=differing,
        caution=_caution(sides, differing, counts),
        sentence=sentence,
        drawn=drawn,
        ticks=ticks,
        zero=zero,
        rows=rows,
        left_out=len(order) - len(rows),
        case_id=ids,
        attempts=_attempts(store, sides, query),
        swapped=address(("compare",), [*_chosen("a", sides[1]), *_chosen("b", sides[0])]),
    )


def _chosen(letter: str, side: ComparedSide) -> list[tuple[str, str]]:
    """Return a side as keys and values of an address."""
    parts = [(f"{letter}-{part}", str(side.variant[column])) for part, column in PARTS.items()]
    return [(letter, side.run["run_id"]), *((key, value) for key, value in parts if value)]


def _side(store: Store, query: Mapping[str, str], side: str) -> ComparedSide:
    """Return a side: the first variant of its run that has the parts that the address names."""
    run = find_run(store, query.get(side) or "latest")
    requested = {column: query.get(f"{side}-{part}", "") for part, column in PARTS.items()}
    variants = variant_rows(store, run["run_id"])
    fitting = [row for row in variants if all(not value or row[column] == value for column, value in requested.items())]
    if not fitting:
        raise InputError(f"{side}: run {run['run_id']} has no variant of {', '.join(filter(None, requested.values()))}")
    # Where nothing is chosen the second variant stands beside the first.
    other = side == "b" and not query.get("b") and not any(requested.values()) and len(fitting) > 1
    variant = fitting[1 if other else 0]
    choices = tuple(
        (part, tuple(dict.fromkeys(str(row[column]) for row in variants)), str(variant[column]))
        for part, column in PARTS.items()
    )
    return ComparedSide(run, variant, choices)


def _counts(store: Store, side: ComparedSide) -> dict[Case, Counter[str]]:
    variant = side.variant
    counts: defaultdict[Case, Counter[str]] = defaultdict(Counter)
    key = (variant["sut"], variant["prompt"], variant["parser"], variant["diff_algorithm"])
    for row in store.rows(_COUNTS, side.run["run_id"], *key):
        counts[row["case_id"], row["digest"]][row["class"]] = row["n"]
    return counts


def _share(classes: Counter[str], good: frozenset[str]) -> float:
    return sum(classes[name] for name in good) / classes.total()


def _of(classes: Counter[str], good: frozenset[str]) -> str:
    return f"{sum(classes[name] for name in good)}/{classes.total()}"


def _difference(
    shares: Mapping[Case, Sequence[float]], counts: Sequence[Mapping[Case, Counter[str]]], figure: str
) -> tuple[str, Whisker | None, tuple[Tick, ...], float]:
    """Return what the difference a - b says, and its drawing."""
    if not shares:
        return "No case is common to both.", None, (), 0.0
    mean = sum(count[case].total() for case in shares for count in counts) / len(shares) / 2
    paired = paired_difference([[first - second] for first, second in shares.values()], mean)
    if paired is None:
        return "One common case: too few to compare.", None, (), 0.0
    points = Interval(*(100 * end for end in (paired.interval.estimate, paired.interval.low, paired.interval.high)))
    axis = linear_axis([points.low, points.high], 8, WIDTH - 8)
    differs = points.low > 0 or points.high < 0
    words = f"{points.estimate:+.1f} points [{points.low:+.1f}, {points.high:+.1f}]"
    end = (
        f"{'a' if points.estimate > 0 else 'b'} is better."
        if differs
        else f"no difference shown; {100 * paired.detectable:.0f} points or more would have been seen."
    )
    sentence = f"{figure}, a - b, on {paired.cases} common cases: {words}; {end}"
    return sentence, whisker(points, axis, words, filled=differs), linear_ticks(axis, "{:+g}"), axis.at(0)


def _differing(first: ComparedSide, second: ComparedSide) -> tuple[str, ...]:
    """Return what differs between the sides, in words: by name, or where the names are equal by digest."""
    columns = {
        "model": ("sut",), "prompt": ("prompt", "prompt_digest"), "parser": ("parser", "parser_digest"),
        "algorithm": ("diff_algorithm", "algorithm_digest"), "endpoint": ("endpoint",), "not sent": ("unsent",),
    }  # fmt: skip
    lines = []
    for name, kinds in columns.items():
        pairs = [(first.variant[column], second.variant[column]) for column in kinds]
        unlike = next((pair for pair in pairs if pair[0] != pair[1]), None)
        if unlike:
            lines.append(f"{name}: {unlike[0]} and {unlike[1]}")
    return tuple(lines)


def _caution(
    sides: Sequence[ComparedSide], differing: Sequence[str], counts: Sequence[Mapping[Case, Counter[str]]]
) -> str:
    """Return why a difference may have another reason than it seems; "" where there is none."""
    parts = []
    if len({bool(side.variant["simulated"]) for side in sides}) > 1:
        parts.append("one side is simulated, and so no real model's")
    if len(differing) > 1:
        parts.append(f"{len(differing)} parts differ, so no difference is due to a single one")
    alone = len(counts[0].keys() ^ counts[1].keys())
    if alone:
        parts.append(f"{alone} cases, or versions of them, are on one side alone and left out")
    return "; ".join(parts)


def beside_link(row: Row, other: Row) -> str:
    """Return the address of two attempts side by side, each with its variant."""
    pairs = [("case", row["case_id"])]
    for letter, attempt in (("a", row), ("b", other)):
        parts = [(f"{letter}-{part}", str(attempt[column])) for part, column in PARTS.items() if attempt[column]]
        pairs += [(letter, attempt["run_id"]), *parts, (f"{letter}-attempt", str(attempt["scoring_id"]))]
    return address(("compare",), pairs) + "#attempts"


def _attempts(store: Store, sides: Sequence[ComparedSide], query: Mapping[str, str]) -> tuple[AttemptView, ...]:
    """Return the attempts that an address names, or else the first of each side at its case."""
    views = list[AttemptView]()
    for letter, side in zip("ab", sides, strict=True):
        named = query.get(f"{letter}-attempt", "")
        row = scoring_row(store, int(named)) if named.isascii() and named.isdigit() and len(named) < _DIGITS else None
        if row is not None and row["run_id"] == side.run["run_id"]:
            views.append(attempt_view(store, side.run, row))
        elif query.get("case"):
            views += _attempt(store, side, query["case"])
    return tuple(views)


def _attempt(store: Store, side: ComparedSide, case_id: str) -> list[AttemptView]:
    """Return the first attempt of a side at a case, a failed one where there is any."""
    variant = side.variant
    rows = [
        row
        for row in attempts_at(store, side.run, case_id)
        if all(row[column] == variant[column] for column in PARTS.values())
    ]
    rows.sort(key=lambda row: row["class"] in RIGHT)
    return [attempt_view(store, side.run, row) for row in rows[:1]]
