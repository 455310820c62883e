"""Who really answered, in words: notes of a report on models and upstreams, and the line of an attempt."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from runner.report.export import Record
from runner.report.summary import VariantSummary
from suts.model_names import asked_model, is_same_model
from suts.variants import routing_of


def served_notes(variants: Sequence[VariantSummary]) -> Iterator[str]:
    """Yield who answered each system where that is another name than was asked for, and where upstreams can be pinned.

    A router's upstreams differ in quantization and in speed, so figures over several are of none of them.
    """
    real = [variant for variant in variants if not variant.simulated]
    for sut in dict.fromkeys(variant.sut for variant in real):
        counts = Counter[str]()
        for variant in real:
            if variant.sut == sut:
                counts.update(variant.served_models)
        yield from _model_notes(sut, counts)
    for variant in real:
        if len(variant.upstreams) > 1 and not routing_of(variant.sut).upstream:
            yield f"not pinned: {variant.sut}, {variant.prompt}: name one upstream: model@upstream=NAME"


def _model_notes(sut: str, counts: Mapping[str, int]) -> Iterator[str]:
    requested, total = asked_model(sut), sum(counts.values())
    for model, count in counts.items():
        if not is_same_model(requested, model):
            yield f"another model: {count} of {total} answers of {sut} are of {model}, as the server reports"
        elif model != requested:
            yield f"served: {sut} was answered by {model}"


def served_line(record: Record) -> str:
    """Return who served an attempt where that is more than its name says; "" otherwise."""
    served, upstream = record["served_model"], record["upstream"]
    if record["simulated"] or not (upstream or (served and served != asked_model(record["model_id"]))):
        return ""
    warning = (
        "" if not served or is_same_model(asked_model(record["model_id"]), served) else ", not the model asked for"
    )
    return f"answered by {served or 'a model that is not reported'}{f' at {upstream}' if upstream else ''}{warning}"
