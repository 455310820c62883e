"""`evals study`: how well the metrics of edits agree with the results of tests."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Argument, Option

from runner.cli.options import METRICS, metric_names
from runner.run.options import Json, Wide

if TYPE_CHECKING:
    from runner.metrics.labelled_answers import LabelledAnswer
    from runner.stats.correlation import Floats
    from runner.study.measures import Measures

_FOLDER = "A folder with problems.jsonl and, unless --mutants, predictions.jsonl (either may be .gz)."
_METRICS = "Metrics, comma-separated; may be repeated; `all` for every metric."
_MODELS = "Only answers of models whose name matches this regular expression."
_PERTURB = "prefix: put random text before all three documents."
_AGAINST = "The measure to compare the others with. [default: es-token, or else the first; best-single with --combine]"
_COMBINE = "Add a linear combination of the measures, and the best of them alone, fitted to other problems."
_MUTANTS = "Make mutants of the references, and judge them by the problems' tests."
_EXTERNAL = "Another program as a measure: it reads JSON rows and prints one number per line; may be repeated."
DEFAULT = "exact,nes,chrf,bleu,diffbleu,delta-chrf,sari,sans-lcs,es-line,es-token"


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyOptions:
    """The options of `evals study`."""

    folder: Annotated[Path, Argument(metavar="DIR", help=_FOLDER)]
    metrics: Annotated[list[str], Option(*METRICS, help=_METRICS)] = field(default_factory=lambda: [DEFAULT])
    models: Annotated[str, Option("--models", help=_MODELS)] = ""
    perturb: Annotated[Literal["prefix"] | None, Option("--perturb", help=_PERTURB)] = None
    against: Annotated[str, Option("--against", help=_AGAINST)] = ""
    external: Annotated[list[str] | None, Option("--external", metavar="NAME=COMMAND", help=_EXTERNAL)] = None
    combine: Annotated[bool, Option("--combine", help=_COMBINE)] = False
    draws: Annotated[int, Option("--draws", min=10, help="The number of resamples of the problems.")] = 2000
    seed: Annotated[int, Option("--seed", min=0, help="The seed of resamples, prefixes and mutants.")] = 0
    mutants: Annotated[bool, Option("--mutants", help=_MUTANTS)] = False
    rounds: Annotated[
        int, Option("--rounds", min=1, help="The maximum number of mutants of each kind and problem.")
    ] = 3
    figure: Annotated[Path | None, Option("--figure", help="Write a figure to this file, as SVG.")] = None
    json: Json = False
    wide: Wide = False


def study(options: StudyOptions) -> None:
    """Correlate metrics of edits with the results of tests.

    Intervals come from resamples of the problems.
    """
    from runner.console import put_json, show
    from runner.study.analysis import analyse
    from runner.study.figure import svg
    from runner.study.measures import measures_of
    from runner.study.present import as_json, document

    metrics, external = metric_names(options.metrics), options.external or ()
    measures = measures_of(metrics, external, options.against, combine=options.combine)
    answers = _answers(options)
    scores = _scores(answers, measures, options)
    result = analyse(answers, scores, against=measures.against, draws=options.draws, seed=options.seed)
    parts = (f"study of {options.folder}", "mutants" if options.mutants else "", options.perturb or "")
    title = ", ".join(filter(None, parts))
    if options.figure is not None:
        _write(options.figure, svg(result, title))
    if options.json:
        put_json({"perturb": options.perturb, "mutants": options.mutants, **as_json(result)})
    else:
        show(document(result, title), wide=options.wide)


def _answers(options: StudyOptions) -> "list[LabelledAnswer]":
    from runner.errors import InputError
    from runner.metrics.labelled_answers import read_answers
    from runner.study.judge import mutants_of

    if not options.mutants:
        return read_answers(options.folder, options.models)
    if options.models:
        raise InputError("--models: mutants are by no model; leave it out")
    with _progress("judging mutants", None) as advance:
        return mutants_of(options.folder, os.environ, rounds=options.rounds, seed=options.seed, advance=advance)


def _scores(answers: "list[LabelledAnswer]", measures: "Measures", options: StudyOptions) -> "dict[str, Floats]":
    from runner.study.perturb import with_prefix

    scored = list(with_prefix(answers, options.seed)) if options.perturb else answers
    with _progress("scoring answers", len(scored)) as advance:
        return measures.scores(scored, os.environ, advance, seed=options.seed)


def _write(path: Path, text: str) -> None:
    from runner.errors import InputError

    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"--figure: {path}: cannot be written ({error.strerror}); give another path") from None


@contextmanager
def _progress(what: str, total: int | None) -> Iterator[Callable[[], None]]:
    """Show a progress bar on a terminal, removed at the end; nothing elsewhere."""
    from rich.progress import Progress

    from runner.console import terminal

    console = terminal()
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)
