"""The turns of attempts that went on after a refused edit: success, time and cost by turn, and those of one attempt."""

import math
import statistics
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from runner.document import Table
from runner.prices import SIMULATED_USD
from runner.records import REPAIR, Outcome
from runner.report.classes import APPLIED, RIGHT, Question, question_of, undecided_questions
from runner.report.export import Record
from runner.report.side_by_side import visible
from runner.report.tables import estimate, milliseconds, usd
from runner.stats.intervals import Interval, rate_over_cases
from runner.storage.rows import config_of, detail_of
from runner.storage.runs import VariantKey, variant_key, variant_rows
from runner.storage.store import Row, Store

_ATTEMPTS = """
SELECT t.*, c.class, s.detail FROM attempts t JOIN classes c USING (scoring_id) JOIN scorings s USING (scoring_id)
WHERE t.run_id = ? AND t.valid AND c.class != 'infrastructure' ORDER BY t.lane_id, t.number"""
_ANSWERS = """
SELECT a.lane_id, a.number, a.step, a.round_trip_ms, coalesce(a.provider_cost_usd, a.list_cost_usd) AS cost_usd
FROM answers a JOIN lanes l USING (lane_id)
WHERE l.run_id = ?1 AND a.mode = ?2 AND a.outcome IN ('answered', 'crashed')
    AND l.case_id = coalesce(?3, l.case_id)"""
_LANE = "SELECT lane_id FROM lanes WHERE run_id = ? AND sut = ? AND prompt = ? AND case_id = ?"
_Answers = Mapping[tuple[int, int, int], Row]


@dataclass(frozen=True, slots=True)
class TurnFigures:
    """One turn of a variant's valid attempts.

    `requests` attempts had it, and `repaired` of them were applied there; `applied` and `right` are the shares of all
    valid attempts that were so after this turn or before it. `stopped` counts the attempts of which nobody knows how
    this turn would have ended: nothing was asked that they would have sent back. `ms` is a median, `usd` the sum.
    """

    sut: str
    prompt: str
    parser: str
    diff_algorithm: str
    turn: int
    requests: int
    repaired: int
    stopped: int
    applied: Interval | None
    right: Interval | None
    ms: float | None
    usd: float | None
    simulated: bool

    @property
    def data(self) -> dict[str, Any]:
        """The same as plain data."""
        return {part.name: getattr(self, part.name) for part in fields(self)}


@dataclass(slots=True)
class _Attempt:
    """A valid attempt: the class after each of its turns, and after which turn it stopped short of an end, if so."""

    row: Row
    classes: list[str]
    stopped_after: int | None = None
    costs: list[tuple[float | None, float | None]] = field(default_factory=list)

    def after(self, turn: int) -> str:
        """The class after a turn: that of the last one that was asked by then."""
        return self.classes[min(turn, len(self.classes)) - 1]


def further_turns(run: Row) -> int:
    """Return how many turns may follow a refused edit in a run."""
    return int(config_of(run)["identity"].get("recover", 0))


def turn_figures(store: Store, run: Row) -> list[TurnFigures]:
    """Return the figures by variant, then by turn; nothing where no turn may follow another."""
    limit = further_turns(run)
    if not limit:
        return []
    answers = _answers(store, run, None)
    rows = store.rows(_ATTEMPTS, run["run_id"])
    undecided = undecided_questions(rows)
    groups: defaultdict[VariantKey, list[_Attempt]] = defaultdict(list)
    for row in rows:
        groups[variant_key(row)].append(_attempt(row, answers))
    return [
        _figures(variant, groups[variant_key(variant)], turn, undecided)
        for variant in variant_rows(store, run["run_id"])
        for turn in range(1, limit + 2)
    ]


def _answers(store: Store, run: Row, case_id: str | None) -> _Answers:
    rows = store.stream(_ANSWERS, run["replay_of"] or run["run_id"], REPAIR, case_id)
    return {(row["lane_id"], row["number"], row["step"]): row for row in rows}


def _attempt(row: Row, answers: _Answers) -> _Attempt:
    detail = detail_of(row)
    turns: Sequence[Mapping[str, Any]] = detail.get("turns", ())
    costs = [(row["round_trip_ms"], row["cost_usd"])]
    for step in range(1, len(turns) + 1):
        answer = answers.get((row["lane_id"], row["number"], step))
        costs.append((answer["round_trip_ms"], answer["cost_usd"]) if answer else (None, None))
    stopped = detail.get("stopped")
    classes = [row["class"], *map(_class, turns)]
    return _Attempt(row, classes, stopped["after"] if stopped else None, costs)


def _class(turn: Mapping[str, Any]) -> str:
    """Return the class of a further turn, as the view `classes` has it for a scoring."""
    if turn["outcome"] == Outcome.CRASHED:
        return "infrastructure"
    if not turn["valid"]:
        return "invalid"
    if turn["equals_expected"]:
        return "right"
    if turn["outcome"] != Outcome.APPLIED:
        return "failed"
    return "applied ?" if turn["equals_expected"] is None else "wrong"


def _figures(variant: Row, attempts: Sequence[_Attempt], turn: int, undecided: Collection[Question]) -> TurnFigures:
    reached = [attempt for attempt in attempts if len(attempt.classes) >= turn]
    times = [ms for attempt in reached if (ms := attempt.costs[turn - 1][0]) is not None]
    costs = [attempt.costs[turn - 1][1] for attempt in reached]
    known = [cost for cost in costs if cost is not None]
    return TurnFigures(
        *variant_key(variant),
        turn=turn,
        requests=len(reached),
        repaired=sum(attempt.classes[turn - 1] in APPLIED for attempt in reached),
        stopped=sum(attempt.stopped_after is not None and attempt.stopped_after < turn for attempt in attempts),
        applied=_share(attempts, turn, APPLIED),
        right=_share([attempt for attempt in attempts if question_of(attempt.row) not in undecided], turn, RIGHT),
        ms=statistics.median(times) if times else None,
        usd=math.fsum(known) if len(known) == len(costs) else None,
        simulated=bool(variant["simulated"]),
    )


def _share(attempts: Sequence[_Attempt], turn: int, classes: frozenset[str]) -> Interval | None:
    cases: defaultdict[str, list[bool]] = defaultdict(list)
    for attempt in attempts:
        cases[attempt.row["case_id"]].append(attempt.after(turn) in classes)
    return rate_over_cases([sum(case) / len(case) for case in cases.values()], len(attempts))


def turn_table(figures: Sequence[TurnFigures]) -> Table:
    """Return the figures as a table."""
    rows = tuple(
        (
            f"{row.sut} (simulated)" if row.simulated else row.sut,
            row.prompt,
            row.diff_algorithm,
            str(row.turn),
            str(row.requests),
            str(row.repaired),
            estimate(row.right),
            estimate(row.applied),
            str(row.stopped),
            "-" if row.ms is None else milliseconds(row.ms),
            usd(row.usd, simulated=row.simulated),
        )
        for row in figures
    )
    columns = (
        "model", "prompt", "diff", "turn", "requests", "repaired", "right", "applied", "stopped", "median time",
        "cost",
    )  # fmt: skip
    return Table("turns after refused edits: % of valid attempts by then", columns, rows, ("model", "turn", "right"))


def attempt_turns(store: Store, run: Row, record: Record) -> Iterator[tuple[str, str]]:
    """Yield the name of each further turn of an attempt and how it ended; at last where its turns stop, if they do."""
    detail = record["detail"] or {}
    if "turns" not in detail:
        return
    asked_in = run["replay_of"] or run["run_id"]
    lanes = store.rows(_LANE, asked_in, record["model_id"], record["prompt"], record["case_id"])
    answers = _answers(store, run, record["case_id"])
    for step, turn in enumerate(detail["turns"], 1):
        answer = answers.get((lanes[0]["lane_id"], record["number"], step)) if lanes else None
        yield f"turn {turn['turn']}", _turn_words(turn, answer, simulated=record["simulated"])
    if "stopped" in detail:
        yield f"after turn {detail['stopped']['after']}", f"stopped: {detail['stopped']['why']}"


def _turn_words(turn: Mapping[str, Any], answer: Row | None, *, simulated: bool) -> str:
    parts = [f"{_class(turn)}: {turn['outcome']}"]
    if answer is not None and answer["round_trip_ms"] is not None:
        parts.append(milliseconds(answer["round_trip_ms"]))
    if answer is not None and (simulated or answer["cost_usd"] is not None):
        parts.append(SIMULATED_USD if simulated else usd(answer["cost_usd"]))
    return ", ".join(parts)


def turn_lines(store: Store, run: Row, record: Record) -> Iterator[str]:
    """Yield the further turns of an attempt for a reader, each with the error that it ended with."""
    errors = [turn["error_text"] for turn in (record["detail"] or {}).get("turns", ())]
    for at, (name, words) in enumerate(attempt_turns(store, run, record)):
        yield f"  {name}: {words}"
        if at < len(errors) and errors[at]:
            yield from (f"    {visible(line)}" for line in errors[at].split("\n")[-3:])
