"""Diff-edit cases from commits: what they say, and the commits that give none."""

import os
from pathlib import Path

import pytest

from runner.mine.case import MiningRefusal
from runner.mine.diff_edit import MOST_LINES
from runner.suites.diff_edit.cases import load_cases
from runner.suites.diff_edit.check import check_folder
from tests.runner.mine.made_history import change, manifest, mined, start, tree

BEFORE = b"def a():\n    return 1\n\n\ndef b():\n    return 2\n"
AFTER = BEFORE.replace(b"1", b"one()").replace(b"2", b"two()")


def test_a_case_is_the_message_the_file_before_and_the_file_after(tmp_path: Path) -> None:
    start(tmp_path / "repo", {"src/a.py": BEFORE})
    sha = change(tmp_path / "repo", {"src/a.py": AFTER}, "Call functions\n\nOne each.\n\nSigned-off-by: Ada <a@b>")

    mined("diff", tmp_path / "repo", tmp_path / "out")

    (case,) = load_cases(tmp_path / "out").cases
    assert case.case_id == case.file.stem == f"repo-{sha[:10]}"
    assert (case.file_path, case.language, case.source) == ("src/a.py", "python", f"repo@{sha}")
    assert (case.file_contents, case.expected_contents) == (BEFORE.decode(), (AFTER.decode(),))
    assert [message.role for message in case.messages] == ["user", "assistant", "user"]
    assert case.messages[0].text.startswith("<task>\nCall functions\n\nOne each.\n</task>\n")
    assert case.messages[2].text.endswith(f"Result:\n\n{BEFORE.decode()}")


def test_the_strict_check_of_cases_finds_nothing_wrong(tmp_path: Path) -> None:
    start(tmp_path / "repo", {"a.py": BEFORE, "b.c": b"int a;\r\nint b;\r\n", "c.go": b"package c"})
    change(tmp_path / "repo", {"a.py": AFTER})
    change(tmp_path / "repo", {"b.c": b"int a;\r\nlong b;\r\n"})
    change(tmp_path / "repo", {"c.go": b"package d"})

    tally = mined("diff", tmp_path / "repo", tmp_path / "out")

    assert check_folder(tmp_path / "out", strict=True) == ()
    assert tally.cases + tally.refused_commits[MiningRefusal.OUT_OF_REACH] == 3
    assert tally.cases >= 2


def test_the_manifest_names_file_commit_and_path(tmp_path: Path) -> None:
    start(tmp_path / "repo", {"a.py": BEFORE})
    sha = change(tmp_path / "repo", {"a.py": AFTER})

    mined("diff", tmp_path / "repo", tmp_path / "out")

    assert manifest(tmp_path / "out")[1] == {
        "case": 1,
        "commit": sha,
        "file": f"repo-{sha[:10]}.json",
        "path": "a.py",
        "language": "python",
    }


@pytest.mark.parametrize(
    "files, message, reason",
    [
        pytest.param({"a.py": AFTER, "b.py": AFTER}, "Do it", MiningRefusal.SEVERAL_FILES, id="several-files"),
        pytest.param({"c.py": AFTER}, "Do it", MiningRefusal.ADDED, id="added"),
        pytest.param({"b.py": None}, "Do it", MiningRefusal.DELETED, id="deleted"),
        pytest.param({}, "Do it", MiningRefusal.NO_CHANGE, id="nothing"),
        pytest.param({"README.md": b"2\n"}, "Do it", MiningRefusal.LANGUAGE, id="prose"),
        pytest.param({"a.py": AFTER}, "...", MiningRefusal.NO_MESSAGE, id="no-message"),
        pytest.param({"a.py": AFTER}, "Bump version to 1.2", MiningRefusal.VERSION_BUMP, id="version-bump"),
        pytest.param({"a.py": AFTER}, 'Revert "Do it"', MiningRefusal.REVERT, id="revert"),
        pytest.param(
            {"a.py": BEFORE + b"x\n" * MOST_LINES + b"y\n"}, "Do it", MiningRefusal.TOO_MANY_LINES, id="long-edit"
        ),
        pytest.param({"a.py": b"# \n" * 40_000}, "Do it", MiningRefusal.TOO_LONG, id="long-file"),
        pytest.param({"a.py": b"def a(:\n"}, "Do it", MiningRefusal.SYNTAX, id="syntax"),
        pytest.param({"a.py": b"a = '\xe9'\n"}, "Do it", MiningRefusal.NOT_UTF8, id="latin-1"),
        pytest.param({"empty.py": AFTER}, "Do it", MiningRefusal.BLANK_FILE, id="empty-before"),
        pytest.param({os.fsdecode(b"\xe9.py"): AFTER}, "Do it", MiningRefusal.PATH, id="path-without-utf-8"),
        pytest.param({"new\nline.py": AFTER}, "Do it", MiningRefusal.PATH, id="path-with-newline"),
    ],
)
def test_a_commit_that_gives_no_case_is_counted_by_reason(
    tmp_path: Path, files: dict[str, bytes | None], message: str, reason: MiningRefusal
) -> None:
    odd = {name: BEFORE for name in files if name not in {"a.py", "c.py", "README.md", "empty.py"}}
    start(tmp_path / "repo", {"a.py": BEFORE, "README.md": b"1\n", "empty.py": b"\n", **odd})
    change(tmp_path / "repo", files, message)

    tally = mined("diff", tmp_path / "repo", tmp_path / "out")

    assert (tally.cases, tally.refused_commits) == (0, {reason: 1, MiningRefusal.ROOT: 1})
    assert tree(tmp_path / "out").keys() == {"manifest.jsonl"}


def test_a_moved_file_is_asked_for_under_its_old_name(tmp_path: Path) -> None:
    program = b"".join(b"a%d = 0\n" % number for number in range(20))
    start(tmp_path / "repo", {"old.py": program})
    change(tmp_path / "repo", {"old.py": None, "new.py": program.replace(b"a7 = 0", b"a7 = 1")})

    mined("diff", tmp_path / "repo", tmp_path / "out")

    assert load_cases(tmp_path / "out").cases[0].file_path == "old.py"


def test_the_same_edit_is_told_once(tmp_path: Path) -> None:
    start(tmp_path / "repo", {"a.py": BEFORE})
    for content in (AFTER, BEFORE, AFTER):
        change(tmp_path / "repo", {"a.py": content})

    tally = mined("diff", tmp_path / "repo", tmp_path / "out")

    assert (tally.cases, tally.refused_commits[MiningRefusal.DUPLICATE]) == (2, 1)


def test_texts_survive_whatever_letters_they_have(tmp_path: Path) -> None:
    before = 'a = "\u2028\x0c\x1b \U0001f600"\nb = 1\n'
    start(tmp_path / "repo", {"a.py": before.encode()})
    change(tmp_path / "repo", {"a.py": before.replace("1", "2").encode()})

    mined("diff", tmp_path / "repo", tmp_path / "out")

    (case,) = load_cases(tmp_path / "out").cases
    assert case.file_contents == before
