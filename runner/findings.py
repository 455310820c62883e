"""What is wrong with a file of cases, as a record that is collected, not raised."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing wrong with a file of cases: where, what, and what to do about it. As text it is one line."""

    file: Path
    field: str
    problem: str
    mend: str

    def __str__(self) -> str:
        line = f"{self.file}: {self.field}: {self.problem}; {self.mend}"
        return line.replace("\r", "\\r").replace("\n", "\\n")
