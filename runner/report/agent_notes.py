"""What the attempts of coding agents say beside their figures: refused requests, and models that are simulated."""

from collections import Counter
from collections.abc import Iterator

from runner.json_texts import stored_json
from runner.report.tables import SIMULATED
from runner.storage.store import Store

# Several parsers and algorithms score one answer.
_ATTEMPTS = """
SELECT t.sut, min(json_extract(s.detail, '$.agent')) AS agent FROM scorings s JOIN attempts t USING (scoring_id)
WHERE s.run_id = ? AND json_extract(s.detail, '$.agent') IS NOT NULL GROUP BY t.sut, s.answer_id ORDER BY t.sut"""
# What servers of simulated models call them.
_SIMULATED = "simulated-"


def agent_notes(store: Store, run_id: str) -> Iterator[str]:
    """Yield a note for each agent whose requests were refused by servers, or answered without a count of tokens.

    Also which simulated models have answered agents: it shows in nothing but their answers.
    """
    refused, uncounted, simulated = Counter[str](), Counter[str](), set[str]()
    for row in store.stream(_ATTEMPTS, run_id):
        figures = stored_json(row["agent"])
        refused[row["sut"]] += figures.get("refused", 0)
        uncounted[row["sut"]] += figures.get("uncounted", 0)
        simulated |= {name for name in figures.get("models", ()) if name.startswith(_SIMULATED)}
    if simulated:
        yield f"{', '.join(sorted(simulated))} answered agents; {SIMULATED}"
    for sut in refused:
        if refused[sut]:
            yield f"requests of {sut} that servers refused, over all attempts: {refused[sut]}"
        if uncounted[sut]:
            yield f"tokens: {uncounted[sut]} answers to {sut} reported none, and are in no sum"
