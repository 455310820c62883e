import pytest

from runner.suites.nextedit.commits import Edit, Span
from runner.suites.nextedit.editor import Made, Suggestion
from runner.suites.nextedit.matching import Match, Target
from runner.suites.nextedit.step_metrics import Flow, StepMetrics, excision_scores, judge, reverts

GUESSES = [Suggestion("a.py", line, (f"{line}\n",), ("x\n",)) for line in range(4)]
TEXTS = {"a.py": "0\n1\n2\n3\n"}
MATCHES = (Match(0, 0, target=7, bleu=100, exact=True), Match(2, 2, target=9, bleu=60, exact=False))
REPLACED = Made(Edit(0, "a.py", ("size = 3\n",), ("width = compute_width(box)\n",), Span(4, 5), Span(4, 5)), Span(4, 5))
INSERTED = Made(Edit(0, "a.py", (), ("import logging\n",), Span(0, 0), Span(0, 1)), Span(0, 1))
DELETED = Made(Edit(0, "a.py", ("import logging\n",), (), Span(0, 1), Span(0, 0)), Span(0, 0))
REWORDED = Made(
    Edit(
        0,
        "a.py",
        ("total = sum(width, height, depth)\n",),
        ("total = sum(width, height, mass)\n",),
        Span(4, 5),
        Span(4, 5),
    ),
    Span(4, 5),
)
FURTHER = ("total = sum(width, height, mass, price)\n",)


class TestFlow:
    def test_each_prediction_keeps_jumps_or_breaks(self) -> None:
        metrics = judge(GUESSES, MATCHES, allowed={7, 8}, past_edits=(), texts=TEXTS)

        assert metrics.flows == (Flow.KEEPING, Flow.BREAKING, Flow.JUMPING, Flow.BREAKING)
        assert metrics.share(Flow.BREAKING) == 0.5

    @pytest.mark.parametrize(
        "made, suggestion",
        [
            pytest.param(REPLACED, Suggestion("a.py", 4, REPLACED.edit.after, ("size = 3\n",)), id="replacement"),
            pytest.param(INSERTED, Suggestion("a.py", 0, INSERTED.edit.after, ()), id="insertion"),
            pytest.param(DELETED, Suggestion("a.py", 0, (), DELETED.edit.before), id="deletion"),
            pytest.param(DELETED, Suggestion("a.py", 2, (), DELETED.edit.before), id="deletion-put-back-near"),
        ],
    )
    def test_what_brings_back_the_lines_of_before_reverts(self, made: Made, suggestion: Suggestion) -> None:
        assert reverts(suggestion, made)
        lines = [*("x\n",) * suggestion.start, *suggestion.before, *("x\n",) * 3]
        assert judge([suggestion], (), {1}, [made], {"a.py": "".join(lines)}).flows == (Flow.REVERTING,)

    def test_what_cannot_be_made_brings_nothing_back(self) -> None:
        suggestion = Suggestion("a.py", 0, INSERTED.edit.after, ())

        assert reverts(suggestion, INSERTED)
        assert judge([suggestion], (), {1}, [INSERTED], {"a.py": "other\n"}).flows == (Flow.BREAKING,)

    def test_predictions_that_write_a_file_which_is_not_there_are_counted(self) -> None:
        suggestions = [
            Suggestion("new.py", 0, (), ("x\n",)),
            Suggestion("a.py", 0, (), ("x\n",)),
            Suggestion("elsewhere.py", 0, ("y\n",), ("x\n",)),
        ]

        assert judge(suggestions, (), {1}, (), TEXTS).new_files == 1

    @pytest.mark.parametrize(
        "made, suggestion",
        [
            pytest.param(REPLACED, Suggestion("a.py", 4, REPLACED.edit.after, ("width = 9\n",)), id="something-else"),
            pytest.param(REPLACED, Suggestion("b.py", 4, REPLACED.edit.after, ("size = 3\n",)), id="another-file"),
            pytest.param(REPLACED, Suggestion("a.py", 9, ("x\n",), ("size = 3\n",)), id="another-place"),
            pytest.param(DELETED, Suggestion("a.py", 9, (), DELETED.edit.before), id="put-back-far-away"),
            pytest.param(REWORDED, Suggestion("a.py", 4, REWORDED.edit.after, FURTHER), id="more-of-the-same-edit"),
        ],
    )
    def test_a_change_of_an_edit_that_brings_nothing_back_does_not(self, made: Made, suggestion: Suggestion) -> None:
        assert not reverts(suggestion, made)


class TestMetrics:
    def test_only_allowed_edits_count_for_precision_recall_and_f1(self) -> None:
        metrics = judge(GUESSES, MATCHES, allowed={7, 8}, past_edits=(), texts=TEXTS)

        assert (metrics.precision, metrics.recall, metrics.f1) == (0.25, 0.5, 2 / 6)

    def test_without_predictions_precision_is_0(self) -> None:
        metrics = judge([], (), allowed={1}, past_edits=(), texts=TEXTS)

        assert (metrics.precision, metrics.recall, metrics.f1) == (0.0, 0.0, 0.0)

    def test_cuts_go_by_rank(self) -> None:
        metrics = StepMetrics((Flow.KEEPING,) * 3, 3, hit_ranks=(1, 2), kept_ranks=(2,))

        assert [metrics.hit_at(cut) for cut in (1, 2, 3)] == [False, True, True]
        assert [metrics.kept_at(cut) for cut in (1, 2, 3)] == [0, 0, 1]


class TestExcision:
    TEXT = "a = 1\nb = 2\nc = 3\n"
    TARGET = Target(0, "a.py", 1, ("b = 2\n",), ("b = compute(2)\n",))

    def test_the_edit_itself_scores_1(self) -> None:
        guess = Suggestion("a.py", 0, ("a = 1\n", "b = 2\n"), ("a = 1\n", "b = compute(2)\n"))

        assert excision_scores(guess, self.TARGET, self.TEXT, "python")["es-token"] == pytest.approx(1)

    def test_half_the_edit_scores_less(self) -> None:
        guess = Suggestion("a.py", 1, ("b = 2\n",), ("b = compute(3)\n",))

        assert 0 < excision_scores(guess, self.TARGET, self.TEXT, "python")["es-token"] < 1
