"""What a nextedit run is made of, once its options are resolved."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from runner.storage.ledger import LaneKey
from runner.suites.nextedit.commits import Refused
from runner.suites.nextedit.context.contexts import ContextChoice
from runner.suites.nextedit.model_choice import ModelChoice
from runner.suites.nextedit.options import NextEditOptions
from runner.suites.nextedit.order_choice import OrderChoice
from runner.suites.nextedit.sources import Ready

SUITE = "nextedit"


@dataclass(frozen=True, slots=True)
class NextEditDetail:
    """What a nextedit run is made of: commits, those that were refused, systems in order, models, order, context."""

    options: NextEditOptions
    commits: tuple[Ready, ...]
    refused: tuple[Refused, ...]
    names: tuple[str, ...]
    models: ModelChoice | None
    order: OrderChoice
    context: ContextChoice = field(default_factory=ContextChoice)

    def lanes(self) -> Iterator[LaneKey]:
        """Yield the lanes, those of one commit after the other: a local system has no prompt."""
        models = self.models
        prompts = {sut.name: [prompt.name for prompt in models.prompts] for sut in models.suts} if models else {}
        for ready in self.commits:
            for name in self.names:
                yield from (LaneKey(name, prompt, ready.commit.case_id) for prompt in prompts.get(name, [""]))
