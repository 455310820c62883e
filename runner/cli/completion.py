"""`evals completion`: data sets of holes in a repository's code, judged by the repository's own tests."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from runner.cli import completion_codev, completion_run
from runner.cli import options as opt

if TYPE_CHECKING:
    from runner.execution.isolation import Weak
    from runner.execution.repository_judge import Judge
    from runner.execution.verdicts import Known

app = typer.Typer(help="Completion of code, judged by the unit tests that execute it.", no_args_is_help=True)
app.command("run")(completion_run.run)
app.command("codev")(completion_codev.codev)

_SCENES = "Scenes, parted by commas: 1.1, 1.2, 1.3, 2.1, 2.2, 3, 4; `all` for every one."
_INSTALL = "Make an environment in a folder of its own, and run this command in the repository with it in PATH."
_CHAINS = "Parse chains, each scored on its own: raw, repaired, trimmed, block, whole, codev."

Repo = Annotated[Path, typer.Option("--repo", help="The repository's root.")]
Python = Annotated[str, typer.Option("--python", help="The interpreter that has pytest and what the tests need.")]


@app.command()
def build(
    repo: Repo,
    out: Annotated[Path, typer.Option("--out", help="The data set to write.")],
    python: Python = sys.executable,
    install: Annotated[str, typer.Option(metavar="COMMAND", help=_INSTALL)] = "",
    scenes: Annotated[str, typer.Option(help=_SCENES)] = "all",
    limit: Annotated[int | None, typer.Option(min=1, help="Tasks of each scene and block type, at most.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="The seed of which holes are taken.")] = 0,
    workers: opt.Workers = 2,
    allow_failing: Annotated[bool, typer.Option("--allow-failing", help="Leave tests out that fail.")] = False,
    weak_sandbox: opt.WeakSandbox = False,
    yes: opt.YesWeak = False,
    json: opt.Json = False,
) -> None:
    """Build a data set from a repository with tests; interrupted, the same command goes on."""
    from time import monotonic

    from runner.console import put_json, say, show
    from runner.execution.verdicts import Known
    from runner.suites.completion.build import Wanted
    from runner.suites.completion.build import build as make
    from runner.suites.completion.build_report import as_json, document
    from runner.suites.completion.dataset import write_dataset

    wanted = Wanted(
        repo=repo.resolve().name,
        commit=_commit(repo),
        scenes=scenes_of(scenes),
        limit=limit,
        seed=seed,
        workers=workers,
        allow_failing=allow_failing,
    )
    _refuse_folder(out)
    verdicts = out.with_name(f"{out.name}.verdicts")
    known = Known(verdicts)
    began = monotonic()
    with (
        _interpreter(repo, python, install) as chosen,
        judge_of(repo, chosen, known, _weak(weak_sandbox, yes), hidden=(out, verdicts)) as judge,
    ):
        built = make(judge, wanted, lambda told: say(f"{monotonic() - began:4.0f} s: {told}"))
    write_dataset(built.dataset, out)
    known.forget()
    seconds = monotonic() - began
    if json:
        put_json(as_json(built, seconds))
    else:
        show(document(built, str(out), seconds))


@app.command()
def validate(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A data set.")],
    repo: Repo,
    python: Python = sys.executable,
    workers: opt.Workers = 2,
    weak_sandbox: opt.WeakSandbox = False,
    yes: opt.YesWeak = False,
) -> None:
    """Prove every task of a data set again: its truth passes, its wrong filling does not."""
    from runner.console import put
    from runner.execution.verdicts import Known
    from runner.suites.completion.dataset import read_dataset
    from runner.suites.completion.validate import validate as check

    dataset = read_dataset(file)
    with judge_of(repo, python, Known(), _weak(weak_sandbox, yes), hidden=(file,)) as judge:
        refuted = check(judge, dataset, workers)
    for one in refuted:
        put(f"{one.task_id}: {one.reason}\n")
    proved = sum(task.proof is not None for task in dataset.tasks)
    put(f"{proved - len(refuted)} of {proved} proofs hold\n")
    if refuted:
        raise typer.Exit(1)


@app.command()
def prompts(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A data set.")],
    family: Annotated[str, typer.Option(help="The family of models whose marks are used, such as qwen2.5-coder.")],
    budget: Annotated[int, typer.Option(min=0, help="Characters of the file around the hole, at most.")] = 24_000,
) -> None:
    """Print what a fill-in-the-middle model is to be asked: JSON lines of task_id, prompt, stops, cut, refused."""
    from dataclasses import asdict

    import orjson

    from prompts.fim import FAMILIES
    from runner.console import put, say
    from runner.errors import InputError
    from runner.suites.completion.asking import asked
    from runner.suites.completion.dataset import read_dataset

    if family not in FAMILIES:
        raise InputError(f"--family: {family!r} is none of {', '.join(FAMILIES)}; give one of them")
    refused = 0
    for one in asked(read_dataset(file), FAMILIES[family], budget):
        refused += one.refused is not None
        put(orjson.dumps(asdict(one)).decode() + "\n")
    if refused:
        say(f"{refused} tasks cannot be asked: the text around them holds a mark of {family}")


@app.command()
def score(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A data set.")],
    answers: Annotated[Path, typer.Option("--answers", help="JSON lines of task_id and text; `-` is stdin.")],
    repo: Repo,
    python: Python = sys.executable,
    chains: Annotated[str, typer.Option("--chains", "--parser", help=_CHAINS)] = "raw,repaired",
    seed: Annotated[int, typer.Option(min=0, help="The seed of resamples.")] = 0,
    workers: opt.Workers = 2,
    weak_sandbox: opt.WeakSandbox = False,
    yes: opt.YesWeak = False,
    json: opt.Json = False,
) -> None:
    """Judge answers that some model gave to a data set's tasks, as given and repaired."""
    from runner.console import put_json, show
    from runner.document import Document
    from runner.execution.verdicts import Known
    from runner.run.resolve import split_names
    from runner.suites.completion import external_answers
    from runner.suites.completion.chains import choose_chains
    from runner.suites.completion.dataset import read_dataset
    from runner.suites.completion.report import figures_of
    from runner.suites.completion.validate import refuse_other_files

    taken = choose_chains(split_names(chains, "--chains"), "--chains")
    dataset = read_dataset(file)
    given = external_answers.read_answers(answers, dataset)
    with judge_of(repo, python, Known(), _weak(weak_sandbox, yes), hidden=(file,)) as judge:
        refuse_other_files(judge, dataset)
        scored = external_answers.score(judge, dataset, given, taken, workers)
    groups = {(str(answers), "", chain): dict(enumerate(found)) for chain, found in scored.items()}
    figures = figures_of(groups, seed=seed)
    if json:
        put_json(figures.data)
    else:
        show(Document(f"{answers} on {file}", figures.tables))


@contextmanager
def judge_of(repo: Path, python: str, known: "Known", weak: "Weak", hidden: Sequence[Path] = ()) -> "Iterator[Judge]":
    """A judge in the strongest cells that there are, told on stderr. Raises InputError where there are none.

    `hidden` are files that answers may not read, such as the data set, which holds what stood in the holes.
    """
    from runner.console import say
    from runner.execution.copies import target
    from runner.execution.isolation import permitted
    from runner.execution.repository_judge import Judge

    isolation = permitted(weak)
    say(f"tests run in cells: {', '.join(isolation.means)}")
    chosen = completion_run.interpreter_of(python)
    with Judge(repo, target(chosen, os.environ.get("PATH", os.defpath)), isolation, known, hidden) as judge:
        yield judge


def _weak(allowed: bool, agreed: bool) -> "Weak":
    from runner.execution.isolation import Weak

    return Weak(allowed, agreed)


@contextmanager
def _interpreter(repo: Path, python: str, install: str) -> Iterator[str]:
    """The interpreter, or that of a new environment in which a command was run."""
    from runner.suites.completion.installing import installed

    if not install:
        yield python
        return
    with installed(repo, completion_run.interpreter_of(python), install, os.environ) as made:
        yield made


def scenes_of(told: str) -> frozenset[str]:
    """The scenes of an option. Raises InputError for one that there is not."""
    from runner.errors import InputError
    from runner.suites.completion.scenes import SCENES

    chosen = frozenset(SCENES) if told == "all" else frozenset(one.strip() for one in told.split(","))
    unknown = sorted(chosen - frozenset(SCENES))
    if unknown:
        raise InputError(f"--scenes: {unknown[0]!r} is none of {', '.join(SCENES)}; leave it out")
    return chosen


def _commit(repo: Path) -> str:
    from runner.git import GitError, Repository

    if not (repo / ".git").exists():
        return ""
    try:
        with Repository(repo) as repository:
            return repository.run("rev-parse", "HEAD").decode().strip()
    except GitError:
        return ""


def _refuse_folder(out: Path) -> None:
    from runner.errors import InputError

    if out.is_dir() or not out.parent.is_dir():
        raise InputError(f"--out {out}: give a file in a folder that is there")
