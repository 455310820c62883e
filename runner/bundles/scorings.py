"""Holds the scorings of a run against those that were computed again from its answers, field by field."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from runner.bundles.findings import BundleDifference, Verification
from runner.bundles.foreign_tools import note_unnamed
from runner.bundles.same_values import differences, short
from runner.errors import InputError
from runner.json_texts import stored_json
from runner.records import Outcome
from runner.storage.store import Row, Store

_COLUMNS = (
    "outcome", "valid", "solved", "equals_expected", "num_edits", "lines_added", "lines_removed", "parses_before",
    "parses_after", "error_text", "parsed_calls", "blocks", "detail",
)  # fmt: skip
_JSON = {"parsed_calls", "blocks", "detail"}
# What differs each time that tests are run.
_OF_A_RUN_OF_TESTS = ("seconds", "log")
# A process that died, a judge that could not judge: not to be had again.
_NOT_AGAIN = {str(Outcome.CRASHED), str(Outcome.INFRA)}
_BROKEN = (LookupError, ValueError, TypeError, AttributeError, ArithmeticError)
_PAIRS = """
SELECT s.*, x.digest AS edited, l.sut, l.prompt, l.case_id, a.step, a.mode, a.number, a.try,
    r.scoring_id AS again_id, y.digest AS again_edited, {again}
FROM scorings s JOIN answers a USING (answer_id) JOIN lanes l USING (lane_id)
LEFT JOIN texts x ON x.text_id = s.edited_id
LEFT JOIN scorings r ON r.answer_id = s.answer_id AND r.run_id = ?2 AND r.parser = s.parser
    AND r.diff_algorithm = s.diff_algorithm
LEFT JOIN texts y ON y.text_id = r.edited_id
WHERE s.run_id = ?1 ORDER BY s.scoring_id
"""
_ONLY_AGAIN = """
SELECT l.sut, l.prompt, l.case_id, a.step, a.mode, a.number, a.try, r.parser, r.diff_algorithm
FROM scorings r JOIN answers a USING (answer_id) JOIN lanes l USING (lane_id)
WHERE r.run_id = ?2 AND a.outcome = 'answered' AND NOT EXISTS (
    SELECT 1 FROM scorings s WHERE s.run_id = ?1 AND s.answer_id = r.answer_id
        AND s.parser = r.parser AND s.diff_algorithm = r.diff_algorithm)
ORDER BY r.scoring_id
"""
_SCORES = "SELECT metric, value FROM scores WHERE scoring_id = ?"


@dataclass(frozen=True, slots=True)
class ScoringsCheck:
    """What scorings are held against: the run on record and the one computed again.

    `metrics` are those that the run was scored by; with `tests_run` what the tests of two runs never have in common is
    not compared. Answers to prompts that are `left_out` are not scored again.
    """

    store: Store
    run: Row
    again: str
    metrics: frozenset[str] = frozenset()
    tests_run: bool = False
    left_out: frozenset[str] = frozenset()

    def check(self, result: Verification) -> None:
        """Compare all scorings."""
        again = ", ".join(f"r.{name} AS again_{name}" for name in _COLUMNS)
        not_again, unscored = 0, Counter[str]()
        for row in self.store.stream(_PAIRS.format(again=again), self.run["run_id"], self.again):
            if row["prompt"] in self.left_out:
                unscored[row["prompt"]] += 1
                continue
            if row["outcome"] in _NOT_AGAIN:
                not_again += 1
                continue
            differing = list(self._differing(row))
            for what, recorded, computed in differing[:3]:
                result.differs("scorings", BundleDifference(place_of(row), what, recorded, computed))
            if not differing:
                result.same["scorings"] += 1
        if not_again:
            result.left.append(f"{not_again} scorings that crashed or had no judge")
        note_unnamed("scorings", unscored, result)
        self._check_missing(result)

    def _check_missing(self, result: Verification) -> None:
        """Compare in the other direction: a run that goes on may yet have to score its last answers."""
        missing = 0
        for row in self.store.stream(_ONLY_AGAIN, self.run["run_id"], self.again):
            if self.run["state"] == "complete":
                result.differs("scorings", BundleDifference(place_of(row), "scoring", "none", "one"))
            else:
                missing += 1
        if missing:
            result.left.append(f"{missing} answers that the run has not scored")

    def _differing(self, row: Row) -> Iterator[tuple[str, str, str]]:
        if row["again_id"] is None:
            yield "scoring", "one", "none"
            return
        for name in _COLUMNS:
            yield from self._column(name, row)
        if row["edited"] != row["again_edited"]:
            yield "edited file", str(row["edited"]), str(row["again_edited"])
        yield from differences(self._scores(row["scoring_id"]), self._scores(row["again_id"]), "scores")

    def _column(self, name: str, row: Row) -> Iterator[tuple[str, str, str]]:
        recorded, computed = row[name], row[f"again_{name}"]
        if recorded == computed or (name == "error_text" and self.tests_run):
            return
        if name in _JSON:
            recorded, computed = self._values(name, recorded), self._values(name, computed)
        yield from differences(recorded, computed, name)

    def _values(self, name: str, text: str | None) -> Any:  # noqa: ANN401 - JSON
        values = None if text is None else stored_json(text)
        if name == "detail" and self.tests_run and isinstance(values, dict):
            return {key: value for key, value in values.items() if key not in _OF_A_RUN_OF_TESTS}
        return values

    def _scores(self, scoring_id: int) -> dict[str, float]:
        rows = self.store.rows(_SCORES, scoring_id)
        return {row["metric"]: row["value"] for row in rows if row["metric"] in self.metrics}


def recorded_metrics(store: Store, run_id: str) -> frozenset[str]:
    """Return the metrics that any scoring of a run has."""
    sql = "SELECT DISTINCT metric FROM scores JOIN scorings USING (scoring_id) WHERE run_id = ?"
    return frozenset(row["metric"] for row in store.rows(sql, run_id))


def place_of(row: Row) -> str:
    """Return where an attempt is result, as `evals show` names it."""
    known = set(row.keys())
    parts = [row["sut"], row["prompt"], *(row[name] for name in ("parser", "diff_algorithm") if name in known)]
    step = f" step {row['step']} {row['mode']}".rstrip() if row["mode"] or row["step"] else ""
    return f"{row['case_id']} {row['number']}{step} ({', '.join(filter(None, parts))})"


@contextmanager
def noted(result: Verification, what: str) -> Iterator[None]:
    """Note as a difference what cannot be computed again, with the reason: the bundle does not bear it out.

    Rows of others may lack what ours always have, and name plug-ins, which are never imported for them.
    """
    try:
        yield
    except InputError as error:
        result.differs(what, BundleDifference(what, f"cannot be computed: {error}"))
    except _BROKEN as error:
        reason = f"cannot be computed of what the bundle holds ({type(error).__name__}: {short(str(error))})"
        result.differs(what, BundleDifference(what, reason))
