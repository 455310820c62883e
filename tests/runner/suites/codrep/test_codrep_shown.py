"""What models are shown of long files: a window within the budget, that has the replaced line nearly always."""

import os
from pathlib import Path

import pytest

from prompts import load
from runner.errors import InputError
from runner.suites.codrep.cases import CodrepCase, read_cases
from runner.suites.codrep.dataset import open_dataset, open_datasets
from runner.suites.codrep.options import MAX_CONTEXT, PROMPT
from runner.suites.codrep.question import question
from runner.suites.codrep.showing import Room, check_room, estimated_tokens, windows_of
from runner.tokens import token_counter
from tests.bench.bench_codrep_windows import shown_of
from tests.codrep import SAMPLE, write_dataset

VARIABLE = "EVALS_CODREP_DATASETS"
SAMPLED = 1500


@pytest.mark.parametrize("max_context", [560, 700, 900, 2000])
def test_question_and_prompt_fit_into_the_context(max_context: int) -> None:
    counter = token_counter(exact=True)
    prompt = load(PROMPT).wording

    cases = read_cases([open_dataset(SAMPLE)])
    shown = windows_of(cases, Room(max_context, counter.count(prompt)))

    for case in cases:
        found = shown[case.case_id]
        assert counter.count(prompt) + counter.count(question(case.task(), found.window)) <= found.tokens <= max_context


def test_half_of_the_sample_shown_has_nearly_all_replaced_lines() -> None:
    cases = read_cases([open_dataset(SAMPLE)])
    prompt = token_counter(exact=True).count(load(PROMPT).wording)
    whole = windows_of(cases, Room(MAX_CONTEXT, prompt))

    hit = 0
    for case in cases:
        room = Room(prompt + (whole[case.case_id].tokens - prompt) * 2 // 3, prompt)
        window = windows_of([case], room)[case.case_id].window
        assert not window.whole
        hit += window.shows(case.answer)

    assert hit >= 0.9 * len(cases)


@pytest.mark.wide
def test_the_window_depends_on_nothing_but_the_task_and_the_room(tmp_path: Path) -> None:
    cases = read_cases([open_dataset(write_dataset(tmp_path / "Made", 70, lines=300))])

    assert windows_of(cases, Room(1500, 400), jobs=2) == windows_of(cases, Room(1500, 400))


@pytest.mark.parametrize(
    "program",
    [
        pytest.param("\n" * 5000, id="blank lines"),
        pytest.param("same\n" * 5000, id="nothing but the new line"),
        pytest.param("x = [" + "1234, " * 50_000 + "]", id="one endless line"),
        pytest.param("x" * 50_000 + "\nint a;\n" + "y" * 50_000, id="a line between endless ones"),
    ],
)
def test_of_any_file_something_is_shown(tmp_path: Path, program: str) -> None:
    folder = write_dataset(tmp_path / "Made", 1)
    (folder / "Tasks/1.txt").write_text(f"same\n\n{program}")
    (folder / "Solutions/1.txt").write_text("1")
    (case,) = read_cases([open_dataset(folder)])

    shown = windows_of([case], Room(8000, 400))[case.case_id]

    assert shown.window.spans
    assert token_counter(exact=True).count(question(case.task(), shown.window)) + 400 <= shown.tokens <= 8000


def test_a_room_without_place_for_a_line_is_refused() -> None:
    cases = read_cases([open_dataset(SAMPLE)])

    with pytest.raises(InputError, match="--max-context: is 410, too little for codrep/1"):
        windows_of(cases, Room(410, 400))


def test_a_room_is_refused_before_anything_is_chosen() -> None:
    cases = read_cases([open_dataset(SAMPLE)])

    with pytest.raises(InputError, match="--max-context: is 410, too little for codrep/1"):
        check_room(cases, Room(410, 400))


@pytest.mark.parametrize("max_context", range(440, 640, 20))
def test_whatever_room_is_not_refused_shows_something_of_every_file(max_context: int) -> None:
    cases = read_cases([open_dataset(SAMPLE)])
    room = Room(max_context, 400)
    refused = []
    for case in cases:
        try:
            check_room([case], room)
        except InputError:
            refused.append(case.case_id)

    shown = windows_of([case for case in cases if case.case_id not in refused], room)

    assert all(one.window.spans for one in shown.values())
    assert len(shown) + len(refused) == len(cases)


def test_the_shortest_line_is_shown_where_no_likely_line_has_room(tmp_path: Path) -> None:
    folder = write_dataset(tmp_path / "Made", 1)
    (folder / "Tasks/1.txt").write_text("return value;\n\n" + "return " + "value1234, " * 60 + "\n\n}\n")
    (folder / "Solutions/1.txt").write_text("1")
    (case,) = read_cases([open_dataset(folder)])
    room = Room(470, 400)

    check_room([case], room)
    shown = windows_of([case], room)[case.case_id]

    assert shown.window.lines == [2, 3]
    assert shown.tokens <= 470


@pytest.mark.parametrize("max_context", [600, 8000])
def test_the_estimate_is_within_a_third_of_the_tokens_shown(max_context: int) -> None:
    cases = read_cases([open_dataset(SAMPLE)])
    room = Room(max_context, 400)

    shown = windows_of(cases, room)

    for case in cases:
        assert estimated_tokens(case, room) <= max_context
        assert estimated_tokens(case, room) == pytest.approx(shown[case.case_id].tokens, rel=1 / 3)


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get(VARIABLE), reason=f"{VARIABLE} names no dataset folders")
def test_ninety_nine_of_a_hundred_replaced_lines_are_shown_within_8000_tokens(
    capsys: pytest.CaptureFixture[str],
) -> None:
    datasets = open_datasets([Path(name) for name in os.environ[VARIABLE].split(os.pathsep)])

    for dataset in datasets:
        cases = read_cases([dataset], SAMPLED)
        shown = shown_of(cases)

        def is_shown(case: CodrepCase) -> bool:
            return shown[case.case_id].window.shows(case.answer)  # noqa: B023 - called within this round

        long = [case for case in cases if not shown[case.case_id].window.whole]
        counts = sum(map(is_shown, long)), len(long), sum(map(is_shown, cases)), len(cases)
        with capsys.disabled():
            print("\n{}: {} of {} long files, {} of {} files".format(dataset.name, *counts))  # noqa: T201 - the figure
        assert counts[2] >= 0.99 * counts[3]
        assert counts[0] >= 0.97 * counts[1]
