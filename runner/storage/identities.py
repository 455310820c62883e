"""Compares what runs are, where that is recorded: a model at several servers is the same one, whichever these are."""

from collections.abc import Mapping
from typing import Any

from runner.digests import same_behaviour
from suts.replicated import REPLICAS

# The parts of an identity that name systems, each with its base URL: `openai/gpt-x at https://...`.
_SYSTEMS = ("suts", "sut")
_AT = " at "
_AT_REPLICAS = f"{_AT}{REPLICAS}"


def differences(first: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Return the names of what differs between two runs, those of digests with the same behaviour left out."""
    return [name for name in {**first, **other} if not _is_same(name, first.get(name), other.get(name))]


def with_replicas(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """Return the identity of a run that goes on; models that ever were at several servers stay those."""
    return {name: _kept(before.get(name), value) if name in _SYSTEMS else value for name, value in now.items()}


def _is_same(name: str, first: object, other: object) -> bool:
    if same_behaviour(first, other):
        return True
    if name not in _SYSTEMS:
        return False
    systems, others = _listed(first), _listed(other)
    return len(systems) == len(others) and all(map(_is_same_system, systems, others))


def _is_same_system(first: str, other: str) -> bool:
    if first == other:
        return True
    anywhere = first.endswith(_AT_REPLICAS) or other.endswith(_AT_REPLICAS)
    return anywhere and first.rpartition(_AT)[0] == other.rpartition(_AT)[0]


def _kept(before: object, now: object) -> object:
    systems, present = _listed(before), _listed(now)
    if len(systems) != len(present):
        return now
    kept = [old if old.endswith(_AT_REPLICAS) else new for old, new in zip(systems, present, strict=True)]
    return kept[0] if isinstance(now, str) else kept


def _listed(systems: object) -> list[str]:
    return [systems] if isinstance(systems, str) else [str(system) for system in systems or ()]  # type: ignore[attr-defined]
