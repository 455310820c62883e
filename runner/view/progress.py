"""How far a run is, from the counts that are kept: cheap enough to be asked every second."""

from dataclasses import dataclass

from runner.storage.runs import quota_of
from runner.storage.store import Row, Store

_LANES = """
SELECT (SELECT count(*) FROM (SELECT DISTINCT sut, prompt FROM variants WHERE run_id = ?1))
    * (SELECT count(*) FROM cases WHERE run_id = ?1 AND skipped IS NULL) AS n"""
_VALID = """
SELECT coalesce(sum(t.n), 0) AS n FROM scoring_tallies t
JOIN (SELECT parser, diff_algorithm FROM variants WHERE run_id = ?1 ORDER BY position LIMIT 1) v
    USING (parser, diff_algorithm)
WHERE t.run_id = ?1 AND t.class NOT IN ('invalid', 'infrastructure')"""
_SCORED = "SELECT coalesce(sum(n), 0) AS n FROM scoring_tallies WHERE run_id = ?"
_ANSWERS = """
SELECT coalesce(sum(iif(outcome IN ('answered', 'crashed'), n, 0)), 0) AS answers,
    coalesce(sum(iif(outcome IN ('answered', 'crashed'), 0, n)), 0) AS lost, coalesce(sum(cost_usd), 0.0) AS cost_usd,
    coalesce(sum(unpriced), 0) AS unpriced FROM answer_tallies WHERE run_id = ?"""


@dataclass(frozen=True, slots=True)
class RunProgress:
    """The state of a run, and its counts. `quota` is how many valid attempts it asks for at one question of each case.

    `valid` counts those of the first parser and algorithm.
    """

    state: str
    valid: int
    quota: int
    scorings: int
    answers: int
    lost: int
    cost: str

    @property
    def is_running(self) -> bool:
        """Whether a session fills it, as far as is known: one that was killed is not noted."""
        return self.state == "running"

    @property
    def texts(self) -> dict[str, str]:
        """The figures by the name of their place on a page."""
        return {
            "state": self.state,
            "valid": f"{self.valid:,} of {self.quota:,}",
            "scorings": f"{self.scorings:,}",
            "answers": f"{self.answers:,}",
            "lost": f"{self.lost:,}",
            "cost": self.cost,
        }


def progress_of(store: Store, run: Row) -> RunProgress:
    """Return how far a run is now; `run` may be older than that."""
    run_id, answers_of = run["run_id"], run["replay_of"] or run["run_id"]
    (now,) = store.rows("SELECT * FROM runs WHERE run_id = ?", run_id)
    (answers,) = store.rows(_ANSWERS, answers_of)
    simulated = store.rows("SELECT min(simulated) AS s FROM variants WHERE run_id = ?", run_id)[0]["s"]
    unpriced = f", {answers['unpriced']} of unknown cost" if answers["unpriced"] else ""
    return RunProgress(
        now["state"],
        int(store.rows(_VALID, run_id)[0]["n"]),
        int(store.rows(_LANES, answers_of)[0]["n"]) * quota_of(now),
        int(store.rows(_SCORED, run_id)[0]["n"]),
        answers["answers"],
        answers["lost"],
        "$0 (simulated)" if simulated else f"${answers['cost_usd']:.2f}{unpriced}",
    )
