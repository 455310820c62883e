"""What holds of measures and features of any program, and more of what the table says of each."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Indel, JaroWinkler

from runner.suites.codrep.dataset import CodrepTask
from runner.suites.codrep.ranker.candidates import CHOOSING, Candidates, Chooser, choose
from runner.suites.codrep.ranker.features import features_of
from runner.suites.codrep.ranker.lexicon import Lexicon
from runner.suites.codrep.ranker.list_features import COMPARED, RANKED, margin
from runner.suites.codrep.ranker.measures import BRACKETS, measure, window
from runner.suites.codrep.ranker.model import model_at
from runner.suites.codrep.ranker.program import Columns, lex
from runner.suites.codrep.ranker.statements import Statement
from runner.suites.codrep.ranker.table import FEATURES, GROUPS, tabulate, without
from runner.suites.codrep.ranker.text_features import MEASURED
from tests.codrep import PROGRAM, task_of

NOTHING_LEARNED = Chooser(np.ones(len(CHOOSING)), Lexicon(np.zeros(0, np.uint32), np.zeros(0)))
CODE = st.sampled_from([*PROGRAM, "x", "}", "a.b(c);", 'f("a", 1);', "// no", "x = y;"]) | st.text(
    "abAB1.(){}[];=\"' ", max_size=16
)
PROGRAMS = st.lists(CODE, min_size=2, max_size=12)
LINEWISE = [
    *("indel", "jaro_winkler", "prefix", "suffix", "cover", "trigram", "length_ratio", "word_indel", "word_prefix"),
    *("word_suffix", "shape", "same_first", "same_last", "parens", "braces", "squares"),
]
LOG_2, LOG_3, LOG_5, LOG_7, LOG_29 = (round(math.log(number), 4) for number in (2, 3, 5, 7, 29))
LOOP, CLOSING = int(Statement.LOOP), int(Statement.CLOSING)
ALIKE = [*LINEWISE[:-3], "word_dice", "rare_cover"]
SIMILARITIES = [name for name in MEASURED if name not in BRACKETS]


def candidates_of(task: CodrepTask) -> Candidates:
    return choose(task, NOTHING_LEARNED, most=40)


def in_program(name: str, new_line: str) -> dict[int, float]:
    """The feature of every candidate of PROGRAM, by its line."""
    found = candidates_of(task_of(new_line, *PROGRAM))
    return dict(zip(found.at.tolist(), features_of(found)[name].astype(float).round(4).tolist(), strict=True))


def by_line(task: CodrepTask) -> dict[int, dict[str, float]]:
    """All features of every candidate, by its line."""
    found = candidates_of(task)
    columns = features_of(found)
    rows = dict(enumerate(found.at.tolist()))
    return {line: {name: float(values[row]) for name, values in columns.items()} for row, line in rows.items()}


class TestMeasures:
    @settings(max_examples=25)
    @given(PROGRAMS)
    def test_similarities_are_shares(self, lines: list[str]) -> None:
        found = measure(lex(lines[0], lines[1:])).by_name

        for name in SIMILARITIES:
            assert (found[name] >= 0).all(), name
            # Of rarity there are two counts in it, by lines and by occurrences: it may be a little more than 1.
            assert name == "rare_dice" or (found[name] <= 1 + 1e-6).all(), name

    @settings(max_examples=25)
    @given(PROGRAMS)
    def test_a_line_that_is_the_new_line_is_like_it_in_every_way(self, lines: list[str]) -> None:
        new = lines[0] if len(lines[0].strip()) > 2 else "ready = true;"

        found = measure(lex(new, [*lines[1:], f"  {new} "])).by_name

        for name in ALIKE:
            assert found[name][-1] == pytest.approx(1), name
        assert [found[name][-1] for name in BRACKETS] == [0, 0, 0]

    @settings(max_examples=25)
    @given(PROGRAMS)
    def test_a_measure_of_a_line_alone_does_not_depend_on_the_others(self, lines: list[str]) -> None:
        together = measure(lex(lines[0], lines[1:])).by_name

        for number, line in enumerate(lines[1:], 1):
            alone = measure(lex(lines[0], [line])).by_name
            for name in LINEWISE:
                assert alone[name][1] == pytest.approx(together[name][number], abs=1e-6), name

    @settings(max_examples=25)
    @given(PROGRAMS)
    def test_characters_are_compared_as_the_definitions_say(self, lines: list[str]) -> None:
        found = measure(lex(lines[0], lines[1:])).by_name

        for number, line in enumerate(lines):
            new, old = lines[0].strip(), line.strip()
            assert found["indel"][number] == pytest.approx(Indel.normalized_similarity(new, old), abs=1e-6)
            assert found["jaro_winkler"][number] == pytest.approx(JaroWinkler.similarity(new, old), abs=1e-6)

    @settings(max_examples=25)
    @given(PROGRAMS)
    def test_brackets_are_counted_as_characters_where_there_are_no_strings(self, lines: list[str]) -> None:
        plain = [line.replace('"', "").replace("'", "") for line in lines]

        found = measure(lex(plain[0], plain[1:])).by_name

        for name, pair in BRACKETS.items():
            net = [line.count(pair[0]) - line.count(pair[1]) for line in plain]
            assert found[name].tolist() == [count - net[0] for count in net]

    @settings(max_examples=25)
    @given(st.lists(st.integers(-5, 5), min_size=1, max_size=20), st.integers(0, 25))
    def test_a_window_is_a_sum_over_the_lines_around(self, values: list[int], radius: int) -> None:
        sums = window(np.array(values, np.float64), radius)

        assert sums.tolist() == [sum(values[max(at - radius, 0) : at + radius + 1]) for at in range(len(values))]

    def test_a_word_that_is_everywhere_weighs_less_than_a_rare_one(self) -> None:
        program = lex("seldom often", ["often seldom", *["often"] * 30])

        found = measure(program)

        assert found.rarity[program.ids["seldom"]] > 10 * found.rarity[program.ids["often"]]
        assert found.counts[program.ids["often"]] == 31


class TestTable:
    def test_names_are_unique_and_every_comparison_compares_a_feature(self) -> None:
        names = [one.name for one in FEATURES]

        assert len(names) == len(set(names))
        for one in FEATURES:
            assert (one.group == "list") == (one.of != "" or one.name == "candidates"), one.name
            assert not one.of or one.of in names, one.name
        assert {one.of for one in FEATURES if one.of} == {*COMPARED, *RANKED}

    @settings(max_examples=25)
    @given(st.sets(st.sampled_from(sorted(GROUPS))))
    def test_groups_are_left_out_together_as_one_after_the_other(self, groups: set[str]) -> None:
        left = without(groups)

        assert set(left) == set.intersection(set(without([])), *(set(without([group])) for group in groups))
        assert list(left) == [one.name for one in FEATURES if one.name in set(left)]

    def test_all_groups_left_out_leave_nothing(self) -> None:
        assert without(GROUPS) == ()

    def test_columns_stand_in_the_order_asked_for(self) -> None:
        columns: Columns = {"a": np.array([1, 2]), "b": np.array([True, False]), "c": np.array([0.1, 0.2])}

        table = tabulate(columns, ["c", "b"])

        assert table.dtype == np.float32
        assert table.tolist() == [[np.float32(0.1), 1.0], [np.float32(0.2), 0.0]]

    def test_the_shipped_model_s_columns_are_features(self) -> None:
        assert set(model_at().features) == set(without(model_at().card.left_out))


class TestFeatures:
    @given(PROGRAMS)
    @settings(max_examples=25)
    def test_they_depend_on_nothing_but_the_task(self, lines: list[str]) -> None:
        task = task_of(lines[0], *lines[1:])

        first = by_line(task)
        by_line(task_of("sum = 1;", *PROGRAM))

        assert by_line(task) == first

    @given(PROGRAMS)
    @settings(max_examples=25)
    def test_space_behind_the_lines_is_nothing(self, lines: list[str]) -> None:
        ended = [f"{line}\r" if line.strip() else line for line in lines[1:]]

        assert by_line(task_of(lines[0], *ended)) == by_line(task_of(lines[0], *lines[1:]))

    @given(PROGRAMS)
    @settings(max_examples=25)
    def test_equal_lines_have_equal_texts_and_edits(self, lines: list[str]) -> None:
        found = by_line(task_of(lines[0], *lines[1:], *lines[1:]))

        for line, features in found.items():
            twin = found.get(line + len(lines) - 1)
            if twin is not None:
                alike = [name for name in GROUPS["text"] if name != "similarity"]
                told = {name: features[name] for name in alike}
                assert told == pytest.approx({name: twin[name] for name in alike}, abs=1e-6)
                assert features["equal"] == twin["equal"]
                assert features["equal_before"] + features["equal_after"] == features["equal"] - 1

    @given(PROGRAMS)
    @settings(max_examples=25)
    def test_what_is_inserted_less_what_is_removed_is_the_difference(self, lines: list[str]) -> None:
        for features in by_line(task_of(lines[0], *lines[1:])).values():
            change = features["inserted_words"] - features["removed_words"]
            assert change == features["words_new"] - features["words_old"]
            for side in ("inserted", "removed"):
                kinds = [features[f"{side}_{kind}"] for kind in ("name", "type", "constant", "keyword", "number")]
                others = features[f"{side}_string"] + features[f"{side}_punctuation"]
                assert sum(kinds) + others == features[f"{side}_words"]
            assert features["replaced"] <= features["hunks"]

    @given(PROGRAMS)
    @settings(max_examples=25)
    def test_the_middles_are_what_is_left_between_beginning_and_end(self, lines: list[str]) -> None:
        for features in by_line(task_of(lines[0], *lines[1:])).values():
            common = features["length_old"] - features["middle_old"]
            assert common == features["length_new"] - features["middle_new"]
            assert common >= 0
            assert features["middle_old"] + features["middle_new"] > 0


class TestLists:
    TABLES = st.lists(st.lists(st.integers(-4, 4), min_size=3, max_size=3), min_size=1, max_size=8)

    @settings(max_examples=25)
    @given(TABLES)
    def test_a_margin_is_the_gap_to_the_best_of_the_others(self, rows: list[list[int]]) -> None:
        found = margin(np.array(rows, np.float64))

        for number, row in enumerate(rows):
            others = rows[:number] + rows[number + 1 :]
            expected = [
                value - max(other[column] for other in others) if others else 0 for column, value in enumerate(row)
            ]
            assert found[number].tolist() == expected

    @given(PROGRAMS)
    @settings(max_examples=25)
    def test_a_rank_is_the_number_of_better_candidates(self, lines: list[str]) -> None:
        found = by_line(task_of(lines[0], *lines[1:]))

        for features in found.values():
            assert features["candidates"] == len(found)
            for name in RANKED:
                value = np.float32(features[name])
                assert features[f"rank_{name}"] == sum(np.float32(other[name]) > value for other in found.values())


@pytest.mark.parametrize(
    "signature, number",
    [
        pytest.param("void f() {", 1, id="nothing"),
        pytest.param("public boolean f() {", 2, id="a truth value"),
        pytest.param("static long f(int a) {", 3, id="a whole number"),
        pytest.param("String f() {", 4, id="a text"),
        pytest.param("double f() {", 5, id="a number"),
        pytest.param("private Item f() {", 6, id="another type"),
        pytest.param("public Till() {", 7, id="a constructor"),
    ],
)
def test_what_the_method_around_returns_has_a_number(signature: str, number: int) -> None:
    found = by_line(task_of("x();", "class Till {", signature, "y();", "}", "}"))

    assert found[3]["returns"] == number
    assert found[1]["returns"] == -1


@pytest.mark.parametrize(
    "line, number",
    [
        pytest.param("x = 1;", 0, id="no return"),
        pytest.param("return;", 1, id="nothing"),
        pytest.param("return", 1, id="the word alone"),
        pytest.param("return true;", 2, id="a truth value"),
        pytest.param("return !a;", 2, id="a negation"),
        pytest.param("return 12;", 3, id="a number"),
        pytest.param('return "a" + b;', 4, id="a text"),
        pytest.param("return null;", 6, id="null"),
        pytest.param("return new A();", 7, id="a new thing"),
        pytest.param("return this;", 8, id="itself"),
        pytest.param("return a > b;", 9, id="a comparison"),
        pytest.param("return a.b();", 10, id="anything else"),
    ],
)
def test_what_a_line_returns_has_a_number(line: str, number: int) -> None:
    found = by_line(task_of("y;", line, "z;"))

    assert found[1]["returned_old"] == number
    assert {features["returned_new"] for features in by_line(task_of(line, "z;")).values()} == {number}


@pytest.mark.parametrize(
    "name, new_line, values",
    [
        pytest.param("in_method", "x;", {7: 0, 9: 1, 12: 1, 17: 1, 28: 0}, id="scope: in a method"),
        pytest.param("in_comment", "x;", {1: 0, 12: 0}, id="scope: no comments here"),
        pytest.param("method_lines", "x;", {12: LOG_7, 18: LOG_3}, id="scope: its lines"),
        pytest.param("removed_in_method", "x;", {12: 0.6667, 7: 1, 14: 1}, id="scope: removed names elsewhere there"),
        pytest.param("variables_lost", "items.add(number);", {12: 1, 24: 1, 7: 2}, id="scope: variables out of sight"),
        pytest.param("header_removed", "x;", {9: 6, 14: 0, 17: 3}, id="scope: the header's sub-words removed"),
        pytest.param("line", "x;", {1: LOG_2, 28: LOG_29}, id="place: the number"),
        pytest.param("lines", "x;", {1: 28, 28: 28}, id="place: of how many"),
        pytest.param(
            "before_head",
            "x;",
            {12: int(Statement.LOOP), 14: int(Statement.CLOSING)},
            id="place: how the line before begins",
        ),
        pytest.param(
            "new_text_distance",
            "return sum;",
            {12: LOG_3, 18: LOG_5},
            id="place: distance to the new text",
        ),
        pytest.param("same_called", "item.price(1);", {12: 1, 9: 4, 14: 3}, id="edit: what is called"),
        pytest.param("inserted_commonest", "sum = items;", {14: LOG_3}, id="edit: how often a name occurs"),
    ],
)
def test_a_feature_of_a_program_tells_what_the_table_says(name: str, new_line: str, values: dict[int, float]) -> None:
    found = in_program(name, new_line)

    assert {line: found[line] for line in values} == values


def test_a_declaration_that_is_replaced_declares_nothing_any_more() -> None:
    found = by_line(task_of("use(total);", "void f() {", "int total = 0;", "go(total);", "}"))

    assert [found[line]["variables_lost"] for line in (2, 3)] == [1, 0]
    assert [found[line]["variables_local"] for line in (2, 3)] == [0, 1]


def test_a_parameter_is_seen_in_its_method_alone() -> None:
    found = by_line(task_of("use(total);", "void f(int total) {", "a();", "}", "void g() {", "b();", "}"))

    assert [found[line]["variables_local"] for line in (2, 5)] == [1, 0]
    assert [found[line]["variables_lost"] for line in (2, 5)] == [0, 1]
