"""An explanation shows every n-gram that the score counted, once, in a region that holds it."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from runner.metrics.excision import examine
from runner.metrics.explain import OPERATIONS, as_json, explain, lines_of

text = st.lists(st.sampled_from("0123"), max_size=8)


@given(text, text, text)
def test_the_ngrams_add_up_to_the_cells(o: list[str], a: list[str], b: list[str]) -> None:
    result = examine(o, a, b)
    told = Counter((kind, len(gram)) for one in explain(result) for kind, grams in one.grams.items() for gram in grams)

    for operation in OPERATIONS:
        for order, cell in enumerate(result.cells[operation], 1):
            matched = told[(operation, "matched"), order]
            assert matched == cell.good
            assert matched + told[(operation, "missed"), order] == cell.requested
            assert matched + told[(operation, "spurious"), order] == cell.done


@given(text, text, text)
def test_an_ngram_is_shown_in_a_region_that_holds_it(o: list[str], a: list[str], b: list[str]) -> None:
    for one in explain(examine(o, a, b)):
        rows = [one.region.origin, one.region.reference, one.region.hypothesis]
        for gram in (gram for grams in one.grams.values() for gram in grams):
            assert any(gram == row[at : at + len(gram)] for row in rows for at in range(len(row)))


def test_the_lines_read_like_this() -> None:
    result = examine(["f", "(", "a", ")"], ["g", "(", "a", ",", "b", ")"], ["h", "(", "a", ",", "b", ")"])

    assert list(lines_of("es-token", result)) == [
        "es-token 0.9167: keep -, add 0.8333, delete 1.0000",
        "region 1 of 2",
        "  origin     f",
        "  reference  g",
        "  hypothesis h",
        "    add    missed   g",
        "    add    spurious h",
        "    delete matched  f",
        "region 2 of 2",
        "  origin     (nothing)",
        "  reference  , b",
        "  hypothesis , b",
        "    add    matched  , | b | , b",
    ]


def test_a_score_by_rule_says_so() -> None:
    moved = examine(list("abcd"), list("acbd"), list("abcd"))

    assert "  by rule, not by the mean of its parts (1.0000): it or the reference changes nothing" in list(
        lines_of("es-token", moved)
    )


def test_blank_and_broken_tokens_are_shown_quoted() -> None:
    result = examine([], [" "], ["a\n"])

    assert [line.strip() for line in lines_of("es-token", result)][2:5] == [
        "origin     (nothing)",
        "reference  ' '",
        r"hypothesis 'a\n'",
    ]


def test_the_explanation_is_data_too() -> None:
    told = as_json(examine(["a"], ["b"], ["b"]))

    assert told["score"] == 1
    assert told["components"] == {"keep": None, "add": 1.0, "delete": 1.0}
    assert told["regions"] == [
        {
            "origin": ("a",),
            "reference": ("b",),
            "hypothesis": ("b",),
            "ngrams": [
                {"operation": "add", "verdict": "matched", "ngrams": [("b",)]},
                {"operation": "delete", "verdict": "matched", "ngrams": [("a",)]},
            ],
        }
    ]
