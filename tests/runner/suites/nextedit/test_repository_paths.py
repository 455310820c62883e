from pathlib import Path

from runner.git import Repository
from runner.suites.nextedit.repository_paths import objects_of, trees_of
from tests.repositories import git, make_repository

VERSION = {"inner/a.py": b"x\n"}


def _found(path: Path) -> tuple[set[Path], set[Path]]:
    with Repository(path) as repository:
        return set(objects_of(repository)), set(trees_of(repository))


def test_wherever_a_repository_is_named_its_objects_and_all_its_trees_are_known(tmp_path: Path) -> None:
    make_repository(tmp_path / "tool", VERSION)
    git(tmp_path / "tool", "worktree", "add", "--quiet", "--detach", str(tmp_path / "linked"))
    expected = {tmp_path / "tool" / ".git"}, {tmp_path / "tool", tmp_path / "linked"}

    assert _found(tmp_path / "tool") == expected
    assert _found(tmp_path / "tool" / "inner") == expected
    assert _found(tmp_path / "linked" / "inner") == expected


def test_a_bare_repository_is_its_own_place(tmp_path: Path) -> None:
    make_repository(tmp_path / "tool", VERSION)
    git(tmp_path, "clone", "--quiet", "--bare", str(tmp_path / "tool"), "bare.git")

    objects, trees = _found(tmp_path / "bare.git")

    assert objects == {tmp_path / "bare.git"}
    assert trees <= objects


def test_objects_that_are_borrowed_are_known(tmp_path: Path) -> None:
    make_repository(tmp_path / "tool", VERSION)
    git(tmp_path, "clone", "--quiet", "--shared", str(tmp_path / "tool"), "borrower")

    objects, _ = _found(tmp_path / "borrower")

    assert objects == {tmp_path / "borrower" / ".git", tmp_path / "tool" / ".git" / "objects"}
