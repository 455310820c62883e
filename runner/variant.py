"""A variant: one choice of system, prompt, parser and diff algorithm, and the signature that names it whole."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from diff_apply.result import DiffAlgorithm
from parsers.blocks import Parser
from prompts import Prompt
from runner.choices import Named
from suts.sut import Sut


@dataclass(frozen=True, slots=True)
class Variant:
    """What a row of `variants` holds; "" where a suite has no such part."""

    sut: str
    prompt: str
    parser: str
    diff_algorithm: str
    prompt_digest: str
    parser_digest: str
    algorithm_digest: str
    endpoint: str
    simulated: bool

    def signature(self, suite: str, cases_digest: str, version: str) -> str:
        """Two numbers may be compared when their signatures differ in exactly the part under study."""
        parts = (
            suite,
            self.sut,
            _at(self.prompt, self.prompt_digest),
            _at(self.parser, self.parser_digest),
            _at(self.diff_algorithm, self.algorithm_digest),
            f"cases@{cases_digest}",
            version,
        )
        return "|".join(parts)


def _at(name: str, digest: str) -> str:
    return f"{name}@{digest}" if digest else name


def variants_of(
    suts: Iterable[Sut],
    prompts: Iterable[Prompt],
    parser: Named[Parser],
    algorithms: Iterable[Named[DiffAlgorithm]],
) -> Iterator[Variant]:
    """Every combination, in the order given."""
    for sut, prompt, algorithm in product(suts, prompts, tuple(algorithms)):
        yield Variant(
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
