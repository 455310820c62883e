"""What there is to choose from: prompts, parsers, algorithms and metrics, each with its digest and one line."""

import re
from dataclasses import dataclass
from importlib import import_module

_WIDTH = 100


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """One name that an option accepts; `digest` identifies it in results, None where it has no digest."""

    name: str
    digest: str | None
    line: str


def prompts() -> list[CatalogueEntry]:
    """Return the prompts; a line is the wording's beginning."""
    from prompts import PROMPTS, load

    prompts = [load(name) for name in PROMPTS]
    return [CatalogueEntry(prompt.name, prompt.digest, _shortened(prompt.wording)) for prompt in prompts]


def parsers() -> list[CatalogueEntry]:
    """Return the parsers; a line is what a parser's module says that it is for."""
    from parsers import PARSERS
    from runner.digests import parser_digest

    return [
        CatalogueEntry(
            name, parser_digest(name), _shortened(import_module(f"parsers.{name.replace('-', '_')}").__doc__)
        )
        for name in PARSERS
    ]


def algorithms() -> list[CatalogueEntry]:
    """Return the diff algorithms; a line is their engine's, and the stages that it looks for a SEARCH with."""
    from diff_apply import DIFF_ALGORITHMS
    from runner.digests import algorithm_digest

    entries = []
    for name, algorithm in DIFF_ALGORITHMS.items():
        stages = ", ".join(stage.__name__ for stage in getattr(algorithm, "stages", ()))
        line = re.split(r"[.,](?:\s|$)", _shortened(type(algorithm).__doc__))[0]
        entries.append(CatalogueEntry(name, algorithm_digest(name), f"{line}: {stages}" if stages else line))
    return entries


def metrics() -> list[CatalogueEntry]:
    """Return the metrics; range and line are those of the table that describes them."""
    import runner.metrics

    described: dict[str, str] = {}
    for names, reach, line in re.findall(
        r"^\| (`.*?) \| (.*?) \| (.*?) \|$", runner.metrics.__doc__ or "", re.MULTILINE
    ):
        ranges = reach.split(", ")
        for at, name in enumerate(re.findall(r"`([\w-]+)`", names)):
            described[name] = f"{ranges[min(at, len(ranges) - 1)]}, {line}"
    return [CatalogueEntry(name, None, described[name]) for name in runner.metrics.METRICS]


CATALOGUES = {"prompts": prompts, "parsers": parsers, "algorithms": algorithms, "metrics": metrics}


def _shortened(text: str | None) -> str:
    line = (text or "").strip().split("\n")[0]
    return line if len(line) <= _WIDTH else line[: _WIDTH - 1].rsplit(" ", 1)[0] + "…"
