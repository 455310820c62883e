"""Comments in many languages: two programs that differ in nothing else are known for it."""

import pytest

from runner.mine.comments import differ_in_comments_only
from runner.mine.file_filter import SOURCES

# For each language a line with a comment, and what stands in place of `why` or `1` in the other version.
LINES = {
    "bash": "a=1 # why",
    "c": "int a = 1; // why",
    "clojure": "(def a 1) ; why",
    "cmake": "set(a 1) #[[why]]",
    "cpp": "int a = 1; /* why */",
    "csharp": "class A { int a = 1; /// why\n}",
    "dart": "/// why\nint a = 1;",
    "elixir": "a = 1 # why",
    "elm": "a = 1 -- why",
    "erlang": "a() -> 1. % why",
    "fortran": "program p\n  a = 1 ! why\nend program p",
    "go": "package a\nvar a = 1 // why",
    "haskell": "-- | why\na :: Int\na = 1",
    "hcl": "a = 1 # why",
    "java": "class A { /** why */ int a = 1; }",
    "javascript": "let a = 1 // why",
    "julia": "a = 1 #= why =#",
    "kotlin": "val a = 1 /* why */",
    "lua": "local a = 1 -- why",
    "make": "a = 1\n# why",
    "nim": "## why\nlet a = 1",
    "ocaml": "let a = 1 (* why *)",
    "perl": "my $a = 1; # why",
    "php": "<?php $a = 1; // why",
    "powershell": "$a = 1 # why",
    "prisma": "/// why\nmodel A {\n  a Int @default(1)\n}",
    "python": "a = 1  # why",
    "r": "a <- 1 # why",
    "ruby": "=begin\nwhy\n=end\na = 1",
    "rust": "/// why\nfn a() -> i32 { 1 }",
    "scala": "val a = 1 // why",
    "scss": ".a { width: 1px; } // why",
    "sql": "SELECT 1; -- why",
    "swift": "let a = 1 // why",
    "tsx": "const a = <b>{1 /* why */}</b>",
    "typescript": "const a: number = 1 // why",
    "zig": "/// why\nconst a = 1;",
}


@pytest.mark.parametrize("language", LINES)
def test_another_comment_is_no_other_program(language: str) -> None:
    before = f"{LINES[language]}\n"

    assert differ_in_comments_only(before.encode(), before.replace("why", "because of").encode(), language)


@pytest.mark.parametrize(
    "before, language",
    [
        pytest.param("=pod\n\nwhy\n\n=cut\n\nmy $a = 1;\n", "perl", id="perl-documentation"),
        pytest.param("a\n\\begin{comment}\nwhy\n\\end{comment}\n", "latex", id="latex-environment"),
        pytest.param("a = 1\n=begin\nwhy\n=end\n", "ruby", id="ruby-block"),
    ],
)
def test_a_line_within_a_comment_of_several_is_none_of_the_program(before: str, language: str) -> None:
    assert differ_in_comments_only(before.encode(), before.replace("why", "because of").encode(), language)


@pytest.mark.parametrize("language", LINES)
def test_another_value_is_another_program(language: str) -> None:
    before = f"{LINES[language]}\n"

    assert not differ_in_comments_only(before.encode(), before.replace("1", "2").encode(), language)


@pytest.mark.parametrize("language", sorted(SOURCES))
def test_every_language_of_programs_can_be_compared(language: str) -> None:
    assert not differ_in_comments_only(b"one\n", b"two\n", language)


@pytest.mark.parametrize(
    "before",
    [
        pytest.param('"""why"""\nimport a\n', id="module"),
        pytest.param('def a():\n    """Say.\n\n    why\n    """\n    return 1\n', id="function"),
        pytest.param('class A:\n    "why"\n\n    a = 1\n', id="class"),
    ],
)
def test_a_docstring_is_a_comment(before: str) -> None:
    assert differ_in_comments_only(before.encode(), before.replace("why", "because").encode(), "python")


@pytest.mark.parametrize("before", ['a = "why"\n', 'print("why")\n', 'def a():\n    return "why"\n'])
def test_another_string_is_no_docstring(before: str) -> None:
    assert not differ_in_comments_only(before.encode(), before.replace("why", "because").encode(), "python")


def test_comments_beyond_ascii_are_cut_out_where_they_stand() -> None:
    before = "a = 1  # façade, naïve\nb = 'ü'  # ö\n"

    assert differ_in_comments_only(before.encode(), before.replace("ö", "öö").encode(), "python")
    assert not differ_in_comments_only(before.encode(), before.replace("ü", "u").encode(), "python")


def test_a_file_that_does_not_parse_has_comments_all_the_same() -> None:
    before = b"def a(:\n    return 1  # why\n"

    assert differ_in_comments_only(before, before.replace(b"why", b"because"), "python")
