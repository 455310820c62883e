"""Answers that the judge could not judge: they are judged again, and keep their run incomplete."""

from runner.console import say
from runner.records import Outcome
from runner.run.session import INCOMPLETE, INTERRUPTED
from runner.storage.runs import finish, utc_now
from runner.storage.store import Store

_IN_VAIN = """
SELECT scoring_id FROM scorings
WHERE run_id = ?1 AND answer_id IN (SELECT answer_id FROM scorings WHERE run_id = ?1 AND outcome = ?2)"""


def forget_infra(store: Store, run_id: str) -> None:
    """Delete the scorings that the judge could not give: their answers are judged again, without new requests."""
    with store.transaction():
        for row in store.rows(_IN_VAIN, run_id, str(Outcome.INFRA)):
            store.execute("DELETE FROM scores WHERE scoring_id = ?", row["scoring_id"])
            store.execute("DELETE FROM scorings WHERE scoring_id = ?", row["scoring_id"])


def judged_code(store: Store, run_id: str, code: int) -> int:
    """Return the exit code of a session that ended with `code`: 3 if answers still wait for their tests."""
    infra = 0 if code == INTERRUPTED else infra_count(store, run_id)
    if not infra:
        return code
    finish(store, run_id, utc_now(), complete=False)
    say(
        f"infra: {infra} answers could not be judged, which is not the model's fault; "
        f"the same command with --run-id {run_id} judges them again"
    )
    return INCOMPLETE


def infra_count(store: Store, run_id: str) -> int:
    """Return how many answers of a run could not be judged."""
    sql = "SELECT count(DISTINCT answer_id) AS n FROM scorings WHERE run_id = ? AND outcome = ?"
    return int(store.rows(sql, run_id, str(Outcome.INFRA))[0]["n"])
