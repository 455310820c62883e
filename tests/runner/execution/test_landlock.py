"""What Landlock lets a command read and write, by the program that cells without namespaces begin with."""

import subprocess
import sys
from pathlib import Path

import pytest

from runner.execution.isolation import LANDLOCK

TRY = """
def content(path):
    try:
        return open(path).read()
    except PermissionError:
        return None
def written(path):
    try:
        return open(path, "w").write("x")
    except PermissionError:
        return None
print([content(path) for path in ("near", "hidden/secret", "link", "hidden/shown/s", "hidden/cell/in")],
      [written(path) for path in ("near", "hidden/secret", "hidden/shown/s", "hidden/cell/in")])
"""


def test_what_is_hidden_cannot_be_read_but_for_what_is_to_be_seen_and_the_cell(tmp_path: Path) -> None:
    for name in ("near", "hidden/secret", "hidden/shown/s", "hidden/cell/in"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "link").symlink_to("hidden/secret")
    hidden = tmp_path / "hidden"
    places = ["1", "1", "1", *map(str, (hidden / "cell", hidden, hidden / "shown"))]
    command = [sys.executable, "-I", "-S", "-c", TRY]

    done = subprocess.run(
        [sys.executable, "-I", "-S", str(LANDLOCK), *places, *command], cwd=tmp_path, capture_output=True, check=False
    )

    if b"landlock: " in done.stderr:
        pytest.skip("this kernel does not know Landlock")
    reading = ["near", None, None, "hidden/shown/s", "hidden/cell/in"]
    assert done.stdout.decode() == f"{reading} {[None, None, None, 1]}\n", done.stderr
