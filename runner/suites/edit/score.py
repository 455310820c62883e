"""The verdict of a problem's test on the file that an answer made, and what metrics are computed of."""

from collections.abc import Callable
from dataclasses import replace

from runner.execution import verdicts
from runner.execution.verdicts import Verdict, why
from runner.json_texts import stored_json
from runner.metrics.sample import Sample
from runner.records import Outcome, Scoring
from runner.run.replay import asked_in
from runner.storage.rows import to_json
from runner.storage.store import Row, Store
from runner.suites.edit.problems import EditProblem, parse_problem


def judged(scoring: Scoring, verdict: Verdict, key: str) -> Scoring:
    """The scoring of an answer that made a file, with the verdict of the problem's test on that file.

    `key` is that of the question to the judge, by which a later run finds the verdict.
    """
    detail = to_json({**_detail(verdict, key), **_of_agent(scoring)})
    if verdict.outcome is verdicts.VerdictKind.INFRA:
        reason = f"the test could not be run: {verdict.log.strip() or 'no reason was given'}"
        return replace(scoring, outcome=Outcome.INFRA, valid=False, error_text=reason, detail=detail)
    if verdict.outcome is verdicts.VerdictKind.PASS:
        return replace(scoring, outcome=Outcome.SOLVED, detail=detail)
    return replace(scoring, outcome=Outcome.UNSOLVED, error_text=f"{verdict.outcome}: {why(verdict)}", detail=detail)


def _of_agent(scoring: Scoring) -> dict[str, object]:
    """What is kept of a coding agent's attempt."""
    detail = stored_json(scoring.detail) if scoring.detail else {}
    return {"agent": detail["agent"]} if "agent" in detail else {}


def _detail(verdict: Verdict, key: str) -> dict[str, object]:
    """What is kept of a verdict; what the test printed only where something went wrong."""
    passed = verdict.outcome is verdicts.VerdictKind.PASS
    log = "" if passed else verdict.log
    return {
        "verdict": str(verdict.outcome),
        "failing": verdict.failing,
        "seconds": verdict.seconds,
        "log": log,
        "key": key,
    }


def makes_file(scoring: Scoring) -> bool:
    """Whether an answer has made a file, which only the test can judge."""
    return scoring.outcome is Outcome.APPLIED and scoring.edited is not None


def case_digest(content: str) -> str | None:
    """The digest of a problem from its JSON text."""
    return parse_problem(content).digest


def samples(store: Store, run: Row) -> Callable[[Row], Sample | None]:
    """The sample of each scoring of a run; an edit that did not come about left the file as it was."""
    problems = stored_problems(store, asked_in(run))

    def sample_of(row: Row) -> Sample | None:
        problem = problems[row["case_id"]]
        edited = store.text(row["edited_id"])
        return Sample(
            problem.origin, problem.references, problem.origin if edited is None else edited, problem.language
        )

    return sample_of


def stored_problems(store: Store, run_id: str) -> dict[str, EditProblem]:
    """The problems of a run by id, as it knew them. Raises InputError for rows that hold none."""
    sql = "SELECT content_id FROM cases WHERE run_id = ? AND skipped IS NULL ORDER BY position"
    problems = [parse_problem(store.text(row["content_id"]) or "") for row in store.rows(sql, run_id)]
    return {problem.case_id: problem for problem in problems}
