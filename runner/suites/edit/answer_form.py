"""How a prompt is answered, and from an answer to the file it makes: a whole file in a fence, or blocks of a diff."""

from dataclasses import dataclass, replace

from diff_apply.result import DiffAlgorithm
from parsers.blocks import Parser
from parsers.fenced_file import FencedFile, fenced_files
from prompts import Prompt, PromptDetails
from runner.digests import module_digest
from runner.pool.executor import Executor, PoolCall, WorkerError
from runner.records import Completion, Outcome, Scoring
from runner.run.answer_scoring import AnswerScoring, bare_answer, crashed_scorings, plain_file, run_sized
from runner.run.complexity import TooComplexError, check_answer, check_result
from runner.run.diff_scoring import CUT_REASONS, EDIT_TOOL, EditedFile, edit_scores, line_changes
from runner.run.resolve import Named
from runner.run.tree_scoring import tree_scoring
from runner.run.variants import PartName
from runner.suites.edit.problems import EditProblem
from runner.syntax import language_of, parses
from runner.variant import AGENT_READING

WHOLE_FILE = "whole-file"
PROMPT = "edit/whole-file"
# What the wordings of the diff-edit suite say of the machine; nothing of it matters here.
DETAILS = PromptDetails(cwd_value="/project", os_value="Linux", shell_value="/bin/bash", home_value="/home/user")


FOLDER_PROMPT = Prompt(
    "agent",
    "Edit one file in your working folder, as the message below says. Change no other file, and make none. Nobody can "
    "answer questions: decide yourself, and end when the file is as it is to be.",
)


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


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """How one prompt is answered: its parser and algorithms, and how diffs are scored; None for whole files.

    A scoring whose outcome is APPLIED has made a file, its `edited`; only the tests can judge whether that is right.
    With `folder`, coding agents change the file in a folder of their own.
    `wording` names one of several instructions of the problems; it is a part of the prompt's name.
    """

    prompt: Prompt
    parser: PartName
    algorithms: tuple[PartName, ...]
    diffs: AnswerScoring | None = None
    wording: str = ""
    folder: bool = False

    @property
    def whole(self) -> bool:
        """Whether answers are whole files."""
        return self.diffs is None and not self.folder

    async def scorings(
        self, problem: EditProblem, completion: Completion, pool: Executor | None = None
    ) -> tuple[Scoring, ...]:
        """Read a small answer in this process, another one in a worker process; `crashed` where that fails."""
        if self.diffs is not None:
            return await replace(self.diffs, pool=pool).scorings(edited_file(problem), completion)
        characters = len(problem.origin) + len(completion.text)
        read = read_folder if self.folder else read_whole_file
        try:
            return await run_sized(pool, characters, read, problem, bare_answer(completion))
        except WorkerError as error:
            return crashed_scorings(completion, self.parser.name, ("",), error)

    def call(self, problem: EditProblem, completion: Completion) -> PoolCall[tuple[Scoring, ...]]:
        """Return what reads an answer in another process."""
        if self.diffs is not None:
            return self.diffs.call(plain_file(edited_file(problem)), completion)
        read = read_folder if self.folder else read_whole_file
        return PoolCall(read, (problem, bare_answer(completion)), len(completion.text))


def folder_form() -> AnswerForm:
    """The form of coding agents' answers."""
    return AnswerForm(FOLDER_PROMPT, PartName(AGENT_READING), (PartName(),), folder=True)


def read_folder(problem: EditProblem, completion: Completion) -> tuple[Scoring, ...]:
    """The file of the folder in which an agent has worked."""
    return (tree_scoring(edited_file(problem), completion),)


def form_of(prompt: Prompt, parser: Named[Parser], algorithms: tuple[Named[DiffAlgorithm], ...]) -> AnswerForm:
    """The form that a wording asks for: calls where it names the edit tool, else the whole file."""
    if EDIT_TOOL not in prompt.wording:
        reader = PartName(WHOLE_FILE, module_digest(WHOLE_FILE, "parsers.fenced_file"))
        return AnswerForm(prompt, reader, (PartName(),))
    return AnswerForm(
        prompt,
        PartName(parser.name, parser.digest),
        tuple(PartName(algorithm.name, algorithm.digest) for algorithm in algorithms),
        AnswerScoring(parser, algorithms),
    )


def worded(form: AnswerForm, wording: str) -> AnswerForm:
    """Return the form with one of several instructions: `edit/whole-file` becomes `edit/whole-file/lazy`."""
    prompt = replace(form.prompt, name=f"{form.prompt.name}/{wording}")
    return replace(form, prompt=prompt, wording=wording)


def read_whole_file(problem: EditProblem, completion: Completion) -> tuple[Scoring, ...]:
    """The file of the answer's one block; without a block, or with several, there is none.

    What takes more work than `complexity` allows is `too_complex`.
    """
    scoring = Scoring(Outcome.NO_ANSWER, valid=False, parser=WHOLE_FILE, answer_id=completion.answer_id)
    try:
        check_answer(completion.text)
        return (_whole_file(problem, completion, scoring),)
    except TooComplexError as error:
        too_complex = replace(scoring, outcome=Outcome.TOO_COMPLEX, valid=True, error_text=str(error))
        # An edit that was not made leaves the file unchanged.
        return (replace(too_complex, equals_expected=False, scores=edit_scores(edited_file(problem), problem.origin)),)


def _whole_file(problem: EditProblem, completion: Completion, scoring: Scoring) -> Scoring:
    blocks = fenced_files(completion.text, lambda word: _names(word, problem.language))
    if not blocks:
        return replace(scoring, error_text="holds no block with a file")
    if len(blocks) > 1:
        reason = f"holds {len(blocks)} different blocks"
        return replace(scoring, outcome=Outcome.SEVERAL_BLOCKS, error_text=reason)
    return _finished(scoring, edited_file(problem), blocks[0], completion.finish_reason)


def _finished(scoring: Scoring, case: EditedFile, file: FencedFile, finish_reason: str | None) -> Scoring:
    text = file.text if case.file_contents.endswith("\n") or not case.file_contents else file.text.removesuffix("\n")
    check_result(case.file_contents, text)
    cut = not file.closed and finish_reason in CUT_REASONS
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
        equals_expected=text.rstrip("\n") in {content.rstrip("\n") for content in case.expected_contents},
        scores=edit_scores(case, text),
    )


def _names(word: str, language: str | None) -> bool:
    """Whether a fence's word names the language."""
    return bool(word) and language is not None and language in {word, language_of(f"x.{word}")}
