"""The recorded answers of a trial, with the bytes that came, each read again from them."""

from collections.abc import Iterator
from dataclasses import dataclass

from parsers import PARSERS
from runner.calls import NATIVE, NATIVE_PARSER, XML, calls_of
from runner.edit_tools import forms_by_parser
from runner.records import Completion
from runner.storage.reread import Rereader
from runner.storage.store import Store
from suts.wires import WIRES

_ANSWERS = """
SELECT l.sut, l.case_id, a.answer_id, a.number, a.outcome, a.retries, a.reserved_usd,
    coalesce(a.provider_cost_usd, a.list_cost_usd) AS cost_usd,
    (SELECT count(*) FROM scorings s WHERE s.answer_id = a.answer_id) AS scorings
FROM answers a JOIN lanes l USING (lane_id) WHERE l.run_id = ? ORDER BY a.answer_id
"""


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """One row of `answers`: a question, the `calls` that it took, and what came of it.

    `stream` is the bytes that came, b"" where there was no answer; `completion` what they say, and `same` that
    the database says so too; `cost_usd` is what the answer cost, `reserved_usd` what was set aside for it.
    """

    sut: str
    case_id: str
    outcome: str
    calls: int
    scorings: int
    cost_usd: float | None
    reserved_usd: float | None
    stream: bytes
    completion: Completion
    same: bool

    @property
    def answered(self) -> bool:
        """Return whether there is an answer."""
        return bool(self.stream)


def recordings(store: Store, run_id: str) -> Iterator[RecordedAnswer]:
    """Yield every row of a run's answers, those without an answer included."""
    parsers, forms = {XML: PARSERS["xml-tools-v2"], NATIVE: PARSERS[NATIVE_PARSER]}, forms_by_parser()
    reader = Rereader(store, WIRES, lambda prompt: forms.get(prompt, parsers[calls_of(prompt)]))
    for row in store.rows(_ANSWERS, run_id):
        again = reader.read(row["answer_id"])
        yield RecordedAnswer(
            sut=row["sut"],
            case_id=row["case_id"],
            outcome=row["outcome"],
            calls=row["retries"] + 1,
            scorings=row["scorings"],
            cost_usd=row["cost_usd"],
            reserved_usd=row["reserved_usd"],
            stream=b"".join(received.data for received in again.stream),
            completion=again,
            same=row["answer_id"] not in reader.different,
        )
