"""The shipped cases are what cases/README.md says: many languages, real sizes, traps, expected files in reach."""

import itertools
import re
from collections import Counter
from collections.abc import Callable
from difflib import SequenceMatcher
from pathlib import Path
from statistics import median

import pytest

from diff_apply import DIFF_ALGORITHMS
from parsers import PARSERS
from parsers.blocks import ToolCall
from runner import syntax
from runner.suites.diff_edit.cases import DiffEditCase, load_cases
from runner.suites.diff_edit.check import check_folder

FOLDER = Path(__file__).parents[1] / "cases" / "diff_edit"
README = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
CASES = load_cases(FOLDER).cases
PARAMS = [pytest.param(case, id=case.case_id) for case in CASES]
FAULTY = set(re.findall(r"`(\w+)`", README.partition("| case | fault |")[2].partition("### ")[0])) & {
    case.case_id for case in CASES
}


def lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def hunks(case: DiffEditCase) -> list[tuple[int, int, int, int]]:
    """The changed ranges of lines: of the file before, and of the file after."""
    matcher = SequenceMatcher(None, lines(case.file_contents), lines(case.expected_contents[0]), autojunk=False)
    return [(i1, i2, j1, j2) for tag, i1, i2, j1, j2 in matcher.get_opcodes() if tag != "equal"]


def distant_places(case: DiffEditCase) -> int:
    """How many blocks an edit takes if changes up to six lines apart share one."""
    changed = hunks(case)
    return 1 + sum(later[0] - earlier[1] > 6 for earlier, later in itertools.pairwise(changed))


def needs_context(case: DiffEditCase) -> bool:
    """Whether lines that change, or the line before an insertion, stand elsewhere in the file too."""
    before = lines(case.file_contents)
    changed = [before[start:end] or before[start - 1 : start] for start, end, _, _ in hunks(case)]
    return any(f"\n{case.file_contents}\n".count("\n".join(["", *rows, ""])) > 1 for rows in changed)


TRAPS: dict[str, Callable[[DiffEditCase], bool]] = {
    "several times": needs_context,
    "tabs": lambda case: "\n\t" in case.file_contents,
    "CR LF": lambda case: case.file_contents.count("\r\n") == case.file_contents.count("\n"),
    "no newline": lambda case: not case.file_contents.endswith("\n"),
    "beyond ASCII": lambda case: any(ord(char) > 0xFFFF for char in case.file_contents),
    "U+2028": lambda case: "\u2028" in case.file_contents,
}


def test_nothing_is_wrong_with_the_shipped_cases() -> None:
    assert [str(finding) for finding in check_folder(FOLDER, strict=True)] == []


def test_there_are_enough_cases_and_none_is_skipped() -> None:
    assert len(CASES) >= 24
    assert load_cases(FOLDER).skipped == ()


def test_all_languages_are_there() -> None:
    told = Counter(case.language for case in CASES)

    assert {"python", "typescript", "javascript", "go", "java", "rust", "c", "markdown", "json", "yaml"} <= set(told)


def test_the_sizes_are_those_of_real_files() -> None:
    sizes = [len(lines(case.file_contents)) for case in CASES]

    assert min(sizes) >= 30
    assert max(sizes) <= 400
    assert median(sizes) >= 100


def test_many_edits_need_several_blocks() -> None:
    assert sum(distant_places(case) >= 2 for case in CASES) >= 8


@pytest.mark.parametrize("trap", TRAPS)
def test_each_trap_is_in_two_cases_or_more(trap: str) -> None:
    assert sum(TRAPS[trap](case) for case in CASES) >= 2


@pytest.mark.parametrize("trap", TRAPS)
def test_the_readme_names_cases_that_have_the_trap(trap: str) -> None:
    row = next(line for line in README.split("\n") if line.startswith("| ") and trap in line)
    named = set(re.findall(r"`(\w+)`", row))

    assert len(named) >= 2
    assert all(TRAPS[trap](case) for case in CASES if case.case_id in named)
    assert named <= {case.case_id for case in CASES}


def test_the_readme_counts_the_cases() -> None:
    assert f"{len(CASES)} cases in eleven languages" in README
    assert len({case.language for case in CASES}) == 11


@pytest.mark.parametrize("case", PARAMS)
def test_a_case_says_where_it_is_from_and_is_named_after_its_file(case: DiffEditCase) -> None:
    assert case.source == "evals"
    assert case.case_id == case.file.stem
    assert case.language == syntax.language_of(case.file_path)


@pytest.mark.parametrize("case", PARAMS)
def test_the_file_before_the_edit_parses(case: DiffEditCase) -> None:
    assert case.language is not None
    assert syntax.parses(case.file_contents, case.language)


@pytest.mark.parametrize("case", PARAMS)
def test_the_conversation_alternates_and_shows_the_file(case: DiffEditCase) -> None:
    roles = [message.role for message in case.messages]

    assert roles == ["user" if index % 2 == 0 else "assistant" for index in range(len(roles))]
    assert roles[-1] == "user"
    assert case.messages[0].text.startswith("<task>\n")
    assert any(case.file_contents in message.text for message in case.messages)
    assert case.file_path in "".join(message.text for message in case.messages)
    assert all(case.details.cwd_value in message.text for message in case.messages[:1])


@pytest.mark.parametrize("case", PARAMS)
def test_the_edit_leaves_a_last_line_without_newline_alone(case: DiffEditCase) -> None:
    for expected in case.expected_contents:
        assert expected.endswith("\n") == case.file_contents.endswith("\n")
        if not expected.endswith("\n"):
            assert lines(expected)[-1] == lines(case.file_contents)[-1]


@pytest.mark.parametrize("case", PARAMS)
def test_line_ends_are_all_of_one_kind(case: DiffEditCase) -> None:
    for text in (case.file_contents, *case.expected_contents):
        assert text.count("\r") in {0, text.count("\n")}


def test_every_case_has_a_recorded_answer_that_calls_the_tool() -> None:
    calls = [case.original_message.count("<replace_in_file>\n<path>") for case in CASES]

    assert all(calls)
    assert sum(count == 1 for count in calls) == len(CASES) - 1


@pytest.mark.parametrize("case", [param for param in PARAMS if param.id not in FAULTY])
def test_an_answer_without_a_fault_in_the_readme_is_right_under_every_algorithm(case: DiffEditCase) -> None:
    (call,) = [block for block in PARSERS["xml-tools-v2"].parse(case.original_message) if isinstance(block, ToolCall)]

    assert (call.name, call.params["path"], call.partial) == ("replace_in_file", case.file_path, False)
    for name in ("v1", "v2", "v3", "v4"):
        assert DIFF_ALGORITHMS[name](case.file_contents, call.params["diff"]).text in case.expected_contents


def test_the_readme_counts_the_answers_without_fault() -> None:
    assert f"{len(CASES) - len(FAULTY)} are flawless under every" in README
