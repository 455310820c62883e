"""Opens what attempts at completion tasks take: the judge of their repository, with the verdicts that are known."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from runner.execution.isolation import Weak
from runner.run.engine import Lane
from runner.run.plan import Plan
from runner.run.suite import Attempts, Prepared, Say
from runner.run.verdict_cache import remembered_in
from runner.suites.completion.answering import attempts_of
from runner.suites.completion.judge import database_files, judge_of
from runner.suites.completion.judging import Judging
from runner.suites.completion.plan import SUITE, CompletionDetail, repository_of
from runner.suites.completion.run_record import run_plan
from runner.suites.completion.sim_truth import truth_of
from runner.suites.completion.validate import refuse_other_files


@contextmanager
def attempt(plan: Plan[CompletionDetail], _say: Say) -> Iterator[Prepared]:
    """How the attempts of a plan are made. Raises InputError for a repository that is not the data set's."""
    detail = plan.detail
    options, repo = detail.options, repository_of(detail)
    hidden = (options.file, *database_files(options.db))
    known = remembered_in(options.db, SUITE)
    with judge_of(repo, options.python, known, Weak(options.weak_sandbox, options.yes), hidden) as judge:
        refuse_other_files(judge, detail.dataset)
        with Judging(judge, detail.dataset, options.jobs) as judging:

            def begin(_lanes: Sequence[Lane]) -> Attempts:
                fenced = {form.name: not form.raw for form in detail.forms}
                return Attempts(
                    attempts_of(detail, judging),
                    plan.suts,
                    truth=truth_of(detail.dataset, fenced, judge.syntax_error, options.seed),
                    # Answers that wait for their verdict must not keep others from being asked.
                    waiting=2 * options.jobs,
                    untested=frozenset(case.case_id for case in detail.cases if not case.task.tests),
                )

            yield Prepared(run_plan(plan, repo, judge.tree), begin)
