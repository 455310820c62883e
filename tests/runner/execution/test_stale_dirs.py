"""What a killed process left is removed by the next; what may be anyone else's stays."""

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from runner.execution import stale_dirs

_MAKE = (
    "import sys, tempfile; from runner.execution.stale_dirs import prefix; "
    "print(tempfile.mkdtemp(prefix=prefix('x'), dir=sys.argv[1]))"
)


def made_by_another(folder: Path) -> Path:
    """A folder of a process that has ended."""
    words = [sys.executable, "-c", _MAKE, str(folder)]
    return Path(subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip())


def named(path: Path, name: str) -> Path:
    return path.rename(path.with_name(name))


def test_what_a_process_that_is_gone_has_left_is_removed(tmp_path: Path) -> None:
    made_by_another(tmp_path)

    stale_dirs.sweep(tmp_path, Path.rmdir)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("dot", ["", "."])
def test_of_one_kind_no_other_is_removed(tmp_path: Path, dot: str) -> None:
    left = named(made := made_by_another(tmp_path), dot + made.name)

    stale_dirs.sweep(tmp_path, Path.rmdir, "y")
    assert left.is_dir()

    stale_dirs.sweep(tmp_path, Path.rmdir, "x")
    assert not left.exists()


def test_what_is_this_processs_own_stays(tmp_path: Path) -> None:
    mine = Path(tempfile.mkdtemp(prefix=stale_dirs.prefix("x"), dir=tmp_path))

    stale_dirs.sweep(tmp_path, Path.rmdir)

    assert mine.is_dir()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc tells when a process began")
def test_a_number_that_was_given_again_is_no_owner(tmp_path: Path) -> None:
    pid, began, *rest = Path(stale_dirs.prefix("x")).name.removeprefix("evals-x-").split("-")
    earlier = f"{int(began, 16) - 1:x}"
    (tmp_path / f"evals-x-{pid}-{earlier}-{'-'.join(rest)}abc").mkdir()

    stale_dirs.sweep(tmp_path, Path.rmdir)

    assert list(tmp_path.iterdir()) == []


def other_space(name: str) -> str:
    *before, _, last = name.split("-")
    return "-".join((*before, "1", last))


@pytest.mark.parametrize(
    "rename",
    [
        pytest.param(lambda _name: "evals-abcdefgh", id="an owner is not told"),
        pytest.param(lambda name: f"my-{name}", id="something else before"),
        pytest.param(lambda name: f"{name}.kept", id="something else behind"),
        pytest.param(other_space, id="its processes are not seen from here"),
    ],
)
def test_what_is_not_sure_to_be_abandoned_stays(tmp_path: Path, rename: Callable[[str], str]) -> None:
    left = made_by_another(tmp_path)
    kept = named(left, rename(left.name))

    stale_dirs.sweep(tmp_path, Path.rmdir)

    assert kept.is_dir()


def test_a_link_of_such_a_name_is_not_followed(tmp_path: Path) -> None:
    left = made_by_another(tmp_path)
    elsewhere = named(left, "elsewhere")
    link = tmp_path / left.name
    link.symlink_to(elsewhere)

    stale_dirs.sweep(tmp_path, Path.rmdir)

    assert (link.is_symlink(), elsewhere.is_dir()) == (True, True)


def test_what_cannot_be_removed_keeps_nothing_from_being_removed(tmp_path: Path) -> None:
    first, second = sorted((made_by_another(tmp_path), made_by_another(tmp_path)))
    (first / "file").touch()

    stale_dirs.sweep(tmp_path, Path.rmdir)

    assert (first.exists(), second.exists()) == (True, False)


def test_a_folder_that_is_not_there_is_no_error(tmp_path: Path) -> None:
    stale_dirs.sweep(tmp_path / "none", Path.rmdir)

    assert list(tmp_path.iterdir()) == []
