"""The CodRep suite: one question per attempt, which line of a file a new line replaces."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from parsers.blocks import Parser
from runner.records import Result
from runner.run.protocols import Ask
from runner.run.resolve import Named
from runner.suites.codrep.cases import CodrepCase, read_cases
from runner.suites.codrep.dataset import open_datasets
from runner.suites.codrep.local import asked
from runner.suites.codrep.question import judge, question, right_answer
from runner.suites.codrep.windowing import Window
from suts.sut import Message, Request, Sampling, Truth

SUITE = "codrep"


@dataclass(frozen=True, slots=True)
class Codrep:
    """Attempts tasks with one system prompt and one parser; `windows` say by case what is shown of the file.

    Without windows the system is a predictor of ours, which is told the case alone and sees the whole file.
    """

    system: str
    parser: Named[Parser]
    sampling: Sampling
    windows: Mapping[str, Window] | None = None
    name: str = SUITE

    def load(self, source: Path) -> Iterator[CodrepCase]:
        """The tasks of a dataset folder, or of a folder of such, by number. Raises InputError."""
        yield from read_cases(open_datasets([source]))

    async def attempt(self, case: CodrepCase, ask: Ask, number: int) -> Result:
        """Ask once and score the line that is named."""
        completion = await ask(self.request(case, number), number=number)
        scoring = judge(case, completion, self.parser, self.window(case))
        return Result(scoring.valid, (scoring,), completion.cost_usd)

    def window(self, case: CodrepCase) -> Window:
        """What is shown of a case's file."""
        whole = Window(((1, case.lines),), 0, whole=True)
        return whole if self.windows is None else self.windows[case.case_id]

    def request(self, case: CodrepCase, number: int) -> Request:
        """The question of attempt `number`; the truth in it reaches simulated models only."""
        if self.windows is None:
            return Request("", asked(case))
        return Request(
            system=self.system,
            messages=(Message("user", question(case.task(), self.window(case))),),
            sampling=self.sampling,
            truth=truth_of(case, number, self.sampling.seed or 0),
        )


def truth_of(case: CodrepCase, number: int = 1, seed: int = 0) -> Truth:
    """What simulated models are told of a case."""
    return Truth(case.case_id, number, seed=seed, answer=right_answer(case.answer), lines=case.lines)
