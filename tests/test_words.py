"""The check of retired words: it finds them in names, text and documents, and its list of exceptions only shrinks."""

import pytest

from tests.words import GLOSSARY, ROOT, Allowed, Finding, Retired, faults, findings, read_allowed, read_retired

# Spelled in two parts, so that this file holds no retired word.
MENDED, PARTED, FOUND = "men" + "ded", "par" + "ted by", "fou" + "nd"
RETIRED = Retired({MENDED: "fixed", PARTED: "comma-separated"}, {FOUND: "rows"})


def uses(text: str, path: str = "runner/any.py") -> list[tuple[int, str]]:
    return [(row.line, row.word) for row in findings(path, text, RETIRED)]


@pytest.mark.parametrize(
    "line, words",
    [
        pytest.param(f"# It was {MENDED}.", [MENDED], id="a comment"),
        pytest.param(f'MESSAGE = "names {PARTED} commas"', [PARTED], id="a text of two words"),
        pytest.param(f"is_{MENDED}_now = 1", [MENDED], id="a part of an identifier"),
        pytest.param(f"class {MENDED.title()}Row: ...", [MENDED], id="a part of a class name"),
        pytest.param(f"un{MENDED} = 1", [], id="a part of another word"),
        pytest.param(f"{FOUND} = 1", [FOUND], id="a retired name"),
        pytest.param(f"def any_({FOUND}: int) -> None: ...", [FOUND], id="a parameter"),
        pytest.param(f"rows = [_{FOUND} for _{FOUND} in ()]", [f"_{FOUND}"], id="a private name in a comprehension"),
        pytest.param(f"# not {FOUND}", [], id="a retired name in prose"),
        pytest.param(f"{FOUND}_rows = 1", [], id="a retired name in a longer one"),
    ],
)
def test_a_retired_word_is_reported_where_it_is_used(line: str, words: list[str]) -> None:
    assert uses(f"x = 0\n{line}\n") == [(2, word) for word in words]


def test_a_document_is_scanned_for_words_and_not_for_names() -> None:
    assert uses(f"# Title\n\n{FOUND} = {MENDED}\n", "docs/any.md") == [(3, MENDED)]


def test_a_finding_names_the_place_and_what_to_write() -> None:
    (row,) = findings("docs/any.md", MENDED, RETIRED)

    assert str(row) == f"docs/any.md:1: {MENDED}; write fixed"


def test_the_glossary_has_both_tables() -> None:
    retired = read_retired((ROOT / GLOSSARY).read_text(encoding="utf-8"))

    assert retired.words[MENDED] == "fix, repair"
    assert FOUND in retired.names


USE = Finding("runner/run/any.py", 3, MENDED, "fixed")


@pytest.mark.parametrize(
    "allowed, wrong",
    [
        pytest.param(Allowed(frozenset(), frozenset()), [str(USE)], id="a use that nothing allows"),
        pytest.param(Allowed(frozenset({"runner/run"}), frozenset()), [], id="a folder that is not done yet"),
        pytest.param(Allowed(frozenset({"runner/r"}), frozenset()), ["runner/r is clean", str(USE)], id="a prefix"),
        pytest.param(Allowed(frozenset(), frozenset({(USE.path, MENDED)})), [], id="an exception"),
        pytest.param(
            Allowed(frozenset({"runner/run", "suts"}), frozenset()),
            ["suts is clean"],
            id="a listed folder that is clean",
        ),
        pytest.param(
            Allowed(frozenset({"runner/run"}), frozenset({("a.py", "word")})),
            ["a.py has no 'word'"],
            id="an old exception",
        ),
    ],
)
def test_the_lists_allow_what_they_name_and_nothing_longer(allowed: Allowed, wrong: list[str]) -> None:
    lines = faults([USE], allowed)

    assert len(lines) == len(wrong)
    assert all(any(part in line for line in lines) for part in wrong)


def test_an_exception_needs_a_reason() -> None:
    allowed = read_allowed("# why\n\nnot yet: tests\na.py: word: a quote\n")

    assert allowed == Allowed(frozenset({"tests"}), frozenset({("a.py", "word")}))
    with pytest.raises(ValueError, match="is neither"):
        read_allowed("a.py: word\n")
