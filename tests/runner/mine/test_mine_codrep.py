"""CodRep tasks from commits: their form, their order, and the files that give none."""

import os
from pathlib import Path

import pytest

from runner.git import Repository
from runner.mine.case import MiningRefusal
from tests.codrep import tasks_of
from tests.repositories import commit, git
from tests.runner.mine.made_history import change, manifest, mined, start, tree

BEFORE = b"def a():\n    return 1\n"
AFTER = b"def a():\n    return 2\n"


def refused(folder: Path) -> dict[str, int]:
    """Mine tasks; what was refused, and that there is no task."""
    tally = mined("codrep", folder, folder.parent / "out")

    assert tally.cases == 0
    assert tree(folder.parent / "out").keys() == {"manifest.jsonl"}
    return {str(reason): count for reason, count in tally.refused_files.items() if reason is not MiningRefusal.ADDED}


def test_a_task_is_the_new_line_and_the_program_before_and_its_solution_a_number(tmp_path: Path) -> None:
    start(tmp_path / "repo", {"a.py": BEFORE})
    change(tmp_path / "repo", {"a.py": AFTER})

    mined("codrep", tmp_path / "repo", tmp_path / "out")

    assert tree(tmp_path / "out").keys() == {"Solutions/1.txt", "Tasks/1.txt", "manifest.jsonl"}
    assert (tmp_path / "out/Tasks/1.txt").read_bytes() == b"return 2\n\n" + BEFORE
    assert (tmp_path / "out/Solutions/1.txt").read_bytes() == b"2"


def test_the_manifest_tells_where_a_task_is_from_and_what_was_refused(tmp_path: Path) -> None:
    start(tmp_path / "repo", {"a.py": BEFORE, "b.md": b"1\n"})
    sha = change(tmp_path / "repo", {"a.py": AFTER, "b.md": b"2\n"})

    mined("codrep", tmp_path / "repo", tmp_path / "out")

    head, row = manifest(tmp_path / "out")
    assert head == {
        "format": 1,
        "kind": "codrep",
        "repo": "repo",
        "commits": 2,
        "files": 2,
        "cases": 1,
        "languages": {"python": 1},
        "refused_commits": {"root": 1},
        "refused_files": {"language": 1},
    }
    assert row == {"case": 1, "commit": sha, "path": "a.py", "line": 2, "language": "python"}


def test_tasks_are_numbered_from_1_without_holes_the_newest_commit_first(tmp_path: Path) -> None:
    start(tmp_path / "repo", {"a.py": b"a = 0\n", "b.c": b"int b = 0;\n"})
    for number in (b"1", b"2"):
        change(tmp_path / "repo", {"a.py": b"a = %b\n" % number, "b.c": b"int b = %b;\n" % number})

    tally = mined("codrep", tmp_path / "repo", tmp_path / "out")

    assert [task.new_line for task in tasks_of(tmp_path / "out")] == ["a = 2", "int b = 2;", "a = 1", "int b = 1;"]
    assert [task.answer for task in tasks_of(tmp_path / "out")] == [1, 1, 1, 1]
    assert tally.languages == {"python": 2, "c": 2}


def test_a_limit_takes_the_newest(tmp_path: Path) -> None:
    start(tmp_path / "repo", {"a.py": b"a = 0\n"})
    for number in range(1, 6):
        change(tmp_path / "repo", {"a.py": b"a = %d\n" % number})

    tally = mined("codrep", tmp_path / "repo", tmp_path / "out", limit=2)

    assert [task.new_line for task in tasks_of(tmp_path / "out")] == ["a = 5", "a = 4"]
    assert tally.commits == 2


def test_the_same_search_gives_the_same_bytes(tmp_path: Path) -> None:
    start(tmp_path / "repo", {"a.py": b"a = 0\n"})
    for number in range(1, 6):
        change(tmp_path / "repo", {"a.py": b"a = %d\n" % number, f"{number}.py": b""})

    for name in ("one", "two"):
        mined("codrep", tmp_path / "repo", tmp_path / name)

    assert tree(tmp_path / "one") == tree(tmp_path / "two")
    assert len(tree(tmp_path / "one")) == 11


def test_the_same_task_is_told_once(tmp_path: Path) -> None:
    start(tmp_path / "repo", {"a.py": BEFORE, "copy.py": BEFORE})
    change(tmp_path / "repo", {"a.py": AFTER, "copy.py": AFTER})
    change(tmp_path / "repo", {"a.py": BEFORE})
    change(tmp_path / "repo", {"a.py": AFTER})

    tally = mined("codrep", tmp_path / "repo", tmp_path / "out")

    assert (tally.cases, tally.refused_files) == (2, {MiningRefusal.DUPLICATE: 2})


def test_a_renamed_file_is_a_task_under_both_names(tmp_path: Path) -> None:
    program = b"".join(b"a%d = 0\n" % number for number in range(20))
    start(tmp_path / "repo", {"old.py": program})
    change(tmp_path / "repo", {"old.py": None, "new.py": program.replace(b"a7 = 0", b"a7 = 1")})

    mined("codrep", tmp_path / "repo", tmp_path / "out")

    assert manifest(tmp_path / "out")[1] | {"commit": ""} == {
        "case": 1,
        "commit": "",
        "path": "new.py",
        "old_path": "old.py",
        "line": 8,
        "language": "python",
    }


@pytest.mark.parametrize(
    "before, after, answer",
    [
        pytest.param(b"a = 1\r\nb = 1\r\n", b"a = 1\r\nb = 2\r\n", 2, id="carriage-returns"),
        pytest.param(b"a = 1\nb = 1", b"a = 1\nb = 2", 2, id="no-last-newline"),
        pytest.param("ü = 1\nb = 1\n".encode(), "ü = 2\nb = 1\n".encode(), 1, id="beyond-ascii"),
        pytest.param(b"\xef\xbb\xbfa = 1\nb = 1\n", b"\xef\xbb\xbfa = 1\nb = 2\n", 2, id="byte-order-mark"),
        pytest.param(b"a = 1\x0c\nb = 1\n\n\n", b"a = 1\x0c\nb = 2\n\n\n", 2, id="form-feed-and-blank-ends"),
    ],
)
def test_the_program_is_kept_byte_for_byte(tmp_path: Path, before: bytes, after: bytes, answer: int) -> None:
    start(tmp_path / "repo", {"a.py": before})
    change(tmp_path / "repo", {"a.py": after})

    mined("codrep", tmp_path / "repo", tmp_path / "out")

    new_line, blank, program = (tmp_path / "out/Tasks/1.txt").read_bytes().split(b"\n", 2)
    assert (blank, program) == (b"", before)
    assert new_line == after.split(b"\n")[answer - 1].removeprefix(b"\xef\xbb\xbf").strip()
    (task,) = tasks_of(tmp_path / "out")
    assert task.answer == answer


@pytest.mark.parametrize(
    "before, after, reason",
    [
        pytest.param(b"a\x00 = 1\n", b"a\x00 = 2\n", "binary", id="binary"),
        pytest.param(b"a = '\xe9'\n", b"a = '\xe8'\n", "not_utf8", id="latin-1"),
        pytest.param(b"a = 1\n" * 20_000, b"a = 2\n" + b"a = 1\n" * 19_999, "too_long", id="too-long"),
        pytest.param(b"a = 1\nb = 1\n", b"a = 2\nb = 2\n", "lines", id="two-lines"),
        pytest.param(b"a = 1\n\n", b"a = 1\nb = 2\n", "blank", id="blank"),
        pytest.param(b"a = 1\n", b"a =  1\n", "space", id="space"),
        pytest.param(b"a = 1 # b\n", b"a = 1 # c\n", "comment", id="comment"),
        pytest.param(b"a = 1\rb\nc\n", b"a = 1\rb\nd\n", "line_ends", id="line-ends"),
        pytest.param(b"a = 1\n", None, "deleted", id="deleted"),
    ],
)
def test_a_file_that_gives_no_task_is_counted_by_reason(
    tmp_path: Path, before: bytes, after: bytes | None, reason: str
) -> None:
    start(tmp_path / "repo", {"a.py": before, "other.py": b""})
    change(tmp_path / "repo", {"a.py": after})

    assert refused(tmp_path / "repo") == {reason: 1}


@pytest.mark.parametrize("name", ["a.md", "a.json", "a.yaml", "a", "a.bin"])
def test_only_sources_of_programs_give_tasks(tmp_path: Path, name: str) -> None:
    start(tmp_path / "repo", {name: b"a: 1\n"})
    change(tmp_path / "repo", {name: b"a: 2\n"})

    assert refused(tmp_path / "repo") == {"language": 1}


def test_links_and_changes_of_mode_give_no_task(tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    start(repo, {"a.py": BEFORE, "b.py": BEFORE})
    (repo / "link.py").symlink_to("a.py")
    change(repo, {})
    (repo / "link.py").unlink()
    (repo / "link.py").symlink_to("b.py")
    (repo / "a.py").chmod(0o755)
    change(repo, {})
    (repo / "link.py").unlink()
    change(repo, {"link.py": BEFORE})

    assert refused(repo) == {"no_file": 2, "no_change": 1}


def test_submodules_give_no_task(tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    start(repo, {"a.py": BEFORE})
    for sha in ("1" * 40, "2" * 40):
        git(repo, "update-index", "--add", "--cacheinfo", f"160000,{sha},sub.py")
        git(repo, "commit", "--quiet", "--message", "point elsewhere")

    assert refused(repo) == {"no_file": 1}


def test_a_path_that_is_no_utf_8_is_spelt_out(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.py")
    start(tmp_path / "repo", {name: BEFORE})
    change(tmp_path / "repo", {name: AFTER})

    mined("codrep", tmp_path / "repo", tmp_path / "out")

    assert manifest(tmp_path / "out")[1]["path"] == "caf\\xe9.py"


def test_what_a_merge_changes_gives_no_task(tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    start(repo, {"a.py": BEFORE})
    git(repo, "checkout", "--quiet", "-b", "side")
    change(repo, {"b.py": b""})
    git(repo, "checkout", "--quiet", "main")
    change(repo, {"c.py": b""})
    git(repo, "merge", "--quiet", "--no-ff", "--no-commit", "side")
    (repo / "a.py").write_bytes(AFTER)
    commit(repo, "merge")

    tally = mined("codrep", repo, tmp_path / "out")

    assert (tally.cases, tally.refused_commits) == (0, {MiningRefusal.MERGE: 1, MiningRefusal.ROOT: 1})


def test_a_text_that_is_missing_costs_its_own_task_only(tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    start(repo, {"a.py": BEFORE, "b.py": b"b = 1\n"})
    change(repo, {"a.py": AFTER, "b.py": b"b = 2\n"})
    with Repository(repo) as repository:
        blob = repository.run("rev-parse", "HEAD:b.py").decode().strip()
    (repo / ".git" / "objects" / blob[:2] / blob[2:]).unlink()

    tally = mined("codrep", repo, tmp_path / "out")

    assert (tally.cases, tally.refused_files) == (1, {MiningRefusal.MISSING_OBJECT: 1})


def test_a_repository_that_gives_nothing_gives_empty_folders(tmp_path: Path) -> None:
    start(tmp_path / "repo", {"a.py": BEFORE})

    mined("codrep", tmp_path / "repo", tmp_path / "out")

    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["Solutions", "Tasks", "manifest.jsonl"]
