from collections.abc import Mapping
from pathlib import Path

import pytest

from runner.git import Repository
from runner.suites.nextedit.commits import (
    Commit,
    Edit,
    EditKind,
    Limits,
    Omission,
    Refusal,
    Refused,
    Span,
    read_commit,
    split_lines,
)
from tests.nextedit import ANY_SIZE, commit_of
from tests.repositories import commit, git, make_repository

Tree = Mapping[str, bytes]


def _read(folder: Path, *versions: Tree, limits: Limits = ANY_SIZE) -> Commit | Refused:
    sha = make_repository(folder, *versions)[-1]
    with Repository(folder) as repository:
        return read_commit(repository, sha, limits)


def _commit(folder: Path, before: Tree, after: Tree) -> Commit:
    read = _read(folder, before, after)
    assert isinstance(read, Commit)
    return read


@pytest.mark.parametrize(
    "text, lines",
    [
        pytest.param("", (), id="empty"),
        pytest.param("a", ("a",), id="no-end"),
        pytest.param("a\n", ("a\n",), id="one"),
        pytest.param("a\n\n", ("a\n", "\n"), id="blank"),
        pytest.param("a\r\nb\r", ("a\r\n", "b\r"), id="carriage-returns-stay"),
        pytest.param("a\x0cb\u2028c\x85\n", ("a\x0cb\u2028c\x85\n",), id="no-other-separator"),
    ],
)
def test_a_line_ends_at_a_newline_and_nowhere_else(text: str, lines: tuple[str, ...]) -> None:
    assert split_lines(text) == lines


class TestEdits:
    def test_an_edit_is_a_maximal_run_with_its_surroundings(self) -> None:
        before = "".join(f"{number}\n" for number in range(8))

        (first, second, third) = commit_of(
            {"a": (before, before.replace("1\n", "").replace("3\n", "x\ny\n") + "8\n")}
        ).edits

        assert first == Edit(0, "a", ("1\n",), (), Span(1, 2), Span(1, 1), ("0\n",), ("2\n",))
        assert second == Edit(1, "a", ("3\n",), ("x\n", "y\n"), Span(3, 4), Span(2, 4), ("2\n",), ("4\n", "5\n", "6\n"))
        assert third == Edit(2, "a", (), ("8\n",), Span(8, 8), Span(8, 9), ("5\n", "6\n", "7\n"), ())

    @pytest.mark.parametrize(
        "before, after, kind",
        [("a\n", "a\nb\n", EditKind.INSERT), ("a\nb\n", "a\n", EditKind.DELETE), ("a\n", "b\n", EditKind.REPLACE)],
    )
    def test_its_kind_follows_from_its_lines(self, before: str, after: str, kind: EditKind) -> None:
        (edit,) = commit_of({"a": (before, after)}).edits

        assert edit.kind == kind

    def test_edits_are_numbered_over_all_files_in_gits_order(self) -> None:
        edits = commit_of({"b": ("1\n", "2\n"), "a/z": ("1\nx\n3\n", "2\nx\n4\n")}).edits

        assert [(edit.idx, edit.path) for edit in edits] == [(0, "a/z"), (1, "a/z"), (2, "b")]

    @pytest.mark.parametrize(
        "before, after, lines",
        [
            pytest.param(b"x\ny", b"x\ny\n", (("y",), ("y\n",)), id="final-newline-added"),
            pytest.param(b"x\ny\n", b"x\ny", (("y\n",), ("y",)), id="final-newline-removed"),
            pytest.param(b"x\r\ny\r\n", b"x\r\nz\r\n", (("y\r\n",), ("z\r\n",)), id="crlf"),
            pytest.param(b"x\ny\r\n", b"x\ny\n", (("y\r\n",), ("y\n",)), id="crlf-to-lf"),
            pytest.param(b"x\n\xff\n", b"x\n\xfe\n", (("\udcff\n",), ("\udcfe\n",)), id="no-utf-8"),
            pytest.param(b"x\na\x0cb\n", b"x\na\x0cc\n", (("a\x0cb\n",), ("a\x0cc\n",)), id="form-feed"),
        ],
    )
    def test_no_byte_is_lost(
        self, tmp_path: Path, before: bytes, after: bytes, lines: tuple[tuple[str, ...], tuple[str, ...]]
    ) -> None:
        read = _commit(tmp_path, {"a.py": before}, {"a.py": after})

        (edit,) = read.edits
        assert (edit.before, edit.after) == lines
        assert (read.files[0].after or "").encode("utf-8", "surrogateescape") == after


class TestFiles:
    def test_added_and_deleted_files_are_absent_on_one_side(self, tmp_path: Path) -> None:
        read = _commit(tmp_path, {"old.go": b"o\n"}, {"new.rs": b"quite different\n"})

        assert [(each.path, each.before, each.after) for each in read.files] == [
            ("new.rs", None, "quite different\n"),
            ("old.go", "o\n", None),
        ]
        assert [edit.kind for edit in read.edits] == [EditKind.INSERT, EditKind.DELETE]

    def test_a_renamed_file_is_one_file_at_its_new_path(self, tmp_path: Path) -> None:
        text = b"".join(b"line %d\n" % number for number in range(10))

        read = _commit(tmp_path, {"old.py": text}, {"d/new.py": text.replace(b"line 4", b"line four")})

        assert [(each.path, each.old_path) for each in read.files] == [("d/new.py", "old.py")]
        assert [edit.before for edit in read.edits] == [("line 4\n",)]

    @pytest.mark.parametrize(
        "path, before, after, reason",
        [
            pytest.param("x.png", b"\0\1", b"\0\2", Omission.BINARY, id="binary"),
            pytest.param("__init__.py", None, b"", Omission.EMPTY, id="empty-added"),
            pytest.param("long.txt", b"x", b"x" * 2_000_000, Omission.TOO_LONG, id="too-long"),
        ],
    )
    def test_a_file_without_edits_is_left_out_with_its_reason(
        self, tmp_path: Path, path: str, before: bytes | None, after: bytes, reason: Omission
    ) -> None:
        old = {"a.py": b"1\n"} | ({path: before} if before is not None else {})

        read = _commit(tmp_path, old, {"a.py": b"2\n", path: after})

        assert read.omitted == {path: reason}
        assert [edit.path for edit in read.edits] == ["a.py"]

    def test_links_modes_and_pure_renames_are_left_out(self, tmp_path: Path) -> None:
        make_repository(tmp_path, {"a.py": b"1\n", "run": b"#!\n", "moved": b"same\n"})
        (tmp_path / "link").symlink_to("a.py")
        (tmp_path / "run").chmod(0o755)
        (tmp_path / "moved").rename(tmp_path / "elsewhere")
        sha = commit(tmp_path)

        with Repository(tmp_path) as repository:
            read = read_commit(repository, sha, ANY_SIZE)

        assert isinstance(read, Commit)
        assert read.omitted == {"elsewhere": Omission.RENAME, "link": Omission.LINK, "run": Omission.MODE}

    def test_a_submodule_is_left_out(self, tmp_path: Path) -> None:
        (first,) = make_repository(tmp_path, {"a": b"1\n"})
        git(tmp_path, "update-index", "--add", "--cacheinfo", f"160000,{first},sub")
        git(tmp_path, "commit", "--quiet", "--message", "add")

        with Repository(tmp_path) as repository:
            read = read_commit(repository, repository.revisions("HEAD")[0], ANY_SIZE)

        assert isinstance(read, Commit)
        assert read.omitted == {"sub": Omission.SUBMODULE}


class TestRefusals:
    def test_a_first_commit_has_nothing_before_it(self, tmp_path: Path) -> None:
        read = _read(tmp_path, {"a": b"1\n"})

        assert isinstance(read, Refused)
        assert read.reason == Refusal.ROOT

    @pytest.mark.parametrize(
        "limits, reason",
        [
            (Limits(min_edits=5), Refusal.TOO_FEW_EDITS),
            (Limits(max_edits=3), Refusal.TOO_MANY_EDITS),
            (Limits(max_files=1), Refusal.TOO_MANY_FILES),
        ],
    )
    def test_sizes_have_limits(self, tmp_path: Path, limits: Limits, reason: Refusal) -> None:
        before = {"a": b"1\nx\n2\n", "b": b"1\nx\n2\n"}
        after = {"a": b"3\nx\n4\n", "b": b"3\nx\n4\n"}

        read = _read(tmp_path, before, after, limits=limits)

        assert isinstance(read, Refused)
        assert read.reason == reason

    def test_a_merge_is_refused_unless_it_is_allowed(self, tmp_path: Path) -> None:
        make_repository(tmp_path, {"a": b"1\n"})
        git(tmp_path, "checkout", "--quiet", "-b", "side")
        (tmp_path / "a").write_bytes(b"2\n")
        commit(tmp_path)
        git(tmp_path, "checkout", "--quiet", "main")
        git(tmp_path, "merge", "--quiet", "--no-ff", "-m", "merge", "side")

        with Repository(tmp_path) as repository:
            sha = repository.revisions("HEAD")[0]
            refused = read_commit(repository, sha, ANY_SIZE)
            read = read_commit(repository, sha, Limits(min_edits=1, merges=True))

        assert isinstance(refused, Refused)
        assert refused.reason == Refusal.MERGE
        assert isinstance(read, Commit)

    def test_a_missing_object_is_a_reason_too(self, tmp_path: Path) -> None:
        _, sha = make_repository(tmp_path, {"a": b"1\n"}, {"a": b"2\n"})
        blob = git(tmp_path, "rev-parse", "HEAD:a").strip()
        (tmp_path / ".git/objects" / blob[:2] / blob[2:]).unlink()

        with Repository(tmp_path) as repository:
            read = read_commit(repository, sha, ANY_SIZE)

        assert isinstance(read, Refused)
        assert read.reason == Refusal.MISSING_OBJECT


def test_a_case_is_named_after_its_project_and_commit(tmp_path: Path) -> None:
    read = _commit(tmp_path / "tool", {"a": b"1\n"}, {"a": b"2\n"})

    assert read.case_id == f"tool-{read.origin.sha[:10]}"
    assert (read.message, read.origin.authored) == ("version 1\n", 1700000000)


@pytest.mark.parametrize("folder", ["tool.git", "tool/.git", "tool"])
def test_a_bare_mirror_gives_a_case_the_same_name(tmp_path: Path, folder: str) -> None:
    _, sha = make_repository(tmp_path / "tool", {"a": b"1\n"}, {"a": b"2\n"})
    git(tmp_path / "tool", "clone", "--quiet", "--mirror", ".", str(tmp_path / "tool.git"))

    with Repository(tmp_path / folder) as repository:
        read = read_commit(repository, sha, ANY_SIZE)

    assert isinstance(read, Commit)
    assert read.case_id == f"tool-{sha[:10]}"
