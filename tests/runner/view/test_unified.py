"""Differences of files: those that `diff -u` prints."""

import json
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from runner.view.unified import unified

CASES = Path(__file__).parents[3] / "cases" / "diff_edit"


def printed(before: str, after: str) -> list[str]:
    return [line.printed for line in unified(before, after)]


def by_diff(folder: Path, before: str, after: str) -> list[str]:
    """What the machine's `diff -u` prints, without the names of the files."""
    program = shutil.which("diff")
    if program is None:
        pytest.skip("no diff here")
    for name, text in (("before", before), ("after", after)):
        (folder / name).write_bytes(text.encode())
    words = [program, "-u", str(folder / "before"), str(folder / "after")]
    done = subprocess.run(words, capture_output=True, check=False)
    return done.stdout.decode().split("\n")[2:-1]


@pytest.mark.parametrize(
    "before, after",
    [
        pytest.param("a\nb\nc\n", "a\nB\nc\n", id="a line replaced"),
        pytest.param("a\nb\n", "a\nb\n", id="nothing changed"),
        pytest.param("", "a\nb\n", id="from nothing"),
        pytest.param("a\nb\n", "", id="to nothing"),
        pytest.param("a\nb", "a\nb\n", id="an end of the last line"),
        pytest.param("a\nb\n", "a\nb", id="no end of the last line"),
        pytest.param("a\n" * 9, "a\n" * 10, id="one more of equal lines"),
        pytest.param("x\n{\n}\n\n{\n}\n", "x\n{\n}\n\n{\n}\n\n{\n}\n", id="a block that could stand in two places"),
        pytest.param("\n".join(map(str, range(30))), "\n".join(map(str, range(1, 29))), id="both ends"),
        pytest.param("1\n2\n3\n4\n5\n6\n7\n8\n", "0\n2\n3\n4\n5\n6\n7\n9\n", id="two changes six lines apart"),
        pytest.param("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "0\n2\n3\n4\n5\n6\n7\n8\n0\n", id="two changes seven lines apart"),
        pytest.param("a\r\nb\r\n", "a\nb\r\n", id="line ends"),
    ],
)
def test_a_difference_is_that_of_diff(tmp_path: Path, before: str, after: str) -> None:
    assert printed(before, after) == by_diff(tmp_path, before, after)


def test_the_shipped_cases_differ_from_what_is_expected_as_diff_says(tmp_path: Path) -> None:
    for path in sorted(CASES.glob("*.json")):
        case = json.loads(path.read_bytes())
        expected = case.get("expected_contents") or []
        for after in [expected] if isinstance(expected, str) else expected:
            assert printed(case["file_contents"], after) == by_diff(tmp_path, case["file_contents"], after)


def test_a_difference_leads_from_one_file_to_the_other() -> None:
    draw = random.Random(0)
    for _ in range(200):
        before, after = ("".join(draw.choice("abc{}\n") + "\n" * draw.randint(0, 1) for _ in range(12)) for _ in "ab")

        lines = unified(before, after)

        removed = [line.before for line in lines if line.sign == "-"]
        added = [line.after for line in lines if line.sign == "+"]
        old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
        kept = [line for number, line in enumerate(old, 1) if number not in removed]
        assert kept == [line for number, line in enumerate(new, 1) if number not in added]
