"""Paths tell languages, and texts with syntax errors are told from those without."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner import syntax

SOUND = {
    "bash": 'set -e\nfor f in *.txt; do echo "$f"; done\n',
    "c": '#include <stdio.h>\nint main(void) { return puts("hi") < 0; }\n',
    "cpp": "template <class T> T twice(T x) { return x + x; }\n",
    "css": "a:hover { color: red; }\n",
    "go": 'package main\n\nfunc main() { println("hi") }\n',
    "html": "<!doctype html><p>hi</p>\n",
    "java": "class A { int f(int x) { return x + 1; } }\n",
    "javascript": "export const f = (x) => x ?? 1;\n",
    "json": '{"a": [1, 2, null]}\n',
    "markdown": "# Title\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    "python": "async def f(*, x: int = 1) -> int:\n    return x\n",
    "rust": 'fn main() { let x: Option<&str> = None; println!("{x:?}"); }\n',
    "sql": "SELECT a FROM t WHERE b = 1;\n",
    "toml": "[a]\nb = 1\n",
    "tsx": "const A = (p: { n: number }) => <b>{p.n}</b>;\n",
    "typescript": "interface A { b?: string }\nexport function f<T>(x: T): T { return x }\n",
    "yaml": "a:\n  - b: 1\n    c: [x, y]\n",
}
BROKEN = {
    "c": "int main(void) { return 0;\n",
    "go": "package main\nfunc main() { x := \n",
    "java": "class A { int f( { return 1; } }\n",
    "javascript": "function f( { return }\n",
    "json": '{"a": 1,,}\n',
    "python": "def f(:\n    return\n",
    "rust": "fn main() { let = 3; }\n",
    "typescript": "interface A { b: }\n",
    "yaml": "a: [1, 2\nb: }\n",
}


@pytest.mark.parametrize(
    "path, language",
    [
        ("src/app.py", "python"),
        ("a.PYI", "python"),
        ("web/View.tsx", "tsx"),
        ("web/view.mts", "typescript"),
        ("C:\\work\\main.rs", "rust"),
        ("include/list.h", "c"),
        ("docs/a.b/README.md", "markdown"),
        ("ci/.github/workflows/build.yml", "yaml"),
        ("Dockerfile", "dockerfile"),
        ("deploy/Makefile", "make"),
        ("go.mod", "gomod"),
        (".gitignore", "gitignore"),
        ("requirements.txt", "requirements"),
        ("notes.txt", None),
        ("LICENSE", None),
        ("py", None),
        ("folder.py/file", None),
        ("", None),
    ],
)
def test_a_path_tells_the_language(path: str, language: str | None) -> None:
    assert syntax.language_of(path) == language


@pytest.mark.parametrize("language", sorted({*syntax._BY_NAME.values(), *syntax._BY_SUFFIX.values()}))
def test_every_language_that_a_path_can_tell_has_a_grammar(language: str) -> None:
    assert syntax.has_grammar(language)


@pytest.mark.parametrize("language", SOUND)
def test_a_sound_text_parses(language: str) -> None:
    assert syntax.parses(SOUND[language], language) is True


@pytest.mark.parametrize("language", BROKEN)
def test_a_broken_text_does_not_parse(language: str) -> None:
    assert syntax.parses(BROKEN[language], language) is False


def test_a_missing_token_is_an_error_as_well() -> None:
    assert syntax.parses("int x = 1", "c") is False


@pytest.mark.parametrize("language", ["klingon", "", "../python", "python.x"])
def test_without_a_grammar_there_is_no_verdict(language: str) -> None:
    assert syntax.parses("x", language) is None
    assert not syntax.has_grammar(language)


def test_parsing_without_a_grammar_is_an_error() -> None:
    with pytest.raises(LookupError, match="no grammar for 'klingon'"):
        syntax.parse("x", "klingon")


def test_positions_are_bytes_of_utf_8() -> None:
    tree = syntax.parse("s = '\U0001f680\u2028'\n", "python")

    assert tree.root_node.end_byte == len("s = '\U0001f680\u2028'\n".encode())


def test_text_and_bytes_give_the_same_tree() -> None:
    text = "def f():\n    return 'é'\n"

    assert str(syntax.parse(text, "python").root_node) == str(syntax.parse(text.encode(), "python").root_node)


@pytest.mark.parametrize(
    "language,text,expected",
    [
        pytest.param("python", "# é\nx = '#'  # b\n", ["# é", "# b"], id="python"),
        pytest.param("rust", "/* a /* b */ c */ fn f() {} // d\n", ["/* a /* b */ c */", "// d"], id="nested"),
        pytest.param("java", "/* a */ class A { } // b\n", ["/* a */", "// b"], id="two kinds"),
        pytest.param("json", '{"a": 1}\n', [], id="none"),
        pytest.param("markdown", "# no comment\n", [], id="no such thing in the grammar"),
    ],
)
def test_comments_are_found_in_the_order_of_the_text(language: str, text: str, expected: list[str]) -> None:
    source = text.encode()

    found = syntax.comments(syntax.parse(text, language), language)

    outer = [place for at, place in enumerate(found) if all(place[1] > earlier[1] for earlier in found[:at])]
    assert [source[start:end].decode() for start, end in outer] == expected
    assert [start for start, _ in found] == sorted(start for start, _ in found)


def test_half_a_surrogate_pair_is_no_crash() -> None:
    assert syntax.parses("s = '\ud800'\n", "python") is True


@given(text=st.text(), language=st.sampled_from(sorted(SOUND)))
def test_any_text_gets_a_verdict(text: str, language: str) -> None:
    assert syntax.parses(text, language) in {True, False}


def test_importing_the_module_loads_no_grammar() -> None:
    code = "import sys, runner.syntax; print([name for name in sys.modules if 'tree_sitter' in name])"

    seen = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert seen.stdout == "[]\n"
