"""Figures of completion answers: rates, means, intervals, and who said nothing."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.suites.completion.rates import ALL, Confusion, Figures, ScoredAnswer, confusion, figures, form_of


def answered(
    task: str, passes: float | None, *, block: str = "IF", file: str = "a.py", empty: bool = False, missing: bool = True
) -> ScoredAnswer:
    judged = {} if passes is None else {"pass": passes}
    scores = {**judged, "exact": passes or 0.0, "similarity": 50.0, "empty": float(empty)}
    verdict = None if passes is None else "pass" if passes else "fail"
    return ScoredAnswer(task, "1.1", block, file, missing, verdict, scores)


def whole(answers: list[ScoredAnswer]) -> Figures:
    return next(one for one in figures(answers) if (one.scene, one.block_type) == (ALL, ALL))


def test_there_is_a_row_for_scenes_blocks_both_and_all() -> None:
    found = figures([answered("a", 1), answered("b", 0, block="FOR")])

    assert [(one.scene, one.block_type, one.passed) for one in found] == [
        ("1.1", "FOR", 0), ("1.1", "IF", 1), ("1.1", ALL, 1), (ALL, "FOR", 0), (ALL, "IF", 1), (ALL, ALL, 1),
    ]  # fmt: skip


def test_comments_are_in_no_figure_but_their_own() -> None:
    found = figures([answered("a", 1), answered("c", None, block="COMMENT")])

    assert [(one.block_type, one.answers, one.judged) for one in found if one.block_type == "COMMENT"] == [
        ("COMMENT", 1, 0)
    ]
    assert all(one.answers == 1 for one in found)


def test_infra_is_counted_and_in_no_rate() -> None:
    infra = ScoredAnswer("b", "1.1", "IF", "a.py", missing=True, verdict="infra", scores={"exact": 0.0})

    one = whole([answered("a", 1), infra])

    assert (one.answers, one.judged, one.passed, one.infra) == (2, 1, 1, 1)
    assert one.pass_at_k == {"1": 1.0}


def test_several_answers_to_a_task_give_pass_at_k_up_to_the_fewest() -> None:
    one = whole([answered("a", right) for right in (1, 0, 0)] + [answered("b", right) for right in (1, 1, 0, 0)])

    assert set(one.pass_at_k) == {"1", "2", "3"}
    assert one.pass_at_k["1"] == pytest.approx((1 / 3 + 1 / 2) / 2)
    assert one.pass_at_k["2"] == pytest.approx((2 / 3 + 5 / 6) / 2)
    assert one.pass_at_k["3"] == pytest.approx(1.0)


def test_nothing_judged_has_no_rate() -> None:
    found = figures([answered("c", None, block="COMMENT")])

    assert found[0].pass_at_k == {}
    assert found[0].interval is None


@pytest.mark.parametrize(
    "files, passes, low, high",
    [
        pytest.param(2, 2, 0.012, 1.0, id="two files that are alike tell little"),
        pytest.param(2, 1, 0.0, 1.0, id="two files that are not tell nothing"),
        pytest.param(5, 5, 0.393, 1.0, id="five that are alike"),
        pytest.param(20, 20, 0.820, 1.0, id="twenty that are alike"),
        pytest.param(20, 10, 0.3, 0.7, id="twenty that are not are resampled"),
    ],
)
def test_an_interval_is_clustered_by_file(files: int, passes: int, low: float, high: float) -> None:
    answers = [answered(str(at), int(at % files < passes), file=f"{at % files}.py") for at in range(3 * files)]

    found = whole(answers).interval

    assert found is not None
    assert found.low == pytest.approx(low, abs=5e-3)
    assert found.high == pytest.approx(high, abs=5e-3)
    assert found.estimate == pytest.approx(passes / files)


def test_of_a_single_file_there_is_no_interval() -> None:
    assert whole([answered(str(at), at % 2) for at in range(6)]).interval is None


def test_the_interval_of_a_similarity_is_in_its_own_unit() -> None:
    answers = [
        replace(answered(f"{task}", 1, file=f"{task % 3}.py"), scores={"similarity": 60.0 + task % 3})
        for task in range(9)
    ]

    found = whole(answers).intervals["similarity"]

    assert found.estimate == pytest.approx(61)
    assert 0 < found.low < 59
    assert 63 < found.high < 100


def test_comments_have_a_figure_of_their_own_that_is_their_similarity() -> None:
    comment = answered("c", None, block="COMMENT")

    found = {(one.scene, one.block_type): one for one in figures([comment, answered("a", 1)])}

    assert [key for key in found if "COMMENT" in key] == [("1.1", "COMMENT")]
    assert set(found["1.1", "COMMENT"].means) <= {"similarity"}
    assert (found[ALL, ALL].tasks, found[ALL, ALL].answers) == (1, 1)


def test_an_interval_is_the_same_to_the_last_bit_in_any_order_of_answers() -> None:
    answers = [
        replace(answered(f"{task}", 1, file=f"{task % 2}.py"), scores={"similarity": 100 / (task + 3)})
        for task in range(40)
    ]

    assert figures(answers) == figures(answers[::-1])


def test_tasks_weigh_alike_however_many_answers_they_have() -> None:
    one = whole([answered("a", 1), answered("b", 0), answered("b", 0), answered("b", 0)])

    assert one.means["exact"] == pytest.approx(0.5)


def test_who_said_nothing_is_held_against_where_nothing_is_missing() -> None:
    told = [
        answered("a", 1, empty=True, missing=False),
        answered("b", 0, empty=True),
        answered("c", 0, empty=False, missing=False),
        answered("d", 1),
        answered("e", 1),
        answered("f", None, block="COMMENT", empty=True),
    ]

    assert confusion(told) == Confusion(tp=1, fp=1, fn=1, tn=2)


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans(), st.integers(0, 2)), min_size=1, max_size=20))
def test_figures_add_up(drawn: list[tuple[int, bool, int]]) -> None:
    answers = [answered(f"t{task}", float(right), file=f"{file}.py") for task, right, file in drawn]

    one = whole(answers)

    assert one.passed == sum(right for _, right, _ in drawn)
    assert one.judged == one.answers == len(drawn)
    assert 0 <= one.pass_at_k["1"] <= 1


def test_only_scenes_1_come_in_two_forms() -> None:
    assert form_of("1.2", with_evidence=True) == "1.2 with evidence"
    assert form_of("1.2", with_evidence=False) == "1.2"
    assert form_of("3", with_evidence=True) == "3"
