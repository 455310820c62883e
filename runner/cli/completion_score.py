"""`evals completion score`: verdicts on answers that another program collected."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Option

from runner.run.options import Jobs, Json, WeakSandbox, Wide, YesWeak
from runner.suites.completion.options import Chains, DataSet, Python


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionScoreOptions:
    """The options of `evals completion score`."""

    file: DataSet
    answers: Annotated[Path, Option("--answers", help="JSON lines of task_id and text; `-` is stdin.")]
    repo: Annotated[Path, Option("--repo", help="The root of the repository.")]
    python: Python = ""
    parser: Chains = "raw,repaired"
    seed: Annotated[int, Option("--seed", min=0, help="The seed of the resamples.")] = 0
    jobs: Jobs = 2
    weak_sandbox: WeakSandbox = False
    yes: YesWeak = False
    json: Json = False
    wide: Wide = False


def score(options: CompletionScoreOptions) -> None:
    """Judge answers that another program collected.

    Each answer is judged as it is, and repaired.
    """
    from runner.console import put_json, show
    from runner.execution.isolation import Weak
    from runner.execution.verdicts import Known
    from runner.run.resolve import split_names
    from runner.suites.completion import external_answers
    from runner.suites.completion.chains import choose_chains
    from runner.suites.completion.dataset import read_dataset
    from runner.suites.completion.judge import judge_of
    from runner.suites.completion.report import figures_of
    from runner.suites.completion.validate import refuse_other_files

    chains = choose_chains(split_names(options.parser, "--parser"), "--parser")
    dataset, hidden = read_dataset(options.file), (options.file,)
    answers = external_answers.read_answers(options.answers, dataset)
    with judge_of(options.repo, options.python, Known(), Weak(options.weak_sandbox, options.yes), hidden) as judge:
        refuse_other_files(judge, dataset)
        scored = external_answers.score(judge, dataset, answers, chains, options.jobs)
    groups = {(str(options.answers), "", chain): dict(enumerate(rows)) for chain, rows in scored.items()}
    figures = figures_of(groups, seed=options.seed)
    if options.json:
        put_json(figures.data)
    else:
        show(figures.document(f"{options.answers} on {options.file}"), wide=options.wide)
