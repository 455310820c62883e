"""The commits of a repository and what each touched, newest first, whatever the repository is like."""

import subprocess
from pathlib import Path

import pytest

from runner.errors import InputError
from runner.git import Repository
from runner.mine import history
from runner.mine.case import MiningRefusal, Touching
from runner.mine.history import project_of, read_history, refuse_empty
from tests.repositories import commit, git, make_repository


def read(folder: Path, *revisions: str, since: int | None = None) -> list[Touching | MiningRefusal]:
    with Repository(folder) as repository:
        return list(read_history(repository, tuple(repository.ancestry(revisions or ("HEAD",), since))))


def paths_of(found: list[Touching | MiningRefusal]) -> list[object]:
    return [[change.new_path.decode() for change in one.changes] if isinstance(one, Touching) else one for one in found]


@pytest.fixture
def four(tmp_path: Path) -> tuple[Path, list[str]]:
    texts = ({"a": b"1"}, {"a": b"2"}, {"a": b"2", "b": b"1"}, {"a": b"3", "b": b"2"})
    return tmp_path / "four", make_repository(tmp_path / "four", *texts)


def test_commits_are_read_newest_first_with_what_they_touched(four: tuple[Path, list[str]]) -> None:
    folder, shas = four

    found = read(folder)

    assert paths_of(found) == [["a", "b"], ["b"], ["a"], MiningRefusal.ROOT]
    assert [(one.sha, one.parent) for one in found if isinstance(one, Touching)] == [
        (shas[3], shas[2]),
        (shas[2], shas[1]),
        (shas[1], shas[0]),
    ]


@pytest.mark.parametrize("at_once", [1, 2, 3])
def test_the_number_of_commits_in_a_call_of_git_makes_no_difference(
    four: tuple[Path, list[str]], at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = read(four[0])
    monkeypatch.setattr(history, "_AT_ONCE", at_once)

    assert read(four[0]) == whole


@pytest.mark.parametrize(
    "revisions, count",
    [
        pytest.param(["HEAD~2..HEAD"], 2, id="range"),
        pytest.param(["HEAD~1"], 3, id="revision-with-all-before-it"),
        pytest.param(["HEAD~3..HEAD~2", "HEAD~1..HEAD"], 1, id="git's-union-of-ranges"),
        pytest.param(["HEAD..HEAD"], 0, id="nothing"),
        pytest.param(["HEAD^!"], 1, id="one-commit"),
    ],
)
def test_revisions_are_read_as_by_git_log(four: tuple[Path, list[str]], revisions: list[str], count: int) -> None:
    assert len(read(four[0], *revisions)) == count


@pytest.mark.parametrize("revision", ["nowhere", "--all", "--output=/tmp/x", "", "a"])
def test_what_is_no_revision_is_bad_input(four: tuple[Path, list[str]], revision: str) -> None:
    with pytest.raises(InputError, match="name a revision or a range"):
        read(four[0], revision)


def test_commits_before_a_day_are_left_out(four: tuple[Path, list[str]]) -> None:
    assert len(read(four[0], since=1_700_000_000)) == 4
    assert read(four[0], since=1_700_000_001) == []


def test_a_merge_is_refused_and_the_commits_it_merges_are_not(tmp_path: Path) -> None:
    make_repository(tmp_path, {"a": b"1"})
    git(tmp_path, "checkout", "--quiet", "-b", "side")
    (tmp_path / "b").write_text("b")
    commit(tmp_path)
    git(tmp_path, "checkout", "--quiet", "main")
    (tmp_path / "c").write_text("c")
    commit(tmp_path)
    git(tmp_path, "merge", "--quiet", "--no-ff", "-m", "merge", "side")

    found = paths_of(read(tmp_path))

    assert found[0] is MiningRefusal.MERGE
    assert sorted(map(str, found[1:])) == ["['b']", "['c']", "root"]


def test_an_empty_commit_touches_nothing_and_takes_nothing_from_the_next(tmp_path: Path) -> None:
    make_repository(tmp_path, {"a": b"1"}, {"a": b"1"}, {"a": b"2"}, {"a": b"2"})

    assert paths_of(read(tmp_path)) == [[], ["a"], [], MiningRefusal.ROOT]


@pytest.mark.parametrize("name", ["new\nline", ":100644 ", "0" * 40, 'quo"te', "tab\t", "ü"])
def test_odd_names_of_files_are_read_as_they_are(tmp_path: Path, name: str) -> None:
    make_repository(tmp_path, {"a": b"1"}, {name: b"x\n"}, {name: b"y\n"})

    assert paths_of(read(tmp_path))[0] == [name]


def test_a_shallow_clone_ends_in_a_commit_without_parents(four: tuple[Path, list[str]], tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--depth", "2", f"file://{four[0]}", "shallow")

    assert paths_of(read(tmp_path / "shallow")) == [["a", "b"], MiningRefusal.ROOT]


def test_commits_whose_trees_are_missing_are_refused_and_the_others_read(four: tuple[Path, list[str]]) -> None:
    folder, shas = four
    tree = git(folder, "rev-parse", f"{shas[0]}^{{tree}}").strip()
    (folder / ".git" / "objects" / tree[:2] / tree[2:]).unlink()

    assert paths_of(read(folder)) == [["a", "b"], ["b"], MiningRefusal.MISSING_OBJECT, MiningRefusal.ROOT]


def test_a_repository_without_commits_is_bad_input(tmp_path: Path) -> None:
    make_repository(tmp_path)

    with Repository(tmp_path) as repository, pytest.raises(InputError, match="HEAD names no commit yet"):
        refuse_empty(repository)


def test_the_name_is_that_of_the_folder_wherever_one_stands(four: tuple[Path, list[str]], tmp_path: Path) -> None:
    folder, _ = four
    (folder / "inner").mkdir()
    git(tmp_path, "clone", "--quiet", "--bare", str(folder), "named.git")
    git(folder, "worktree", "add", "--quiet", str(tmp_path / "tree"))

    told = []
    for place in (folder, folder / "inner", folder / ".git", tmp_path / "named.git", tmp_path / "tree"):
        with Repository(place) as repository:
            told.append(project_of(repository))

    assert told == ["four", "four", "four", "named", "four"]


def test_variables_of_an_enclosing_git_are_not_heard(
    four: tuple[Path, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "init", "--quiet", str(tmp_path / "other")], check=True)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))

    assert len(read(four[0])) == 4
