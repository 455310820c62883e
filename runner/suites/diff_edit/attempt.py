"""The diff-edit suite: one question per attempt, the answer's diff applied to the case's file."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from diff_apply.generate import edit_blocks
from diff_apply.result import DiffAlgorithm
from parsers.blocks import Parser
from prompts import Prompt
from runner.records import Outcome, Result
from runner.run.diff_scoring import Scorer, ValidityName, score_answer
from runner.run.resolve import Named
from runner.run.suite import Ask
from runner.suites.diff_edit.cases import DiffEditCase, load_cases
from suts.sut import Request, Sampling, Truth

SUITE = "diff_edit"


@dataclass(frozen=True, slots=True)
class DiffEdit:
    """Attempts diff-edit cases with one prompt, one parser, and any number of algorithms.

    `truths` are the blocks of a right answer by case, `systems` the system prompts that were filled so far.
    """

    prompt: Prompt
    parser: Named[Parser]
    algorithms: tuple[Named[DiffAlgorithm], ...]
    sampling: Sampling
    validity: ValidityName = "strict"
    truths: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    systems: dict[str, str] = field(default_factory=dict)
    score: Scorer = score_answer
    name: str = SUITE

    def load(self, source: Path) -> Iterator[DiffEditCase]:
        """The cases of a folder in the order of their files' names."""
        yield from load_cases(source).cases

    async def attempt(self, case: DiffEditCase, ask: Ask, number: int) -> Result:
        """Ask once, score with every algorithm."""
        completion = await ask(self.request(case, number), number=number)
        scorings = self.score(
            case,
            completion,
            (self.parser.name, self.parser.thing),
            {one.name: one.thing for one in self.algorithms},
            self.validity,
        )
        valid = any(one.valid or one.outcome is Outcome.CRASHED for one in scorings)
        return Result(valid, scorings, completion.cost_usd)

    def request(self, case: DiffEditCase, number: int) -> Request:
        """The question of attempt `number`; the truth in it reaches simulated models only."""
        blocks = self.truths.get(case.case_id, ())
        system = self.systems.get(case.case_id)
        if system is None:
            system = self.systems[case.case_id] = self.prompt.render(case.details)
        return Request(
            system=system,
            messages=case.messages,
            sampling=self.sampling,
            truth=Truth(
                case_id=case.case_id,
                number=number,
                seed=self.sampling.seed or 0,
                path=case.file_path,
                blocks=blocks,
                before=case.file_contents,
            ),
        )


def truths_of(cases: Iterable[DiffEditCase]) -> dict[str, tuple[tuple[str, str], ...]]:
    """For each case with an expected file, the blocks of a right answer."""
    return {
        case.case_id: edit_blocks(case.file_contents, case.expected_contents[0])
        for case in cases
        if case.expected_contents
    }
