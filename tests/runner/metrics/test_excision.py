"""The Excision Score rewards shared edits, punishes others, and does not see what is shared by all."""

from dataclasses import replace
from itertools import product
from typing import NamedTuple

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from runner.metrics.excision import (
    DEFAULT,
    LINE,
    TEXT,
    TOKEN,
    Conventions,
    TokenRegion,
    examine,
    excise,
    excision_score,
)
from runner.metrics.sample import Sample

text = st.lists(st.sampled_from("0123"), max_size=8)
options = st.builds(
    Conventions,
    mode=st.sampled_from(["nested", "anchor"]),
    empty=st.sampled_from(["skip", "zero", "one", "match"]),
    deletion=st.sampled_from(["precision", "f1"]),
    across=st.booleans(),
)


class Edited(NamedTuple):
    """An origin of tokens that occur once, and two revisions that only delete, insert and replace."""

    origin: list[str]
    reference: list[str]
    hypothesis: list[str]


@st.composite
def revisions(draw: st.DrawFn, names: str) -> Edited:
    origin = [f"{names}{n}" for n in range(draw(st.integers(1, 7)))]
    fresh = st.sampled_from([f"{names}-{n}" for n in range(3)])

    def revise() -> list[str]:
        revised = []
        for token in origin:
            match draw(st.sampled_from(["keep", "keep", "keep", "delete", "insert", "replace"])):
                case "keep":
                    revised.append(token)
                case "insert":
                    revised += [draw(fresh), token]
                case "replace":
                    revised.append(draw(fresh))
        return revised

    return Edited(origin, revise(), revise())


def es(o: list[str], a: list[str], b: list[str], options: Conventions = DEFAULT) -> float:
    return examine(o, a, b, options=options).score


@given(text, text, text, options)
def test_a_score_lies_between_zero_and_one(o: list[str], a: list[str], b: list[str], options: Conventions) -> None:
    assert 0 <= es(o, a, b, options) <= 1


@given(text, text, options)
def test_doing_what_was_asked_scores_one(o: list[str], a: list[str], options: Conventions) -> None:
    assert es(o, a, a, options) == 1


@given(text, text, options)
def test_doing_nothing_scores_zero_and_so_does_an_edit_nobody_asked_for(
    o: list[str], a: list[str], options: Conventions
) -> None:
    assume(o != a)

    assert es(o, a, o, options) == 0
    assert es(o, o, a, options) == 0


def behind(shared: int, edited: Edited, block_a: list[str], block_b: list[str]) -> Edited:
    middle = [f"shared{n}" for n in range(shared)]
    return Edited(edited.origin + middle, edited.reference + middle + block_a, edited.hypothesis + middle + block_b)


@given(revisions("o"))
def test_a_further_shared_edit_never_lowers_the_score(edited: Edited) -> None:
    block = ["fresh1", "fresh2"]

    assert es(*behind(30, edited, block, block)) >= es(*behind(30, edited, [], [])) - 1e-12


@given(revisions("o"), st.booleans())
def test_a_further_edit_of_its_own_never_raises_the_score(edited: Edited, both: bool) -> None:
    block_a = ["mine1", "mine2"] if both else []

    assert es(*behind(30, edited, block_a, ["other1", "other2"])) <= es(*behind(30, edited, [], [])) + 1e-12


@given(text, text, text, st.lists(st.sampled_from("xyz")), st.lists(st.sampled_from("xyz")), options)
def test_what_all_three_begin_and_end_with_changes_nothing(
    o: list[str], a: list[str], b: list[str], head: list[str], tail: list[str], options: Conventions
) -> None:
    alone = es(o, a, b, options)

    assert es(head + o + tail, head + a + tail, head + b + tail, options) == pytest.approx(alone, abs=1e-12)


@given(revisions("l"), revisions("r"), st.integers(30, 60))
def test_the_length_of_what_lies_between_two_edits_does_not_matter(left: Edited, right: Edited, length: int) -> None:
    def joined(size: int) -> float:
        middle = [f"shared{n}" for n in range(size)]
        return es(*Edited(*(x + middle + y for x, y in zip(left, right, strict=True))))

    assert joined(length) == pytest.approx(joined(30), abs=1e-12)


@given(revisions("o"))
def test_agreeing_on_one_more_token_never_lowers_the_score(edited: Edited) -> None:
    before = Edited(*([*document, "p", "q", "r"] for document in edited))
    more_agreed = before._replace(origin=[*before.origin[:-2], "fresh", "r"])

    assert es(*more_agreed) >= es(*before) - 1e-12


@given(revisions("o"))
def test_the_same_block_at_two_places_is_the_same_edit(edited: Edited) -> None:
    o, block = edited.origin, ["new1", "new2"]

    assert es(o, block + o, o + block) == 1


@given(text, text, text)
def test_with_anchors_and_f1_the_revisions_may_change_places(o: list[str], a: list[str], b: list[str]) -> None:
    symmetric = Conventions(mode="anchor", deletion="f1")

    assert es(o, a, b, symmetric) == pytest.approx(es(o, b, a, symmetric), abs=1e-12)


def test_the_nested_columns_do_not_allow_that() -> None:
    assert es(list("100"), list("00"), list("101")) == pytest.approx(0.25)
    assert es(list("100"), list("101"), list("00")) == 0


def test_agreeing_on_what_goes_but_not_on_what_comes_is_worth_a_half_however_long_the_rest() -> None:
    for size in (0, 1, 60):
        shared = [f"k{n}" for n in range(size)]
        assert es([*shared, "y"], [*shared, "z"], [*shared, "w"]) == 0.5


def test_replacing_the_wrong_word_scores_zero() -> None:
    words = ["lorem", "ipsum", "dolor", "sit", "amet"]

    assert es(words, [*words[:-1], "AMET"], ["LOREM", *words[1:]]) == 0


def test_exchanged_insertions_are_not_told_apart() -> None:
    # A known limit: the bags of n-grams forget which region an n-gram comes from.
    assert es(list("abc"), list("axbyc"), list("aybxc")) == 1


def test_a_missed_move_is_nothing_although_the_words_are_all_there() -> None:
    assert es(list("abcd"), list("acbd"), list("abcd")) == 0


CODE = Sample(
    "def f(a):\n    return a\n", ("def f(a, b):\n    return a + b\n",), "def f(a, b):\n    return a\n", "python"
)


def test_the_best_of_several_references_counts() -> None:
    other = "def f(a, b):\n    return a\n"

    assert excision_score(replace(CODE, references=(*CODE.references, other))) == 1
    assert excise(replace(CODE, references=("", *CODE.references))).score == pytest.approx(excision_score(CODE))


def test_a_reference_that_changes_nothing_is_worth_nothing() -> None:
    assert excision_score(replace(CODE, references=(CODE.origin,))) == 0


def test_comments_and_blank_lines_do_not_change_a_score() -> None:
    commented = replace(CODE, hypothesis="# why\ndef f(a, b):\n\n    return a  # how\n")

    for granularity in (TOKEN, LINE):
        assert excision_score(commented, granularity) == excision_score(CODE, granularity)


def test_prose_is_scored_by_its_words() -> None:
    sample = Sample("It is a # test.", ("It was a # test.",), "It was a # trial.")

    assert 0 < excision_score(sample, TEXT) < 1


def test_a_result_shows_its_regions_and_its_cells() -> None:
    result = excise(CODE)

    assert result.regions == (TokenRegion((), (",", "b"), (",", "b")), TokenRegion((), ("+", "b"), ()))
    assert result.components.keep is None
    assert (result.cells["add"][0].good, result.cells["add"][0].done, result.cells["add"][0].requested) == (2, 2, 3)


def test_regions_of_lines_are_shown_as_words() -> None:
    result = excise(CODE, LINE)

    assert result.regions[0].origin == ("def", "f", "(", "a", ")", ":", "return", "a")


def test_text_before_all_three_changes_no_score() -> None:
    noise = "fa cb\n  de\n"

    for granularity, sample in product((TOKEN, LINE, TEXT), (CODE, replace(CODE, hypothesis="def f(:\n"))):
        alone = excision_score(sample, granularity)
        assert excision_score(replace(sample, preamble=noise), granularity) == pytest.approx(alone, abs=1e-12)


def test_a_program_flattened_to_one_line_is_not_the_program() -> None:
    reference = "if a:\n    b()\nc()\n"

    assert excision_score(Sample("if a:\n    b()\n", (reference,), "if a:\n    b()\n    c()\n", "python")) < 1
