"""Writes lanes and answers of a run that was made elsewhere."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from runner.storage.store import Store, Value


@dataclass(slots=True)
class ImportedRows:
    """The answers of one run on their way into the database, inside a transaction: each is its lane's next attempt."""

    store: Store
    run_id: str
    _lanes: dict[tuple[str, str], int] = field(default_factory=dict)
    _numbers: Counter[int] = field(default_factory=Counter)

    def lane(self, sut: str, case_id: str, prompt: str = "", system: str | None = None) -> int:
        """Return the id of the lane of a system and a case; `system` is the text of its system prompt."""
        key = (sut, case_id)
        if key not in self._lanes:
            row: dict[str, Value] = {"run_id": self.run_id, "sut": sut, "prompt": prompt, "case_id": case_id}
            if system is not None:
                row["system_id"] = self.store.put_text(system)
            self._lanes[key] = self.store.insert("lanes", row)
        return self._lanes[key]

    def put(self, lane_id: int, text: str | None, answer: Mapping[str, Value]) -> int:
        """Insert an answer with its text, None where it has none; return its id."""
        self._numbers[lane_id] += 1
        attempt: dict[str, Value] = {
            "lane_id": lane_id,
            "step": 0,
            "mode": "",
            "number": self._numbers[lane_id],
            "try": 1,
        }
        return self.store.insert("answers", {**attempt, **answer, "text_id": self.store.put_text(text)})
