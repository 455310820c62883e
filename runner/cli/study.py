"""`evals study`: which measure of an edit goes with its tests."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from runner.cli.options import Json

if TYPE_CHECKING:
    from runner.metrics import Metric
    from runner.metrics.labelled_answers import Answer
    from runner.stats.correlation import Floats
    from runner.study.external import External

_METRICS = "Metrics, parted by commas; `all` for every one."
_FOLDER = "A folder with problems.jsonl and, unless --mutants, predictions.jsonl (either may be .gz)."
_MUTANTS = "Make mutants of the references, and judge them by the problems' tests."
_EXTERNAL = "A measure by another program: JSON rows in, a number a line out."
DEFAULT = "exact,nes,chrf,bleu,diffbleu,delta-chrf,sari,sans-lcs,es-line,es-token"


def study(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help=_FOLDER)],
    metrics: Annotated[str, typer.Option("--metrics", "--metric", help=_METRICS)] = DEFAULT,
    models: Annotated[str, typer.Option(help="Only answers of models that match this regular expression.")] = "",
    perturb: Annotated[str, typer.Option(help="prefix: put random text before all three documents.")] = "",
    against: Annotated[
        str, typer.Option(help="The measure the others are compared with; es-token if it is there.")
    ] = "",
    external: Annotated[list[str] | None, typer.Option(metavar="NAME=COMMAND", help=_EXTERNAL)] = None,
    draws: Annotated[int, typer.Option(min=10, help="Resamples of the problems.")] = 2000,
    seed: Annotated[int, typer.Option(min=0, help="The seed of resamples, prefixes and mutants.")] = 0,
    mutants: Annotated[bool, typer.Option("--mutants", help=_MUTANTS)] = False,
    rounds: Annotated[int, typer.Option(min=1, help="Mutants of each kind and problem, at most.")] = 3,
    figure: Annotated[Path | None, typer.Option(help="Write a figure here, as SVG.")] = None,
    json: Json = False,
) -> None:
    """Correlate measures of edits with pass and fail, with intervals that resample problems."""
    from runner.console import put_json, show
    from runner.study.analysis import analyse
    from runner.study.figure import svg
    from runner.study.present import as_json, document

    plan = _plan(metrics, external or [], perturb=perturb, against=against)
    answers = _answers(folder, models=models, rounds=rounds, seed=seed, mutants=mutants)
    found = analyse(answers, _scores(answers, plan, seed), against=plan.against, draws=draws, seed=seed)
    title = f"study of {folder}" + (", mutants" if mutants else "") + (f", {perturb}" if perturb else "")
    if figure is not None:
        _write(figure, svg(found, title))
    if json:
        put_json({"perturb": perturb or None, "mutants": mutants, **as_json(found)})
    else:
        show(document(found, title))


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is measured, on what, and against what."""

    metrics: "dict[str, Metric]"
    externals: "list[External]"
    perturb: str
    against: str


def _plan(metrics: str, externals: list[str], *, perturb: str, against: str) -> _Plan:
    from runner.errors import InputError
    from runner.metrics import METRICS, metrics_named
    from runner.study.external import external

    named = dict(METRICS) if metrics == "all" else metrics_named(name.strip() for name in metrics.split(","))
    others = [external(given) for given in externals]
    names = [*named, *(other.name for other in others)]
    if len(set(names)) < len(names):
        raise InputError(f"--external: two measures have one name among {', '.join(names)}; rename one")
    if perturb not in {"", "prefix"}:
        raise InputError(f"--perturb: {perturb!r} is not known; give prefix")
    if against and against not in names:
        raise InputError(f"--against: {against!r} is not measured; choose from {', '.join(names)}")
    return _Plan(named, others, perturb, against or ("es-token" if "es-token" in names else names[0]))


def _answers(folder: Path, *, models: str, rounds: int, seed: int, mutants: bool) -> "list[Answer]":
    from runner.errors import InputError
    from runner.execution.isolation import strongest
    from runner.execution.script_judge import ScriptJudge, search_path
    from runner.metrics.labelled_answers import read_answers, read_problems
    from runner.study.judge import judged_mutants

    if not mutants:
        return read_answers(folder, models)
    if models:
        raise InputError("--models: mutants are by no model; leave it out")
    problems = read_problems(folder).values()
    # Mutants are changed copies of what the user brought: where no cell can be made, limits are enough for them.
    judge, workers = ScriptJudge(search_path(os.environ), strongest()), os.cpu_count() or 1
    with _progress("judging mutants", None) as advance:
        return judged_mutants(problems, judge, rounds=rounds, seed=seed, workers=workers, advance=advance)


def _scores(answers: "list[Answer]", plan: _Plan, seed: int) -> "dict[str, Floats]":
    from runner.study.external import score_externally
    from runner.study.perturb import with_prefix
    from runner.study.scores import score_answers

    shown = list(with_prefix(answers, seed)) if plan.perturb else answers
    with _progress("scoring answers", len(shown)) as advance:
        scores = score_answers(shown, plan.metrics, advance)
    return scores | {other.name: score_externally(other, shown, os.environ) for other in plan.externals}


def _write(path: Path, text: str) -> None:
    from runner.errors import InputError

    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"--figure: {path}: cannot be written ({error.strerror}); give another path") from None


@contextmanager
def _progress(what: str, total: int | None) -> Iterator[Callable[[], None]]:
    """A bar on a terminal that goes away at the end; nothing elsewhere."""
    from rich.progress import Progress

    from runner.console import terminal

    console = terminal()
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)
