"""What a run shows, as numbers: one summary per variant, from the rows of evals.db."""

from collections import defaultdict
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from runner.report.answer_figures import Spread, answer_figures, commonest_first, mean_scores
from runner.report.attempt_stream import AttemptStream
from runner.report.case_tallies import variant_tally
from runner.report.classes import Decisions, decisions_of
from runner.report.kept import kept
from runner.report.lateness import Lateness, lateness_of
from runner.report.replicas import ReplicaFigures, replicas_of_run
from runner.report.speeds import Speed, speeds_of
from runner.stats.intervals import Interval
from runner.storage.overflows import overflows_of
from runner.storage.runs import VariantKey, quota_of, variant_key, variant_rows
from runner.storage.store import Row, Store

Edits = Literal["1", "2", "3+"]


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
class _Measured:
    """What of a summary is computed from all attempts and answers of a run."""

    variants: tuple[VariantSummary, ...]
    speeds: tuple[Speed, ...]
    infrastructure: dict[str, dict[str, int]]
    lateness: Lateness


def summarize(store: Store, run: Row, edits: Edits | None = None) -> RunSummary:
    """Return the summary of a run; with `edits` only attempts whose diff had so many blocks."""
    answers_of = run["replay_of"] or run["run_id"]
    if edits:
        measured = _measured(store, run, edits)
    else:
        measured = kept(store, run, "summary", _Measured, lambda: _measured(store, run, None))
    return RunSummary(
        run_id=run["run_id"],
        suite=run["suite"],
        state=run["state"],
        created_at=run["created_at"],
        replay_of=run["replay_of"],
        name=run["name"],
        version=run["version"],
        quota=quota_of(run),
        variants=measured.variants,
        short_lanes=_short_lanes(store, answers_of),
        too_long=tuple(LaneNote(**dict(row)) for row in overflows_of(store, answers_of)),
        speeds=measured.speeds,
        replicas=() if edits else replicas_of_run(store, run),
        skipped_cases=_skipped(store, answers_of),
        infrastructure=measured.infrastructure,
        lateness=measured.lateness,
        edits=edits,
    )


def _measured(store: Store, run: Row, edits: Edits | None) -> _Measured:
    run_id, answers_of = run["run_id"], run["replay_of"] or run["run_id"]
    # Attempts that were chosen by their blocks say nothing of how often an attempt is valid.
    quota = None if edits else quota_of(run)
    decisions = decisions_of(store, run_id, edits or "")
    variants = (
        _variant(row, AttemptStream(store, run, variant_key(row), edits or ""), quota, decisions)
        for row in variant_rows(store, run_id)
    )
    return _Measured(
        tuple(variants),
        speeds_of(store, answers_of),
        _infrastructure(store, answers_of),
        lateness_of(store, answers_of),
    )


def summary_data(summary: RunSummary) -> dict[str, Any]:
    """Return the summary as JSON values, its parts as they are."""
    return {part.name: getattr(summary, part.name) for part in fields(summary)} | {"simulated": summary.simulated}


def _variant(row: Row, attempts: AttemptStream, quota: int | None, decisions: Decisions) -> VariantSummary:
    tally, answers = variant_tally(attempts, quota, decisions), answer_figures(attempts)
    return VariantSummary(
        sut=row["sut"],
        prompt=row["prompt"],
        parser=row["parser"],
        diff_algorithm=row["diff_algorithm"],
        signature=row["signature"],
        simulated=bool(row["simulated"]),
        endpoint=row["endpoint"],
        cases=tally.cases,
        attempts=tally.counted,
        valid=tally.valid,
        solved=tally.solved,
        crashed=tally.attempts - tally.counted,
        outcomes=commonest_first(tally.outcomes),
        valid_rate=tally.validity.interval(),
        right=tally.right.interval(),
        wrong=tally.wrong.interval(),
        applied=tally.applied.interval(),
        parse_kept=tally.parse_kept.interval(),
        clocks=answers.clocks,
        tokens=answers.tokens,
        cost_usd=answers.cost_usd,
        scores=mean_scores(attempts),
        upstreams=answers.upstreams,
        served_models=answers.served_models,
        untold=answers.untold,
        unsent=row["unsent"],
    )


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
