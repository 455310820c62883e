"""Removes keys from text, however a server spells them: the one definition of what counts as a key that came back.

A server can repeat only what it was sent, so the secrets are those that a system under test sends. Each is found
as it is, with any of its characters escaped (JSON, Python, percent-encoding, HTML), and in Base64 at any offset.
"""

import base64
import html
import re
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from typing import NamedTuple

REDACTED = "[redacted]"
# A shorter key is part of too many words: removing it would garble answers and messages.
MIN_LENGTH = 8
# Characters that are searched at once: that takes less than a millisecond.
_PART = 2**16
_PLAIN = re.compile(r"[A-Za-z0-9._~=:/+-]*")
_ESCAPED_OFTEN = frozenset("\\\"'/")


class SecretSpan(NamedTuple):
    """Where a secret stands in a text: from `start` up to `end`."""

    start: int
    end: int


class Redactor:
    """Finds and removes some secrets. It shows none of them in its `repr`."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        """Keep the secrets that are long enough, the longest first, so that none hides a part of a longer one."""
        kept = {str(secret) for secret in secrets if len(secret) >= MIN_LENGTH and secret not in REDACTED}
        self._secrets = sorted(kept, key=len, reverse=True)
        self._needles = [needle for secret in self._secrets for needle in (secret, *_base64(secret))]
        # What begins at the end of a part has to be seen whole: a secret, or an escape sequence.
        self._overlap = max(map(len, (*self._needles, "\\u0000")))
        # Rare characters have too many spellings for a quick look.
        self._always_search = not all(map(_PLAIN.fullmatch, self._secrets))
        codes = {f"{ord(char):02x}" for secret in self._secrets for char in secret} | {"25"}
        self._percents = frozenset(case for code in codes for case in (code, code.upper()))
        self._unicodes = frozenset(f"u00{code}" for code in self._percents)
        self._slashes = any("/" in secret for secret in self._secrets)

    def finds(self, text: str) -> bool:
        """Return whether a secret is in the text. Fast where there is none: 20 microseconds for 40,000 characters."""
        return any(self.suspicions(text)) and self._pattern.search(text) is not None

    def suspicions(self, text: str) -> Iterator[bool]:
        """Yield for each part of a text whether a secret may be in the text; at least one part is suspicious then."""
        if not self._secrets:
            return
        for start in range(0, len(text), _PART):
            part = text[start : start + _PART + self._overlap]
            yield any(needle in part for needle in self._needles) or self._worth_searching(part)

    def spans(self, text: str) -> list[SecretSpan]:
        """Return where secrets stand, from left to right; no two overlap."""
        return [SecretSpan(*match.span()) for match in self._pattern.finditer(text)] if self._secrets else []

    def text(self, text: str) -> str:
        """Return the text with a mark in place of each secret."""
        return self._pattern.sub(REDACTED, text) if self._secrets else text

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        """Every spelling. It takes milliseconds to compile, so only the first suspicion pays for it."""
        spelled = [*map(_spelled, self._secrets), *map(re.escape, self._needles)]
        return re.compile("|".join(spelled))

    def _worth_searching(self, text: str) -> bool:
        """Return whether the text holds an escape sequence that could stand for a character of a secret."""
        if self._always_search or not self._percents.isdisjoint(_behind("%", text, 2)):
            return True
        escapes = _behind("\\", text, 5)
        return not self._unicodes.isdisjoint(escapes) or (
            self._slashes and any(escape[:1] == "/" for escape in escapes)
        )


@lru_cache(maxsize=64)
def redactor_of(*secrets: str) -> Redactor:
    """Return the redactor of these secrets; the same one for the same secrets, since it is costly to prepare."""
    return Redactor(secrets)


def secrets_of(sut: object) -> tuple[str, ...]:
    """Return the secrets that a system under test sends: its attribute `secrets`; none if it has no such attribute."""
    secrets: tuple[str, ...] = getattr(sut, "secrets", ())
    return secrets


def too_short(sut: object) -> bool:
    """Return whether a system sends a key that is too short to be removed from what comes back."""
    return any(0 < len(secret) < MIN_LENGTH for secret in secrets_of(sut))


def _behind(sign: str, text: str, length: int) -> set[str]:
    """Return the characters that follow each sign. Splitting at one character is faster than a search for two."""
    return {part[:length] for part in text.split(sign)[1:]} if sign in text else set()


def _spelled(secret: str) -> str:
    """Return a pattern of every spelling of a secret; a run of spaces may also have become one."""
    return "".join(
        r"(?:\s+|(?:%(?:25)*20)+|\++|(?:\\+u0020)+)" if unit[0] == " " else _char(unit) for unit in _units(secret)
    )


def _units(secret: str) -> Iterator[str]:
    """Return the characters, with each run of spaces as one."""
    return (match[0] for match in re.finditer(r"(?s) +|[^ ]", secret))


def _char(char: str) -> str:
    """Return a pattern of every spelling of one character."""
    forms = [re.escape(char)]
    if char in _ESCAPED_OFTEN:
        forms.append(rf"\\+{re.escape(char)}")
    if html.escape(char) != char:
        forms.append(re.escape(html.escape(char)))
    forms.append(rf"\\+(?:{'|'.join(_escapes(char))})")
    forms.append("".join(rf"%(?:25)*{_hex(f'{byte:02x}')}" for byte in char.encode("utf-8", "surrogatepass")))
    return f"(?:{'|'.join(forms)})"


def _escapes(char: str) -> Iterator[str]:
    """Yield what stands behind the backslash of an escape sequence, as patterns."""
    units = char.encode("utf-16-be", "surrogatepass")
    pairs = [units[start : start + 2].hex() for start in range(0, len(units), 2)]
    yield r"\\+".join(f"u{_hex(pair)}" for pair in pairs)
    yield "U" + _hex(f"{ord(char):08x}")
    if ord(char) <= 0xFF:
        yield "x" + _hex(f"{ord(char):02x}")


def _hex(digits: str) -> str:
    """Return a pattern of hexadecimal digits in either case."""
    return "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in digits)


def _base64(secret: str) -> set[str]:
    """Return what Base64 makes of a secret at each of the three offsets, without the digits that other bytes share."""
    data = secret.encode("utf-8", "surrogatepass")
    spellings: set[str] = set()
    for before in range(3):
        digits = base64.b64encode(bytes(before) + data).decode()
        whole = digits[-(-before * 8 // 6) : (before + len(data)) * 8 // 6]
        spellings |= {whole, whole.translate(str.maketrans("+/", "-_"))}
    return spellings
