"""What fill-in-the-middle models are asked."""

from dataclasses import replace

from prompts.fim import FAMILIES
from runner.suites.completion.asking import questions_of
from runner.suites.completion.dataset import Dataset, Evidence
from tests.runner.suites.completion.test_dataset import DATASET, TASK, TEXT

QWEN = FAMILIES["qwen2.5-coder"]
PLAIN = replace(TASK, evidence=())


def dataset(text: str = TEXT, *, evidence: tuple[Evidence, ...] = ()) -> Dataset:
    return replace(DATASET, files={"a.py": text}, tasks=(replace(PLAIN, evidence=evidence),))


def test_a_prompt_holds_what_the_scene_shows() -> None:
    (one,) = questions_of(dataset(), QWEN, 1000)

    assert one.prompt == ("<|fim_prefix|># ü\ndef f():\n    <|fim_suffix|>\n\n\ndef g():\n    return 2\n<|fim_middle|>")
    assert (one.task_id, one.stops, one.cut, one.refused) == (TASK.task_id, QWEN.stops, False, None)


def test_evidence_stands_before_the_prefix_as_comments() -> None:
    (one,) = questions_of(dataset(evidence=(Evidence("b.py", 1, 2, "def h():\n\n    ..."),)), QWEN, 1000)

    assert one.prompt.startswith("<|fim_prefix|># b.py:\n# def h():\n#\n#     ...\n#\n# ü\n")


def test_a_budget_cuts_lines_far_from_the_hole() -> None:
    (one,) = questions_of(dataset(), QWEN, 10)

    assert one.cut
    assert one.prompt == "<|fim_prefix|>    <|fim_suffix|>\n\n<|fim_middle|>"


def test_a_text_with_a_mark_is_refused_and_not_altered() -> None:
    (one,) = questions_of(dataset(f"{TEXT}# <|fim_suffix|>\n"), QWEN, 1000)

    assert one.prompt == ""
    assert one.refused == "the text around the hole holds the mark '<|fim_suffix|>'"
