"""The languages whose names are understood, by the names of their grammars."""

from functools import cache
from typing import TYPE_CHECKING, Literal

from runner.suites.nextedit.order.languages.go import GO
from runner.suites.nextedit.order.languages.java import JAVA
from runner.suites.nextedit.order.languages.language import Language
from runner.suites.nextedit.order.languages.python import PYTHON
from runner.suites.nextedit.order.languages.scripts import JAVASCRIPT, TSX, TYPESCRIPT
from runner.syntax import grammar

if TYPE_CHECKING:
    from tree_sitter import Query

__all__ = ["LANGUAGES", "Language", "compiled", "language_named"]

LANGUAGES = {language.name: language for language in (PYTHON, JAVASCRIPT, TYPESCRIPT, TSX, GO, JAVA)}


def language_named(name: str | None) -> Language | None:
    """The language with this name, if its names are understood."""
    return LANGUAGES.get(name or "")


@cache
def compiled(name: str, part: Literal["definitions", "uses", "prose"]) -> "Query":
    """A query of the language with this name, compiled once."""
    from tree_sitter import Query

    known = grammar(name)
    assert known is not None  # each has a package among the dependencies
    return Query(known, getattr(LANGUAGES[name], part))
