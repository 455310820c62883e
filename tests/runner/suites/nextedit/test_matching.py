import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.suites.nextedit.commits import Commit, Span, split_lines
from runner.suites.nextedit.editor import Suggestion, is_sound, suggestions_between
from runner.suites.nextedit.matching import Target, match, overlap, ranks_of, trim
from runner.suites.nextedit.state import State
from tests.nextedit import recorded_commits
from tests.vectors import files, rows

TEXTS = {"a.py": "".join(f"line_{number} = {number}\n" for number in range(20))}
LINES = split_lines(TEXTS["a.py"])


def _replace(start: int, end: int, *after: str, confidence: float | None = None) -> Suggestion:
    return Suggestion("a.py", start, LINES[start:end], after, confidence)


def _target(idx: int, start: int, end: int, *after: str) -> Target:
    return Target(idx, "a.py", start, LINES[start:end], after)


NEW = "value = compute(first, second)\n"
INSERT = _target(0, 5, 5, NEW)
REPLACE = _target(1, 10, 12, NEW, "other = compute(third)\n")


class TestTrim:
    def test_an_insertion_written_as_a_replacement_of_the_line_above_is_an_insertion(self) -> None:
        trimmed = trim(_replace(4, 5, LINES[4], NEW))

        assert (trimmed.span, trimmed.before, trimmed.after) == (Span(5, 5), (), (NEW,))

    def test_lines_around_a_change_do_not_count(self) -> None:
        trimmed = trim(_replace(9, 13, LINES[9], NEW, LINES[12]))

        assert (trimmed.span, trimmed.before, trimmed.after) == (Span(10, 12), LINES[10:12], (NEW,))

    def test_what_changes_nothing_trims_to_nothing(self) -> None:
        trimmed = trim(_replace(3, 5, *LINES[3:5]))

        assert (trimmed.before, trimmed.after) == ((), ())


class TestPlaces:
    @pytest.mark.parametrize(
        "suggestion, idx, exact",
        [
            pytest.param(_replace(5, 5, NEW), 0, True, id="the-insertion"),
            pytest.param(_replace(4, 5, LINES[4], NEW), 0, True, id="written-as-a-replacement-of-the-line-above"),
            pytest.param(_replace(5, 6, NEW, LINES[5]), 0, True, id="or-of-the-line-below"),
            pytest.param(_replace(6, 6, NEW), 0, False, id="a-line-off"),
            pytest.param(_replace(5, 5, "value = compute(first, third)\n"), 0, False, id="nearly-the-content"),
            pytest.param(_replace(10, 12, *REPLACE.after), 1, True, id="the-replacement"),
            pytest.param(
                _replace(9, 13, LINES[9], *REPLACE.after, LINES[12]), 1, True, id="widened-by-a-line-each-side"
            ),
            pytest.param(_replace(11, 13, *REPLACE.after), 1, False, id="half-the-lines"),
        ],
    )
    def test_a_prediction_of_this_place_and_content_matches(
        self, suggestion: Suggestion, idx: int, exact: bool
    ) -> None:
        (found,) = match([suggestion], [INSERT, REPLACE], TEXTS)

        assert (found.target, found.exact) == (idx, exact)

    @pytest.mark.parametrize(
        "suggestion",
        [
            pytest.param(_replace(15, 15, NEW), id="half-a-file-away"),
            pytest.param(_replace(0, 0, NEW), id="at-the-top"),
            pytest.param(_replace(5, 5, "print()\n"), id="another-content"),
            pytest.param(_replace(12, 14, *REPLACE.after), id="beside-the-lines"),
            pytest.param(Suggestion("b.py", 5, (), (NEW,)), id="another-file"),
            pytest.param(_replace(10, 12), id="a-deletion-of-the-lines"),
        ],
    )
    def test_no_other_prediction_does(self, suggestion: Suggestion) -> None:
        assert match([suggestion], [INSERT, REPLACE], TEXTS) == ()

    def test_an_insertion_that_slid_along_equal_lines_is_exact(self) -> None:
        texts = {"a.py": "f()\n\nf()\n\n"}
        gold = Target(0, "a.py", 2, (), ("f()\n", "\n"))

        (found,) = match([Suggestion("a.py", 1, (), ("\n", "f()\n"))], [gold], texts)

        assert found.exact

    def test_a_new_file_is_an_insertion_into_nothing(self) -> None:
        gold = Target(0, "new.py", 0, (), (NEW,))

        assert match([Suggestion("new.py", 0, (), (NEW,))], [gold], {})[0].exact

    def test_overlap_is_the_dice_coefficient_of_lines(self) -> None:
        assert overlap(Span(0, 2), Span(1, 3)) == 0.5
        assert overlap(Span(1, 1), Span(1, 1)) == 0.0


class TestAssignment:
    def test_one_edit_is_matched_once_by_the_best_rank(self) -> None:
        found = match([_replace(6, 6, NEW), _replace(5, 5, NEW, confidence=0.1)], [INSERT], TEXTS)

        assert [(each.suggestion, each.rank) for each in found] == [(1, 0)]

    def test_an_exact_prediction_goes_to_its_edit_though_a_better_rank_came_near(self) -> None:
        first, second = _target(0, 5, 5, NEW), _target(1, 6, 6, NEW)
        suggestions = [_replace(6, 6, NEW, confidence=0.2), _replace(7, 7, NEW, confidence=0.9)]

        found = match(suggestions, [first, second], TEXTS)

        assert {each.suggestion: each.target for each in found} == {0: 1, 1: 0}

    def test_of_several_edits_of_one_place_the_likest_is_meant(self) -> None:
        first, second = _target(0, 5, 5, "value = compute(first, other, third)\n"), _target(1, 6, 6, NEW)

        found = match(
            [_replace(4, 4, "value = compute(first, second, third)\n"), _replace(4, 4, NEW)], [first, second], TEXTS
        )

        assert [(each.suggestion, each.target) for each in found] == [(0, 0), (1, 1)]
        assert [each.target for each in match([_replace(4, 4, NEW)], [first, second], TEXTS)] == [1]

    def test_matches_come_by_rank(self) -> None:
        suggestions = [_replace(10, 12, *REPLACE.after, confidence=0.1), _replace(5, 5, NEW, confidence=0.9)]

        assert [each.target for each in match(suggestions, [INSERT, REPLACE], TEXTS)] == [0, 1]

    @pytest.mark.parametrize(
        "confidences, ranks",
        [((0.1, 0.9, 0.5), (2, 0, 1)), ((0.5, 0.5), (0, 1)), ((None, None), (0, 1)), ((None, 0.1), (1, 0))],
    )
    def test_ranks_follow_confidence_then_order(
        self, confidences: tuple[float | None, ...], ranks: tuple[int, ...]
    ) -> None:
        assert ranks_of([_replace(0, 1, confidence=confidence) for confidence in confidences]) == ranks

    @given(st.lists(st.tuples(st.integers(0, 18), st.integers(0, 2), st.booleans()), max_size=6))
    def test_nothing_is_in_two_matches(self, guesses: list[tuple[int, int, bool]]) -> None:
        suggestions = [_replace(start, start + size, *([NEW] if new else [])) for start, size, new in guesses]

        found = match(suggestions, [INSERT, REPLACE, _target(2, 6, 6, NEW)], TEXTS)

        assert len({each.target for each in found}) == len({each.suggestion for each in found}) == len(found)


class TestSuggestions:
    @given(*[st.lists(st.sampled_from(["a\n", "b\n", "\n", "c"]), max_size=15).map("".join)] * 2)
    def test_the_edits_between_two_texts_lead_from_one_to_the_other(self, old: str, new: str) -> None:
        lines = list(split_lines(old))
        for suggestion in reversed(suggestions_between("a", old, new)):
            assert is_sound(suggestion, {"a": old})
            lines[suggestion.span.start : suggestion.span.end] = suggestion.after

        assert "".join(lines) == new

    def test_separate_changes_are_separate_edits(self) -> None:
        found = suggestions_between("a", "1\n2\n3\n4\n", "0\n1\n2\n4\n", confidence=0.5)

        assert found == [Suggestion("a", 0, (), ("0\n",), 0.5), Suggestion("a", 2, ("3\n",), (), 0.5)]

    @pytest.mark.parametrize(
        "suggestion",
        [
            pytest.param(Suggestion("a.py", 0, ("other\n",), ()), id="lines-that-are-not-there"),
            pytest.param(Suggestion("a.py", 21, (), ("x\n",)), id="past-the-end"),
            pytest.param(Suggestion("a.py", -1, (), ("x\n",)), id="before-the-beginning"),
            pytest.param(Suggestion("b.py", 0, ("x\n",), ()), id="a-file-that-is-not-there"),
            pytest.param(_replace(0, 1, LINES[0]), id="no-change"),
        ],
    )
    def test_what_speaks_of_other_lines_or_changes_nothing_is_not_sound(self, suggestion: Suggestion) -> None:
        assert not is_sound(suggestion, TEXTS)


@pytest.fixture(scope="module")
def recorded() -> list[Commit]:
    return recorded_commits([row for path in files("historian", "*commits*.jsonl.xz") for row in rows(path)])


@pytest.mark.conformance
class TestRecordedEdits:
    def test_exact_misplaced_and_reworded_predictions_of_every_edit(self, recorded: list[Commit]) -> None:
        hits: dict[str, list[bool]] = {"exact": [], "half a file away": [], "line above": [], "widened": []}
        for commit in recorded:
            state, texts = State(commit), State(commit).texts()
            targets = [
                Target(edit.idx, edit.path, state.place(edit.idx).start, edit.before, edit.after)
                for edit in commit.edits
            ]
            for target in targets:
                for name, guess in _rewordings(target, split_lines(texts.get(target.path, ""))):
                    found = match([guess], targets, texts)
                    hits[name].append(bool(found) and found[0].target == target.idx)

        print({name: f"{sum(each)} of {len(each)}" for name, each in hits.items()})  # noqa: T201 - asked for
        assert all(hits.values()), "a form was never tried"
        assert all(hits["exact"])
        assert not any(hits["half a file away"])
        assert sum(hits["line above"]) >= 0.97 * len(hits["line above"])
        assert sum(hits["widened"]) >= 0.97 * len(hits["widened"])


def _rewordings(target: Target, lines: tuple[str, ...]) -> list[tuple[str, Suggestion]]:
    path, start, end = target.path, target.start, target.span.end
    guesses = [("exact", Suggestion(path, start, target.before, target.after))]
    if target.before:
        low, high = max(0, start - 1), min(len(lines), end + 1)
        after = (*lines[low:start], *target.after, *lines[end:high])
        return [*guesses, ("widened", Suggestion(path, low, lines[low:high], after))]
    if len(lines) > 10:
        away = (start + len(lines) // 2) % len(lines)
        guesses.append(("half a file away", Suggestion(path, away, (), target.after)))
    if start > 0:
        above = lines[start - 1]
        guesses.append(("line above", Suggestion(path, start - 1, (above,), (above, *target.after))))
    return guesses
