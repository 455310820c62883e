"""What servers did to the requests of coding agents, beside the figures of their attempts."""

from collections.abc import Iterator

from runner.storage.store import Store

_REQUESTS = """
SELECT t.sut, sum(json_extract(s.detail, '$.agent.refused')) AS refused,
    sum(json_extract(s.detail, '$.agent.uncounted')) AS uncounted
FROM scorings s JOIN attempts t USING (scoring_id)
WHERE s.run_id = ? AND json_extract(s.detail, '$.agent') IS NOT NULL GROUP BY t.sut ORDER BY t.sut"""


def agent_notes(store: Store, run_id: str) -> Iterator[str]:
    """Yield a note for each agent whose requests were refused by servers, or answered without a count of tokens."""
    for row in store.rows(_REQUESTS, run_id):
        if row["refused"]:
            yield f"requests of {row['sut']} that servers refused, over all attempts: {row['refused']}"
        if row["uncounted"]:
            yield f"tokens: {row['uncounted']} answers to {row['sut']} reported none, and are in no sum"
