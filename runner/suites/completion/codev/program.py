"""`evals completion codev` from its options to its files: read, ask or take predictions, write, judge, compare."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from runner.console import say
from runner.errors import InputError
from runner.prices import load_prices
from runner.run.launch import Job, agreed, launch, refuse_unpriced, sim_prices
from runner.run.options import AskOptions
from runner.run.resolve import choose_suts, split_models
from runner.storage.runs import choose_run
from runner.storage.store import Store
from runner.suites.completion.codev.asking import attempts_of, lanes_of, plan_of, predicted
from runner.suites.completion.codev.files import Outcome, Prediction, write_judged, write_predictions, write_tables
from runner.suites.completion.codev.judging import Bench, JudgeOf, Said
from runner.suites.completion.codev.metadatas import CodevDir
from runner.suites.completion.codev.rules import ASKED, Checks, in_order
from runner.suites.completion.codev.tasks import (
    CodevTask,
    doubts,
    is_simulated,
    prediction_files,
    prompt_files,
    read_tasks,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CodevOptions(AskOptions):
    """The options of `evals completion codev`, as given; `prompts` are files or folders of them."""

    calm_slots: ClassVar[int] = 4

    out: Path
    prompts: tuple[Path, ...] = ()
    suts: str = ""
    predictions: Path | None = None
    codev_dir: Path | None = None
    checks: Checks = field(default_factory=Checks)
    all_types: bool = False
    workers: int = 2
    max_tokens: int = 1024
    limit: int | None = None

    @property
    def checked(self) -> bool:
        """Whether anything is to be checked."""
        return self.checks != Checks()


@dataclass(frozen=True, slots=True)
class Done:
    """How it ended: the exit code, what was written, and a line about each row that cannot be used."""

    exit_code: int
    outcomes: tuple[Outcome, ...] = ()
    findings: tuple[str, ...] = ()


def run_codev(options: CodevOptions, judge_of: JudgeOf) -> Done:
    """Do it all. Raises InputError before anything is asked or written."""
    _check(options)
    folder = None if options.codev_dir is None else CodevDir(options.codev_dir)
    found, findings = _predictions(options) if options.predictions else _tasks(options)
    tasks = [one.task for outcome in found for one in outcome.predictions]
    if folder is not None and options.checks.unittest:
        findings += folder.findings(tasks)
    if findings:
        # What is wrong with a file of all tasks is so for each of them.
        return Done(2, findings=tuple(dict.fromkeys(findings)))
    for doubt in doubts(tasks, asked=options.predictions is None):
        say(doubt)
    code = 0
    if options.predictions is None:
        code, found = _asked(options, tasks)
    written = []
    with Bench(options.checks, folder, judge_of) as bench:
        for outcome in found:
            write_predictions(outcome, options.out)
            written.append(_judged(outcome, bench, options) if options.checked else outcome)
    if options.checked and written:
        write_tables(written, options.out)
    return Done(code, tuple(written))


def _check(options: CodevOptions) -> None:
    if options.predictions is None and not options.suts.strip():
        raise InputError("--sut: is missing; name models, such as sim/truth, or give --predictions")
    if options.predictions is not None and options.suts.strip():
        raise InputError("--predictions: nobody is asked where they are given; leave --sut out")
    folder = options.codev_dir
    if options.checks.unittest and folder is None:
        raise InputError(
            "--check-unittest: needs the repositories; give --codev-dir with Source_Code_Copy and metadatas"
        )
    for name in ("Source_Code_Copy", "metadatas"):
        if options.checks.unittest and folder is not None and not (folder / name).is_dir():
            raise InputError(f"--codev-dir {folder}: no folder {name} in it; give the folder that has it")


def _tasks(options: CodevOptions) -> tuple[list[Outcome], list[str]]:
    """The tasks of the prompts, in the order of the original, as predictions of nobody."""
    default = () if options.codev_dir is None else (options.codev_dir / "prompts",)
    given = options.prompts or default
    if not given:
        raise InputError("PROMPTS: is missing; give prompts/*.jsonl, a folder of them, or --codev-dir")
    outcomes, findings = [], []
    for path in prompt_files(given):
        mode = path.name.removesuffix(".jsonl")
        tasks, wrong = read_tasks(path, mode)
        chosen = tasks if options.all_types else in_order(tasks)
        if len(chosen) < len(tasks):
            left_out = f"{len(tasks) - len(chosen)} of {len(tasks)} tasks are not asked, as in the original"
            say(f"{mode}: {left_out}: their types are none of {', '.join(ASKED)}; --all-types asks them")
        kept = chosen[: options.limit]
        outcomes.append(Outcome(mode, "", tuple(Prediction(task, Said("", ""), None) for task in kept)))
        findings += wrong
    return outcomes, findings


def _predictions(options: CodevOptions) -> tuple[list[Outcome], list[str]]:
    assert options.predictions is not None
    outcomes, findings = [], []
    for mode, model, path in prediction_files(options.predictions):
        tasks, wrong = read_tasks(path, mode, answered=True)
        found = [
            Prediction(task, Said(task.answered.text, task.answered.response), task.answered.latency)
            for task in tasks[: options.limit]
            if task.answered is not None
        ]
        outcomes.append(Outcome(mode, model, tuple(found), simulated=is_simulated(model)))
        findings += wrong
    return outcomes, findings


def _asked(options: CodevOptions, tasks: Sequence[CodevTask]) -> tuple[int, list[Outcome]]:
    """Ask every model for every task, or go on with that; the exit code, and the predictions by mode and model."""
    if not tasks:
        raise InputError(f"PROMPTS: no task of {', '.join(ASKED)} in them; give --all-types")
    suts = choose_suts(split_models(options.suts), options.builder)
    prices = load_prices(options.prices, sim_prices())
    refuse_unpriced(suts, prices, options.budget_usd)
    plan = plan_of(tasks, suts, options.sampling, {"valid_attempts_per_case": 1, "slots": options.slots})
    run_id = choose_run(options.db, plan, options.run_id, options.resume)
    say(f"{len(tasks)} tasks x {len(suts)} models, one answer each")
    if not (options.yes or agreed(suts)):
        say("nothing was asked")
        return 0, []
    job = Job(
        plan=plan,
        lanes=lanes_of(tasks, suts),
        attempt=attempts_of(tasks, options.sampling),
        suts=suts,
        parser=None,
        prices=prices,
        pace=options.pace(),
        quiet=options.quiet,
        verbose=options.verbose,
    )
    with closing(Store.open(options.db)) as store:
        code = launch(job, store, run_id)
        return code, [one for sut in suts for one in predicted(store, run_id, tasks, sut)]


def _judged(outcome: Outcome, bench: Bench, options: CodevOptions) -> Outcome:
    say(f"{outcome.mode}: checking {len(outcome.predictions)} predictions of {outcome.model}")
    verdicts = bench.judged([(one.task, one.said) for one in outcome.predictions], options.workers)
    broken = sum(one.told is None or one.ours is None for one in verdicts)
    if broken:
        said = f"the tests of {broken} predictions break off with the truth too: no exit code tells of them"
        say(f"{outcome.mode}: {said}")
    judged = replace(outcome, judged=tuple(verdicts))
    write_judged(judged, options.out)
    return judged
