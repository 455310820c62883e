"""Each group of features, on small edits written for it; and the table that names them all."""

import time

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.suites.codrep.dataset import CodrepTask
from runner.suites.codrep.ranker.candidates import CHOOSING, Candidates, Chooser, choose
from runner.suites.codrep.ranker.features import features_of
from runner.suites.codrep.ranker.lexicon import GROUPS as TRAIT_GROUPS
from runner.suites.codrep.ranker.lexicon import Lexicon
from runner.suites.codrep.ranker.list_features import margin
from runner.suites.codrep.ranker.program import LONGEST
from runner.suites.codrep.ranker.table import FEATURES, GROUPS, tabulate, without
from tests.codrep import PROGRAM, task_of

NOTHING_LEARNED = Chooser(np.ones(len(CHOOSING)), Lexicon(np.zeros(0, np.uint32), np.zeros(0)))
LINES = st.text(st.characters(exclude_characters="\n"), max_size=30) | st.text("ab(){};=\"'/* \tA1.é", max_size=30)


def candidates_of(task: CodrepTask) -> Candidates:
    return choose(task, NOTHING_LEARNED, most=40)


def feature(name: str, new_line: str, *lines: str) -> dict[str, float]:
    """The feature of every candidate, by its text."""
    found = candidates_of(task_of(new_line, *lines))
    texts = [found.program.stripped[line] for line in found.at.tolist()]
    return dict(zip(texts, features_of(found)[name].astype(float).round(4).tolist(), strict=True))


def in_program(name: str, new_line: str) -> dict[int, float]:
    """The feature of every candidate of PROGRAM, by its line."""
    found = candidates_of(task_of(new_line, *PROGRAM))
    return dict(zip(found.at.tolist(), features_of(found)[name].astype(float).round(4).tolist(), strict=True))


def test_the_table_names_every_feature_once() -> None:
    columns = features_of(candidates_of(task_of("sum += item.price() * 2;", *PROGRAM)))

    assert sorted(columns) == sorted(one.name for one in FEATURES)
    assert all(one.meaning for one in FEATURES)


@pytest.mark.parametrize(
    "task",
    [
        pytest.param(task_of("x", "y"), id="one candidate"),
        pytest.param(task_of("}", "{", "}", ";"), id="punctuation alone"),
        pytest.param(
            task_of("été = naïf;", "ete = naif;", "\u201cquoted\u201d", "\x0c", "\ufeffx"), id="other letters"
        ),
        pytest.param(task_of("", "a", "b"), id="an empty new line"),
        pytest.param(task_of("a" * 5000, "b" * 5000, "a " * 3000), id="very long lines"),
        pytest.param(task_of("}", *["}"] * 3, *["{"] * 300, "x"), id="many equal lines"),
        pytest.param(task_of("int a;", "/* int b;", "never closed"), id="a comment without end"),
    ],
)
def test_every_feature_of_any_program_is_a_number(task: CodrepTask) -> None:
    found = candidates_of(task)

    table = tabulate(features_of(found), [one.name for one in FEATURES])

    assert table.shape == (len(found.at), len(FEATURES))
    assert np.isfinite(table).all()


def test_twenty_very_long_lines_are_compared_in_a_few_seconds() -> None:
    words = np.random.default_rng(1).integers(0, 1000, (21, LONGEST // 4)).astype(str)
    new_line, *lines = map(" ".join, words.tolist())
    began = time.process_time()

    found = candidates_of(task_of(new_line, *lines))

    assert len(features_of(found)["partial"]) == 20
    assert time.process_time() - began < 10


def test_a_program_without_eligible_lines_has_no_candidates() -> None:
    assert len(candidates_of(task_of("return 1;", "", "  return 1;", "return  1 ;")).at) == 0


@pytest.mark.parametrize(
    "name, new_line, lines, values",
    [
        pytest.param("prefix", "abcd;", ("abxx;", "zbcd;"), [0.4, 0], id="text: the beginning"),
        pytest.param("suffix", "abcd;", ("abxx;", "zbcd;"), [0.2, 0.8], id="text: the end"),
        pytest.param("cover", "abcd;", ("abxd;", "zbcy;"), [0.8, 0.2], id="text: beginning and end"),
        pytest.param("length_ratio", "abcd", ("ab", "abcdabcd"), [0.5, 0.5], id="text: lengths as a ratio"),
        pytest.param("length_change", "abcd", ("ab", "abcdabcd"), [2, -4], id="text: characters more"),
        pytest.param("word_prefix", "a.b;", ("a.c;", "x.b;"), [0.5, 0], id="text: the first words"),
        pytest.param("word_suffix", "a.b;", ("a.c;", "x.b;"), [0.25, 0.75], id="text: the last words"),
        pytest.param("same_first", "return a;", ("return b;", "a = b;"), [1, 0], id="text: the first word"),
        pytest.param("same_last", "f(a);", ("f(b);", "f(b) {"), [1, 0], id="text: the last word"),
        pytest.param("parens", "f((a);", ("f(a);", "f(a));"), [-1, -2], id="text: open parentheses"),
        pytest.param("braces", "if (a) {", ("if (b)", "}"), [-1, -2], id="text: open braces"),
        pytest.param("squares", "a[0];", ("a[1];", "a[1;"), [0, 1], id="text: open square brackets"),
        pytest.param("levenshtein", "abcd", ("abce", "xyzw"), [0.75, 0], id="text: Levenshtein"),
        pytest.param("token_set", "a b c", ("c b a", "c b a a"), [100, 100], id="text: the set of pieces"),
        pytest.param("partial", "abc", ("xxabcxx", "zzz"), [100, 0], id="text: a part"),
        pytest.param("subword_dice", "getName();", ("getLabel();", "x();"), [0.5, 0], id="text: sub-words"),
        pytest.param("words_old", "a;", ("b.c;", "d"), [4, 1], id="text: words"),
        pytest.param("edit_distance", "a + b", ("a - b", "c"), [1, 5], id="text: characters to change"),
        pytest.param("folded_indel", "GetAll", ("getall", "x"), [1, 0], id="text: case aside"),
        pytest.param("same_letters", "f(a, b);", ("f(a).b;", "f(a);"), [1, 0], id="text: punctuation aside"),
        pytest.param("same_shape", "a = b;", ("c = d;", "c = 1;"), [1, 0], id="text: the same shape"),
        pytest.param("same_statement", "return a;", ("return b;", "b = a;"), [1, 0], id="text: the same statement"),
        pytest.param("inserted_name", "f(a, b);", ("f(a);", "f(b, a);"), [1, 0], id="edit: a name inserted"),
        pytest.param("removed_string", 'f("a");', ('f("b");', "f(b);"), [1, 0], id="edit: a string removed"),
        pytest.param("inserted_keyword", "final int a;", ("int a;", "a;"), [1, 2], id="edit: keywords inserted"),
        pytest.param("inserted_type", "List a;", ("Map a;", "List b;"), [1, 0], id="edit: a type inserted"),
        pytest.param("removed_constant", "f(1);", ("f(MAX);", "f(2);"), [1, 0], id="edit: a constant removed"),
        pytest.param("removed_punctuation", "f(a);", ("f(a[0]);", "g(a);"), [2, 0], id="edit: brackets removed"),
        pytest.param("inserted_words", "a.b(c);", ("a.b(d);", "x"), [1, 7], id="edit: words of any kind"),
        pytest.param("removed_letters", "a;", ("bcd;", "a;;"), [3, 1], id="edit: characters of the words"),
        pytest.param("replaced", "f(a, b);", ("f(x, b);", "f(b);"), [1, 0], id="edit: words replaced"),
        pytest.param("middle_old", "f(abc);", ("f(axxc);", "f(ac);"), [2, 0], id="edit: the old middle"),
        pytest.param("middle_folded", "f(abcd);", ("f(aBcd);", "f(axcd);"), [1, 0], id="edit: middles, case aside"),
        pytest.param("same_assigned", "a = 1;", ("a = 2;", "b = 1;", "f();"), [1, 4, 3], id="edit: assigned name"),
        pytest.param("hunks", "f(a, b, c);", ("f(x, b, y);", "f(a, b, y);"), [2, 1], id="edit: places that change"),
        pytest.param("moved", "f(b, a);", ("f(a, b);", "f(b, c);"), [2, 0], id="edit: words moved"),
        pytest.param("rename", "get(name);", ("get(names);", "get(x);"), [0.96, 0], id="edit: a small rename"),
        pytest.param("middle_new", "f(abc);", ("f(axc);", "f(ac);"), [1, 1], id="edit: the changed middle"),
        pytest.param("same_declared", "int a = 1;", ("int a = 2;", "int b = 1;"), [1, 4], id="edit: declared name"),
        pytest.param("same_called", "a.f(1);", ("b.f(2);", "b = 1;"), [1, 3], id="edit: called name"),
        pytest.param("relative", "x;", ("a", "b", "c", "d"), [0.25, 0.5, 0.75, 1], id="place: in the file"),
        pytest.param("indent", "x;", ("  a", "\tb", "c"), [2, 4, 0], id="place: indentation"),
        pytest.param("before_gap", "x;", ("a", "", "b", "c"), [0, 0, 2, 1], id="place: lines to the one before"),
        pytest.param("after_gap", "x;", ("a", "", "b", "c"), [2, 0, 1, 0], id="place: lines to the one after"),
        pytest.param("after_old_indel", "x;", ("ab", "ac", "zz"), [0.5, 0, 0], id="place: like the line after"),
        pytest.param("before_end", "x;", ("f(a);", "g {", "h"), [1, 1, 2], id="place: how the line before ends"),
        pytest.param("sorted_old", "x;", ("a", "c", "b"), [2, 1, 2], id="place: the old order"),
        pytest.param("kept_nearest", "a.b;", ("a.c;", "x"), [7.6014, -1], id="place: kept names, none elsewhere"),
        pytest.param("equal", "f(1);", ("f(2);", "g;", "f(2); "), [2, 1, 2], id="place: equal lines"),
        pytest.param("before_new_indel", "b;", ("a", "c;", "d"), [0, 0, 0.5], id="place: the line before"),
        pytest.param("after_is_new", "b;", ("c;", "b;", "d;"), [1, 0, 0], id="place: the new line comes next"),
        pytest.param("sorted_new", "import b;", ("import a;", "import x;", "import c;"), [2, 3, 0], id="place: order"),
    ],
)
def test_a_feature_tells_what_the_table_says(
    name: str, new_line: str, lines: tuple[str, ...], values: list[float]
) -> None:
    found = feature(name, new_line, *lines)

    wanted = [(line, value) for line, value in zip(lines, values, strict=True) if line not in ("", new_line)]
    assert [(line, found[line.strip()]) for line, _ in wanted] == wanted


def test_words_that_stand_nowhere_else_are_counted() -> None:
    unseen = feature("inserted_unseen", "call(fresh);", "call(stale);", "x(stale);")
    rest = feature("removed_unseen", "call(fresh);", "call(stale);", "call(once);", "x(stale);")

    assert unseen["call(stale);"] == 1
    assert (rest["call(stale);"], rest["call(once);"]) == (0, 1)


def test_the_distance_to_the_inserted_names_is_told() -> None:
    near = in_program("inserted_nearest", "sum += number;")

    assert near[25] < near[12]


def test_a_variable_that_is_declared_elsewhere_is_lost() -> None:
    lost, local = (in_program(name, "number += item.price() * 2;") for name in ("inserted_lost", "variables_local"))

    assert (lost[12], lost[24]) == (1, 0)
    assert local[24] > local[12]


def test_a_second_declaration_in_a_scope_is_noticed() -> None:
    again = in_program("declares_again", "int number = 1;")

    assert (again[24], again[12]) == (1, 0)


@pytest.mark.parametrize(
    "name, new_line, values",
    [
        pytest.param("depth", "x;", {1: 0, 7: 1, 10: 2, 12: 3, 28: 1}, id="blocks around"),
        pytest.param("block", "x;", {1: -1, 7: 1, 10: 2, 12: 3}, id="the innermost block: none, type, method, loop"),
        pytest.param("method_place", "x;", {9: 0, 12: 0.5, 15: 1, 17: 0, 18: 0.5}, id="within the method"),
        pytest.param("header_new", "int total = 1;", {10: 0.6667, 22: 0.3333, 7: 0}, id="the header's sub-words"),
        pytest.param("returned_old", "x;", {10: 0, 14: 10, 18: 9}, id="what the line returns: nothing, name, test"),
        pytest.param("inserted_earlier", "number = 1;", {23: 1, 25: 1, 21: 0, 12: 0}, id="names above in the method"),
        pytest.param("inserted_later", "number = 1;", {21: 1, 25: 1, 27: 0, 12: 0}, id="names below in the method"),
        pytest.param("inserted_local", "number = 1;", {23: 1, 25: 1, 21: 0, 12: 0}, id="locals in sight"),
        pytest.param("inserted_undeclared", "fresh = 1;", {7: 1, 12: 1, 24: 1}, id="names that nobody declares"),
        pytest.param("variables_visible", "number += item;", {24: 1, 12: 0.5, 17: 0}, id="a share of the variables"),
        pytest.param("declared_new_later", "int number = 1;", {22: 2, 23: 2, 10: 0}, id="uses of the new name below"),
    ],
)
def test_a_feature_of_the_scope_tells_what_the_table_says(name: str, new_line: str, values: dict[int, float]) -> None:
    found = in_program(name, new_line)

    assert {line: found[line] for line in values} == values


@given(new_line=LINES, lines=st.lists(LINES, max_size=12))
def test_any_text_has_features_that_are_numbers(new_line: str, lines: list[str]) -> None:
    found = candidates_of(task_of(new_line, *lines))

    if len(found.at):
        assert np.isfinite(tabulate(features_of(found), [one.name for one in FEATURES])).all()
    assert set(found.at.tolist()) <= {number for number, line in enumerate(lines, 1) if line.strip()}


def test_names_in_the_method_around_count() -> None:
    known = in_program("inserted_in_method", "stock.clear();")

    assert known[24] > known[12]


def test_what_a_method_returns_is_told() -> None:
    returns = in_program("returns", "return true;")

    assert (returns[18], returns[14]) == (2, 3)
    assert set(in_program("returned_new", "return true;").values()) == {2}


def test_a_header_belongs_to_its_method() -> None:
    in_header, in_method = (in_program(name, "public long total() {") for name in ("in_header", "in_method"))

    assert (in_header[9], in_header[10]) == (1, 0)
    assert (in_method[9], in_method[7]) == (1, 0)


def test_a_name_that_is_used_later_is_counted() -> None:
    later = in_program("declared_old_later", "int other = 0;")

    assert later[22] == 2


def test_a_margin_is_the_gap_to_the_best_other() -> None:
    table: npt.NDArray[np.float64] = np.array([[3.0, 1.0], [5.0, 1.0], [4.0, 0.0]])

    assert margin(table).tolist() == [[-2, 0], [1, 0], [-1, -1]]
    assert margin(table[:1]).tolist() == [[0, 0]]


def test_ranks_count_the_better_candidates() -> None:
    ranks = feature("rank_cover", "abcd", "abcx", "abxx", "xxxx")

    assert ranks == {"abcx": 0, "abxx": 1, "xxxx": 2}


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_can_be_left_out_with_what_compares_it(group: str) -> None:
    left = without([group])

    assert not set(left) & set(GROUPS[group])
    assert not {f"margin_{name}" for name in GROUPS[group]} & set(left)
    assert 0 < len(left) < len(without([]))


def test_the_lexicon_s_sums_are_features() -> None:
    found = candidates_of(task_of("a;", "b;", "c;"))

    assert found.habits.shape == (len(found.at), len(TRAIT_GROUPS))
    assert not features_of(found)["habits"].any()
