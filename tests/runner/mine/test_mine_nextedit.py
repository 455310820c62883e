"""Commits to replay: bundles that the nextedit suite reads, and the commits that give none."""

from pathlib import Path

import pytest

from runner.git import Repository
from runner.mine.case import MiningRefusal
from runner.suites.nextedit.commits import Commit, Limits, read_commit
from runner.suites.nextedit.sources import Ready, from_cases
from tests.runner.mine.made_history import change, manifest, mined, start, tree

BEFORE = b"".join(b"a%d = 0\n" % number for number in range(20))
AFTER = BEFORE.replace(b"a3 = 0", b"a3 = 1").replace(b"a9 = 0", b"a9 = 1")


def test_a_bundle_gives_the_commit_back(tmp_path: Path) -> None:
    start(tmp_path / "repo", {"a.py": BEFORE, "b.md": b"1\n"})
    sha = change(tmp_path / "repo", {"a.py": AFTER, "b.md": b"2\n"})

    tally = mined("nextedit", tmp_path / "repo", tmp_path / "out")

    (found,) = from_cases(tmp_path / "out", Limits())
    assert tally.languages == {"markdown": 1, "python": 1}
    assert isinstance(found, Ready)
    with Repository(tmp_path / "repo") as repository:
        assert found.commit == read_commit(repository, sha, Limits(), project="repo")
    assert isinstance(found.commit, Commit)
    assert len(found.commit.edits) == 3


def test_the_manifest_names_file_commit_and_number_of_edits(tmp_path: Path) -> None:
    start(tmp_path / "repo", {"a.py": BEFORE})
    sha = change(tmp_path / "repo", {"a.py": AFTER})

    mined("nextedit", tmp_path / "repo", tmp_path / "out")

    assert manifest(tmp_path / "out")[1] == {"case": 1, "commit": sha, "file": f"repo-{sha[:10]}.json", "edits": 2}
    assert tree(tmp_path / "out").keys() == {"manifest.jsonl", f"repo-{sha[:10]}.json"}


@pytest.mark.parametrize(
    "files, reason",
    [
        pytest.param({}, MiningRefusal.NO_CHANGE, id="nothing"),
        pytest.param({"a.py": BEFORE.replace(b"a3 = 0", b"a3 = 1")}, MiningRefusal.TOO_FEW_EDITS, id="one-edit"),
        pytest.param({"a": b"1", "b": b"2"}, MiningRefusal.LANGUAGE, id="unknown-files"),
        pytest.param({f"{number}.py": b"1\n" for number in range(50)}, MiningRefusal.TOO_MANY_FILES, id="many-files"),
    ],
)
def test_a_commit_that_gives_no_bundle_is_counted_by_reason(
    tmp_path: Path, files: dict[str, bytes | None], reason: MiningRefusal
) -> None:
    start(tmp_path / "repo", {"a.py": BEFORE})
    change(tmp_path / "repo", files)

    tally = mined("nextedit", tmp_path / "repo", tmp_path / "out")

    assert (tally.cases, tally.refused_commits) == (0, {reason: 1, MiningRefusal.ROOT: 1})


def test_the_same_texts_are_told_once(tmp_path: Path) -> None:
    start(tmp_path / "repo", {"a.py": BEFORE})
    for content in (AFTER, BEFORE, AFTER):
        change(tmp_path / "repo", {"a.py": content})

    tally = mined("nextedit", tmp_path / "repo", tmp_path / "out")

    assert (tally.cases, tally.refused_commits[MiningRefusal.DUPLICATE]) == (2, 1)


def test_bytes_that_are_no_utf_8_survive(tmp_path: Path) -> None:
    before = b"# \xe9\n" + BEFORE
    start(tmp_path / "repo", {"a.py": before})
    change(tmp_path / "repo", {"a.py": b"# \xe8\n" + AFTER})

    mined("nextedit", tmp_path / "repo", tmp_path / "out")

    (found,) = from_cases(tmp_path / "out", Limits())
    assert isinstance(found, Ready)
    assert (found.commit.files[0].before or "").encode("utf-8", "surrogateescape") == before
