"""The variants of a run: those that its options choose, those that the database holds, and these with other parts."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace
from itertools import product
from typing import NamedTuple, Protocol

from diff_apply.result import DiffAlgorithm
from parsers.blocks import Parser
from runner.calls import NATIVE, calls_of
from runner.run.resolve import Named, never_imported
from runner.storage.runs import variant_rows
from runner.storage.store import Store
from runner.variant import Variant
from suts.sut import Sut


class Part(Protocol):
    """A prompt, a parser or a diff algorithm, as a variant names it."""

    @property
    def name(self) -> str:
        """The name under which results are kept; "" where a suite has no such part."""
        ...

    @property
    def digest(self) -> str:
        """Hexadecimal digits of all that its results depend on; "" where nothing is known of it."""
        ...


class PartName(NamedTuple):
    """A part of which a suite has no more than the name and the digest."""

    name: str = ""
    digest: str = ""


_NONE = PartName()


def variant_of(sut: Sut, prompt: Part, parser: Part, algorithm: Part = _NONE) -> Variant:
    """Return the variant of these parts."""
    return Variant(
        sut=sut.name,
        prompt=prompt.name,
        parser=parser.name,
        diff_algorithm=algorithm.name,
        prompt_digest=prompt.digest,
        parser_digest=parser.digest,
        algorithm_digest=algorithm.digest,
        endpoint=sut.endpoint.base_url,
        simulated=sut.endpoint.simulated,
    )


def local_variant(name: str, parser: Part = _NONE, *, endpoint: str) -> Variant:
    """Return the variant of a system that runs on this machine, is no model and has no prompt."""
    return Variant(name, "", parser.name, "", "", parser.digest, "", endpoint, simulated=False)


def variants_of(
    suts: Iterable[Sut], prompts: Iterable[Part], parser: Part, algorithms: Iterable[Part] = (_NONE,)
) -> Iterator[Variant]:
    """Yield every combination, in order."""
    for sut, prompt, algorithm in product(suts, prompts, algorithms):
        yield variant_of(sut, prompt, parser, algorithm)


def variants_on_record(store: Store, run_id: str) -> list[Variant]:
    """Return the variants of a run, in order."""
    names = [field.name for field in fields(Variant)]
    return [
        Variant(**{**{name: row[name] for name in names}, "simulated": bool(row["simulated"])})
        for row in variant_rows(store, run_id)
    ]


def recorded_algorithms(variants: Iterable[Variant]) -> list[str]:
    """Return the diff algorithms on record, in order. Raises InputError for a plug-in's."""
    return [never_imported("--diff-apply", name) for name in dict.fromkeys(row.diff_algorithm for row in variants)]


def swapped(
    variants: Sequence[Variant],
    parser: Named[Parser],
    algorithms: Iterable[Named[DiffAlgorithm]],
    native: Named[Parser] | None = None,
) -> list[Variant]:
    """Return the variants with another parser and other algorithms, without duplicates.

    Native calls have a parser of their own, `native`.
    """

    def parser_of(variant: Variant) -> Named[Parser]:
        return native if native is not None and calls_of(variant.prompt) == NATIVE else parser

    return list(
        dict.fromkeys(
            replace(
                variant,
                parser=parser_of(variant).name,
                parser_digest=parser_of(variant).digest,
                diff_algorithm=algorithm.name,
                algorithm_digest=algorithm.digest,
            )
            for algorithm in algorithms
            for variant in variants
        )
    )
