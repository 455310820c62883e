"""Parameters and arguments by their places, and the documentation of parameters, in every language with names."""

import pytest

from runner.suites.nextedit.commits import Span
from runner.suites.nextedit.order.languages import language_named
from runner.suites.nextedit.order.names import FileNames, Role, read_names


def read(text: str, language: str) -> FileNames:
    known = language_named(language)
    assert known is not None
    return read_names(text, known, [Span(0, text.count("\n"))])


@pytest.mark.parametrize(
    "language, text, places",
    [
        pytest.param(
            "python",
            "def f(self, a, b: int = 1, *rest, c, **more):\n    pass\n",
            {"self": 0, "a": 1, "b": 2, "rest": 3, "c": -1, "more": -1},
            id="python",
        ),
        pytest.param("python", "def f(a, *, b):\n    pass\n", {"a": 0, "b": -1}, id="python-by-name"),
        pytest.param("go", "package p\nfunc f(a, b int, c ...string) {}\n", {"a": 0, "b": 1, "c": 2}, id="go"),
        pytest.param("java", "class A {\n  <T> void f(T a, int... b) {}\n}\n", {"a": 0, "b": 1}, id="java"),
        pytest.param("javascript", "function f({ x }, a, b = 1) {}\n", {"a": 1, "b": 2}, id="javascript"),
        pytest.param("typescript", "function f<T>(a: T, b?: string) {}\n", {"a": 0, "b": 1}, id="typescript"),
    ],
)
def test_a_parameter_has_the_place_at_which_arguments_reach_it(
    language: str, text: str, places: dict[str, int]
) -> None:
    assert {name.text: name.place for name in read(text, language).names if name.parameter} == places


@pytest.mark.parametrize(
    "language, text, arguments",
    [
        pytest.param("python", "f(a, b, *c, d, e=1)\n", [("a", "f", 0), ("b", "f", 1)], id="python"),
        pytest.param("go", "package p\nvar x = q.F(a, b)\n", [("a", "q.F", 0), ("b", "q.F", 1)], id="go"),
        pytest.param("java", "class A {\n  int x = b.f(a);\n}\n", [("a", "b.f", 0)], id="java"),
        pytest.param("java", "class A {\n  B x = new B(a);\n}\n", [("a", "B", 0)], id="java-new"),
        pytest.param("javascript", "f(a, ...b, c);\n", [("a", "f", 0)], id="javascript"),
        pytest.param("typescript", "new F(/* why */ a, 'b');\n", [("a", "F", 0), ("", "F", 1)], id="typescript-new"),
    ],
)
def test_an_argument_has_its_call_and_its_place(
    language: str, text: str, arguments: list[tuple[str, str, int]]
) -> None:
    names = read(text, language).names

    assert [(name.text, name.owner, name.place) for name in names if name.role == Role.ARGUMENT] == arguments


@pytest.mark.parametrize(
    "language, text",
    [
        pytest.param("python", 'def f(a, b):\n    """F.\n\n    :param int a: it\n    """\n', id="sphinx"),
        pytest.param("python", 'def f(a, b):\n    """F.\n\n    Args:\n        a (int): it\n    """\n', id="google"),
        pytest.param("python", 'def f(a, b):\n    """F.\n\n    a : int\n        It.\n    """\n', id="numpy"),
        pytest.param("javascript", "/**\n * @param {string} a it\n */\nexport function f(a, b) {}\n", id="jsdoc"),
        pytest.param("typescript", "class A {\n  /**\n   * @param a it, c\n   */\n  f(a, b) {}\n}\n", id="method"),
        pytest.param("java", "class A {\n  /**\n   * @param a it\n   */\n  void f(int a, int b) {}\n}\n", id="javadoc"),
    ],
)
def test_documentation_names_the_parameters_that_it_is_about(language: str, text: str) -> None:
    assert [name.text for name in read(text, language).names if name.role == Role.DOCUMENT] == ["a"]


def test_calls_and_signatures_of_thousands_are_read() -> None:
    numbers = "".join(f"    x{number},\n" for number in range(3000))

    names = read(f"def f(\n{numbers}):\n    pass\n\n\nf(\n{numbers})\n", "python").names

    assert sum(name.role == Role.ARGUMENT for name in names) == 3000
    assert {name.place for name in names if name.parameter} == {-1}
