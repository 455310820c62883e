"""`evals completion validate`: checks every proof of a data set again."""

from dataclasses import dataclass

import typer

from runner.run.options import Jobs, WeakSandbox, YesWeak
from runner.suites.completion.options import DataSet, Python, Repo


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionValidateOptions:
    """The options of `evals completion validate`."""

    file: DataSet
    repo: Repo = None
    python: Python = ""
    jobs: Jobs = 2
    weak_sandbox: WeakSandbox = False
    yes: YesWeak = False


def validate(options: CompletionValidateOptions) -> None:
    """Check the proof of every task again.

    The tests of a task must pass with the truth and fail with the wrong filling.
    """
    from runner.console import put
    from runner.execution.isolation import Weak
    from runner.execution.verdicts import Known
    from runner.suites.completion.dataset import read_dataset
    from runner.suites.completion.repositories import judges_of, repositories_in
    from runner.suites.completion.validate import validate as check

    dataset, hidden, weak = read_dataset(options.file), (options.file,), Weak(options.weak_sandbox, options.yes)
    path = repositories_in(dataset, options.file, options.repo)
    with judges_of(dataset, path, options.python, Known(), weak, hidden) as judges:
        refuted = check(judges, dataset, options.jobs)
    for row in refuted:
        put(f"{row.task_id}: {row.reason}\n")
    proved = sum(task.proof is not None for task in dataset.tasks)
    put(f"{proved - len(refuted)} of {proved} proofs hold\n")
    if refuted:
        raise typer.Exit(1)
