import re
from pathlib import Path

import pytest

import parsers
from parsers import DEFAULT_PARSER, PARSERS, digest


def test_the_default_is_the_form_of_the_evaluation() -> None:
    assert DEFAULT_PARSER == "xml-tools-v2"
    assert DEFAULT_PARSER in PARSERS


@pytest.mark.parametrize("name", PARSERS)
def test_every_registered_parser_reads_and_has_a_digest_of_its_own(name: str) -> None:
    parse = PARSERS[name].start()
    parse.feed("a")

    assert parse.snapshot() == PARSERS[name].parse("a")
    assert re.fullmatch("[0-9a-f]{8}", digest(name))
    assert [other for other in PARSERS if digest(other) == digest(name)] == [name]


@pytest.mark.parametrize("name", PARSERS)
def test_the_module_of_a_parser_has_its_name(name: str) -> None:
    assert (Path(parsers.__file__).parent / f"{name.replace('-', '_')}.py").is_file()


def test_an_unknown_name_has_no_digest() -> None:
    with pytest.raises(KeyError):
        digest("nothing")
