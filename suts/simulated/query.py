"""Typed reading of `name=value&...`, so that a misspelt or impossible parameter is one clear line."""

from collections.abc import Collection
from math import isfinite
from urllib.parse import parse_qsl


class Query:
    """The parameters of one model id; each is taken once, and `close` refuses what nobody took.

    Every method raises ValueError with a line that names the model, the parameter and what is allowed.
    """

    def __init__(self, model: str, text: str, defaults: str = "") -> None:
        """Read `text`, in which no name is given twice; what it does not say, `defaults` does."""
        self._model = model
        self._values: dict[str, str] = {}
        self._known: list[str] = []
        for name, value in parse_qsl(text, keep_blank_values=True):
            if name in self._values:
                raise ValueError(f"{model!r}: {name} is given twice")
            self._values[name] = value
        self._values = dict(parse_qsl(defaults, keep_blank_values=True)) | self._values

    def number(self, name: str, default: float) -> float:
        """Return a finite number of 0 or more."""
        text = self._take(name)
        if text is None:
            return default
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if not isfinite(value) or value < 0:
            raise ValueError(f"{self._model!r}: {name}={text} is no number of 0 or more")
        return value

    def share(self, name: str, default: float) -> float:
        """Return a number within 0..1."""
        value = self.number(name, default)
        if value > 1:
            raise ValueError(f"{self._model!r}: {name}={value:g} is not within 0..1")
        return value

    def whole(self, name: str, default: int) -> int:
        """Return a whole number of 0 or more."""
        value = self.number(name, default)
        if value != int(value):
            raise ValueError(f"{self._model!r}: {name}={value:g} is no whole number")
        return int(value)

    def word(self, name: str, default: str, allowed: tuple[str, ...]) -> str:
        """One of the allowed words."""
        text = self._take(name)
        value = default if text is None else text
        if value not in allowed:
            raise ValueError(f"{self._model!r}: {name}={value} is none of {', '.join(allowed)}")
        return value

    def prefixed(self, names: Collection[str]) -> dict[str, dict[str, float]]:
        """Return the numbers within 0..1 of `PREFIX.NAME=value`, by prefix, for each of the names."""
        numbers: dict[str, dict[str, float]] = {}
        for whole in list(self._values):
            prefix, _, name = whole.rpartition(".")
            if prefix and name in names:
                numbers.setdefault(prefix, {})[name] = self.share(whole, 0.0)
        return numbers

    def close(self) -> None:
        """Refuse parameters that do not exist."""
        for name in self._values:
            raise ValueError(f"{self._model!r} has no parameter {name!r}; there are {', '.join(self._known)}")

    def _take(self, name: str) -> str | None:
        self._known.append(name)
        return self._values.pop(name, None)
