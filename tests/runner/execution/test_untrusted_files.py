"""What was left behind is read only if it is harmless, and removed in any case."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from runner.execution.untrusted_files import read_plain, remove


def test_a_plain_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "left").write_bytes(b"\xffx")

    assert read_plain(tmp_path / "left", 2) == b"\xffx"
    assert read_plain(tmp_path / "left", 1) is None


@pytest.mark.parametrize(
    "leave",
    [
        pytest.param(lambda _: None, id="nothing"),
        pytest.param(os.mkfifo, id="a pipe that nobody writes to"),
        pytest.param(lambda path: path.symlink_to("/dev/zero"), id="a link to what has no end"),
        pytest.param(lambda path: path.symlink_to(__file__), id="a link to another's file"),
        pytest.param(Path.mkdir, id="a folder"),
        pytest.param(lambda path: os.truncate(os.open(path, os.O_CREAT | os.O_RDWR), 1 << 40), id="a huge hole"),
    ],
)
def test_what_is_no_plain_file_is_not_read(tmp_path: Path, leave: Callable[[Path], None]) -> None:
    leave(tmp_path / "left")

    assert read_plain(tmp_path / "left", 1 << 20) is None


def test_whatever_was_made_is_removed(tmp_path: Path) -> None:
    place = tmp_path / "place"
    deep = place / "/".join(["d" * 200] * 15)
    deep.mkdir(parents=True)
    (deep / "file").touch()
    for folder in (deep, deep.parent, place):
        folder.chmod(0)

    remove(place)

    assert not place.exists()


def test_a_link_is_removed_and_not_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "kept")

    remove(tmp_path / "link")

    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
