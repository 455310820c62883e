"""Systems compared in pairs on the commits that both replayed, one figure at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from runner.document import Table
from runner.stats.multiplicity import holm
from runner.stats.paired import PairedDifference, paired_difference
from runner.stats.paired_test import paired_test
from runner.suites.nextedit.steps import CommitReplay
from runner.suites.nextedit.summary import share_by_commit

FIGURES = ("f1", "precision", "recall", "hit@1", "accepted whole", "keystrokes saved")
_LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class SystemPair:
    """The difference first - second of one figure, a mean over commits; `p_value` is adjusted over all pairs."""

    figure: str
    first: str
    second: str
    difference: PairedDifference
    p_value: float

    @property
    def verdict(self) -> str:
        """Who has more, `=` where no difference is shown."""
        interval = self.difference.interval
        if self.p_value > _LEVEL or interval.low <= 0 <= interval.high:
            return "="
        return self.first if interval.estimate > 0 else self.second


def system_pairs(replays: Mapping[str, Sequence[CommitReplay]], simulated: Sequence[str]) -> list[SystemPair]:
    """The comparisons of a run; simulated systems are not compared with others, nor what has fewer than two commits."""
    pairs = []
    for figure in FIGURES:
        shares = {name: share_by_commit(figure, rows) for name, rows in replays.items()}
        compared = []
        for first, second in combinations(replays, 2):
            if (first in simulated) != (second in simulated):
                continue
            common = [commit for commit in shares[first] if commit in shares[second]]
            clusters = [[shares[first][commit] - shares[second][commit]] for commit in common]
            difference = paired_difference(clusters)
            if difference is not None:
                p_value = paired_test(clusters, single=False).p_value
                compared.append(SystemPair(figure, first, second, difference, p_value))
        adjusted = holm([pair.p_value for pair in compared])
        pairs += [replace(pair, p_value=p_value) for pair, p_value in zip(compared, adjusted, strict=True)]
    return pairs


def pairs_json(pairs: Sequence[SystemPair]) -> list[dict[str, object]]:
    """The comparisons as plain data; differences are shares, from -1 to 1."""
    return [
        {
            "figure": pair.figure,
            "first": pair.first,
            "second": pair.second,
            "commits": pair.difference.cases,
            "difference": [
                pair.difference.interval.estimate,
                pair.difference.interval.low,
                pair.difference.interval.high,
            ],
            "p": pair.p_value,
            "verdict": pair.verdict,
        }
        for pair in pairs
    ]


def pairs_table(pairs: Sequence[SystemPair], names: Mapping[str, str]) -> Table:
    """The comparisons for people; `names` are those of systems that are shown otherwise."""
    rows = tuple(
        (
            pair.figure,
            f"{names.get(pair.first, pair.first)} - {names.get(pair.second, pair.second)}",
            _points(pair.difference),
            f"{pair.p_value:.3f}",
            pair.verdict if pair.verdict == "=" else names.get(pair.verdict, pair.verdict),
            str(pair.difference.cases),
        )
        for pair in pairs
    )
    columns = ("figure", "first - second", "points [95 %]", "p", "more", "commits")
    return Table("systems in pairs by commit: means over commits", columns, rows, columns[:3])


def _points(difference: PairedDifference) -> str:
    interval = difference.interval
    return f"{100 * interval.estimate:+.1f} [{100 * interval.low:+.1f}, {100 * interval.high:+.1f}]"
