"""Which files are wanted: sources of programs, unless languages or extensions are named."""

import pytest

from runner.errors import InputError
from runner.mine.file_filter import file_filter


@pytest.mark.parametrize(
    "path, language",
    [
        pytest.param(b"src/A.java", "java", id="java"),
        pytest.param(b"a.PY", "python", id="capitals"),
        pytest.param(b"Makefile", "make", id="by-name"),
        pytest.param(b"caf\xe9.go", "go", id="no-utf-8"),
        pytest.param(b"README.md", None, id="prose"),
        pytest.param(b"package.json", None, id="data"),
        pytest.param(b"ci.yml", None, id="settings"),
        pytest.param(b"LICENSE", None, id="unknown-name"),
        pytest.param(b"a.java.orig", None, id="unknown-extension"),
        pytest.param(b"java", None, id="a-name-like-an-extension"),
    ],
)
def test_sources_of_programs_are_wanted(path: bytes, language: str | None) -> None:
    assert file_filter("", "", 1).language(path) == language


def test_named_languages_are_wanted_and_no_other() -> None:
    wanted = file_filter("markdown, java", "", 1)

    assert [wanted.language(path) for path in (b"a.md", b"a.java", b"a.py")] == ["markdown", "java", None]


def test_languages_and_extensions_are_known_in_any_case() -> None:
    wanted = file_filter("Java,PYTHON", ".PY, Java", 1)

    assert [wanted.language(path) for path in (b"a.java", b"a.py", b"a.c")] == ["java", "python", None]


def test_named_extensions_are_wanted_and_no_other() -> None:
    wanted = file_filter("", ".py,yml", 1)

    assert [wanted.language(path) for path in (b"a.py", b"a.yml", b"a.pyi", b"a.yaml")] == [
        "python",
        "yaml",
        None,
        None,
    ]


def test_languages_and_extensions_narrow_each_other() -> None:
    wanted = file_filter("c", "h", 1)

    assert [wanted.language(path) for path in (b"a.h", b"a.c", b"a.hpp")] == ["c", None, None]


@pytest.mark.parametrize(
    "languages, extensions, told",
    [
        pytest.param("c++", "", "--languages: 'c++' is none of bash, c, ", id="language"),
        pytest.param("", "py,xyz", "--ext: no language is known by 'xyz'", id="extension"),
    ],
)
def test_an_unknown_name_is_bad_input(languages: str, extensions: str, told: str) -> None:
    with pytest.raises(InputError) as error:
        file_filter(languages, extensions, 1)

    assert told in str(error.value)
