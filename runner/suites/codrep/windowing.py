"""The part of a long program that a model is shown: the likeliest lines, each with lines around it, within a budget."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

GAP = "..."
# Of a longer line only the beginning is shown, in characters: a line of data must not take the room of all others.
LONGEST = 2000
# Lines shown on either side of a likely line, at first; what is left of the budget widens all of them evenly.
CONTEXT = 6
WIDER = 4


@dataclass(frozen=True, slots=True)
class Window:
    """What is shown of a program: first and last line (1-based) of each part, in order.

    `tokens` is what it costs with the marks of its gaps, `whole` whether it is the whole program.
    """

    spans: tuple[tuple[int, int], ...]
    tokens: int
    whole: bool

    def shows(self, line: int) -> bool:
        """Whether a line is among those shown."""
        return any(first <= line <= last for first, last in self.spans)

    @property
    def lines(self) -> list[int]:
        """The lines shown, ascending."""
        return [line for first, last in self.spans for line in range(first, last + 1)]


def whole_window(lines: int) -> Window:
    """A window that shows all of so many lines; its cost is not counted."""
    return Window(((1, lines),), 0, whole=True)


def show_line(number: int, text: str) -> str:
    """A line of the file as the model sees it."""
    return f"{number}: {beginning(text)}"


def beginning(line: str) -> str:
    """A line; where a long one is cut stands the mark of a gap."""
    return line if len(line) <= LONGEST else f"{line[:LONGEST]} {GAP}"


def choose_window(lines: Sequence[str], ranked: Iterable[int], budget: int, count: Callable[[str], int]) -> Window:
    """The whole program if it fits into `budget` tokens, else the `ranked` lines with their surroundings.

    `ranked` are 1-based lines, likeliest first; `count` gives the tokens of a text. A line that does not fit is left
    out and cheaper ones may still come. The result depends on the arguments alone.
    """
    costs = [count(show_line(number, text) + "\n") for number, text in enumerate(lines, 1)]
    if sum(costs) <= budget:
        return Window(((1, len(lines)),), sum(costs), whole=True)
    chosen = _Chosen(costs, budget, gap=count(GAP + "\n"))
    likely = list(dict.fromkeys(ranked))
    for line in likely:
        chosen.add(line, line)
    # Each round widens every likely line before any is widened more, and ends when a round adds nothing.
    radius = CONTEXT
    for line in likely:
        chosen.add(line - radius, line + radius)
    while likely and chosen.grew:
        chosen.grew = False
        radius += WIDER
        for line in likely:
            chosen.add(line - radius, line + radius)
    return chosen.window()


class _Chosen:
    """Lines bought so far, and what is left of the budget; each separate part costs a gap besides."""

    def __init__(self, costs: Sequence[int], budget: int, gap: int) -> None:
        self.costs = costs
        self.gap = gap
        # One gap more than there are places apart: a place has one before it, and the last one has one behind it.
        self.left = budget - gap
        self.lines: set[int] = set()
        self.grew = False

    def add(self, first: int, last: int) -> None:
        """Buy the lines from first to last, as far as they exist and fit."""
        for line in range(max(first, 1), min(last, len(self.costs)) + 1):
            if line in self.lines:
                continue
            # A line alone makes one place more, one that joins two makes one less.
            places = 1 - (line - 1 in self.lines) - (line + 1 in self.lines)
            cost = self.costs[line - 1] + places * self.gap
            if cost <= self.left:
                self.lines.add(line)
                self.left -= cost
                self.grew = True

    def window(self) -> Window:
        """What was bought, and its exact cost."""
        spans: list[tuple[int, int]] = []
        for line in sorted(self.lines):
            if spans and spans[-1][1] == line - 1:
                spans[-1] = (spans[-1][0], line)
            else:
                spans.append((line, line))
        tokens = sum(self.costs[line - 1] for line in self.lines) + self.gap * gaps(spans, len(self.costs))
        return Window(tuple(spans), tokens, whole=False)


def gaps(spans: Sequence[tuple[int, int]], count: int) -> int:
    """How many parts of a program of `count` lines are left out: before, between and behind the spans."""
    edges = [0, *(edge for span in spans for edge in span), count + 1]
    return sum(after > before + 1 for before, after in zip(edges[::2], edges[1::2], strict=True))
