"""Draws from a key instead of a generator: the same key gives the same draw in every process, for ever."""

from collections.abc import Mapping, Sequence
from hashlib import blake2b, shake_128
from typing import TypeVar

Key = tuple[str | int, ...]
ItemT = TypeVar("ItemT")


def digest(key: Key, length: int = 8) -> str:
    """`length` hexadecimal digits of BLAKE2b over the parts of the key; `length` is even, at most 64."""
    return blake2b(_packed(key), digest_size=length // 2).hexdigest()


def unit(key: Key) -> float:
    """Return a number in [0, 1), uniform over keys: the top 53 bits of BLAKE2b, exact in a double."""
    number = int.from_bytes(blake2b(_packed(key), digest_size=8).digest(), "big")
    return (number >> 11) / (1 << 53)


def units(key: Key, count: int) -> list[float]:
    """`count` numbers in [0, 1), of 16 bits each, from one call of SHAKE-128: cheap enough for every piece."""
    data = shake_128(_packed(key)).digest(2 * count)
    return [((data[2 * at] << 8) | data[2 * at + 1]) / 65536 for at in range(count)]


def pick(key: Key, items: Sequence[ItemT]) -> ItemT:
    """One of the items, each with the same chance. Raises IndexError when there is none."""
    return items[int(unit(key) * len(items))]


def weighted(key: Key, weights: Mapping[str, float]) -> str:
    """One of the names, with a chance proportional to its weight; the weights' sum is above 0."""
    left = unit(key) * sum(weights.values())
    chosen = ""
    for name, weight in weights.items():
        if weight <= 0:
            continue
        chosen = name
        left -= weight
        if left < 0:
            break
    return chosen


def _packed(key: Key) -> bytes:
    return "\x1f".join(map(str, key)).encode("utf-8", "surrogatepass")
