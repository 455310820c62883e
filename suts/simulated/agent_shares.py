"""How the scripted agents of a simulated model behave, as parameters of its id."""

from collections.abc import Mapping
from dataclasses import astuple, dataclass
from typing import Final

from suts.simulated.query import Query


@dataclass(frozen=True, slots=True)
class AgentShares:
    """Weights of what an agent does that is not valid, and shares of the others with a habit.

    - `gives_up`: it reads the file and ends; `other_file`: it writes another file than the case's; `loops`: it reads
      the file for ever.
    - `fumbles`: an edit whose text the file does not have comes first; `rereads`: it reads the file twice; `runs`: it
      runs a command before it ends.
    """

    gives_up: float = 1.0
    other_file: float = 1.0
    loops: float = 0.0
    fumbles: float = 0.0
    rereads: float = 0.0
    runs: float = 0.0

    @property
    def invalids(self) -> Mapping[str, float]:
        """The weights of what is not valid."""
        return {"gives_up": self.gives_up, "other_file": self.other_file, "loops": self.loops}

    @property
    def identity(self) -> str:
        """All that decides what an agent does, as one text."""
        return ",".join(format(number, "g") for number in astuple(self))


DEFAULT_SHARES: Final = AgentShares()


def agent_shares(query: Query) -> AgentShares:
    """Return what the parameters of a model's id say. Raises ValueError with one line."""
    return AgentShares(
        gives_up=query.number("gives_up", DEFAULT_SHARES.gives_up),
        other_file=query.number("other_file", DEFAULT_SHARES.other_file),
        loops=query.number("loops", DEFAULT_SHARES.loops),
        fumbles=query.share("fumbles", DEFAULT_SHARES.fumbles),
        rereads=query.share("rereads", DEFAULT_SHARES.rereads),
        runs=query.share("runs", DEFAULT_SHARES.runs),
    )
