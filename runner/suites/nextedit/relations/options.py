"""The options of a run that asks a model about pairs of edits."""

from dataclasses import dataclass

from runner.run.options import AskOptions
from runner.run.resolve import choose_suts
from runner.suites.nextedit.order.pairs import PairQuestion
from suts.sut import Sut


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationOptions(AskOptions):
    """What is asked, by one model: the options of no command, for a suite's options name the model."""

    questions: tuple[PairQuestion, ...] = ()


def model_of(options: RelationOptions) -> Sut:
    """The model that is asked. Raises InputError for one that cannot be asked."""
    (sut,) = choose_suts([options.model_ids], options.builder, options.sampling, "--order llm")
    return sut
