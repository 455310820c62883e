"""`evals score`: one edit, or a file of edits, by the metrics of edits."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from runner.cli.options import Json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runner.metrics import Metric, Sample

_METRIC = "Metrics, parted by commas or given again; es-token and es-line if not given."
_BATCH = "Score rows {origin, reference, hypothesis} of a JSON-lines file (- reads stdin), a JSON line each to stdout."


def score(
    origin: Annotated[Path | None, typer.Argument(metavar="ORIGIN", help="The file before the edit.")] = None,
    reference: Annotated[
        Path | None, typer.Argument(metavar="REFERENCE", help="The file after the edit that was asked for.")
    ] = None,
    hypothesis: Annotated[
        Path | None, typer.Argument(metavar="HYPOTHESIS", help="The file after the edit to judge.")
    ] = None,
    references: Annotated[
        list[Path] | None, typer.Option("--reference", "-r", help="One more acceptable file; the best counts.")
    ] = None,
    metric: Annotated[list[str] | None, typer.Option("--metric", "--metrics", "-m", help=_METRIC)] = None,
    lang: Annotated[str, typer.Option(help="The language; told by the files' names if not given.")] = "",
    explain: Annotated[bool, typer.Option("--explain", help="Show regions, and n-grams matched or not.")] = False,
    batch: Annotated[Path | None, typer.Option(help=_BATCH)] = None,
    json: Json = False,
) -> None:
    """Score an edit: how much of what was asked for was done, and what else was done besides."""
    from runner.errors import InputError
    from runner.metrics import DEFAULT_METRICS, metrics_named
    from runner.metrics.files import read_sample

    named = [name.strip() for given in metric or [] for name in given.split(",")]
    metrics = metrics_named(named or DEFAULT_METRICS)
    if batch is not None:
        if origin or explain:
            raise InputError("--batch: it takes the place of files and has no --explain; leave them out")
        _score_batch(batch, metrics, lang)
    elif origin and reference and hypothesis:
        sample = read_sample(origin, (reference, *(references or [])), hypothesis, lang)
        _score_one(sample, metrics, explain=explain, json=json)
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


def _score_one(sample: "Sample", metrics: "Mapping[str, Metric]", *, explain: bool, json: bool) -> None:
    from runner.console import put, put_json, show_lines
    from runner.errors import InputError
    from runner.metrics import GRANULARITIES
    from runner.metrics.alignment import TooLargeError
    from runner.metrics.excision import excise
    from runner.metrics.explain import as_json, lines_of

    explained = next((name for name in metrics if name in GRANULARITIES), "es-token")
    try:
        scores = {name: metric(sample) for name, metric in metrics.items()}
        result = excise(sample, GRANULARITIES[explained]) if explain else None
    except TooLargeError as error:
        raise InputError(f"score: {error}; score by lines, with --metric es-line, or smaller files") from None
    if json:
        told = {"explain": {"metric": explained, **as_json(result)}} if result else {}
        put_json({"language": sample.language, "scores": scores, **told})
        return
    width = max(map(len, scores))
    put("".join(f"{name:<{width}}  {value:.4f}\n" for name, value in scores.items()))
    if result:
        show_lines(lines_of(explained, result))
