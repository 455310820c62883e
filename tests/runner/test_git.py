import hashlib
import os
import subprocess
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.errors import InputError
from runner.git import GitError, LineRun, PathChange, Repository
from runner.suites.nextedit.new_repositories import clone, write_pairs
from tests.repositories import commit, git, make_repository


@pytest.fixture
def three(tmp_path: Path) -> Iterator[tuple[Repository, list[str]]]:
    texts = [b"a\nb\nc\n", b"a\nB\nc\n", b"a\nB\nC\n"]
    shas = make_repository(tmp_path / "three", *({"a.py": text} for text in texts))
    with Repository(tmp_path / "three") as repository:
        yield repository, shas


def _runs(tmp_path: Path, old: bytes, new: bytes) -> tuple[LineRun, ...]:
    parent, child = make_repository(tmp_path / "repository", {"a": old, "keep": b""}, {"a": new, "keep": b""})
    with Repository(tmp_path / "repository") as repository:
        (runs,) = repository.runs(parent, child).values()
    return runs


class TestRevisions:
    def test_a_range_is_read_oldest_first(self, three: tuple[Repository, list[str]]) -> None:
        repository, shas = three

        assert repository.revisions("HEAD~2..HEAD") == tuple(shas[1:])

    def test_a_plain_revision_is_that_commit_alone(self, three: tuple[Repository, list[str]]) -> None:
        repository, shas = three

        assert repository.revisions("HEAD^") == (shas[1],)

    @pytest.mark.parametrize("expression", ["nowhere", "--all", "--output=/tmp/x", "HEAD..", "a.py"])
    def test_what_is_no_revision_is_refused_or_empty(
        self, three: tuple[Repository, list[str]], expression: str
    ) -> None:
        repository, _ = three

        if expression == "HEAD..":
            assert repository.revisions(expression) == ()
        else:
            with pytest.raises(InputError, match="name a revision or a range"):
                repository.revisions(expression)

    def test_a_folder_without_a_repository_is_bad_input(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="not a git repository"):
            Repository(tmp_path)

    def test_a_missing_folder_is_bad_input(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="no such folder"):
            Repository(tmp_path / "none")


class TestCommits:
    def test_a_commit_knows_its_parent_author_and_message(self, three: tuple[Repository, list[str]]) -> None:
        repository, shas = three

        read = repository.commit(shas[1])

        assert read.parents == (shas[0],)
        assert (read.author, read.authored, read.message) == ("Ada <ada@example.org>", 1700000000, "version 1\n")

    def test_a_message_in_latin_1_is_decoded_by_its_encoding(self, tmp_path: Path) -> None:
        make_repository(tmp_path, {"a": b""})
        (tmp_path / "message").write_bytes("déjà vu".encode("latin-1"))
        git(tmp_path, "-c", "i18n.commitEncoding=latin-1", "commit", "-q", "--allow-empty", "-F", "message")

        with Repository(tmp_path) as repository:
            assert repository.commit(repository.revisions("HEAD")[0]).message == "déjà vu\n"

    def test_a_merge_has_two_parents(self, tmp_path: Path) -> None:
        make_repository(tmp_path, {"a": b"a\n"})
        git(tmp_path, "checkout", "--quiet", "-b", "side")
        side = commit(tmp_path)
        git(tmp_path, "checkout", "--quiet", "main")
        main = commit(tmp_path, "other")
        git(tmp_path, "merge", "--quiet", "--no-ff", "-m", "merge", "side")

        with Repository(tmp_path) as repository:
            assert repository.commit(repository.revisions("HEAD")[0]).parents == (main, side)


class TestObjects:
    def test_blobs_are_read_byte_for_byte(self, tmp_path: Path) -> None:
        contents = [b"", b"\n", b"no end", b"\xff\x00\r\n\n", b"x" * 200_000]
        make_repository(tmp_path, {f"{number}": content for number, content in enumerate(contents)})
        ids = [git(tmp_path, "rev-parse", f"HEAD:{number}").strip() for number in range(len(contents))]

        with Repository(tmp_path) as repository:
            assert [repository.blob(blob_id) for blob_id in ids] == contents

    def test_a_blob_beyond_the_limit_is_passed_over(self, tmp_path: Path) -> None:
        make_repository(tmp_path, {"long": b"x" * 3_000_000, "short": b"y"})
        long, short = (git(tmp_path, "rev-parse", f"HEAD:{name}").strip() for name in ("long", "short"))

        with Repository(tmp_path) as repository:
            assert repository.blob(long, limit=1000) is None
            assert repository.blob(short, limit=1000) == b"y"

    @pytest.mark.parametrize("object_id", ["HEAD", "0" * 39, "0" * 40, "--help", "a\nb"])
    def test_only_full_ids_of_present_objects_are_served(
        self, three: tuple[Repository, list[str]], object_id: str
    ) -> None:
        repository, shas = three

        with pytest.raises(GitError):
            repository.blob(object_id)
        assert repository.commit(shas[0]).sha == shas[0]

    def test_a_commit_is_no_blob(self, three: tuple[Repository, list[str]]) -> None:
        repository, shas = three

        with pytest.raises(GitError, match="is a commit, not a blob"):
            repository.blob(shas[0])

    @pytest.mark.parametrize(
        "damage",
        [
            pytest.param(lambda _: b"no object", id="another-text"),
            pytest.param(lambda _: b"", id="nothing"),
            pytest.param(lambda data: data[: len(data) // 2], id="half"),
            pytest.param(lambda data: data[:40], id="hardly-more-than-the-size"),
        ],
    )
    @pytest.mark.parametrize("limit", [None, 1000], ids=["whole", "passed-over"])
    def test_a_damaged_object_is_told_and_others_are_read_after_it(
        self, tmp_path: Path, damage: Callable[[bytes], bytes], limit: int | None
    ) -> None:
        random = b"".join(hashlib.sha256(b"%d" % number).digest() for number in range(9000))
        make_repository(tmp_path, {"bad": random, "good": b"y"})
        bad, good = (git(tmp_path, "rev-parse", f"HEAD:{name}").strip() for name in ("bad", "good"))
        spoil(tmp_path, bad, damage)

        with Repository(tmp_path) as repository:
            for _ in range(3):
                with pytest.raises(GitError, match=r"cat-file ended|missing"):
                    repository.blob(bad, limit)
                assert repository.blob(good, limit) == b"y"

    def test_what_another_repository_has_promised_is_not_fetched(self, tmp_path: Path) -> None:
        make_repository(tmp_path / "whole", {"a": b"x"}, {"a": b"y"})
        git(tmp_path / "whole", "config", "uploadpack.allowFilter", "true")
        url = (tmp_path / "whole").as_uri()
        git(tmp_path, "clone", "--quiet", "--no-checkout", "--filter=blob:none", url, "partial")
        ids = [git(tmp_path / "whole", "rev-parse", f"{rev}:a").strip() for rev in ("HEAD", "HEAD~1")]

        with Repository(tmp_path / "partial") as repository:
            for blob_id in ids * 2:
                with pytest.raises(GitError):
                    repository.blob(blob_id)
            assert repository.commit(repository.revisions("HEAD")[0]).message == "version 1\n"


def spoil(repository: Path, object_id: str, damage: Callable[[bytes], bytes]) -> None:
    path = repository / ".git" / "objects" / object_id[:2] / object_id[2:]
    content = damage(path.read_bytes())
    path.unlink()
    path.write_bytes(content)


class TestChanges:
    def test_every_kind_of_change_is_named(self, tmp_path: Path) -> None:
        long = b"".join(b"line %d\n" % number for number in range(20))
        first, second = make_repository(
            tmp_path,
            {"old.py": long, "gone.py": b"gone\n", "same.py": b"same\n", "edit.py": b"1\n"},
            {"new.py": long + b"more\n", "born.py": b"born\n", "same.py": b"same\n", "edit.py": b"2\n"},
        )

        with Repository(tmp_path) as repository:
            changes = repository.changes(first, second)

        assert [(change.status, change.old_path, change.new_path) for change in changes] == [
            ("A", b"born.py", b"born.py"),
            ("M", b"edit.py", b"edit.py"),
            ("D", b"gone.py", b"gone.py"),
            ("R", b"old.py", b"new.py"),
        ]

    def test_without_renames_a_moved_file_is_deleted_and_added(self, tmp_path: Path) -> None:
        first, second = make_repository(tmp_path, {"old.py": b"a\nb\nc\n"}, {"new.py": b"a\nb\nc\n"})

        with Repository(tmp_path) as repository:
            statuses = [change.status for change in repository.changes(first, second, renames=False)]

        assert statuses == ["A", "D"]

    @pytest.mark.parametrize("name", ["a b.py", "é.py", 'q"uote.py', "tab\t.py", "new\nline.py", "back\\slash.py"])
    def test_paths_are_bytes_and_never_quoted(self, tmp_path: Path, name: str) -> None:
        first, second = make_repository(tmp_path, {name: b"1\n"}, {name: b"2\n"})

        with Repository(tmp_path) as repository:
            (change,) = repository.changes(first, second)

        assert change.new_path == os.fsencode(name)

    def test_modes_tell_links_from_files(self, tmp_path: Path) -> None:
        make_repository(tmp_path, {"a": b"a\n"})
        (tmp_path / "link").symlink_to("a")
        commit(tmp_path)

        with Repository(tmp_path) as repository:
            parent, child = repository.revisions("HEAD^")[0], repository.revisions("HEAD")[0]
            (change,) = repository.changes(parent, child)

        assert isinstance(change, PathChange)
        assert (change.status, change.new_mode) == ("A", "120000")


class TestRuns:
    @pytest.mark.parametrize(
        "old, new, runs",
        [
            pytest.param(b"a\nb\nc\n", b"a\nX\nc\n", [LineRun(1, 2, 1, 2)], id="replace"),
            pytest.param(b"a\nc\n", b"a\nb\nc\n", [LineRun(1, 1, 1, 2)], id="insert"),
            pytest.param(b"a\nb\nc\n", b"a\nc\n", [LineRun(1, 2, 1, 1)], id="delete"),
            pytest.param(b"a\n", b"x\na\n", [LineRun(0, 0, 0, 1)], id="insert-at-the-top"),
            pytest.param(b"", b"a\nb\n", [LineRun(0, 0, 0, 2)], id="insert-into-nothing"),
            pytest.param(b"a\nb\n", b"", [LineRun(0, 2, 0, 0)], id="delete-everything"),
            pytest.param(b"a\nb\nc\n", b"A\nb\nC\n", [LineRun(0, 1, 0, 1), LineRun(2, 3, 2, 3)], id="one-line-apart"),
            pytest.param(b"a\nb", b"a\nb\n", [LineRun(1, 2, 1, 2)], id="final-newline-added"),
            pytest.param(b"a\nb\n", b"a\nb", [LineRun(1, 2, 1, 2)], id="final-newline-removed"),
            pytest.param(b"a\nb", b"a\nb\nc", [LineRun(1, 2, 1, 3)], id="line-after-an-open-end"),
            pytest.param(b"a\r\nb\r\n", b"a\nb\r\n", [LineRun(0, 1, 0, 1)], id="crlf-to-lf"),
            pytest.param(b"-a\n+b\n@@ c\n", b"-a\n+B\n@@ c\n", [LineRun(1, 2, 1, 2)], id="lines-that-look-like-a-diff"),
            pytest.param(
                b"p\ndiff --git a/x b/y\n", b"q\ndiff --git a/x b/y\n", [LineRun(0, 1, 0, 1)], id="a-diff-inside"
            ),
            pytest.param(b"\\ No\nb\n", b"\\ No\nc\n", [LineRun(1, 2, 1, 2)], id="a-backslash-line"),
            pytest.param(b"x\0y\nb\n", b"x\0y\nc\n", [LineRun(1, 2, 1, 2)], id="zero-bytes-are-text"),
            pytest.param(b"a\x0cb\nc\n", b"a\x0cb\nd\n", [LineRun(1, 2, 1, 2)], id="only-newline-ends-a-line"),
        ],
    )
    def test_runs_are_maximal_and_counted_from_0(
        self, tmp_path: Path, old: bytes, new: bytes, runs: list[LineRun]
    ) -> None:
        assert list(_runs(tmp_path, old, new)) == runs

    def test_configuration_and_attributes_change_nothing(self, tmp_path: Path) -> None:
        attributes = {".gitattributes": b"*.py -diff diff=shout\n"}
        shas = make_repository(tmp_path, {"a.py": b"a\nb\n", **attributes}, {"a.py": b"a\nc\n", **attributes})
        for key, value in {
            "diff.shout.textconv": "false",
            "diff.shout.command": "false",
            "diff.external": "false",
            "diff.algorithm": "patience",
            "diff.noprefix": "true",
            "core.fsmonitor": "false-and-run-me",
        }.items():
            git(tmp_path, "config", key, value)

        with Repository(tmp_path) as repository:
            (runs,) = repository.runs(*shas).values()

        assert runs == (LineRun(1, 2, 1, 2),)

    def test_variables_of_an_enclosing_git_are_not_heard(
        self, three: tuple[Repository, list[str]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        repository, shas = three
        monkeypatch.setenv("GIT_DIR", "/nowhere")
        monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")

        assert len(repository.runs(shas[0], shas[2])) == 1

    @settings(max_examples=25)
    @given(st.lists(st.lists(st.sampled_from([b"a\n", b"b\n", b"\n", b"c\r\n"]), max_size=30), min_size=2, max_size=8))
    def test_applying_the_runs_gives_the_new_text(
        self, tmp_path_factory: pytest.TempPathFactory, texts: list[list[bytes]]
    ) -> None:
        folder = tmp_path_factory.mktemp("pairs")
        pairs = list(pairwise(texts))

        ids = write_pairs(folder, [({b"a": b"".join(old)}, {b"a": b"".join(new)}) for old, new in pairs])

        with Repository(folder) as repository:
            for (old, new), (parent, child) in zip(pairs, ids, strict=True):
                for runs in repository.runs(parent, child).values():
                    assert _apply(old, new, runs) == new
                    assert all(one.old_end < two.old_start for one, two in pairwise(runs))

    def test_the_runs_are_those_of_the_diff_with_full_context(self, tmp_path: Path) -> None:
        block = b"def f():\n    return 1\n\n\n"
        parent, child = make_repository(tmp_path, {"a.py": block * 3}, {"a.py": block * 4})

        with Repository(tmp_path) as repository:
            (runs,) = repository.runs(parent, child).values()
            patch = repository.patch(parent, child).split(b"\n")[5:-1]

        added = [number for number, line in enumerate(patch) if line.startswith(b"+")]
        assert [(added[0], added[-1] + 1)] == [(run.new_start, run.new_end) for run in runs]


def _apply(old: list[bytes], new: list[bytes], runs: tuple[LineRun, ...]) -> list[bytes]:
    result = list(old)
    for run in reversed(runs):
        result[run.old_start : run.old_end] = new[run.new_start : run.new_end]
    return result


class TestPairs:
    def test_texts_without_a_repository_get_gits_diff(self, tmp_path: Path) -> None:
        pairs = [({b"x y.py": b"1\n"}, {b"x y.py": b"2\n", b'n"e\\w\n.py': b"\xff"}), ({}, {b"d/e.py": b""})]

        first, second = write_pairs(tmp_path, pairs)

        with Repository(tmp_path) as repository:
            assert [change.new_path for change in repository.changes(*first)] == [b'n"e\\w\n.py', b"x y.py"]
            assert [change.new_path for change in repository.changes(*second)] == [b"d/e.py"]


class TestClone:
    def test_a_clone_has_the_commits_and_no_working_tree(self, tmp_path: Path) -> None:
        shas = make_repository(tmp_path / "origin", {"a": b"1\n"}, {"a": b"2\n"})

        with clone(f"file://{tmp_path}/origin", tmp_path / "clones" / "copy") as repository:
            assert repository.revisions("HEAD") == (shas[1],)

        assert not (tmp_path / "clones" / "copy" / "a").exists()
        assert [path.name for path in (tmp_path / "clones").iterdir()] == ["copy"]

    @pytest.mark.parametrize(
        "url",
        [
            "ext::sh -c touch% /tmp/x",
            "--upload-pack=touch x",
            "-u",
            "http://example.org/x",
            "https://a b",
            "https://a\nb",
        ],
    )
    def test_an_address_that_could_run_something_is_refused(self, tmp_path: Path, url: str) -> None:
        with pytest.raises(InputError, match="cannot be cloned"):
            clone(url, tmp_path / "copy")

    def test_a_failed_clone_leaves_nothing(self, tmp_path: Path) -> None:
        with pytest.raises(GitError):
            clone(f"file://{tmp_path}/none", tmp_path / "clones" / "copy")

        assert list((tmp_path / "clones").iterdir()) == []

    def test_an_existing_folder_is_left_alone(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="there already"):
            clone("https://example.org/x", tmp_path)


def test_closing_ends_the_child_process(three: tuple[Repository, list[str]]) -> None:
    repository, shas = three
    repository.commit(shas[0])
    child = repository._objects
    assert isinstance(child, subprocess.Popen)

    repository.close()

    assert child.returncode == 0
