"""From an answer to the file it makes: a whole file in a fence, or blocks that a diff algorithm applies."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib.resources import files

from diff_apply.result import DiffAlgorithm
from parsers.blocks import Parser
from parsers.fenced_file import FencedFile, fenced_files
from prompts import Prompt, PromptDetails
from runner.records import Completion, Outcome, Scoring
from runner.run.diff_scoring import EDIT_TOOL, EditedFile, edit_scores, line_changes, score_answer
from runner.run.resolve import Named
from runner.suites.edit.problems import EditProblem
from runner.syntax import language_of, parses

WHOLE_FILE = "whole-file"
PROMPT = "edit/whole-file"
# What the wordings of the diff-edit suite say of the machine; nothing of it matters here.
DETAILS = PromptDetails(cwd_value="/project", os_value="Linux", shell_value="/bin/bash", home_value="/home/user")


@dataclass(frozen=True, slots=True)
class ProblemFile:
    """The file of a problem as answers that are diffs are scored against it."""

    file_path: str
    file_contents: str
    expected_contents: tuple[str, ...]
    language: str | None
    working_folder: str = DETAILS.cwd_value


def edited_file(problem: EditProblem) -> ProblemFile:
    """The file that a problem asks to change."""
    return ProblemFile(problem.path, problem.origin, problem.references, problem.language)


Read = Callable[[EditProblem, Completion], tuple[Scoring, ...]]


@dataclass(frozen=True, slots=True)
class Form:
    """How one prompt is answered: `parser` and `algorithms` by name and digest, and what reads an answer.

    A scoring whose outcome is APPLIED has made a file, its `edited`; whether that is right only the tests can tell.
    """

    prompt: Prompt
    parser: tuple[str, str]
    algorithms: tuple[tuple[str, str], ...]
    read: Read
    whole: bool = False


def form_of(prompt: Prompt, parser: Named[Parser], algorithms: tuple[Named[DiffAlgorithm], ...]) -> Form:
    """The form that a wording asks for: calls where it names the edit tool, else the whole file."""
    if EDIT_TOOL not in prompt.wording:
        return Form(prompt, (WHOLE_FILE, _whole_file_digest()), (("", ""),), read_whole_file, whole=True)
    named = {one.name: one.thing for one in algorithms}

    def read(problem: EditProblem, completion: Completion) -> tuple[Scoring, ...]:
        case = edited_file(problem)
        return score_answer(case, completion, (parser.name, parser.thing), named, "strict")

    return Form(prompt, (parser.name, parser.digest), tuple((one.name, one.digest) for one in algorithms), read)


def read_whole_file(problem: EditProblem, completion: Completion) -> tuple[Scoring, ...]:
    """The file of the answer's one block; without a block, or with several, there is none."""
    found = fenced_files(completion.text, lambda word: _names(word, problem.language))
    scoring = Scoring(Outcome.NO_ANSWER, valid=False, parser=WHOLE_FILE, answer_id=completion.answer_id)
    if not found:
        return (replace(scoring, error_text="holds no block with a file"),)
    if len(found) > 1:
        told = f"holds {len(found)} different blocks"
        return (replace(scoring, outcome=Outcome.SEVERAL_BLOCKS, error_text=told),)
    return (_made(scoring, edited_file(problem), found[0], completion.finish_reason),)


def _made(scoring: Scoring, case: EditedFile, file: FencedFile, finish_reason: str | None) -> Scoring:
    text = file.text if case.file_contents.endswith("\n") or not case.file_contents else file.text.removesuffix("\n")
    cut = not file.closed and finish_reason == "length"
    added, removed = line_changes(case.file_contents, text)
    language = case.language
    return replace(
        scoring,
        outcome=Outcome.TRUNCATED if cut else Outcome.APPLIED,
        valid=True,
        lines_added=added,
        lines_removed=removed,
        edited=text,
        parses_before=parses(case.file_contents, language) if language else None,
        parses_after=parses(text, language) if language else None,
        equals_expected=text.rstrip("\n") in {one.rstrip("\n") for one in case.expected_contents},
        scores=edit_scores(case, text),
    )


def _names(word: str, language: str | None) -> bool:
    """Whether a fence's word names the language."""
    return bool(word) and language is not None and language in {word, language_of(f"x.{word}")}


def _whole_file_digest() -> str:
    source = (files("parsers") / "fenced_file.py").read_text(encoding="utf-8")
    return sha256(source.encode()).hexdigest()[:8]
