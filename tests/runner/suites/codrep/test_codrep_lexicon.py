"""The lexicon and its bag of words: hashes that a shipped model depends on, sums, and counts by plain definitions."""

import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.suites.codrep.ranker.bag import Bag, fill
from runner.suites.codrep.ranker.lexer import WordKind, kind_of, subwords
from runner.suites.codrep.ranker.lexicon import GROUPS, MOST_WORD_PAIRS, Lexicon, Traits, find_traits
from runner.suites.codrep.ranker.model import model_at
from runner.suites.codrep.ranker.program import Program, lex
from runner.suites.codrep.ranker.statements import read_statements

CODE = st.text("ab AB1.(){};=\"'/*_", max_size=20)
# Candidates are never blank.
PROGRAMS = st.tuples(CODE, st.lists(CODE.map(lambda text: text if text.strip() else "a"), min_size=1, max_size=5))


def traits_of(new_line: str, *lines: str) -> Traits:
    program = lex(new_line, lines)
    at = np.arange(1, len(lines) + 1)
    return find_traits(program, at, fill(program, at), read_statements(program).kinds)


def told(traits: Traits, row: int = 0) -> set[tuple[str, int]]:
    """The group and the hash of each trait of a candidate."""
    mine = traits.rows == row
    return {
        (GROUPS[group], int(trait))
        for group, trait in zip(traits.groups[mine].tolist(), traits.hashes[mine].tolist(), strict=True)
    }


def bag_of(new_line: str, lines: list[str]) -> tuple[Program, Bag]:
    program = lex(new_line, lines)
    return program, fill(program, np.arange(1, len(lines) + 1))


class TestHashes:
    # Learned weights are kept under these numbers: a change of any makes every model that was trained before worthless.
    @pytest.mark.parametrize(
        "group, hashes",
        [
            ("words", {1426474580, 1711707391, 1747761697, 2057399315}),
            ("word_pairs", {1278931740, 1361622234, 1704589687, 4217662573}),
            ("texts", {1139787674, 2536464240}),
            ("shapes", {1949316096, 4226132849}),
            ("statements", {2102071571, 3653839236}),
            ("words_by_statement", {442754042, 1500236621, 1781312050, 3239980825}),
            ("neighbours", {1482079529, 1485445694, 1552993861, 2924667549}),
        ],
    )
    def test_they_are_those_that_models_were_trained_with(self, group: str, hashes: set[int]) -> None:
        found = told(traits_of("catch (Exception e) {", "catch (Throwable t) {"))

        assert {trait for name, trait in found if name == group} == hashes

    @pytest.mark.parametrize(
        "new, old",
        [
            ("catch (Exception e) {", "catch (Throwable e) {"),
            ("catch (Throwable e) {", "catch (Exception e) {"),
            ("StringBuilder text = new StringBuilder();", "StringBuffer text = new StringBuffer();"),
        ],
    )
    def test_the_shipped_model_knows_common_substitutions(self, new: str, old: str) -> None:
        sums = model_at().chooser.lexicon.sums(traits_of(new, old, "wholly.other(things);"), 2).sum(axis=1)

        assert sums[0] > 1
        assert sums[0] > sums[1]

    def test_they_are_the_same_in_another_process(self) -> None:
        code = (
            "from tests.runner.suites.codrep.test_codrep_lexicon import traits_of;"
            "print(traits_of('getName(x, 1);', 'getTitle(y);', 'if (a) {').hashes.tolist())"
        )

        runs = [
            subprocess.run(
                [sys.executable, "-c", code],
                capture_output=True,
                text=True,
                check=True,
                env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            ).stdout
            for seed in ("1", "2")
        ]

        here = traits_of("getName(x, 1);", "getTitle(y);", "if (a) {").hashes.tolist()
        assert runs == [f"{here}\n"] * 2

    @settings(max_examples=25)
    @given(PROGRAMS)
    def test_a_candidate_has_the_same_traits_wherever_it_is_listed(self, program: tuple[str, list[str]]) -> None:
        new_line, lines = program
        made = lex(new_line, lines)
        at = np.arange(1, len(lines) + 1)
        kinds = read_statements(made).kinds

        forth = find_traits(made, at, fill(made, at), kinds)
        back = find_traits(made, at[::-1], fill(made, at[::-1]), kinds)

        assert [told(forth, row) for row in range(len(at))] == [told(back, row) for row in reversed(range(len(at)))]

    @settings(max_examples=25)
    @given(PROGRAMS)
    def test_every_trait_has_a_candidate_and_a_group(self, program: tuple[str, list[str]]) -> None:
        new_line, lines = program

        found = traits_of(new_line, *lines)

        assert len(found.rows) == len(found.groups) == len(found.hashes)
        assert set(found.rows.tolist()) <= set(range(len(lines)))
        assert set(found.groups.tolist()) <= set(range(len(GROUPS)))
        assert found.hashes.dtype == np.uint32

    @pytest.mark.parametrize(
        "other, same",
        [
            pytest.param("total = sum(b);", {"shapes", "statements", "neighbours"}, id="another name"),
            pytest.param("sum = total(a);", {"words", "shapes", "statements", "neighbours", "parts"}, id="other order"),
            pytest.param("total = sum(1);", {"statements", "neighbours"}, id="another kind of word"),
        ],
    )
    def test_a_group_tells_what_it_is_about(self, other: str, same: set[str]) -> None:
        one, two = told(traits_of("x;", "total = sum(a);")), told(traits_of("x;", other))

        def of(group: str, found: set[tuple[str, int]]) -> set[int]:
            return {trait for name, trait in found if name == group}

        assert {group for group in GROUPS if of(group, one) == of(group, two)} - {"words_by_statement"} == (
            same | ({"word_pairs"} if "words" in same else set())
        )

    def test_too_many_words_on_both_sides_make_no_pairs(self) -> None:
        side = int(MOST_WORD_PAIRS**0.5)
        few, many = (" ".join(f"n{number}" for number in range(count)) for count in (side, side + 1))

        pairs = [Counter(trait[0] for trait in told(traits_of(new, few.upper())))["word_pairs"] for new in (few, many)]

        assert pairs == [side * side, 0]


class TestSums:
    TRAITS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, len(GROUPS) - 1), st.integers(0, 9)), max_size=30)

    @staticmethod
    def traits(found: list[tuple[int, int, int]]) -> Traits:
        rows, groups, hashes = np.array(found, np.int64).reshape(-1, 3).T
        return Traits(rows, groups, hashes.astype(np.uint32))

    @settings(max_examples=25)
    @given(TRAITS, st.dictionaries(st.integers(0, 9), st.integers(-8, 8)))
    def test_they_are_those_of_a_dictionary(self, found: list[tuple[int, int, int]], weights: dict[int, int]) -> None:
        known = sorted(weights)
        lexicon = Lexicon(np.array(known, np.uint32), np.array([float(weights[trait]) for trait in known]))

        sums = lexicon.sums(self.traits(found), 4)

        expected = np.zeros((4, len(GROUPS)))
        for row, group, trait in found:
            expected[row, group] += weights.get(trait, 0)
        assert sums.tolist() == expected.tolist()

    def test_nothing_learned_weighs_nothing(self) -> None:
        empty = Lexicon(np.zeros(0, np.uint32), np.zeros(0))

        assert empty.sums(self.traits([(0, 0, 1), (1, 2, 3)]), 2).tolist() == np.zeros((2, len(GROUPS))).tolist()


class TestBags:
    @settings(max_examples=25)
    @given(PROGRAMS)
    def test_words_are_counted_line_by_line(self, program: tuple[str, list[str]]) -> None:
        new_line, lines = program

        made, bag = bag_of(new_line, lines)

        names = [made.words[word] for word in bag.words.tolist()]
        counted = [dict(zip(names, row, strict=True)) for row in [bag.new.tolist(), *bag.old.tolist()]]
        for number, counts in enumerate(counted):
            assert {word: count for word, count in counts.items() if count} == Counter(made.words_of(number))

    @settings(max_examples=25)
    @given(PROGRAMS)
    def test_an_edit_turns_the_old_words_into_the_new_ones(self, program: tuple[str, list[str]]) -> None:
        _, bag = bag_of(*program)

        assert (bag.old - bag.removed + bag.inserted == bag.new).all()
        assert (bag.kept + bag.inserted == bag.new).all()
        assert (bag.kept + bag.removed == bag.old).all()
        assert not (bag.inserted * bag.removed).any()

    @settings(max_examples=25)
    @given(PROGRAMS)
    def test_a_line_has_the_sub_words_of_its_words(self, program: tuple[str, list[str]]) -> None:
        made, bag = bag_of(*program)

        for number, row in enumerate([bag.new_parts, *bag.old_parts]):
            words = [word for word in made.words_of(number) if kind_of(word) < WordKind.PUNCTUATION]
            expected = {part for word in words for part in subwords(word)}
            assert {part for part, has in zip(bag.parts, row.tolist(), strict=True) if has} == expected

    @settings(max_examples=25)
    @given(PROGRAMS, st.data())
    def test_some_rows_of_a_bag_are_the_bag_of_these_lines(
        self, program: tuple[str, list[str]], data: st.DataObject
    ) -> None:
        made, bag = bag_of(*program)
        chosen = np.array(data.draw(st.lists(st.integers(0, len(bag.old) - 1), min_size=1, unique=True)))

        few, direct = bag.rows(chosen), fill(made, chosen + 1)

        kept = np.isin(few.words, direct.words)
        assert few.old[:, kept].tolist() == direct.old.tolist()
        assert not few.old[:, ~kept].any()
        assert few.new.tolist() == bag.new.tolist()
