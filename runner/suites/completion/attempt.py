"""Opens what attempts at completion tasks take: the judge of their repository, with the verdicts that are known."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from runner.execution.isolation import Weak
from runner.run.engine import Lane
from runner.run.plan import Plan
from runner.run.suite import Attempts, Prepared, Say
from runner.run.verdict_cache import remembered_in
from runner.suites.completion.attempting import attempts_of, truths_of
from runner.suites.completion.judging import Judging
from runner.suites.completion.plan import SUITE, CompletionDetail
from runner.suites.completion.repositories import hidden_files, judges_of, placed, repositories_in
from runner.suites.completion.run_record import run_plan


@contextmanager
def attempt(plan: Plan[CompletionDetail], _say: Say) -> Iterator[Prepared]:
    """How the attempts of a plan are made. Raises InputError for a repository that is not the data set's."""
    detail = plan.detail
    options, path = detail.options, repositories_in(detail.dataset, detail.options.file, detail.options.repo)
    hidden = hidden_files(options.file, options.db)
    known, weak = remembered_in(options.db, SUITE), Weak(options.weak_sandbox, options.yes)
    with (
        judges_of(detail.dataset, path, options.python, known, weak, hidden) as judges,
        Judging(judges, detail.dataset, options.jobs) as judging,
    ):

        def begin(_lanes: Sequence[Lane]) -> Attempts:
            return Attempts(
                attempts_of(detail, judging, judges),
                plan.suts,
                truth=truths_of(detail, judges),
                # Answers that wait for their verdict must not keep others from being asked.
                waiting=2 * options.jobs,
                untested=frozenset(case.case_id for case in detail.cases if not case.task.tests),
            )

        yield Prepared(run_plan(plan, placed(path, judges, detail.dataset)), begin)
