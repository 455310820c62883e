"""The fields of a JSON object, read with the types they must have; what is wrong is collected, not raised."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar, cast, get_args

Role = Literal["user", "assistant"]
ValueT = TypeVar("ValueT")


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault in a file of cases: its place, the problem and the fix. As text it is one line."""

    file: Path
    field: str
    problem: str
    fix: str

    def __str__(self) -> str:
        line = f"{self.file}: {self.field}: {self.problem}; {self.fix}"
        return line.replace("\r", "\\r").replace("\n", "\\n")


def kind_of(value: object) -> str:
    """Return what a JSON value is, in words."""
    kinds: tuple[tuple[type, str], ...] = (
        (bool, "true or false"),
        (int, "a number"),
        (float, "a number"),
        (str, "a string"),
        (list, "an array"),
        (dict, "an object"),
    )
    return next((words for kind, words in kinds if isinstance(value, kind)), "null")


class Fields:
    """Reads one object of a case file.

    A getter whose field is absent or null gives its default if it has one; else, or when the type is wrong,
    it notes a finding and gives an empty value of its type, so that one reading finds all that is wrong.
    """

    def __init__(self, file: Path, values: Mapping[str, object], findings: list[Finding], path: str = "") -> None:
        """Read `values`, found at `path` in `file`; add to `findings`."""
        self._file = file
        self._values = values
        self._findings = findings
        self._path = path

    def __contains__(self, name: str) -> bool:
        return self._values.get(name) is not None

    def report(self, name: str, problem: str, fix: str) -> None:
        """Note that the field `name` is wrong."""
        self._findings.append(Finding(self._file, self._path + name, problem, fix))

    def text(self, name: str, fix: str, default: str | None = None) -> str:
        """Return a string."""
        return self._typed(name, str, fix, default) or ""

    def flag(self, name: str, fix: str, *, default: bool) -> bool:
        """Return a boolean."""
        return bool(self._typed(name, bool, fix, default))

    def whole(self, name: str, fix: str, default: int) -> int:
        """Return a whole number of at least 0; 900.0 is one."""
        value = self._values.get(name)
        if value is None:
            return default
        if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 and value == int(value):
            return int(value)
        self.report(name, f"is {value!r}" if "number" in kind_of(value) else f"is {kind_of(value)}", fix)
        return 0

    def role(self, name: str, fix: str) -> Role:
        """Who speaks."""
        value = self._values.get(name)
        if value not in get_args(Role):
            self.report(name, "is missing" if value is None else f"is {value!r}", fix)
        return cast("Role", value)

    def texts(self, name: str, fix: str) -> tuple[str, ...]:
        """Return a string or an array of strings; none when absent."""
        value = self._values.get(name)
        if isinstance(value, str):
            return (value,)
        items = self._typed(name, list, fix, []) or []
        for index, item in enumerate(items):
            if not isinstance(item, str):
                self.report(f"{name}[{index}]", f"is {kind_of(item)}", fix)
        return tuple(item for item in items if isinstance(item, str))

    def inner(self, name: str, fix: str) -> "Fields":
        """Return an object; its fields are reported as `name.field`."""
        value = self._typed(name, dict, fix, None)
        if value is None:
            return Fields(self._file, {}, [], "")
        return Fields(self._file, value, self._findings, f"{self._path}{name}.")

    def objects(self, name: str, fix: str) -> list["Fields"]:
        """Return an array of objects with at least one; their fields are reported as `name[0].field`."""
        items = self._typed(name, list, fix, None)
        if items == []:
            self.report(name, "is empty", fix)
        inner = []
        for index, item in enumerate(items or []):
            place = f"{self._path}{name}[{index}]"
            if isinstance(item, dict):
                inner.append(Fields(self._file, item, self._findings, f"{place}."))
            else:
                self._findings.append(Finding(self._file, place, f"is {kind_of(item)}", fix))
        return inner

    def _typed(self, name: str, kind: type[ValueT], fix: str, default: ValueT | None) -> ValueT | None:
        value = self._values.get(name)
        if value is None and default is not None:
            return default
        if isinstance(value, kind):
            return value
        absent = "is null" if name in self._values else "is missing"
        self.report(name, absent if value is None else f"is {kind_of(value)}", fix)
        return None
