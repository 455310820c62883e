"""Fixtures of the order: what they say is what is read, and what is malformed is refused with file and line."""

from pathlib import Path

import pytest

from runner.suites.nextedit.order import Reason
from tests.runner.suites.nextedit.order.order_cases import OrderCase, read_cases, read_folder

TWO = """\
# Two commits.

== a limit is raised
pairs: 0-1 defines uses, 1-2
@@ b.py
- x = 1
+ x = 2

  y = x
@@ a.md
+ # A title
+
  == not a name

== nothing is related
pairs: none
@@ a.py
- gone
"""


def written(folder: Path, text: str, name: str = "cases.txt") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def only(folder: Path, *lines: str) -> OrderCase:
    """The case of a fixture whose one file has these lines."""
    (case,) = read_cases(written(folder, "\n".join(["== a", "pairs: none", "@@ a.txt", *lines])))
    return case


class TestCases:
    def test_names_pairs_and_reasons_are_read_in_order(self, tmp_path: Path) -> None:
        first, second = read_cases(written(tmp_path, TWO))

        assert (first.name, second.name) == ("a limit is raised", "nothing is related")
        assert first.pairs == {(0, 1): {Reason.DEFINES, Reason.USES}, (1, 2): frozenset()}
        assert second.pairs == {}

    def test_files_have_a_version_before_and_one_after(self, tmp_path: Path) -> None:
        first, second = read_cases(written(tmp_path, TWO))

        assert list(first.versions().items()) == [
            ("b.py", ("x = 1\n\ny = x\n", "x = 2\n\ny = x\n")),
            ("a.md", ("== not a name\n", "# A title\n\n== not a name\n")),
        ]
        assert second.versions() == {"a.py": ("gone\n", "")}

    def test_two_blanks_are_an_empty_line_that_ends_a_file(self, tmp_path: Path) -> None:
        assert only(tmp_path, "+ x", "  ", "", "").versions() == {"a.txt": ("\n", "x\n\n")}

    @pytest.mark.parametrize("odd", ["x\r", "x\f", "x\u2028y", "x  ", "\tx", "- x", "@@ x"])
    def test_the_text_of_a_line_is_kept_to_the_letter(self, odd: str, tmp_path: Path) -> None:
        assert only(tmp_path, f"- {odd}", "+ new").versions() == {"a.txt": (f"{odd}\n", "new\n")}

    @pytest.mark.parametrize(
        "line, malformed, number, problem",
        [
            pytest.param("# Two commits.", "Two commits.", 1, "only '# ' comments", id="text before the first name"),
            pytest.param("== a limit is raised", "== ", 3, "a name without blanks", id="no name"),
            pytest.param("== a limit is raised", "== a \r", 3, "a name without blanks", id="blanks around a name"),
            pytest.param("== nothing is related", "== a limit is raised", 15, "is here twice", id="one name twice"),
            pytest.param("pairs: none", "pair: none", 16, "'pairs: none'", id="no pairs"),
            pytest.param("pairs: none", "@@ b.py\n+ x", 16, "'pairs: none'", id="a path in place of pairs"),
            pytest.param("pairs: none", "pairs: none\n+ x", 17, "'@@ path'", id="a line without a path"),
            pytest.param("pairs: none", "pairs: 1-0", 16, "'1-0' is not a pair", id="the higher number first"),
            pytest.param("pairs: none", "pairs: 0-1,0-2", 16, "'0-1,0-2' is not a pair", id="a comma without a blank"),
            pytest.param("pairs: none", "pairs: ", 16, "'' is not a pair", id="an empty list of pairs"),
            pytest.param("pairs: none", "pairs: 0-1, 0-1", 16, "0-1 is here twice", id="one pair twice"),
            pytest.param("pairs: none", "pairs: 0-1 magic", 16, "'magic' is not a reason", id="an unknown reason"),
            pytest.param("@@ a.md", "@@ b.py", 10, "'b.py' is here twice", id="one path twice"),
            pytest.param("@@ a.py\n- gone\n", "", 15, "has no '@@ path'", id="no file"),
            pytest.param("- gone", "  stays", 17, "removed or added", id="a file without a change"),
            pytest.param("  y = x", "y = x", 9, "begins with two blanks", id="a line without a mark"),
            pytest.param("  y = x", "\ty = x", 9, "begins with two blanks", id="a tab for a mark"),
            pytest.param("+ x = 2", "+x = 2", 7, "begins with two blanks", id="a mark without a blank"),
        ],
    )
    def test_what_is_malformed_is_refused_with_file_and_line(
        self, line: str, malformed: str, number: int, problem: str, tmp_path: Path
    ) -> None:
        assert TWO.count(line) == 1
        path = written(tmp_path, TWO.replace(line, malformed))

        with pytest.raises(ValueError, match="cases") as caught:
            read_cases(path)

        assert str(caught.value).startswith(f"{path}:{number}: ")
        assert problem in str(caught.value)

    def test_a_file_without_commits_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match=r"cases\.txt:1: there is no '== name'"):
            read_cases(written(tmp_path, "# Nothing yet.\n"))


class TestFolders:
    def test_ids_are_of_the_first_folder_or_file_and_the_name(self, tmp_path: Path) -> None:
        for name in ("words.txt", "go/related.txt"):
            written(tmp_path, TWO, name)

        assert list(read_folder(tmp_path)) == [
            "go-a-limit-is-raised",
            "go-nothing-is-related",
            "words-a-limit-is-raised",
            "words-nothing-is-related",
        ]

    def test_one_id_of_two_commits_is_refused(self, tmp_path: Path) -> None:
        for name in ("go/one.txt", "go/two.txt"):
            written(tmp_path, TWO, name)

        with pytest.raises(ValueError, match=r"two\.txt: another fixture of go has a commit 'a limit is raised' too"):
            read_folder(tmp_path)

    def test_a_folder_without_fixtures_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="no fixtures are here"):
            read_folder(tmp_path)
