"""Runs made by hand: a database as a run leaves it, row by row."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from runner.records import Outcome, Scoring
from runner.storage.rows import put_scorings
from runner.storage.runs import CaseRow, RunPlan, begin
from runner.storage.store import Store, Value
from runner.variant import Variant

UTC = "2026-01-02T03:04:05.678"
SUT = "test/scripted"


def variant(sut: str = SUT, prompt: str = "basic", algorithm: str = "v4", *, simulated: bool = False) -> Variant:
    return Variant(
        sut=sut,
        prompt=prompt,
        parser="xml-tools-v2",
        diff_algorithm=algorithm,
        prompt_digest="11111111",
        parser_digest="22222222",
        algorithm_digest="33333333",
        endpoint="https://scripted.example",
        simulated=simulated,
    )


def plan(
    cases: Iterable[str | CaseRow] = ("a", "b"),
    variants: Sequence[Variant] = (variant(),),
    suite: str = "diff_edit",
    quota: int = 1,
    **identity: object,
) -> RunPlan:
    """What a run is; `identity` is what makes it another one."""
    return RunPlan(
        suite=suite,
        identity={"validity": "strict", "cases": "cccccccccccc", **identity},
        settings={"valid_attempts_per_case": quota},
        variants=variants,
        cases=[case if isinstance(case, CaseRow) else CaseRow(case, f"digest of {case}") for case in cases],
        cases_digest="cccccccccccc",
        version="0.0.0",
    )


def make_run(store: Store, run_id: str = "r1", planned: RunPlan | None = None, utc: str = UTC) -> str:
    """Begin a run; its id."""
    begin(store, run_id, planned or plan(), utc)
    return run_id


@dataclass
class Made:
    """A run whose answers and scorings are put in one by one."""

    store: Store
    run_id: str = "r1"

    def lane(self, case_id: str, sut: str = SUT, prompt: str = "basic", **row: Value) -> int:
        """The lane's id; `row` sets its columns."""
        key = {"run_id": self.run_id, "sut": sut, "prompt": prompt, "case_id": case_id}
        found = self.store.rows(
            "SELECT lane_id FROM lanes WHERE run_id = ? AND sut = ? AND prompt = ? AND case_id = ?", *key.values()
        )
        if not found:
            system_id = self.store.put_text("You edit files.")
            return self.store.insert("lanes", {**key, "system_id": system_id, **row})
        lane_id: int = found[0]["lane_id"]
        if row:
            self.store.update("lanes", {"lane_id": lane_id}, row)
        return lane_id

    def answer(self, lane_id: int, number: int = 1, text: str | None = "an answer", **row: Value) -> int:
        """An answer's id; `row` sets its columns."""
        whole: dict[str, Value] = {
            "lane_id": lane_id,
            "step": 0,
            "mode": "",
            "number": number,
            "try": 1,
            "sent_at": UTC,
            "outcome": "answered",
            "request_id": self.store.put_text('{"max_tokens":8192}'),
            "text_id": self.store.put_text(text),
        }
        return self.store.insert("answers", {**whole, **row})

    def scoring(self, answer_id: int, outcome: Outcome, scores: dict[str, float] | None = None, **more: object) -> None:
        """A scoring by the parser and the algorithm of `variant()`, unless told otherwise."""
        whole: dict[str, object] = {
            "outcome": outcome,
            "valid": outcome.valid,
            "parser": "xml-tools-v2",
            "diff_algorithm": "v4",
            "answer_id": answer_id,
            "scores": scores or {},
        }
        put_scorings(self.store, self.run_id, [Scoring(**{**whole, **more})])  # type: ignore[arg-type]  # its fields

    def attempt(
        self, case_id: str, number: int, outcome: Outcome, text: str | None = "an answer", **answer: Value
    ) -> int:
        """An answer with its scoring; the answer's id."""
        answer_id = self.answer(self.lane(case_id), number, text, **answer)
        self.scoring(answer_id, outcome)
        return answer_id
