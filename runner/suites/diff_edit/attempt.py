"""Attempts diff-edit cases: one question per attempt, the answer's diff applied to the case's file."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from diff_apply.generate import edit_blocks
from prompts import Prompt
from runner.edit_tools.tool import EditTool
from runner.records import Outcome, Result
from runner.run.answer_scoring import AnswerScoring
from runner.run.diff_scoring import Scorer, prepare_scoring, score_answer
from runner.run.engine import Lane
from runner.run.plan import Plan
from runner.run.protocols import Ask, Attempt, TruthOf
from runner.run.suite import Attempts, Prepared, Say
from runner.run.worker_pool import WorkerPool
from runner.storage.ledger import Question
from runner.suites.diff_edit.cases import DiffEditCase
from runner.suites.diff_edit.plan import DiffDetail
from runner.suites.diff_edit.tool_truth import written_answers
from runner.suites.diff_edit.tools import ToolChoice, messages_for, scoring_with
from suts.sut import Message, Request, Sampling, Truth


@dataclass(frozen=True, slots=True)
class DiffEdit:
    """Attempts cases with one prompt; every answer is scored by one parser and any number of algorithms.

    `systems` are the system prompts that were filled so far, by case, `histories` the conversations that
    were written for the `tool`, which is None for the XML tool.
    """

    prompt: Prompt
    sampling: Sampling
    scoring: AnswerScoring
    systems: dict[str, str] = field(default_factory=dict)
    tool: EditTool | None = None
    histories: dict[str, tuple[Message, ...]] = field(default_factory=dict)

    async def attempt(self, case: DiffEditCase, ask: Ask, number: int) -> Result:
        """Ask once, score with every algorithm."""
        completion = await ask(self.request(case), number=number)
        scorings = await self.scoring.scorings(case, completion)
        valid = any(scoring.valid or scoring.outcome is Outcome.CRASHED for scoring in scorings)
        return Result(valid, scorings, completion.cost_usd)

    def request(self, case: DiffEditCase) -> Request:
        """The question, the same for every attempt at a case."""
        system = self.systems.get(case.case_id)
        if system is None:
            system = self.systems[case.case_id] = self.prompt.render(case.details)
        return Request(system=system, messages=self._messages(case), sampling=self.sampling)

    def _messages(self, case: DiffEditCase) -> tuple[Message, ...]:
        if self.tool is None:
            return case.messages
        if case.case_id not in self.histories:
            self.histories[case.case_id] = messages_for(case, self.tool)
        return self.histories[case.case_id]


@contextmanager
def attempt(plan: Plan[DiffDetail], _say: Say) -> Iterator[Prepared]:
    """How the attempts of a plan are made."""
    with WorkerPool() as pool:

        def begin(_lanes: Sequence[Lane]) -> Attempts:
            detail = plan.detail
            is_simulated = any(sut.endpoint.simulated for sut in plan.suts)
            truth = truth_of(detail.cases, plan.options.seed, detail.choice if is_simulated else None)
            scoring = scoring_of(detail, pool=pool)
            attempt_lane = attempts_of(detail, plan.options.sampling, scoring)
            return Attempts(attempt_lane, plan.suts, detail.parser.impl, detail.choice.parsers, truth)

        yield Prepared(plan.detail.run, begin)


def scoring_of(detail: DiffDetail, score: Scorer = score_answer, pool: WorkerPool | None = None) -> AnswerScoring:
    """How the answers of a run are scored; without a pool all in this process."""
    return AnswerScoring(detail.parser, detail.algorithms, detail.validity, pool, score)


def attempts_of(detail: DiffDetail, sampling: Sampling, scoring: AnswerScoring) -> Attempt:
    """How one attempt is made and scored; loads what scoring takes."""
    prepare_scoring(detail.cases)
    prompts = {prompt.name: DiffEdit(prompt, sampling, scoring) for prompt in detail.prompts}
    for tool, prompt in zip(detail.choice.tools.values(), detail.choice.prompts, strict=True):
        prompts[prompt.name] = DiffEdit(prompt, sampling, scoring_with(tool, scoring), tool=tool)
    cases = {case.case_id: case for case in detail.cases}

    async def attempt_lane(lane: Lane, ask: Ask, number: int) -> Result:
        return await prompts[lane.key.prompt].attempt(cases[lane.key.case_id], ask, number)

    return attempt_lane


def truth_of(cases: Iterable[DiffEditCase], seed: int, choice: ToolChoice | None = None) -> TruthOf:
    """The truth of each question: the blocks of a right answer; without an expected file, those of a small edit."""
    by_id = {case.case_id: case for case in cases}
    blocks: dict[str, tuple[tuple[str, str], ...]] = {}
    # Writing them takes milliseconds each, which would hold up every stream under way.
    written = {
        (name, case.case_id): written_answers(case, tool, _expected(case))
        for name, tool in (choice.tools if choice else {}).items()
        for case in by_id.values()
    }

    def truth(question: Question, about: object = None) -> Truth:  # noqa: ARG001 - the Protocol names it
        case = by_id[question.lane.case_id]
        if case.case_id not in blocks:
            blocks[case.case_id] = edit_blocks(case.file_contents, _expected(case))
        return Truth(
            case_id=case.case_id,
            number=question.number,
            seed=seed,
            path=case.file_path,
            blocks=blocks[case.case_id],
            before=case.file_contents,
            written=written.get((question.lane.prompt, case.case_id), {}),
        )

    return truth


def _expected(case: DiffEditCase) -> str:
    return case.expected_contents[0] if case.expected_contents else _small_edit(case.file_contents)


def _small_edit(text: str) -> str:
    """Return a text with one line changed, the longest of those that occur once, so that an edit of it can apply."""
    lines = text.split("\n")
    counts = Counter(lines)
    once = [at for at, line in enumerate(lines) if counts[line] == 1 and line.strip()]
    at = max(once or range(len(lines)), key=lambda at: len(lines[at]))
    body = lines[at].removesuffix("\r")
    return "\n".join([*lines[:at], f"{body} (edited){lines[at][len(body) :]}", *lines[at + 1 :]])
