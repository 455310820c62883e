"""`evals score`: score one edit, or a file of edits, by the metrics of edits."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from runner.cli.options import Metrics, metric_names
from runner.run.options import Json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runner.metrics import Metric, Sample

_BATCH = (
    "Score each row {origin, reference, hypothesis} of a JSON-lines file (- for stdin); prints a JSON line per row."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreOptions:
    """The options of `evals score`."""

    origin: Annotated[Path | None, Argument(metavar="ORIGIN", help="The file before the edit.")] = None
    reference: Annotated[Path | None, Argument(metavar="REFERENCE", help="The file after the requested edit.")] = None
    hypothesis: Annotated[Path | None, Argument(metavar="HYPOTHESIS", help="The file after the edit to score.")] = None
    references: Annotated[
        list[Path] | None, Option("--reference", "-r", help="Another acceptable file; the best score counts.")
    ] = None
    metrics: Metrics = field(default_factory=lambda: ["es-token,es-line"])
    lang: Annotated[str, Option("--lang", help="The language. [default: by the file names]")] = ""
    explain: Annotated[bool, Option("--explain", help="Show the changed regions, and which n-grams match.")] = False
    batch: Annotated[Path | None, Option("--batch", help=_BATCH)] = None
    json: Json = False


def score(options: ScoreOptions) -> None:
    """Score one edit, or a file of edits, by metrics.

    The metrics measure how much of the requested edit was made, and what else was changed.
    """
    from runner.errors import InputError
    from runner.metrics import metrics_named
    from runner.metrics.files import read_sample

    metrics = metrics_named(metric_names(options.metrics))
    if options.batch is not None:
        if options.origin or options.explain:
            raise InputError("--batch: replaces the files and has no --explain; leave them out")
        _score_batch(options.batch, metrics, options.lang)
    elif options.origin and options.reference and options.hypothesis:
        references = (options.reference, *(options.references or []))
        _score_edit(read_sample(options.origin, references, options.hypothesis, options.lang), metrics, options)
    else:
        raise InputError("score: three files are needed; give ORIGIN REFERENCE HYPOTHESIS, or --batch FILE")


def _score_batch(batch: Path, metrics: "Mapping[str, Metric]", lang: str) -> None:
    import orjson

    from runner.console import put
    from runner.jsonl import read_rows
    from runner.languages import language_named
    from runner.metrics.batch import score_rows

    for result in score_rows(read_rows(batch), metrics, language_named(lang, "--lang") if lang else None):
        put(orjson.dumps(result).decode() + "\n")


def _score_edit(sample: "Sample", metrics: "Mapping[str, Metric]", options: ScoreOptions) -> None:
    from runner.console import put, put_json, show_lines
    from runner.errors import InputError
    from runner.metrics import GRANULARITIES
    from runner.metrics.alignment import TooLargeError
    from runner.metrics.excision import excise
    from runner.metrics.explain import as_json, lines_of

    metric = next((name for name in metrics if name in GRANULARITIES), "es-token")
    try:
        scores = {name: measure(sample) for name, measure in metrics.items()}
        result = excise(sample, GRANULARITIES[metric]) if options.explain else None
    except TooLargeError as error:
        raise InputError(f"score: {error}; score smaller files, or with --metrics es-line or exact") from None
    if options.json:
        explanation = {"explain": {"metric": metric, **as_json(result)}} if result else {}
        put_json({"language": sample.language, "scores": scores, **explanation})
        return
    width = max(map(len, scores))
    put("".join(f"{name:<{width}}  {value:.4f}\n" for name, value in scores.items()))
    if result:
        show_lines(lines_of(metric, result))
