"""A bound on the steps that a fuzzy search may take: the same on every machine, far above what real answers need."""

from diff_apply.tools.refusal import Cause, EditError

MOST_STEPS = 2**22


class Work:
    """Counts steps; one is about a microsecond."""

    def __init__(self, most: int = MOST_STEPS) -> None:
        """Begin at zero."""
        self._left = most

    def add(self, steps: int) -> None:
        """Count steps. Raises EditError beyond the bound."""
        self._left -= steps
        if self._left < 0:
            raise EditError(Cause.TOO_MUCH_WORK, "the search for a similar place takes too many steps")
