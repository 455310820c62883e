"""Diagnoses the failed answers of a run, from what the database holds; nobody is asked."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from runner.diagnosis.causes import Unforgivable
from runner.diagnosis.failure import Diagnosis, FailedDiff, diagnose_diff
from runner.diagnosis.tool_causes import diagnose_call, is_of_tool
from runner.errors import InputError
from runner.json_texts import stored_json
from runner.records import Outcome
from runner.storage.attempt_filter import AttemptFilter
from runner.storage.parsed_calls import calls_of
from runner.storage.store import Row, Store

_SCORED = """
SELECT t.sut, t.prompt, t.parser, t.diff_algorithm, t.case_id, t.number, t.outcome, t.valid, t.equals_expected,
    t.answer_id, s.parsed_calls, s.blocks, s.edited_id, a.text_id
FROM attempts t JOIN scorings s USING (scoring_id) JOIN answers a ON a.answer_id = t.answer_id
WHERE t.run_id = ? AND t.diff_algorithm != '' AND t.outcome != 'crashed'{condition}
    AND (t.answer_id % 1048576 * 648055 % 1048576) * ? < 1048576
ORDER BY t.case_id, t.answer_id, t.scoring_id
"""
WITHOUT_DIFF = {
    Outcome.NO_CALL: Unforgivable.NO_CALL,
    Outcome.OTHER_TOOL: Unforgivable.NO_CALL,
    Outcome.MISSING_PATH: Unforgivable.NO_CALL,
    Outcome.MISSING_DIFF: Unforgivable.NO_CALL,
    Outcome.WRONG_PATH: Unforgivable.WRONG_FILE,
    Outcome.SEVERAL_CALLS: Unforgivable.SEVERAL_CALLS,
    Outcome.TRUNCATED: Unforgivable.CUT_OFF,
}


@dataclass(frozen=True, slots=True)
class Attempt:
    """A scored answer; `diagnosis` is None if it did not fail.

    It fails if its diff is not applied, or gives another file than the expected ones.
    """

    model: str
    prompt: str
    parser: str
    algorithm: str
    case_id: str
    number: int
    answer_id: int
    outcome: str
    valid: bool
    diagnosis: Diagnosis | None


class FileOfCase:
    """The file of a case as the database holds it: before the edit, and the acceptable results."""

    def __init__(self, store: Store, run_id: str, case_id: str) -> None:
        """Name the case; it is read when it is needed."""
        self._store, self._run_id, self.case_id = store, run_id, case_id

    @cached_property
    def _content(self) -> dict[str, Any]:
        sql = "SELECT content_id FROM cases WHERE run_id = ? AND case_id = ?"
        rows = self._store.rows(sql, self._run_id, self.case_id)
        content = stored_json((self._store.text(rows[0]["content_id"]) if rows else None) or "null")
        if not isinstance(content, dict) or not isinstance(content.get("file_contents"), str):
            raise InputError(
                f"run {self._run_id}: case {self.case_id}: its file is not on record; diagnose another run"
            )
        return content

    @property
    def original(self) -> str:
        """The file before the edit."""
        text: str = self._content["file_contents"]
        return text

    @cached_property
    def expected(self) -> tuple[str, ...]:
        """The acceptable files after the edit, none if unknown."""
        expected = self._content.get("expected_contents") or ()
        return (expected,) if isinstance(expected, str) else tuple(expected)


def attempts(store: Store, run: Row, chosen: AttemptFilter, one_in: int = 1) -> Iterator[Attempt]:
    """Yield the scored answers of a run that are chosen, each failed one with its diagnosis.

    With `one_in`, about one in so many answers, which are spread evenly over the run by their ids: the fraction of a
    multiple of the golden ratio never keeps step with the order in which answers were asked.

    Raises InputError for a run whose answers are not search-and-replace blocks.
    """
    run_id: str = run["run_id"]
    if not store.rows("SELECT 1 FROM variants WHERE run_id = ? AND diff_algorithm != '' LIMIT 1", run_id):
        raise InputError(f"run {run_id}: its answers have no SEARCH/REPLACE blocks; diagnose a run of `evals diff`")
    chosen.check(store, run_id)
    condition, values = chosen.sql()
    file: FileOfCase | None = None
    known = dict[FailedDiff, Diagnosis]()
    for row in store.stream(_SCORED.format(condition=condition), run_id, *values, one_in):
        if file is None or file.case_id != row["case_id"]:
            file, known = FileOfCase(store, run["replay_of"] or run_id, row["case_id"]), {}
        yield _attempt(store, row, file, known)


def _attempt(store: Store, row: Row, file: FileOfCase, known: dict[FailedDiff, Diagnosis]) -> Attempt:
    return Attempt(
        model=row["sut"],
        prompt=row["prompt"],
        parser=row["parser"],
        algorithm=row["diff_algorithm"],
        case_id=row["case_id"],
        number=row["number"],
        answer_id=row["answer_id"],
        outcome=row["outcome"],
        valid=bool(row["valid"]),
        diagnosis=diagnosis_of(store, row, file, known) if is_failed(row) else None,
    )


def is_failed(row: Row) -> bool:
    """Return whether a scoring is a failure: no edit, or another result than the expected one."""
    return bool(row["outcome"] != Outcome.APPLIED or row["equals_expected"] == 0)


def diagnosis_of(store: Store, row: Row, file: FileOfCase, known: dict[FailedDiff, Diagnosis]) -> Diagnosis:
    """Return the diagnosis of a failed scoring; `known` caches those of equal diffs."""
    if row["outcome"] in WITHOUT_DIFF:
        return Diagnosis(WITHOUT_DIFF[Outcome(row["outcome"])])
    calls = calls_of(row["parsed_calls"], store.text(row["text_id"]) or "") if row["parsed_calls"] else []
    diff = diff_of(calls)
    if not diff:
        return Diagnosis(Unforgivable.NO_CALL)
    blocks = stored_json(row["blocks"]) if row["blocks"] else None
    failed = FailedDiff(
        original=file.original,
        diff=diff,
        expected=file.expected,
        algorithm=row["diff_algorithm"],
        edited=store.text(row["edited_id"]),
        block=refused_block(blocks),
    )
    if failed not in known:
        known[failed] = diagnose_call(failed, blocks) if is_of_tool(row["parser"]) else diagnose_diff(failed)
    return known[failed]


def diff_of(calls: Sequence[Mapping[str, Any]]) -> str:
    """Return the diff of an answer's first call; "" if there is none."""
    diff: str = calls[0]["input"].get("diff", "") if calls else ""
    return diff


def refused_block(blocks: object) -> int | None:
    """Return the number of the block that an algorithm refused, from the column `blocks`; None if it is unknown."""
    number = blocks.get("block") if isinstance(blocks, dict) else None
    return number if isinstance(number, int) else None
