"""What counts as a token, a line and a comment in code."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.metrics.tokens import leaves, lines, normalise, words


@pytest.mark.parametrize(
    "text, language, expected",
    [
        pytest.param("x = 1  # one\n\n# two\ny = '#'\n", "python", "x = 1\ny = '#'\n", id="python"),
        pytest.param('def f():\n    """Doc."""\n', "python", 'def f():\n    """Doc."""\n', id="docstrings stay"),
        pytest.param("int a; // x\nint/**/b = f(/**/);\n", "java", "int a;\nint b = f();\n", id="java"),
        pytest.param('s := "//"\n/* c\n */ t := 1\n', "go", 's := "//"\n t := 1\n', id="go"),
        pytest.param("let x = `//`; // y\n", "javascript", "let x = `//`;\n", id="javascript"),
        pytest.param("/// doc\nfn f() {}\n", "rust", "fn f() {}\n", id="rust"),
        pytest.param("f() # x\n", "ruby", "f()\n", id="a language without a list of marks"),
        pytest.param("# stays \n\n", None, "# stays\n", id="no language"),
        pytest.param("# stays\n", "requirements-of-mars", "# stays\n", id="no grammar"),
        pytest.param("x = 1\r\ny = 2\r\n", "python", "x = 1\ny = 2\n", id="carriage returns"),
        pytest.param("x = 'é'  # ü\n", "python", "x = 'é'\n", id="beyond ASCII"),
    ],
)
def test_comments_and_blank_lines_do_not_count(text: str, language: str | None, expected: str) -> None:
    assert normalise(text, language) == expected


@given(st.text(alphabet="ab #'\"\n\\()\t", max_size=40))
def test_normalising_twice_changes_no_more(text: str) -> None:
    once = normalise(text, None)

    assert normalise(once, None) == once


def test_indentation_counts_in_a_line_only_where_it_is_syntax() -> None:
    text = "if (x) {\n    y();\n}\n"

    assert lines(text, "java") == ("if (x) {", "y();", "}")
    assert lines("if x:\n    y()\n", "python") == ("if x:", "    y()")
    assert lines("one\n  two\n", None) == ("one", "  two")


def test_words_are_runs_of_letters_and_single_signs() -> None:
    assert words("a_1+= 'é b'\n") == ["a_1", "+", "=", "'", "é", "b", "'"]


@pytest.mark.parametrize(
    "text, expected",
    [
        pytest.param("f(x)\n", ["┄0", "f", "(", "x", ")"], id="one line"),
        pytest.param("if x:\n\ty\n", ["┄0", "if", "x", ":", "┄1", "y"], id="a tab is one wide"),
        pytest.param("f(\n    x)\n", ["┄0", "f", "(", "┄4", "x", ")"], id="a line within brackets"),
        pytest.param('"""a\nb"""\n', ["┄0", '"""', "a\nb", "┄0", '"""'], id="no layout inside a string"),
        pytest.param(r"'\t'", ["┄0", "'", r"\t", "'"], id="an escape"),
        pytest.param(r"'a \t b'", ["┄0", "'", "a ", r"\t", " b", "'"], id="letters around an escape"),
        pytest.param("' '", ["┄0", "'", " ", "'"], id="a blank string is data"),
        pytest.param("''", ["┄0", "'", "'"], id="an empty one is not"),
        pytest.param("def f(:\n  1\n", ["┄0", "def", "f", "(", ":", "┄2", "1"], id="what is missing has no token"),
        pytest.param("", [], id="an empty text"),
    ],
)
def test_the_leaves_of_python_are_its_tokens(text: str, expected: list[str]) -> None:
    assert list(leaves(text, "python")) == expected


@pytest.mark.parametrize(
    "language, text, expected",
    [
        pytest.param("java", "int a = f(1); // x", "int a = f ( 1 ) ;", id="java"),
        pytest.param("go", "x := a[1:]\n", "x := a [ 1 : ]", id="go"),
        pytest.param("cpp", "auto x = y->z /* w */ + 1;", "auto x = y -> z + 1 ;", id="cpp"),
        pytest.param("rust", "let mut x: Vec<u8> = vec![];", "let mut x : Vec < u8 > = vec ! [ ] ;", id="rust"),
        pytest.param("javascript", "const f = (a) => a ?? 1;", "const f = ( a ) => a ?? 1 ;", id="javascript"),
        pytest.param("typescript", "let a: number | null;", "let a : number | null ;", id="typescript"),
        pytest.param("json", '{"a": [1]}', '{ " a " : [ 1 ] }', id="json"),
    ],
)
def test_other_languages_have_their_own_leaves(language: str, text: str, expected: str) -> None:
    assert list(leaves(text, language)) == expected.split()


def test_positions_are_bytes_and_tokens_are_text() -> None:
    assert list(leaves("é = 'ü' + ß\n", "python", "never")) == ["é", "=", "'", "ü", "'", "+", "ß"]


def test_half_a_surrogate_pair_does_not_stop_anything() -> None:
    assert leaves("x = '\ud800'\n", "python", "never") == ("x", "=", "'", "?", "'")


def test_layout_is_left_out_of_brace_languages_unless_asked_for() -> None:
    assert "┄2" not in leaves("{\n  x\n}\n", "javascript")
    assert "┄2" in leaves("{\n  x\n}\n", "javascript", "always")
    assert "┄0" not in leaves("x\n", "python", "never")


def test_text_without_a_grammar_is_split_into_words() -> None:
    assert leaves("# a b\n", None) == leaves("# a b\n", "requirements-of-mars") == ("#", "a", "b")


@given(st.text(max_size=30))
def test_any_text_has_tokens_in_any_language(text: str) -> None:
    for language in ("python", "java", None):
        assert "".join("".join(leaves(text, language, "never")).split()) != "\0absent"
        assert all(leaves(text, language))


@given(st.text(alphabet="ab1 =+()[]{}:'\"\n\\", max_size=40))
def test_no_visible_character_of_code_is_lost(text: str) -> None:
    visible = "".join(text.split())

    assert "".join("".join(leaves(text, "python", "never")).split()) == visible
