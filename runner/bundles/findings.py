"""What a verification has found: what was computed again, what differs, and what could not be computed."""

from collections import Counter
from dataclasses import asdict, dataclass, field

# More lines help nobody; all differences are counted.
MOST_LINES = 200


@dataclass(frozen=True, slots=True)
class BundleDifference:
    """A figure, a row or a member that is not as the record says: where it stands, and the two values in words."""

    where: str
    what: str
    recorded: str = ""
    computed: str = ""

    @property
    def line(self) -> str:
        """The difference as a line."""
        values = f": {self.recorded} on record, {self.computed} from the bytes" if self.recorded else ""
        return f"{self.where}: {self.what}{values}"


@dataclass(slots=True)
class Verification:
    """The result for one bundle.

    `same` counts by kind what was computed again and is as recorded. `left` are lines about what cannot be computed
    again, `notes` what explains differences.
    """

    runs: list[str]
    suite: str
    version: str
    redacted: list[str]
    same: Counter[str] = field(default_factory=Counter)
    differing: Counter[str] = field(default_factory=Counter)
    differences: list[BundleDifference] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def differs(self, kind: str, difference: BundleDifference) -> None:
        """Note a difference of this kind."""
        self.differing[kind] += 1
        if len(self.differences) < MOST_LINES:
            self.differences.append(difference)

    @property
    def holds(self) -> bool:
        """Whether all that was computed again is as recorded."""
        return not self.differing

    @property
    def lines(self) -> list[str]:
        """The result as lines for a person."""
        kinds = dict.fromkeys((*self.same, *self.differing))
        counts = [f"{kind}: {self.same[kind]} as recorded, {self.differing[kind]} not" for kind in kinds]
        hidden = self.differing.total() - len(self.differences)
        return [
            f"{' and '.join(self.runs)}, {self.suite}, made by evals {self.version}",
            *counts,
            *(f"differs: {difference.line}" for difference in self.differences),
            *([f"differs: {hidden} more"] if hidden > 0 else []),
            *(f"not computed: {line}" for line in self.left),
            *(f"note: {line}" for line in self.notes),
            "all that was computed again is as recorded" if self.holds else "the bundle does not hold what it says",
        ]

    @property
    def data(self) -> dict[str, object]:
        """The same as JSON data."""
        return {
            "runs": self.runs,
            "suite": self.suite,
            "version": self.version,
            "redacted": self.redacted,
            "holds": self.holds,
            "same": dict(self.same),
            "differing": dict(self.differing),
            "differences": [asdict(difference) for difference in self.differences],
            "not_computed": self.left,
            "notes": self.notes,
        }
