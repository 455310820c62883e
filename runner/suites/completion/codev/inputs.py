"""What `evals completion codev` reads: tasks to ask or predictions to check, and what is wrong with their rows."""

from collections.abc import Sequence

from runner.errors import InputError
from runner.run.suite import Say
from runner.suites.completion.codev.files import CodevOutcome, Prediction
from runner.suites.completion.codev.judging import Reply
from runner.suites.completion.codev.metadatas import CodevDir
from runner.suites.completion.codev.options import CodevOptions
from runner.suites.completion.codev.rules import ASKED, in_order
from runner.suites.completion.codev.tasks import (
    CodevTask,
    doubts,
    is_simulated,
    prediction_files,
    prompt_files,
    read_tasks,
)


class BadRowsError(InputError):
    """Rows that cannot be used: `findings` has a line about each."""

    def __init__(self, findings: Sequence[str]) -> None:
        """Keep each line once: what is wrong with a file of all tasks is wrong for each of them."""
        self.findings = tuple(dict.fromkeys(findings))
        super().__init__(self.findings[0])


def check(options: CodevOptions) -> None:
    """Raise InputError for options that contradict each other."""
    if options.predictions is None and not options.model_ids.strip():
        raise InputError("--model-ids: is missing; name models, such as sim/truth, or give --predictions")
    if options.predictions is not None and options.model_ids.strip():
        raise InputError("--predictions: nobody is asked where they are given; leave --model-ids out")
    if options.quota != 1:
        raise InputError(f"--valid-attempts-per-case: is {options.quota}; Codev-Bench takes one answer: leave it out")
    folder = options.codev_dir
    if options.check_unittest and folder is None:
        raise InputError(
            "--check-unittest: needs the repositories; give --codev-dir with Source_Code_Copy and metadatas"
        )
    for name in ("Source_Code_Copy", "metadatas"):
        if options.check_unittest and folder is not None and not (folder / name).is_dir():
            raise InputError(f"--codev-dir {folder}: no folder {name} in it; give the folder that has it")


def asked_tasks(options: CodevOptions, say: Say) -> tuple[CodevTask, ...]:
    """The tasks of the prompts, in the order in which the original asked them. Raises InputError, BadRowsError."""
    default = () if options.codev_dir is None else (options.codev_dir / "prompts",)
    paths = options.prompts or default
    if not paths:
        raise InputError("PROMPTS: is missing; give prompts/*.jsonl, a folder of them, or --codev-dir")
    kept: list[CodevTask] = []
    findings: list[str] = []
    for path in prompt_files(paths):
        mode = path.name.removesuffix(".jsonl")
        tasks, wrong = read_tasks(path, mode)
        chosen = tasks if options.all_types else in_order(tasks)
        if len(chosen) < len(tasks):
            left_out = f"{len(tasks) - len(chosen)} of {len(tasks)} tasks are not asked, as in the original"
            say(f"{mode}: {left_out}: their types are none of {', '.join(ASKED)}; --all-types asks them")
        kept += chosen[: options.max_cases]
        findings += wrong
    _refuse(findings, kept, options)
    if not kept:
        raise InputError(f"PROMPTS: no task of {', '.join(ASKED)} in them; give --all-types")
    _say_doubts(kept, say, requested=True)
    return tuple(kept)


def read_predictions(options: CodevOptions, say: Say) -> list[CodevOutcome]:
    """The predictions of the files that are given. Raises InputError, BadRowsError."""
    assert options.predictions is not None
    outcomes, findings = [], []
    for mode, model, path in prediction_files(options.predictions):
        tasks, wrong = read_tasks(path, mode, answered=True)
        predictions = [
            Prediction(task, Reply(task.answered.text, task.answered.response), task.answered.latency)
            for task in tasks[: options.max_cases]
            if task.answered is not None
        ]
        outcomes.append(CodevOutcome(mode, model, tuple(predictions), simulated=is_simulated(model)))
        findings += wrong
    tasks = [prediction.task for outcome in outcomes for prediction in outcome.predictions]
    _refuse(findings, tasks, options)
    _say_doubts(tasks, say, requested=False)
    return outcomes


def _refuse(findings: list[str], tasks: Sequence[CodevTask], options: CodevOptions) -> None:
    if options.codev_dir is not None and options.check_unittest:
        findings = [*findings, *CodevDir(options.codev_dir).findings(tasks)]
    if findings:
        raise BadRowsError(findings)


def _say_doubts(tasks: Sequence[CodevTask], say: Say, *, requested: bool) -> None:
    for doubt in doubts(tasks, requested=requested):
        say(doubt)
