"""Fill-in-the-middle prompts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prompts.fim import FAMILIES, Family, MarkError, window

PREFIX, SUFFIX = "def f():\n    return {prefix}", "\n# {suffix} {}\n"


@pytest.mark.parametrize(
    "name, prompt",
    [
        ("codegeex4", "<|user|>\n<|code_prefix|>P<|code_suffix|>S<|code_middle|><|assistant|>"),
        ("codegemma", "<|fim_prefix|>P<|fim_suffix|>S<|fim_middle|>"),
        ("codellama", "<PRE> P <SUF>S <MID>"),
        ("codeqwen1.5", "<fim_prefix>P<fim_suffix>S<fim_middle>"),
        ("codestral", "[SUFFIX]S[PREFIX]P"),
        ("deepseek-coder", "<\uff5cfim▁begin\uff5c>P<\uff5cfim▁hole\uff5c>S<\uff5cfim▁end\uff5c>"),
        ("qwen2.5-coder", "<|fim_prefix|>P<|fim_suffix|>S<|fim_middle|>"),
        ("starcoder2", "<fim_prefix>P<fim_suffix>S<fim_middle>"),
    ],
)
def test_each_family_has_its_exact_prompt(name: str, prompt: str) -> None:
    assert FAMILIES[name].render("P", "S") == prompt


def test_every_family_is_in_the_table_above() -> None:
    assert len(FAMILIES) == 8


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_braces_of_a_text_are_its_own(family: Family) -> None:
    prompt = family.render(PREFIX, SUFFIX)

    assert PREFIX in prompt
    assert SUFFIX in prompt


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_a_text_that_holds_a_mark_is_refused(family: Family) -> None:
    for mark in family.marks:
        with pytest.raises(MarkError, match="holds the mark"):
            family.render(f"x = '{mark}'", "")
        with pytest.raises(MarkError, match="holds the mark"):
            family.render("", f"x = '{mark}'")


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_every_family_says_where_an_answer_ends(family: Family) -> None:
    assert family.stops
    assert set(family.stops) <= set(family.marks)


@pytest.mark.parametrize(
    "budget, before, behind",
    [
        pytest.param(100, "a1\na2\na3", "b1\nb2\nb3", id="all of it"),
        pytest.param(12, "a1\na2\na3", "b1", id="three quarters before"),
        pytest.param(4, "a3", "b1", id="little"),
        pytest.param(0, "a3", "b1", id="the line of the hole stays"),
    ],
)
def test_a_window_has_whole_lines(budget: int, before: str, behind: str) -> None:
    assert window("a1\na2\na3", "b1\nb2\nb3", budget) == (before, behind)


def test_what_one_side_does_not_need_the_other_has() -> None:
    assert window("a", "b1\nb2\nb3", 9) == ("a", "b1\nb2\nb3")
    assert window("a1\na2\na3", "", 8) == ("a1\na2\na3", "")


LINES = st.text(alphabet="ab\n", max_size=40)


@given(LINES, LINES, st.integers(0, 50))
def test_a_window_is_a_part_around_the_hole_within_its_budget(prefix: str, suffix: str, budget: int) -> None:
    before, behind = window(prefix, suffix, budget)

    own = len(prefix.rpartition("\n")[2]) + len(suffix.partition("\n")[0])
    assert prefix.endswith(before)
    assert suffix.startswith(behind)
    assert len(before) + len(behind) <= budget + own
    assert before == prefix or prefix[: -len(before) or None].endswith("\n")
    assert behind == suffix or suffix[len(behind) :].startswith("\n")
