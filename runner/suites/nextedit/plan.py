"""What a nextedit run is to do: options checked, systems named, commits read, models resolved."""

from collections.abc import Iterator, Sequence

from runner.errors import InputError
from runner.run.plan import Plan
from runner.run.suite import Say
from runner.suites.nextedit.context_choice import choose_context
from runner.suites.nextedit.detail import SUITE, NextEditDetail
from runner.suites.nextedit.model_choice import choose_models
from runner.suites.nextedit.options import NextEditOptions
from runner.suites.nextedit.order_choice import choose_order
from runner.suites.nextedit.reading import commits_to_replay, refusal_notes
from runner.suites.nextedit.systems.opening import local_names, spending_notes, system_names
from runner.suites.nextedit.workload import LongestPrompt, longest_prompts, workload_of


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
    context = choose_context(options, commits)
    longest = longest_prompts(models, context, (ready.commit for ready in commits))
    detail = NextEditDetail(options, tuple(commits), tuple(refused), tuple(names), models, order, context)
    return Plan(
        suite=SUITE,
        options=options,
        suts=suts,
        lanes=tuple(detail.lanes()),
        quota=1,
        cap=1,
        workload=workload_of(models, longest),
        detail=detail,
        local=local,
        notes=(*refusal_notes(refused), *spending_notes(local), *_largest_prompt(longest, options.max_context)),
        first=order.plans(commits, say),
    )


def _position(name: str, chosen_names: tuple[str, ...]) -> int:
    """Where a system was named; a model whose name is not its id goes last."""
    return chosen_names.index(name) if name in chosen_names else len(chosen_names)


def _check(options: NextEditOptions) -> None:
    if options.quota != 1 or options.cap not in {None, 1}:
        option = "--valid-attempts-per-case" if options.quota != 1 else "--max-attempts-per-case"
        raise InputError(f"{option}: a commit is replayed once; give 1, or more answers by --valid-attempts-per-step")


def _largest_prompt(prompts: Sequence[LongestPrompt], max_context: int | None) -> Iterator[str]:
    if prompts:
        longest = max(prompts, key=lambda row: row.tokens)
        limit = "" if max_context else "; --max-context TOKENS limits it"
        yield f"largest prompt: about {longest.tokens:,} tokens, at {longest.commit.case_id}{limit}"
