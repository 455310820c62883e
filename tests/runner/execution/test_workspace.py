import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from runner.execution.workspace import Workspace, files_at, files_of, scratch
from runner.git import Repository
from tests.repositories import commit, git, make_repository

TEXTS = {"a.py": "a\n", "deep/er/b.py": "b\r\n", "latin.py": "\udce9\n"}


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    with scratch(files_of(TEXTS)) as made:
        yield made


def _contents(workspace: Workspace) -> dict[str, bytes]:
    return {
        path.relative_to(workspace.folder).as_posix(): path.read_bytes()
        for path in sorted(workspace.folder.rglob("*"))
        if path.is_file()
    }


ORIGINAL = {"a.py": b"a\n", "deep/er/b.py": b"b\r\n", "latin.py": b"\xe9\n"}


def test_texts_are_written_byte_for_byte(workspace: Workspace) -> None:
    assert _contents(workspace) == ORIGINAL


def test_an_untouched_tree_has_nothing_to_restore(workspace: Workspace) -> None:
    assert workspace.restore() == ()


def test_what_others_did_is_undone_and_named(workspace: Workspace) -> None:
    (workspace.folder / "a.py").write_text("changed\n")
    (workspace.folder / "latin.py").unlink()
    (workspace.folder / "cache").mkdir()
    (workspace.folder / "cache/x.pyc").write_bytes(b"x")

    assert workspace.restore() == ("a.py", "cache/x.pyc", "latin.py")
    assert _contents(workspace) == ORIGINAL
    assert not (workspace.folder / "cache").exists()


def test_a_change_back_to_the_same_size_and_time_is_noticed(workspace: Workspace) -> None:
    path = workspace.folder / "a.py"
    before = path.stat()
    path.write_text("b\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert workspace.restore() == ("a.py",)


def test_nothing_is_written_through_a_link_that_leads_out(workspace: Workspace, tmp_path: Path) -> None:
    (workspace.folder / "deep/er/b.py").unlink()
    (workspace.folder / "deep/er").rmdir()
    (workspace.folder / "deep/er").symlink_to(tmp_path)
    (workspace.folder / "a.py").unlink()
    (workspace.folder / "a.py").symlink_to(tmp_path / "victim")

    workspace.restore()

    assert _contents(workspace) == ORIGINAL
    assert list(tmp_path.iterdir()) == []


def test_a_link_in_the_place_of_the_folder_is_not_followed(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("here")
    workspace.folder.rename(workspace.folder.with_name("elsewhere"))
    workspace.folder.symlink_to(tmp_path)

    workspace.restore()

    assert _contents(workspace) == ORIGINAL
    assert [path.read_text() for path in tmp_path.iterdir()] == ["here"]


def test_a_file_or_nothing_in_the_place_of_the_folder_gives_way(workspace: Workspace) -> None:
    workspace.folder.rename(workspace.folder.with_name("elsewhere"))

    workspace.restore()
    workspace.folder.rename(workspace.folder.with_name("elsewhere too"))
    workspace.folder.write_text("a file")
    workspace.restore()

    assert _contents(workspace) == ORIGINAL


def test_folders_that_were_closed_are_opened(workspace: Workspace) -> None:
    deep = workspace.folder / "deep"
    (deep / "er").chmod(0)
    deep.chmod(0)

    workspace.restore()

    assert [folder.stat().st_mode & 0o700 for folder in (deep, deep / "er")] == [0o700] * 2
    assert _contents(workspace) == ORIGINAL


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, lambda path: path.symlink_to(path)])
def test_what_is_no_plain_file_goes(workspace: Workspace, make: Callable[[Path], None]) -> None:
    make(workspace.folder / "odd")
    workspace.folder.joinpath("a.py").unlink()
    make(workspace.folder / "a.py")

    workspace.restore()

    assert _contents(workspace) == ORIGINAL
    assert not os.path.lexists(workspace.folder / "odd")


def test_a_second_name_of_a_file_is_not_written_through(workspace: Workspace, tmp_path: Path) -> None:
    os.link(workspace.folder / "a.py", tmp_path / "other name")

    workspace.put({"a.py": "new\n"})

    assert (tmp_path / "other name").read_bytes() == b"a\n"


def test_a_folder_that_nobody_touched_need_not_be_looked_through(workspace: Workspace) -> None:
    (workspace.folder / "foreign").write_text("x")

    workspace.put({"a.py": "new\n"}, touched=False)

    assert (workspace.folder / "foreign").exists()
    assert workspace.restore() == ("foreign",)


def test_a_folder_in_the_place_of_a_file_gives_way(workspace: Workspace) -> None:
    (workspace.folder / "a.py").unlink()
    (workspace.folder / "a.py").mkdir()
    (workspace.folder / "a.py" / "x").write_text("x")

    workspace.restore()

    assert _contents(workspace) == ORIGINAL


def test_files_are_set_added_and_taken_away(workspace: Workspace) -> None:
    workspace.put({"a.py": "new\n", "deep/er/b.py": None, "new/c.py": "c"})

    assert _contents(workspace) == {"a.py": b"new\n", "latin.py": b"\xe9\n", "new/c.py": b"c"}
    assert not (workspace.folder / "deep").exists()
    assert workspace.restore() == ()


def test_what_is_not_there_yet_may_be_in_a_folder_that_is_not_there_either(workspace: Workspace) -> None:
    workspace.put({"new/deep/c.py": None, "deep/d.py": None})
    assert _contents(workspace) == ORIGINAL

    workspace.put({"new/deep/c.py": "c\n"})
    workspace.put({"new/deep/c.py": None})
    assert _contents(workspace) == ORIGINAL
    assert not (workspace.folder / "new").exists()


@pytest.mark.parametrize("path", ["../x", "/etc/x", ".git/hooks/x", "a/../../x", ""])
def test_no_path_leads_out(workspace: Workspace, path: str) -> None:
    with pytest.raises(ValueError, match="no path inside"):
        workspace.put({path: "x"})


def test_the_folder_goes_with_all_that_was_put_beside_it() -> None:
    with scratch(files_of(TEXTS), name="tool") as made:
        beside = made.folder.parent
        (beside / "tool_clone").mkdir()

    assert made.folder.name == "tool"
    assert not beside.exists()


def test_a_tree_is_exported_from_a_commit_without_its_repository(tmp_path: Path) -> None:
    make_repository(tmp_path / "origin", {"run.sh": b"#!/bin/sh\n", "deep/b": b"\x00\xff"})
    (tmp_path / "origin/run.sh").chmod(0o755)
    (tmp_path / "origin/link").symlink_to("/etc/passwd")
    sha = commit(tmp_path / "origin")
    git(tmp_path / "origin", "update-index", "--add", "--cacheinfo", f"160000,{sha},sub")
    git(tmp_path / "origin", "commit", "--quiet", "--message", "submodule")

    with (
        Repository(tmp_path / "origin") as repository,
        scratch(files_at(repository, repository.revisions("HEAD")[0])) as made,
    ):
        contents = _contents(made)
        executable = os.access(made.folder / "run.sh", os.X_OK)
        links = [path for path in made.folder.rglob("*") if path.is_symlink()]

    assert contents == {"deep/b": b"\x00\xff", "link": b"/etc/passwd", "run.sh": b"#!/bin/sh\n"}
    assert executable
    assert links == []
