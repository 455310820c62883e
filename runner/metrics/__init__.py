"""Scores of an edit: how much of what was asked for was done, and what else was done besides.

| name | range | compares |
| --- | --- | --- |
| `es-token` | 0..1 | edits: tokens of the syntax tree, what the three documents share cut out |
| `es-line` | 0..1 | edits: aligned by lines, n-grams of words |
| `es-text` | 0..1 | edits: words of prose, or of code in an unknown language |
| `sari` | 0..1 | edits: tokens as for `es-token` without layout, nothing cut out |
| `sari-xu`, `sari-hf` | 0..1 | edits: as the published script and Hugging Face evaluate count them |
| `sans-lcs` | 0..1 | edits: like `es-token`, n-grams reaching across what was cut out |
| `bleu`, `chrf` | 0..1 | texts: sacrebleu |
| `diffbleu` | 0..1 | edits: BLEU of the changed lines |
| `nes`, `ed` | 0..1, <= 0 | texts: characters |
| `exact` | 0 or 1 | tokens |
| `delta-chrf` | 0..1 | edits: changes of character n-gram counts |

Higher is better for all of them.
"""

from collections.abc import Iterable, Sequence

from runner.errors import InputError
from runner.metrics import excision, sari, similarity
from runner.metrics.alignment import TooLargeError
from runner.metrics.delta import delta_chrf
from runner.metrics.excision import excision_score
from runner.metrics.sample import Metric, Sample
from runner.metrics.tokens import leaves

__all__ = [
    "DEFAULT_METRICS",
    "GRANULARITIES",
    "METRICS",
    "Metric",
    "Sample",
    "TooLargeError",
    "metrics_named",
    "score_edit",
]


def _es_line(sample: Sample) -> float:
    return excision_score(sample, excision.LINE)


def _es_text(sample: Sample) -> float:
    return excision_score(sample, excision.TEXT)


def _sans_lcs(sample: Sample) -> float:
    return excision_score(sample, excision.TOKEN, excision.Conventions(across=True))


def _sari(sample: Sample) -> float:
    def split(text: str) -> Sequence[str]:
        return (*leaves(sample.preamble, None), *leaves(text, sample.language, "never"))

    references = [split(reference) for reference in sample.references]
    return sari.sari(split(sample.origin), references, split(sample.hypothesis)).score


def _sari_xu(sample: Sample) -> float:
    return sari.of_texts(sample, sari.split_xu, sari.XU)


def _sari_hf(sample: Sample) -> float:
    return sari.of_texts(sample, sari.split_hf, sari.HF)


METRICS: dict[str, Metric] = {
    "es-token": excision_score,
    "es-line": _es_line,
    "es-text": _es_text,
    "sari": _sari,
    "sari-xu": _sari_xu,
    "sari-hf": _sari_hf,
    "sans-lcs": _sans_lcs,
    "bleu": similarity.bleu,
    "chrf": similarity.chrf,
    "diffbleu": similarity.diff_bleu,
    "nes": similarity.edit_similarity,
    "ed": similarity.edit_distance,
    "exact": similarity.exact,
    "delta-chrf": delta_chrf,
}
DEFAULT_METRICS = ("es-token", "es-line")
# The metrics whose score `excision.excise` can take apart.
GRANULARITIES = {"es-token": excision.TOKEN, "es-line": excision.LINE, "es-text": excision.TEXT}


def metrics_named(names: Iterable[str]) -> dict[str, Metric]:
    """Return the metrics of these names, in their order. Raises InputError naming those there are."""
    requested = list(names)
    for name in requested:
        if name not in METRICS:
            raise InputError(f"--metrics: no metric is called {name!r}: choose from {', '.join(METRICS)}")
    return {name: METRICS[name] for name in requested}


def score_edit(
    origin: str, references: Sequence[str], hypothesis: str, language: str | None = None
) -> dict[str, float]:
    """Return the default metrics of one edit, without those whose documents are too large to align.

    An answer that equals a reference, or that changes nothing, is scored without an alignment.
    """
    sample = Sample(origin, tuple(references), hypothesis, language)
    scores = {}
    for name in DEFAULT_METRICS:
        try:
            scores[name] = METRICS[name](sample)
        except TooLargeError:
            continue
    return scores
