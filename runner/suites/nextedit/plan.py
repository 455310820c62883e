"""What a nextedit run is to do: options checked, systems named, commits read, models resolved."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from runner.errors import InputError
from runner.run.plan import Plan
from runner.run.suite import Say
from runner.storage.ledger import LaneKey
from runner.suites.nextedit.commits import Commit, Refused
from runner.suites.nextedit.model_choice import ModelChoice, choose_models
from runner.suites.nextedit.options import NextEditOptions
from runner.suites.nextedit.order_choice import OrderChoice, choose_order
from runner.suites.nextedit.reading import commits_to_replay
from runner.suites.nextedit.sources import Ready
from runner.suites.nextedit.systems.opening import local_names, spending_notes, system_names
from runner.suites.nextedit.workload import longest_prompts, workload_of

SUITE = "nextedit"


@dataclass(frozen=True, slots=True)
class NextEditDetail:
    """What a nextedit run is made of: its commits, those that were refused, its systems in order, models, order."""

    options: NextEditOptions
    commits: tuple[Ready, ...]
    refused: tuple[Refused, ...]
    names: tuple[str, ...]
    models: ModelChoice | None
    order: OrderChoice


def plan(options: NextEditOptions, say: Say) -> Plan[NextEditDetail]:
    """Check and resolve everything before anything is written or sent. Raises InputError."""
    _check(options)
    order = choose_order(options.order, options.lsp or (), options)
    local = local_names(options)
    chosen_names = system_names(options)
    models = choose_models([name for name in chosen_names if name not in local], options, say)
    commits, refused = commits_to_replay(options)
    suts = models.suts if models else ()
    names = sorted((*local, *(sut.name for sut in suts)), key=lambda name: _position(name, chosen_names))
    prompts = {sut.name: models.prompt.name for sut in suts} if models else {}
    longest = longest_prompts(models, (ready.commit for ready in commits))
    return Plan(
        suite=SUITE,
        options=options,
        suts=suts,
        lanes=tuple(LaneKey(name, prompts.get(name, ""), ready.commit.case_id) for ready in commits for name in names),
        quota=1,
        cap=1,
        workload=workload_of(models, longest),
        detail=NextEditDetail(options, tuple(commits), tuple(refused), tuple(names), models, order),
        local=local,
        notes=(*_notes(refused), *spending_notes(local), *_largest_prompt(longest, options.max_context)),
        first=order.plans(commits, say),
    )


def _position(name: str, chosen_names: tuple[str, ...]) -> int:
    """Where a system was named; a model whose name is not its id goes last."""
    return chosen_names.index(name) if name in chosen_names else len(chosen_names)


def _check(options: NextEditOptions) -> None:
    if options.quota != 1 or options.cap not in {None, 1}:
        option = "--valid-attempts-per-case" if options.quota != 1 else "--max-attempts-per-case"
        raise InputError(f"{option}: a commit is replayed once; give 1, or more answers by --valid-attempts-per-step")


def _notes(refused: list[Refused]) -> Iterator[str]:
    for reason, count in Counter(str(row.reason) for row in refused).most_common():
        yield f"not replayed, {reason}: {count}"


def _largest_prompt(prompts: Sequence[tuple[Commit, int]], max_context: int | None) -> Iterator[str]:
    if prompts:
        commit, tokens = max(prompts, key=lambda row: row[1])
        limit = "" if max_context else "; --max-context TOKENS limits it"
        yield f"largest prompt: about {tokens:,} tokens, at {commit.case_id}{limit}"
