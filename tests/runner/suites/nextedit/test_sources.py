import json
from pathlib import Path

import pytest

from runner.errors import InputError
from runner.git import Repository
from runner.suites.nextedit.bundles import write_bundle
from runner.suites.nextedit.commits import Commit, Limits, Refusal, Refused
from runner.suites.nextedit.sources import (
    Found,
    Listed,
    Ready,
    from_cases,
    from_repository,
    from_testset,
    read_testset,
)
from tests.repositories import make_repository

TWO = Limits(min_edits=1)
VERSIONS = ({"a.py": b"1\n", "same": b"x"}, {"a.py": b"2\n", "same": b"x"}, {"a.py": b"3\n", "same": b"y"})


def _commits(found: list[Found]) -> list[Commit]:
    return [each.commit for each in found if isinstance(each, Ready)]


def _tree(ready: Ready) -> dict[str, bytes]:
    with ready.tree() as files:
        return {path: each.read() for path, each in files.items()}


def _listed(url: str) -> Listed:
    return Listed(url, "python", url.split("/")[-3], url.rsplit("/", 1)[-1])


def test_a_range_of_a_repository_gives_its_commits_and_their_trees(tmp_path: Path) -> None:
    shas = make_repository(tmp_path / "tool", *VERSIONS)

    with Repository(tmp_path / "tool") as repository:
        found = list(from_repository(repository, ["HEAD~2..HEAD"], TWO))

    first = found[0]
    assert isinstance(first, Ready)

    assert [commit.origin.sha for commit in _commits(found)] == shas[1:]
    assert _tree(first) == VERSIONS[0]
    assert b"-1\n+2\n" in first.patch()


def test_what_cannot_be_replayed_is_refused_in_its_place(tmp_path: Path) -> None:
    make_repository(tmp_path / "tool", *VERSIONS)

    with Repository(tmp_path / "tool") as repository:
        found = list(from_repository(repository, ["HEAD~2", "HEAD"], TWO))

    assert isinstance(found[0], Refused)
    assert found[0].reason == Refusal.ROOT
    assert isinstance(found[1], Ready)


def test_a_bundle_gives_the_same_commit_tree_and_diff_as_its_repository(tmp_path: Path) -> None:
    make_repository(tmp_path / "tool", *VERSIONS)
    with Repository(tmp_path / "tool") as repository:
        (origin,) = from_repository(repository, ["HEAD"], TWO)
        assert isinstance(origin, Ready)
        write_bundle(origin.commit, tmp_path / "cases")

        (bundled,) = from_cases(tmp_path / "cases", TWO)

        assert isinstance(bundled, Ready)
        assert bundled.commit == origin.commit
        assert _tree(bundled) == {"a.py": b"2\n", "same": b"x"}
        assert bundled.patch() == origin.patch()


class TestTestset:
    def test_the_list_is_read_in_order(self, tmp_path: Path) -> None:
        url = "https://example.org/owner/tool/commit/abc"
        (tmp_path / "list.json").write_text(json.dumps({"python": [{"commit_url": url, "edit_order_seq": []}]}))

        (listed,) = read_testset(tmp_path / "list.json")

        assert listed == Listed(url, "python", "tool", "abc")
        assert listed.repository == "https://example.org/owner/tool.git"

    @pytest.mark.parametrize(
        "content, message",
        [
            ("{", "no readable JSON"),
            ("[]", "no object of languages"),
            ('{"python": 3}', r"python\[0\]: field commit_url"),
            ('{"go": [{"commit_url": "https://example.org/tool"}]}', r"go\[0\]: field commit_url"),
            ('{"go": [{}]}', r"go\[0\]: field commit_url"),
        ],
    )
    def test_a_faulty_list_names_the_entry(self, tmp_path: Path, content: str, message: str) -> None:
        (tmp_path / "list.json").write_text(content)

        with pytest.raises(InputError, match=message):
            read_testset(tmp_path / "list.json")

    def test_commits_come_from_the_folder_of_their_project(self, tmp_path: Path) -> None:
        shas = make_repository(tmp_path / "repos" / "tool", *VERSIONS)
        url = f"https://example.org/owner/tool/commit/{shas[1]}"

        (found,) = from_testset([_listed(url)], tmp_path / "repos", TWO, fetch=False)

        assert isinstance(found, Ready)
        origin = found.commit.origin
        assert (origin.url, origin.project, origin.language) == (url, "tool", "python")

    def test_a_missing_repository_is_refused_and_the_next_goes_on(self, tmp_path: Path) -> None:
        shas = make_repository(tmp_path / "tool", *VERSIONS)
        urls = ["https://example.org/o/none/commit/abc", f"https://example.org/o/tool/commit/{shas[2]}"]

        found = list(from_testset([_listed(url) for url in urls], tmp_path, TWO, fetch=False))

        assert isinstance(found[0], Refused)
        assert found[0].reason == Refusal.NO_REPOSITORY
        assert isinstance(found[1], Ready)

    @pytest.mark.parametrize("name", ["tool.git", "tool"])
    @pytest.mark.parametrize("scheme", ["file://", ""])
    def test_a_missing_repository_is_cloned_on_request(self, tmp_path: Path, scheme: str, name: str) -> None:
        shas = make_repository(tmp_path / "origin" / name, *VERSIONS)
        listed = _listed(f"{scheme}{tmp_path}/origin/tool/commit/{shas[1]}")

        (found,) = from_testset([listed], tmp_path / "repos", TWO, fetch=True)

        assert isinstance(found, Ready)
        assert (tmp_path / "repos" / "tool").is_dir()
