"""Reads the tables of docs/sandbox.md."""

from tests.runner.execution.environments import ROOT

DOCUMENT = ROOT / "docs" / "sandbox.md"


def table(corner: str) -> dict[str, dict[str, str]]:
    """The table whose first column has this name: cells by the name of the row, then of the column."""
    lines = iter(DOCUMENT.read_text().splitlines())
    heads = next(_cells(line) for line in lines if line.startswith(f"| {corner} |"))
    next(lines)
    rows = {}
    for line in lines:
        if not line.startswith("|"):
            break
        name, *cells = _cells(line)
        rows[name] = dict(zip(heads[1:], cells, strict=True))
    return rows


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]
