"""The limits of one attempt of an agent, and the outcome with which each of them ends it."""

from dataclasses import dataclass, fields
from types import MappingProxyType

from runner.errors import InputError
from runner.records import Outcome

_UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_SIZES = frozenset({"memory", "disk"})

ENDINGS = MappingProxyType(
    {
        "seconds": Outcome.OUT_OF_TIME,
        "turns": Outcome.OUT_OF_TURNS,
        "calls": Outcome.OUT_OF_CALLS,
        "usd": Outcome.OUT_OF_MONEY,
        "processes": Outcome.OUT_OF_PROCESSES,
        "memory": Outcome.OUT_OF_MEMORY,
        "disk": Outcome.OUT_OF_DISK,
    }
)


@dataclass(frozen=True, slots=True)
class AgentLimits:
    """What an attempt may take: seconds in all, requests to a model, calls of tools, USD, processes at once, bytes."""

    seconds: float = 600.0
    turns: int = 60
    calls: int = 200
    usd: float = 1.0
    processes: int = 256
    memory: int = 4 << 30
    disk: int = 512 << 20

    @property
    def stated(self) -> dict[str, float]:
        """The limits by name, for the identity of a run."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def read_limits(text: str, option: str = "--agent-limits") -> AgentLimits:
    """Return the limits of `name=value,...`; sizes may end in k, M or G. Raises InputError."""
    known = {field.name: field.default for field in fields(AgentLimits)}
    values: dict[str, float] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = part.partition("=")
        if name not in known:
            raise InputError(f"{option}: {name!r} is not known; give {', '.join(known)}, as name=number")
        values[name] = _number(name, value, option)
    whole = {name: value if isinstance(known[name], float) else int(value) for name, value in values.items()}
    return AgentLimits(**whole)  # type: ignore[arg-type]


def _number(name: str, text: str, option: str) -> float:
    unit = _UNITS.get(text[-1:].lower(), 0) if name in _SIZES else 0
    try:
        value = float(text[:-1] if unit else text) * (unit or 1)
    except ValueError:
        value = 0.0
    least = 0.0 if name in {"seconds", "usd"} else 1.0
    if not least < value + (least > 0) * 1e-9 or value < least or value > 1 << 50:
        raise InputError(f"{option}: {name}={text} is no limit; give a number above 0, such as {name}=10")
    return value
