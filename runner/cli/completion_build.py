"""`evals completion build`: a data set of holes from a repository with tests."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Option

from runner.run.options import Jobs, Json, WeakSandbox, Wide, YesWeak
from runner.suites.completion.options import Python, Scenes

_INSTALL = "Create an environment in a separate folder, and run this command in the repository with it in PATH."


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionBuildOptions:
    """The options of `evals completion build`."""

    repo: Annotated[Path, Option("--repo", help="The root of the repository.")]
    out: Annotated[Path, Option("--out", help="The data set file to write.")]
    python: Python = ""
    install: Annotated[str, Option("--install", metavar="COMMAND", help=_INSTALL)] = ""
    scenes: Scenes = "all"
    limit: Annotated[
        int | None, Option("--limit", min=1, help="The maximum number of tasks for each scene and block type.")
    ] = None
    seed: Annotated[int, Option("--seed", min=0, help="The seed of the random choice of holes.")] = 0
    jobs: Jobs = 2
    allow_failing: Annotated[
        bool, Option("--allow-failing", help="Continue if tests fail; failing tests are left out.")
    ] = False
    mutants: Annotated[
        int, Option("--mutants", min=0, help="Mutants of each hole's text by which its tests are tried; 0: none.")
    ] = 3
    weak_sandbox: WeakSandbox = False
    yes: YesWeak = False
    json: Json = False
    wide: Wide = False


def build(options: CompletionBuildOptions) -> None:
    """Build a data set from a repository with tests.

    The same command resumes an interrupted build.
    """
    from time import monotonic

    from runner.console import put_json, say, show
    from runner.execution.isolation import Weak
    from runner.execution.verdicts import Known
    from runner.suites.completion.build import Wanted, noted
    from runner.suites.completion.build import build as make
    from runner.suites.completion.build_report import as_json, document
    from runner.suites.completion.dataset import write_dataset
    from runner.suites.completion.judge import judge_of
    from runner.suites.completion.scenes import SCENES, scenes_of

    repo, out = options.repo, options.out
    requested = Wanted(
        repo=repo.resolve().name,
        scenes=scenes_of(options.scenes) or frozenset(SCENES),
        limit=options.limit,
        seed=options.seed,
        workers=options.jobs,
        allow_failing=options.allow_failing,
        mutants=options.mutants,
    )
    _refuse_folder(out)
    verdicts = out.with_name(f"{out.name}.verdicts")
    known = Known(verdicts)
    began = monotonic()
    with (
        _interpreter(repo, options.python, options.install) as chosen,
        judge_of(repo, chosen, known, Weak(options.weak_sandbox, options.yes), (out, verdicts)) as judge,
    ):
        built = make(judge, noted(requested, repo), lambda line: say(f"{monotonic() - began:4.0f} s: {line}"))
    write_dataset(built.dataset, out)
    known.forget()
    seconds = monotonic() - began
    put_json(as_json(built, seconds)) if options.json else show(document(built, str(out), seconds), wide=options.wide)


@contextmanager
def _interpreter(repo: Path, python: str, install: str) -> Iterator[str]:
    """Yield the interpreter, or that of a new environment in which the install command was run."""
    from runner.suites.completion.installing import installed
    from runner.suites.completion.judge import interpreter_of

    if not install:
        yield python
        return
    with installed(repo, interpreter_of(python), install, os.environ) as interpreter:
        yield interpreter


def _refuse_folder(out: Path) -> None:
    from runner.errors import InputError

    if out.is_dir() or not out.parent.is_dir():
        raise InputError(f"--out {out}: give a file in an existing folder")
