"""What is wrong with a file of cases, as a record that is collected, not raised."""

from dataclasses import dataclass
from pathlib import Path


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
