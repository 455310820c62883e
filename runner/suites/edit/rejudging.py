"""Verdicts on the files that stored answers make: found in the database, or given by a judge."""

from os import environ

from runner.errors import InputError
from runner.execution.isolation import NOT_WEAK
from runner.execution.script_judge import ScriptJudge, search_path
from runner.execution.verdicts import Known, Verdict
from runner.records import Scoring
from runner.run.verdict_cache import remembered
from runner.storage.rows import config_of
from runner.storage.store import Row, Store
from runner.suites.edit.judging import database_files, open_judge
from runner.suites.edit.plan import SUITE
from runner.suites.edit.problems import EditProblem
from runner.suites.edit.score import judged, makes_file


class Verdicts:
    """Verdicts on files: those that the database knows, and those of a judge that is opened where one is missing."""

    def __init__(self, store: Store, source: Row) -> None:
        """Look up the verdicts that the database knows."""
        self._known: Known = remembered(store, SUITE)
        self._db = store.path
        self._timeout = float(config_of(source)["identity"]["timeout"])
        self._judge: ScriptJudge | None = None

    def judged(self, problem: EditProblem, scoring: Scoring) -> Scoring:
        """The scoring with its verdict, where there is a file to judge."""
        if not makes_file(scoring) or scoring.edited is None:
            return scoring
        key = problem.script(scoring.edited).key
        return judged(scoring, self._known.get(key) or self._verdict(problem, scoring.edited), key)

    def _verdict(self, problem: EditProblem, program: str) -> Verdict:
        if self._judge is None:
            self._judge = open_judge(search_path(environ), {}, self._timeout, database_files(self._db), NOT_WEAK)
        if not self._judge.can_judge(problem.language):
            raise InputError(
                f"problem {problem.case_id!r}: a new file in {problem.language} was never judged, and only Python's"
                " tests are run here; run the problems again with `evals edit run --command`"
            )
        return self._judge.judge(problem.script(program))
