"""What a diff-edit run is made of beside its systems and lanes."""

from dataclasses import dataclass, field
from typing import cast, get_args

from diff_apply.result import DiffAlgorithm
from parsers.blocks import Parser
from prompts import Prompt
from runner.run.diff_scoring import ValidityName
from runner.run.resolve import Named
from runner.storage.runs import RunPlan
from runner.suites.diff_edit.call_choice import is_native
from runner.suites.diff_edit.cases import DiffEditCase
from runner.suites.diff_edit.tools import ToolChoice

VALIDITIES: tuple[str, ...] = get_args(ValidityName)


@dataclass(frozen=True, slots=True)
class DiffDetail:
    """What a diff-edit run is made of beside its systems and lanes.

    Prompts for native calls are among `prompts`; `native` reads the answers to them, `parser` all others.
    `recover` is how many turns may follow a refused edit.
    With `agents` the systems are coding agents, whose answers nothing has to read.
    """

    prompts: tuple[Prompt, ...]
    parser: Named[Parser]
    native: Named[Parser]
    algorithms: tuple[Named[DiffAlgorithm], ...]
    cases: tuple[DiffEditCase, ...]
    validity: ValidityName
    run: RunPlan
    choice: ToolChoice = field(default_factory=lambda: ToolChoice({}))
    agents: bool = False
    recover: int = 0

    @property
    def native_parsers(self) -> dict[str, Parser]:
        """What reads native answers, by their prompts."""
        return {prompt.name: self.native.impl for prompt in self.prompts if is_native(prompt)}


def validity_named(name: str) -> ValidityName:
    """Return a rule of validity by its name, which is checked already."""
    return cast("ValidityName", name)
