"""`evals completion score`: its options, and the judgement of answers that another program collected."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Option

from runner.execution.isolation import Weak
from runner.run.options import DEFAULT_DB, Db, Jobs, Json, WeakSandbox, Wide, YesWeak
from runner.run.resolve import split_names
from runner.run.verdict_cache import remembered_in
from runner.suites.completion.chains import choose_chains
from runner.suites.completion.collected_answers import Judgement, answers_to, judgements, read_answers
from runner.suites.completion.collected_run import Collected
from runner.suites.completion.dataset import read_dataset
from runner.suites.completion.options import Chains, DataSet, Python, ReleasedAfter, Repo
from runner.suites.completion.plan import SUITE
from runner.suites.completion.repositories import hidden_files, judges_of, placed, repositories_in
from runner.suites.completion.task_choice import left_out_settings, released_after

_ANSWERS = "JSON lines of task_id, text, and optionally model; `-` is stdin."


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectedOptions:
    """The options of `evals completion score`."""

    file: DataSet
    answers: Annotated[Path, Option("--answers", help=_ANSWERS)]
    repo: Repo = None
    python: Python = ""
    parser: Chains = "raw,repaired"
    released_after: ReleasedAfter = None
    name: Annotated[str, Option("--name", help="A name for the run.")] = ""
    db: Db = DEFAULT_DB
    jobs: Jobs = 2
    weak_sandbox: WeakSandbox = False
    yes: YesWeak = False
    json: Json = False
    wide: Wide = False


def judged_answers(options: CollectedOptions) -> tuple[Collected, list[Judgement]]:
    """Read the answers, and judge those of which the database has no verdict.

    Raises InputError for a file that cannot be read, and for a repository that is not the data set's.
    """
    chains = choose_chains(split_names(options.parser, "--parser"), "--parser")
    dataset, known = read_dataset(options.file), remembered_in(options.db, SUITE)
    answers = read_answers(options.answers, dataset)
    day = options.released_after and options.released_after.date()
    dataset, left_out = released_after(dataset, day, options.file)
    answers = answers_to(answers, dataset)
    hidden = hidden_files(options.file, options.db)
    path, weak = repositories_in(dataset, options.file, options.repo), Weak(options.weak_sandbox, options.yes)
    with judges_of(dataset, path, options.python, known, weak, hidden) as judges:
        judged = judgements(judges, dataset, answers, chains, options.jobs)
        where = options.answers, options.file, placed(path, judges, dataset), left_out_settings(day, left_out)
    return Collected(dataset, answers, chains, *where, options.name), judged
