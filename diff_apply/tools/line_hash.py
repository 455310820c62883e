"""The hashes by which line-hash tools name lines and files: xxHash32 (Yann Collet's XXH32), shortened."""

import re
from struct import unpack
from unicodedata import category

from diff_apply.lines import BLANKS

_P1, _P2, _P3, _P4, _P5 = 2654435761, 2246822519, 3266489917, 668265263, 374761393
_MASK = 0xFFFFFFFF
_LETTERS = "ZPMQVRWSNKTXJBYH"
_SURROGATE = re.compile("[\ud800-\udfff]")
_INK = re.compile(r"[A-Za-z0-9]")


def xxh32(data: bytes, seed: int = 0) -> int:
    """Return the 32-bit xxHash of bytes."""
    length, at = len(data), 0
    if length >= 16:
        lanes = [(seed + _P1 + _P2) & _MASK, (seed + _P2) & _MASK, seed & _MASK, (seed - _P1) & _MASK]
        at = length - length % 16
        words = unpack(f"<{at // 4}I", data[:at])
        for first in range(0, len(words), 4):
            lanes = [_rotated((lanes[k] + words[first + k] * _P2) & _MASK, 13) * _P1 & _MASK for k in range(4)]
        mixed = sum(_rotated(lane, turn) for lane, turn in zip(lanes, (1, 7, 12, 18), strict=True)) & _MASK
    else:
        mixed = (seed + _P5) & _MASK
    mixed = (mixed + length) & _MASK
    while at + 4 <= length:
        mixed = _rotated((mixed + int.from_bytes(data[at : at + 4], "little") * _P3) & _MASK, 17) * _P4 & _MASK
        at += 4
    for byte in data[at:]:
        mixed = _rotated((mixed + byte * _P5) & _MASK, 11) * _P1 & _MASK
    return _avalanched(mixed)


def _rotated(value: int, bits: int) -> int:
    return (value << bits | value >> (32 - bits)) & _MASK


def _avalanched(value: int) -> int:
    value = (value ^ value >> 15) * _P2 & _MASK
    value = (value ^ value >> 13) * _P3 & _MASK
    return value ^ value >> 16


def line_tag(number: int, line: str) -> str:
    """Return the two letters of a line (1-based number): of its text, or of its number too if it has no letter."""
    text = line.replace("\r", "").rstrip(BLANKS)
    has_ink = _INK.search(text) or any(category(character)[0] in "LN" for character in text)
    low = xxh32(_utf8(text), 0 if has_ink else number) & 0xFF
    return _LETTERS[low >> 4] + _LETTERS[low & 15]


def file_tag(text: str) -> str:
    """Return the four hexadecimal digits of a text with LF, whatever blanks end its lines."""
    plain = "\n".join(line.rstrip(" \t\r") for line in text.split("\n"))
    return f"{xxh32(_utf8(plain)) & 0xFFFF:04X}"


def _utf8(text: str) -> bytes:
    """Encode as JavaScript does: half of a surrogate pair becomes U+FFFD."""
    return _SURROGATE.sub("\ufffd", text).encode()
