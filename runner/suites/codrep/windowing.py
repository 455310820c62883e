"""The part of a long program that a model is shown: the likeliest lines, each with lines around it, within a budget."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

# Lines shown on either side of a likely line, at first; what is left of the budget widens all of them evenly.
CONTEXT = 6
WIDER = 4


@dataclass(frozen=True, slots=True)
class Window:
    """The lines shown (1-based, ascending), what they cost in tokens, and whether they are the whole program."""

    lines: tuple[int, ...]
    tokens: int
    whole: bool

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """First and last line of each run of lines, as the window is recorded."""
        found: list[list[int]] = []
        for line in self.lines:
            if found and found[-1][1] == line - 1:
                found[-1][1] = line
            else:
                found.append([line, line])
        return tuple((first, last) for first, last in found)


def show_line(number: int, text: str) -> str:
    """A line as the model sees it."""
    return f"{number}: {text}"


def choose_window(lines: Sequence[str], ranked: Iterable[int], budget: int, count: Callable[[str], int]) -> Window:
    """The whole program if it fits into `budget` tokens, else the `ranked` lines with their surroundings.

    `ranked` are 1-based lines, likeliest first; `count` gives the tokens of a text. A line that does not fit is left
    out and cheaper ones may still come. The result depends on the arguments alone.
    """
    costs = [count(show_line(number, text) + "\n") for number, text in enumerate(lines, 1)]
    if sum(costs) <= budget:
        return Window(tuple(range(1, len(lines) + 1)), sum(costs), whole=True)
    chosen = _Chosen(costs, budget)
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
    return Window(tuple(sorted(chosen.lines)), budget - chosen.left, whole=False)


class _Chosen:
    """Lines bought so far, and what is left of the budget."""

    def __init__(self, costs: Sequence[int], budget: int) -> None:
        self.costs = costs
        self.left = budget
        self.lines: set[int] = set()
        self.grew = False

    def add(self, first: int, last: int) -> None:
        """Buy the lines from first to last, as far as they exist and fit."""
        for line in range(max(first, 1), min(last, len(self.costs)) + 1):
            if line not in self.lines and self.costs[line - 1] <= self.left:
                self.lines.add(line)
                self.left -= self.costs[line - 1]
                self.grew = True
