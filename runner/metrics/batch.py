"""Scores rows of {origin, reference or references, hypothesis, lang, id}, one result for each."""

from collections.abc import Iterable, Iterator, Mapping

from runner.jsonl import Row
from runner.languages import language_named
from runner.metrics.alignment import TooLargeError
from runner.metrics.edit_rows import EditRow, references_of
from runner.metrics.sample import Metric, Sample


class SampleRow(EditRow, frozen=True, kw_only=True):
    """A row to be scored."""

    hypothesis: str
    lang: str | None = None


def score_rows(rows: Iterable[Row], metrics: Mapping[str, Metric], language: str | None) -> Iterator[dict[str, object]]:
    """`{"row", "id", "scores"}` for each row; `id` only where the row has one.

    A row too large for a metric goes without that score, its reason under `errors`. Raises InputError naming
    file, line and field.
    """
    for number, row in enumerate(rows, 1):
        scores, errors = _score(sample_of(row, language), metrics)
        result: dict[str, object] = {"row": number}
        if "id" in row.values:
            result["id"] = row.values["id"]
        result["scores"] = scores
        if errors:
            result["errors"] = errors
        yield result


def sample_of(row: Row, language: str | None) -> Sample:
    """Return a row's sample; its own language goes before `language`."""
    form = row.read(SampleRow)
    return Sample(
        form.origin,
        references_of(row, form),
        form.hypothesis,
        language if form.lang is None else language_named(form.lang, f"{row.where}: field 'lang'"),
    )


def _score(sample: Sample, metrics: Mapping[str, Metric]) -> tuple[dict[str, float], dict[str, str]]:
    scores: dict[str, float] = {}
    errors: dict[str, str] = {}
    for name, metric in metrics.items():
        try:
            scores[name] = metric(sample)
        except TooLargeError as error:
            errors[name] = str(error)
    return scores, errors
