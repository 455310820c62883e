"""A run's answers read by other chains: no call, and no test run for what was ever judged."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace as changed

from runner.errors import InputError
from runner.records import Scoring
from runner.run.replay import asked_in
from runner.run.resolve import split_names
from runner.run.suite import ReplayOptions, Rescoring, Say, StoredAnswer
from runner.run.variants import variants_on_record
from runner.storage.store import Row, Store
from runner.suites.completion.chains import Chain, choose_chains
from runner.suites.completion.rejudging import Rejudging
from runner.suites.completion.rescoring import rescored
from runner.suites.completion.stored import stored_dataset, stored_fillings
from runner.variant import Variant


@contextmanager
def replay(store: Store, source: Row, options: ReplayOptions, say: Say) -> Iterator[Rescoring]:
    """How the answers of `source` are scored by these chains, those of the run if none are named.

    Only fillings that no run in the database has a verdict of are judged, before anything is written. Raises InputError
    where that cannot be done in the repository of the run, and for unknown chains.
    """
    if options.diff_apply:
        raise InputError("--diff-apply: completions are no diffs; give parse chains as --parser")
    answers_of = asked_in(source)
    on_record = variants_on_record(store, source["run_id"])
    names = split_names(options.parser, "--parser") if options.parser else [variant.parser for variant in on_record]
    chains = choose_chains(names, "--parser")
    dataset = stored_dataset(store, answers_of)
    tasks = {task.task_id: task for task in dataset.tasks}
    with Rejudging(store, source, dataset, options.judged) as rejudging:

        def score(case_id: str, answers: Sequence[StoredAnswer]) -> Iterator[Scoring]:
            task = tasks[case_id]
            for answer in answers:
                yield from rescored(dataset, task, chains, answer, rejudging)

        judged = rejudging.prepare(stored_fillings(store, answers_of, dataset, chains))
        if judged:
            say(f"{judged} fillings were judged that never were before")
        identity = {"chains": [f"{chain.name}@{chain.digest}" for chain in chains]}
        yield Rescoring(_variants(on_record, chains), identity, score, judged)


def _variants(on_record: Sequence[Variant], chains: Sequence[Chain]) -> list[Variant]:
    """Every model and prompt of the run with every chain."""
    sources = dict.fromkeys(changed(variant, parser="", parser_digest="") for variant in on_record)
    return [changed(variant, parser=chain.name, parser_digest=chain.digest) for variant in sources for chain in chains]
