"""Other places of a repository that help with a hole."""

import pytest

from runner.suites.completion.dataset import ByteSpan
from runner.suites.completion.evidence import Index, module_name, without_tests

FILES = {
    "src/pack/__init__.py": "from .shapes import Circle as Round\n",
    "src/pack/shapes.py": (
        "class Circle:\n"
        '    """Round."""\n\n'
        "    def area(self, radius, factor):\n"
        "        return factor * radius * radius\n\n\n"
        "def square(side,\n"
        "           times):\n"
        "    return side ** times\n"
    ),
    "src/pack/use.py": (
        "import os\n"
        "import pack.shapes\n"
        "from pack import Round\n"
        "from . import shapes as sh\n"
        "from .shapes import square\n\n\n"
        "def perimeter(radius, factor):\n"
        "    return factor * radius * 2\n"
    ),
    "broken.py": "def (",
}


def texts(found: object) -> list[str]:
    assert isinstance(found, tuple)
    return [one.text for one in found]


CIRCLE = 'class Circle:\n    """Round."""'
SQUARE = "def square(side,\n           times):"


@pytest.mark.parametrize(
    "used, expected",
    [
        pytest.param("square(3)", [SQUARE], id="from a module"),
        pytest.param("sh.square(3)", [SQUARE], id="through a module with another name"),
        pytest.param("pack.shapes.Circle()", [CIRCLE], id="by its whole name"),
        pytest.param("Round()", [CIRCLE], id="passed on by a package"),
        pytest.param("os.getcwd()", [], id="not of this repository"),
        pytest.param("Circle()", [], id="not imported"),
        pytest.param("perimeter(1)", [], id="of the same file"),
    ],
)
def test_a_name_leads_to_its_definition_in_another_file(used: str, expected: list[str]) -> None:
    assert texts(Index(FILES).imported("src/pack/use.py", used)) == expected


def test_a_file_that_cannot_be_parsed_gives_nothing() -> None:
    assert Index(FILES).imported("broken.py", "square") == ()


def test_like_functions_are_found_by_what_is_seen_best_first() -> None:
    found = Index(FILES).alike("src/pack/use.py", None, "def diameter(radius, factor): return factor * radius * 2")

    assert [one.path for one in found][:2] == ["src/pack/use.py", "src/pack/shapes.py"]


def test_the_function_around_the_hole_is_not_shown() -> None:
    found = Index(FILES).alike("src/pack/use.py", ByteSpan(0, 0, 8, 9), "def perimeter(radius, factor): return")

    assert "perimeter" not in "".join(texts(found))
    assert found


@pytest.mark.parametrize(
    "path, name",
    [("a/b.py", "a.b"), ("a/__init__.py", "a"), ("src/a/b.py", "a.b"), ("a.py", "a"), ("src.py", "src")],
)
def test_files_are_imported_by_these_names(path: str, name: str) -> None:
    assert module_name(path) == name


def test_tests_are_no_sources() -> None:
    paths = ["a.py", "a_test.py", "test_a.py", "tests/helper.py", "conftest.py", "setup.py", "a.txt", "p/testing/x.py"]

    assert without_tests(paths) == ["a.py"]
