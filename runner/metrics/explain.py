"""Shows what an Excision Score is made of: each region's n-grams that match, are missed, or are spurious."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from runner.metrics.excision import Excision, TokenRegion
from runner.metrics.ngrams import ORDERS, Operation

Verdict = Literal["matched", "missed", "spurious"]
Gram = tuple[str, ...]

OPERATIONS: tuple[Operation, ...] = ("keep", "add", "delete")


@dataclass(frozen=True, slots=True)
class Explained:
    """A region and its n-grams by operation and verdict, short ones first."""

    region: TokenRegion
    grams: dict[tuple[Operation, Verdict], list[Gram]] = field(default_factory=dict)


def explain(result: Excision) -> list[Explained]:
    """Return every counted n-gram, given to the first region that holds it; over all regions they add up to the cells.

    Matching is blind to regions, so an n-gram matched in one may stand for the same n-gram asked for in another.
    """
    explained = [Explained(region) for region in result.regions]
    for order in range(1, ORDERS + 1):
        origins, references, hypotheses = (
            [Counter(_grams(getattr(region, name), order)) for region in result.regions]
            for name in ("origin", "reference", "hypothesis")
        )
        judged = _judge(_total(origins), _total(references), _total(hypotheses))
        for (operation, verdict), grams in judged.items():
            requested, done = (origins, origins) if operation == "delete" else (references, hypotheses)
            _hand_out(grams, requested if verdict == "missed" else done, explained, (operation, verdict))
    return explained


def lines_of(name: str, result: Excision) -> Iterator[str]:
    """Yield the explanation as lines for a person."""
    parts = result.components
    scores = (f"{operation} {_number(getattr(parts, operation))}" for operation in OPERATIONS)
    yield f"{name} {result.score:.4f}: {', '.join(scores)}"
    if result.score != parts.score:
        yield f"  by rule, not by the mean of its parts ({parts.score:.4f}): {_rule(result.score)}"
    for number, explanation in enumerate(explain(result), 1):
        yield f"region {number} of {len(result.regions)}"
        for row in ("origin", "reference", "hypothesis"):
            yield f"  {row:<11}{_table_text(getattr(explanation.region, row)) or '(nothing)'}"
        for (operation, verdict), grams in explanation.grams.items():
            yield f"    {operation:<7}{verdict:<9}{' | '.join(map(_table_text, grams))}"


def as_json(result: Excision) -> dict[str, object]:
    """Return the explanation as data."""
    return {
        "score": result.score,
        "components": {operation: getattr(result.components, operation) for operation in OPERATIONS},
        "cells": {
            operation: [{"good": cell.good, "done": cell.done, "asked": cell.requested} for cell in cells]
            for operation, cells in result.cells.items()
        },
        "regions": [
            {
                "origin": explanation.region.origin,
                "reference": explanation.region.reference,
                "hypothesis": explanation.region.hypothesis,
                "ngrams": [
                    {"operation": operation, "verdict": verdict, "ngrams": grams}
                    for (operation, verdict), grams in explanation.grams.items()
                ],
            }
            for explanation in explain(result)
        ],
    }


def _grams(tokens: Sequence[str], order: int) -> Iterator[Gram]:
    return zip(*(tokens[start:] for start in range(order)), strict=False)


def _total(counters: Iterable[Counter[Gram]]) -> Counter[Gram]:
    return sum(counters, start=Counter[Gram]())


def _judge(
    origin: Counter[Gram], reference: Counter[Gram], hypothesis: Counter[Gram]
) -> dict[tuple[Operation, Verdict], Counter[Gram]]:
    done_and_asked: dict[Operation, tuple[Counter[Gram], Counter[Gram]]] = {
        "keep": (origin & hypothesis, origin & reference),
        "add": (Counter(hypothesis.keys() - origin.keys()), Counter(reference.keys() - origin.keys())),
        "delete": (origin - hypothesis, origin - reference),
    }
    judged: dict[tuple[Operation, Verdict], Counter[Gram]] = {}
    for operation, (done, requested) in done_and_asked.items():
        judged[operation, "matched"] = done & requested
        judged[operation, "missed"] = requested - done
        judged[operation, "spurious"] = done - requested
    return judged


def _hand_out(
    grams: Counter[Gram],
    holders: Sequence[Counter[Gram]],
    explained: Sequence[Explained],
    kind: tuple[Operation, Verdict],
) -> None:
    rest = grams
    for holder, explanation in zip(holders, explained, strict=True):
        if mine := holder & rest:
            explanation.grams.setdefault(kind, []).extend(mine.elements())
            rest = rest - mine


def _rule(score: float) -> str:
    return "does what the reference does" if score else "it or the reference changes nothing"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _table_text(tokens: Sequence[str]) -> str:
    return " ".join(token if token.isprintable() and not token.isspace() else repr(token) for token in tokens)
