"""A new folder is there whole or not at all."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from runner.errors import InputError
from runner.mine.folder import new_folder


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def fill_and_fail(out: Path, error: type[BaseException]) -> None:
    with new_folder(out) as folder:
        (folder / "one").write_text("1")
        raise error


@pytest.mark.parametrize("make", [False, True], ids=["absent", "empty"])
def test_what_was_filled_is_there_when_the_block_ends(tmp_path: Path, make: bool) -> None:
    out = tmp_path / "above" / "out"
    if make:
        out.mkdir(parents=True)

    with new_folder(out) as folder:
        (folder / "one").write_text("1")
        (folder / "inner").mkdir()
        assert not (out / "one").exists()

    assert (names(out), names(tmp_path), names(tmp_path / "above")) == (["inner", "one"], ["above"], ["out"])


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("make", [False, True], ids=["absent", "empty"])
def test_nothing_is_left_of_a_block_that_failed(tmp_path: Path, make: bool, error: type[BaseException]) -> None:
    out = tmp_path / "out"
    if make:
        out.mkdir()

    with pytest.raises(error):
        fill_and_fail(out, error)

    assert names(tmp_path) == (["out"] if make else [])
    assert not make or names(out) == []


_FILL_AND_DIE = """
import os, signal, sys
from pathlib import Path
from runner.mine.folder import new_folder
with new_folder(Path(sys.argv[1])) as folder:
    (folder / "one").touch()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("make", [False, True], ids=["absent", "empty"])
def test_what_a_killed_process_left_is_gone_when_the_next_has_filled_it(tmp_path: Path, make: bool) -> None:
    out = tmp_path / "out"
    if make:
        out.mkdir()
    died = subprocess.run([sys.executable, "-c", _FILL_AND_DIE, str(out)], check=False).returncode
    (left,) = (out if make else tmp_path).iterdir()

    with new_folder(out) as folder:
        (folder / "two").touch()

    assert (died, left.exists()) == (-signal.SIGKILL, False)
    assert (names(tmp_path), names(out)) == (["out"], ["two"])


def test_what_another_process_is_filling_is_left_to_it(tmp_path: Path) -> None:
    with new_folder(tmp_path / "first") as first, new_folder(tmp_path / "second"):
        (first / "one").touch()

    assert names(tmp_path / "first") == ["one"]


def test_a_folder_with_something_in_it_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".hidden").touch()

    with pytest.raises(InputError, match="is not empty; name a new folder"), new_folder(tmp_path):
        raise AssertionError

    assert names(tmp_path) == [".hidden"]


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "out").touch()

    with pytest.raises(InputError, match="is a file; name a new folder"), new_folder(tmp_path / "out"):
        raise AssertionError


def test_a_folder_that_cannot_be_made_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(InputError, match=r"--out .*file/out"), new_folder(tmp_path / "file" / "out"):
        raise AssertionError


def test_a_link_to_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "out").symlink_to("empty")

    with new_folder(tmp_path / "out") as folder:
        (folder / "one").touch()

    assert names(tmp_path / "empty") == ["one"]
