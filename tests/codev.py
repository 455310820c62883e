"""A small folder as Codev-Bench has it: made on a machine whose paths are none of ours."""

import json
from pathlib import Path

from tests.completion import CODE

MAIN = "/mnt/theirs/Codev-Bench"
FILE = f"{MAIN}/Source_Code/pair/pair.py"
FULL = "prefix_suffix_full_complete_current_block_no_evidence"
CUT = "prefix_full_suffix_empty_complete_current_block_no_evidence"
TESTS = """\
import pytest

from pair import clamp, double


def test_double():
    assert double(3) == 6


class TestClamp:
    def test_low(self):
        assert clamp(0, 1, 4) == 1


def test_skips():
    assert double(1) == 2


@pytest.mark.parametrize("x", [1, pytest.param(2, marks=pytest.mark.skip)])
def test_half_skipped(x):
    assert double(x) == 2 * x
"""
KNOWN = {
    "t-double": ("tests/test_pair.py", "test_double"),
    "t-low": ("tests/test_pair.py", "TestClamp.test_low"),
    "t-half": ("tests/test_pair.py", "test_half_skipped"),
}


def task(middle: str, block_type: str = "STATEMENT", **changes: object) -> dict[str, object]:
    """A row of prompts: `middle` is cut out of the code, which is shown whole."""
    prefix, found, suffix = CODE.partition(middle)
    assert found == middle
    first = prefix.count("\n") + 1
    row: dict[str, object] = {
        "func_name": f"{FILE}#L1-L5",
        "item_dids": [],
        "unit_test_ids": ["t-double"],
        "block_key": f"{FILE}#L{first}-L{first + middle.count(chr(10))}",
        "block_type": block_type,
        "prompt": f"<filename>pair.py<fim_prefix>{prefix}<fim_suffix>{suffix}<fim_middle>",
        "prefix": prefix,
        "suffix": suffix,
        "middle": middle,
        "test_prefix": prefix,
        "test_suffix": suffix,
        "test_middle": middle,
    }
    return row | changes


def cut(row: dict[str, object]) -> dict[str, object]:
    """The same task, of which nothing behind the cursor is shown."""
    return row | {"suffix": "", "prompt": f"<filename>pair.py<fim_prefix>{row['prefix']}<fim_suffix><fim_middle>"}


TASKS = [
    task("return x + x"),
    task("    if x < low:\n        return low", "IF", unit_test_ids=["t-low", "t-double"]),
    task("x += 1".replace("+", "-"), "STATEMENT", unit_test_ids=["t-low"]),
    task("        x -= 1", "WHILE", unit_test_ids=["t-low"]),
]


def write_rows(path: Path, rows: list[dict[str, object]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def codev_dir(folder: Path) -> Path:
    """The folder with two modes of prompts, one repository and its metadata."""
    repo = folder / "Source_Code_Copy" / "pair"
    (repo / "tests").mkdir(parents=True)
    (repo / "pair.py").write_text(CODE)
    (repo / "tests" / "test_pair.py").write_text(TESTS)
    write_rows(folder / "prompts" / f"{FULL}.jsonl", TASKS)
    write_rows(folder / "prompts" / f"{CUT}.jsonl", [cut(one) for one in TASKS])
    python = f"{MAIN}/Source_Code/pair/myenv/bin/python -m pytest"
    metadata: list[dict[str, object]] = [
        {
            "did": did,
            "run_command": f"cd {MAIN}/Source_Code/pair && {python} {MAIN}/Source_Code/pair/{path}::{node}",
            "relative_path": path,
            "func_path": node,
        }
        for did, (path, node) in KNOWN.items()
    ]
    write_rows(folder / "metadatas" / "pair" / "test_metadata_funcname_passed_called.jsonl", metadata)
    return folder
