"""How answers on record are read: as their run read them, or by another parser and other algorithms."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diff_apply import DEFAULT_ALGORITHM
from diff_apply.result import DiffAlgorithm
from parsers import DEFAULT_PARSER
from parsers.blocks import Parser
from runner.console import say
from runner.pool.executor import Executor
from runner.run.resolve import Named, choose_algorithms, choose_parser, never_imported
from runner.suites.nextedit.answer_reading import Reading, folder_reading
from runner.suites.nextedit.measure import refuse_former
from runner.suites.nextedit.players import LocalPlayer, ModelPlayer, Player
from runner.suites.nextedit.recorded_order import order_of_run
from runner.suites.nextedit.replay_plan import ReplayPlan, replay_plan
from runner.suites.nextedit.systems import System
from runner.suites.nextedit.systems.baselines import Silent
from runner.variant import AGENT_READING, Variant

# The answers of a local system are on record: it is not asked again.
_MUTE = System(lambda _commit, _plan: Silent())


@dataclass(frozen=True, slots=True)
class Rereading:
    """A parser and algorithms by which answers are read again; no parser where they are those of coding agents."""

    parser: Named[Parser] | None
    algorithms: tuple[Named[DiffAlgorithm], ...]

    @property
    def name(self) -> str:
        """The name of what reads the answers."""
        return AGENT_READING if self.parser is None else self.parser.name

    def readings(self) -> Iterator[tuple[str, Reading]]:
        """Each way of reading, by the name of its algorithm."""
        if self.parser is None:
            yield "", folder_reading()
            return
        for algorithm in self.algorithms:
            names = self.parser.name, algorithm.name
            yield algorithm.name, Reading("", self.parser.impl, algorithm.impl, names=names)


def plan_of_run(run_id: str, config: Mapping[str, Any], pool: Executor | None) -> ReplayPlan:
    """Return the plan by which the commits of a run were replayed. Raises InputError for another version's measure."""
    identity = config["identity"]
    refuse_former(run_id, identity)
    return replay_plan(order_of_run(config), identity["seed"], identity["leak"], pool)


def player_of(
    identity: Mapping[str, Any], plan: ReplayPlan, *, prompted: bool, rereading: Rereading | None = None
) -> Player:
    """What replayed commits in a run, but for its system prompt, which no recorded answer needs.

    A plug-in that read the run is used only where `rereading` names it again. Raises InputError otherwise.
    """
    if not prompted:
        return LocalPlayer(plan, _MUTE)
    (parser_name,), algorithm_names = (names_on_record(identity, part) for part in ("parser", "diff_apply"))
    attempts = identity["valid_attempts_per_step"]
    if parser_name == AGENT_READING:
        return ModelPlayer(plan, (folder_reading(valid_attempts=attempts),))
    if rereading is not None and rereading.parser is not None and rereading.name == parser_name:
        parser = rereading.parser
    else:
        parser = choose_parser(never_imported("--parser", parser_name), say)
    again = {named.name: named for named in rereading.algorithms} if rereading is not None else {}
    algorithms: list[Named[DiffAlgorithm]] = []
    for name in algorithm_names:
        algorithms += [again[name]] if name in again else choose_algorithms([never_imported("--diff-apply", name)], say)
    readings = (
        Reading("", parser.impl, named.impl, valid_attempts=attempts, names=(parser.name, named.name))
        for named in algorithms
    )
    return ModelPlayer(plan, tuple(readings))


def names_on_record(identity: Mapping[str, Any], part: str) -> list[str]:
    """The names of a part of a run's identity: one, or a list of them."""
    value = identity[part]
    return [str(name).partition("@")[0] for name in (value if isinstance(value, list) else [value])]


def rereading_of(variants: Sequence[Variant], parser: str = "", algorithms: Sequence[str] = ()) -> Rereading:
    """By this parser and these algorithms, or those of the variants where none is named. Raises InputError.

    Variants without a model, whose answers nothing reads, get the default ones.
    """
    models = [variant for variant in variants if variant.prompt]
    if models and models[0].parser == AGENT_READING:
        return Rereading(None, ())
    recorded = dict.fromkeys(variant.diff_algorithm for variant in models) or {DEFAULT_ALGORITHM: None}
    names = algorithms or [never_imported("--diff-apply", name) for name in recorded]
    recorded_parser = models[0].parser if models else DEFAULT_PARSER
    chosen = choose_parser(parser or never_imported("--parser", recorded_parser), say)
    return Rereading(chosen, choose_algorithms(names, say))
