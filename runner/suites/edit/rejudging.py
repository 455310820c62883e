"""Verdicts on the files that stored answers make: found in the database, or given by a judge."""

from dataclasses import replace
from os import environ

from runner.errors import InputError
from runner.execution.isolation import NOT_WEAK
from runner.execution.script_judge import ScriptJudge, search_path
from runner.execution.verdicts import Known, Verdict
from runner.records import Outcome, Scoring
from runner.run.verdict_cache import remembered
from runner.storage.rows import config_of
from runner.storage.store import Row, Store
from runner.suites.edit.judging import database_files, open_judge
from runner.suites.edit.plan import SUITE
from runner.suites.edit.problems import EditProblem
from runner.suites.edit.score import judged, makes_file


class Verdicts:
    """Verdicts on files: those that the database knows, and those of a judge that is opened where one is missing."""

    def __init__(self, store: Store, source: Row, judged_results: str) -> None:
        """Look up the verdicts that the database knows, unless "all" results are judged; "none" may be, else "new"."""
        self._known: Known = Known() if judged_results == "all" else remembered(store, SUITE)
        self._none_is_judged = judged_results == "none"
        self._db = store.path
        identity = config_of(source)["identity"]
        self._timeout = float(identity["timeout"])
        self._is_pinned = "environment" in identity
        self._judge: ScriptJudge | None = None

    def judged(self, problem: EditProblem, scoring: Scoring) -> Scoring:
        """The scoring with its verdict, where there is a file to judge."""
        if not makes_file(scoring) or scoring.edited is None:
            return scoring
        key = problem.script(scoring.edited).key
        known = self._known.get(key)
        if known is None and self._none_is_judged:
            return replace(scoring, outcome=Outcome.UNTESTED, error_text="no verdict on this file is on record")
        return judged(scoring, known or self._verdict(problem, scoring.edited), key)

    def _verdict(self, problem: EditProblem, program: str) -> Verdict:
        if self._is_pinned:
            raise InputError(
                f"problem {problem.case_id!r}: a new file was never judged, and its run had packages of its own; run"
                " the problems again with `evals edit run --env`"
            )
        if self._judge is None:
            self._judge = open_judge(search_path(environ), {}, self._timeout, database_files(self._db), NOT_WEAK)
        if not self._judge.can_judge(problem.language):
            raise InputError(
                f"problem {problem.case_id!r}: a new file in {problem.language} was never judged, and only Python's"
                " tests are run here; run the problems again with `evals edit run --command`"
            )
        return self._judge.judge(problem.script(program))
