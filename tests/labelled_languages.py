"""Commits in Go, Java, TypeScript and JavaScript with labels of two passes, and how well the passes and we agree."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from runner.suites.nextedit.bundles import Bundle, commits_of
from runner.suites.nextedit.commits import Commit, Origin, Touched
from runner.suites.nextedit.order import order_graph
from runner.suites.nextedit.order.graph import Pair
from runner.suites.nextedit.order.labels import Agreement, agreement, total
from tests.nextedit import ANY_SIZE, FIXTURES
from tests.runner.suites.nextedit.order.order_cases import read_cases

LANGUAGES = {"go": "Go", "java": "Java", "typescript": "TypeScript", "javascript": "JavaScript"}
_FOLDER = FIXTURES / "labelled"


@dataclass(frozen=True, slots=True)
class TwiceLabelled:
    """A commit and the pairs of edits that each of two passes relates, lower number first."""

    name: str
    commit: Commit
    first: frozenset[Pair]
    second: frozenset[Pair]

    def against_each_other(self) -> Agreement:
        """The second pass judged by the first."""
        return agreement(len(self.commit.edits), self.second, self.first)

    def ours(self, labels: frozenset[Pair]) -> Agreement:
        """The rules judged by the labels of a pass."""
        return agreement(len(self.commit.edits), order_graph(self.commit).pairs(), labels)


@dataclass(frozen=True, slots=True)
class LanguageFigures:
    """The pairs of a language, the share on which both passes agree, Cohen's kappa, and our F1 by either pass."""

    commits: int
    edits: int
    pairs: int
    agreed: float
    kappa: float
    first: Agreement
    second: Agreement


def labelled_in(language: str) -> list[TwiceLabelled]:
    """The commits of a language. Raises ValueError or KeyError where the passes do not name the same commits."""
    cases = read_cases(_FOLDER / f"{language}.txt")
    second = dict(_second_pass(language))
    bundles = [
        Bundle(
            Origin("0" * 40, ""),
            case.name,
            # A file without a line is not there.
            tuple(Touched(path, *(text or None for text in texts)) for path, texts in sorted(case.versions().items())),
        )
        for case in cases
    ]
    labelled = [
        TwiceLabelled(case.name, commit, frozenset(case.pairs), second.pop(case.name))
        for case, commit in zip(cases, commits_of(bundles, ANY_SIZE), strict=True)
        if isinstance(commit, Commit)
    ]
    if second:
        raise ValueError(f"second/{language}.txt names no commit of {language}.txt: {', '.join(second)}")
    return labelled


def _second_pass(language: str) -> Iterator[tuple[str, frozenset[Pair]]]:
    for line in (_FOLDER / "second" / f"{language}.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, pairs = line.rpartition(": ")
            numbers = (pair.split("-") for pair in pairs.split(", ") if pair != "none")
            yield name, frozenset((int(one), int(two)) for one, two in numbers)


def figures(labelled: Sequence[TwiceLabelled]) -> LanguageFigures:
    """What is published of a language."""
    passes = total(each.against_each_other() for each in labelled)
    return LanguageFigures(
        commits=len(labelled),
        edits=sum(len(each.commit.edits) for each in labelled),
        pairs=passes.pairs,
        agreed=passes.accuracy,
        kappa=kappa(passes),
        first=total(each.ours(each.first) for each in labelled),
        second=total(each.ours(each.second) for each in labelled),
    )


def kappa(passes: Agreement) -> float:
    """Cohen's kappa of two passes (1960): agreement beyond what their shares of related pairs give by chance."""
    one = (passes.hits + passes.missed) / passes.pairs
    two = (passes.hits + passes.false) / passes.pairs
    chance = one * two + (1 - one) * (1 - two)
    return (passes.accuracy - chance) / (1 - chance)
