"""Settles which grammar a text is read with, by a name someone gave or by the names of files."""

from collections.abc import Iterable

from runner.errors import InputError
from runner.syntax import has_grammar, has_pack, language_of

_MORE = "; grammars of other languages are an extra: pip install 'evals[languages]'"
PROSE = "text"


def language_named(name: str, where: str) -> str | None:
    """Return the grammar of a name or of a file extension (`python`, `py`, `c++`); None for `text`.

    Raises InputError, beginning with `where`, for one without a grammar.
    """
    if name == PROSE:
        return None
    for candidate in (name, name.lower(), language_of(f"x.{name}")):
        if candidate and has_grammar(candidate):
            return candidate
    raise InputError(
        f"{where}: no grammar for language {name!r}; name one such as python, java, javascript, go, c, rust, "
        f"or {PROSE} for none{'' if has_pack() else _MORE}"
    )


def language_of_files(paths: Iterable[str]) -> str | None:
    """Return the grammar of the first file whose name determines one; None if none does."""
    languages = (language_of(path) for path in paths)
    return next((language for language in languages if language and has_grammar(language)), None)
