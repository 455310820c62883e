"""Computes the cases, answers and scorings of a bundled run again, and notes what differs."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from runner.bundles.costs import check_costs
from runner.bundles.findings import BundleDifference, Verification
from runner.bundles.foreign_tools import bundle_rereader, note_unnamed, unnamed_tools, with_own_tools
from runner.bundles.scorings import ScoringsCheck, noted, place_of, recorded_metrics
from runner.errors import InputError
from runner.metrics import METRICS
from runner.run.replay import asked_in, replay_run
from runner.run.rescore import rescore_run
from runner.run.suite import ReplayOptions, Suite
from runner.storage.runs import find_run
from runner.storage.store import Row, Store
from runner.suites import suite_named

_CASES = "SELECT case_id, digest, content_id FROM cases WHERE run_id = ? AND skipped IS NULL ORDER BY position"
_ANSWERS = """
SELECT a.answer_id, l.sut, l.prompt, l.case_id, a.step, a.mode, a.number, a.try
FROM answers a JOIN lanes l USING (lane_id)
WHERE l.run_id = ? AND a.outcome IN ('answered', 'crashed') AND a.text_id IS NOT NULL ORDER BY a.answer_id"""
_UNREAD = """
SELECT count(*) AS n FROM answers JOIN lanes USING (lane_id)
WHERE run_id = ? AND outcome = 'answered' AND text_id IS NULL"""
_HELD = """
SELECT (SELECT count(*) FROM cases WHERE run_id = ?1 AND content_id IS NOT NULL) AS cases,
    (SELECT count(*) FROM answers JOIN lanes USING (lane_id) WHERE run_id = ?1 AND text_id IS NOT NULL) AS texts"""
_ANY_STREAM = "SELECT 1 FROM streams JOIN answers USING (answer_id) JOIN lanes USING (lane_id) WHERE run_id = ? LIMIT 1"
# A verdict on record has the key of the question to the judge.
_FROM_TESTS = "SELECT count(*) AS n FROM scorings WHERE run_id = ? AND json_extract(detail, '$.key') IS NOT NULL"


@dataclass(frozen=True, slots=True)
class BundledRun:
    """One run of a bundle in the database of a verification, and how its answers are scored again."""

    store: Store
    row: Row
    suite: Suite[Any, Any]
    options: ReplayOptions

    @classmethod
    def of(cls, store: Store, run_id: str, options: ReplayOptions) -> "BundledRun":
        """Return the run of this id. Raises InputError for one of an unknown suite."""
        row = find_run(store, run_id)
        return cls(store, row, suite_named(row["suite"]), with_own_tools(store, run_id, options))

    @property
    def unnamed(self) -> frozenset[str]:
        """The prompts of the foreign edit tools that are not to be started."""
        return unnamed_tools(self.store, self.row, self.options.edit_tools)

    @property
    def run_id(self) -> str:
        """Return the run's id."""
        return str(self.row["run_id"])


def compute_cases(run: BundledRun, result: Verification) -> None:
    """Compare the digest of each case with its content."""
    unknown = missing = 0
    for row in run.store.rows(_CASES, run.run_id):
        content = run.store.text(row["content_id"])
        digest = None if content is None else _digest_of(run.suite, content)
        if digest is None:
            missing += content is None
            unknown += content is not None
        elif digest == row["digest"]:
            result.same["cases"] += 1
        else:
            difference = BundleDifference(f"case {row['case_id']}", "digest", row["digest"], digest)
            result.differs("cases", difference)
    if missing:
        result.left.append(f"{missing} cases, and all that follows from them: the bundle does not hold them")
    if unknown:
        result.left.append(f"the digests of {unknown} cases: not all that they are made of is on record")


def _digest_of(suite: Suite[Any, Any], content: str) -> str | None:
    """Return the digest of a case; one that is no case has none that could be right."""
    try:
        return suite.case_digest(content)
    except (InputError, ValueError, LookupError, TypeError, AttributeError):
        return "none, as it is no case"


def compute_answers(run: BundledRun, result: Verification) -> None:
    """Read each answer again from its bytes."""
    unread = run.store.rows(_UNREAD, run.run_id)[0]["n"]
    if unread:
        result.left.append(f"{unread} answers: the bundle does not hold them")
    rereader = bundle_rereader(run.suite, run.store, run.row, run.options, result.notes.append)
    unnamed, unread_clocks = run.unnamed, Counter[str]()
    for row in run.store.rows(_ANSWERS, run.run_id):
        rereader.read(row["answer_id"])
        names = rereader.different.pop(row["answer_id"], ())
        if row["prompt"] in unnamed and "clocks" in names:
            # Where an edit begins in such an answer only its tool can say.
            unread_clocks[row["prompt"]] += 1
            names = tuple(name for name in names if name != "clocks")
            result.same["answers"] += not names
        if names:
            difference = BundleDifference(place_of(row), f"{', '.join(names)} of the answer, read from its bytes")
            result.differs("answers", difference)
    result.same["answers"] += rereader.same
    note_unnamed("clocks", unread_clocks, result)
    check_costs(run.store, run.run_id, result)
    if rereader.pruned:
        result.left.append(f"texts, clocks and tokens of {rereader.pruned} answers: their bytes are not in the bundle")


def compute_scorings(run: BundledRun, result: Verification) -> None:
    """Score each answer again, by the run's parser and algorithms, and compare."""
    store, run_id = run.store, run.run_id
    (held,) = store.rows(_HELD, asked_in(run.row))
    if not held["cases"] or not held["texts"]:
        result.left.append(f"scorings of {run_id}: they follow from cases and answers, which the bundle does not hold")
        return
    options = replace(run.options, from_stream=bool(store.rows(_ANY_STREAM, asked_in(run.row))))
    again = replay_run(run.suite, store, run.row, options, result.notes.append).run_id
    metrics = recorded_metrics(store, run_id)
    further = sorted((metrics - recorded_metrics(store, again)) & METRICS.keys())
    if further:
        with noted(result, "metrics"):
            rescore_run(run.suite, store, find_run(store, again), further)
    ScoringsCheck(store, run.row, again, metrics, options.run_tests, run.unnamed).check(result)
    tested = 0 if options.run_tests else store.rows(_FROM_TESTS, run_id)[0]["n"]
    if tested:
        result.left.append(f"verdicts of tests on {tested} results: tests are strangers' code; --run-tests runs them")
