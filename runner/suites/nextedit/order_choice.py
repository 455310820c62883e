"""The order that options name: checked, its language servers found, and the run planned that asks a model."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from runner.run.options import AskOptions
from runner.run.plan import Plan
from runner.run.suite import Say
from runner.suites.nextedit.order.servers import Server, chosen_servers
from runner.suites.nextedit.ordering import MODEL, Judge, Ordering, check_order, ordering, questions_of, subjects_of
from runner.suites.nextedit.relations.asking import judge_pairs, order_options
from runner.suites.nextedit.relations.options import model_of
from runner.suites.nextedit.relations.plan import plan as plan_pairs
from runner.suites.nextedit.sources import Ready


@dataclass(frozen=True, slots=True)
class OrderChoice:
    """An order by its name, the language servers that are asked, and the options by which its model is asked."""

    name: str
    servers: tuple[Server, ...]
    options: AskOptions

    @property
    def model(self) -> str:
        """The model that is asked about pairs; "" where none is."""
        return self.name.removeprefix(MODEL).strip() if self.name.startswith(MODEL) else ""

    @property
    def judge(self) -> Judge | None:
        """What asks the model about pairs of edits."""
        return partial(judge_pairs, model=self.model, options=self.options) if self.model else None

    def plans(self, ready: Sequence[Ready], say: Say) -> tuple[Plan[Any], ...]:
        """The run that asks the model, at its largest: no answer is known, and no server has closed a pair."""
        if not self.model:
            return ()
        questions = questions_of(subjects_of(ready))
        return (plan_pairs(order_options(self.model, questions, self.options), say),) if questions else ()

    def prepare(self, ready: Sequence[Ready]) -> Ordering:
        """The order, with what servers and the model say: consent to ask has been given."""
        confirmed = replace(self, options=replace(self.options, yes=True))
        return ordering(ready, self.name, self.servers, confirmed.judge, self.options.slots)


def choose_order(name: str, servers: Sequence[str], options: AskOptions) -> OrderChoice:
    """The order of this name. Raises InputError for an unknown one, and for servers and models that do not exist."""
    check_order(name)
    # Without `.env`: its variables could have a server load code of the project.
    choice = OrderChoice(name, chosen_servers(servers, os.environ), options)
    check_order(name, choice.servers)
    if choice.model:
        model_of(order_options(choice.model, (), options))
    return choice
