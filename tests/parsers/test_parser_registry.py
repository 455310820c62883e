from pathlib import Path

import pytest

import parsers
from parsers import DEFAULT_PARSER, PARSERS


def test_the_default_is_the_form_of_the_evaluation() -> None:
    assert DEFAULT_PARSER == "xml-tools-v2"
    assert DEFAULT_PARSER in PARSERS


@pytest.mark.parametrize("name", PARSERS)
def test_every_registered_parser_parses_piece_by_piece_as_at_once(name: str) -> None:
    parse = PARSERS[name].start()
    parse.feed("a")

    assert parse.snapshot() == PARSERS[name].parse("a")


@pytest.mark.parametrize("name", PARSERS)
def test_the_module_of_a_parser_has_its_name(name: str) -> None:
    assert (Path(parsers.__file__).parent / f"{name.replace('-', '_')}.py").is_file()
