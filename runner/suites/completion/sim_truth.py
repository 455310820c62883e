"""What simulated models are told of a hole: a right filling, and fillings that surely fail.

A run over such models has to find exactly what was planted, so only that counts as a failure of which the verdict is
known beforehand: a filling that the tests are on record to refuse, or one with which the file does not compile.
"""

from collections.abc import Callable, Iterator, Mapping

from runner.run.protocols import TruthOf
from runner.storage.ledger import Question
from runner.suites.completion.chains import REPAIRED, Around, choose_chains, taken
from runner.suites.completion.dataset import Dataset, Task
from suts.sut import Hole, Truth

Flaw = Callable[[str], str | None]

# An unfinished definition: a model that went on with the file until its tokens were spent.
_NEXT = "\n\n\ndef further("
_OPENERS = "([{:=,"
_LOOKED_AT = 400
_NO_PROOF_WRONG = "pass"
_NEVER_CODE = ")("
# Of a hole that a statement fills, an empty filling is `pass` or does not compile.
_STATEMENTS = frozenset({"METHOD", "IF", "FOR", "WHILE", "TRY", "WITH", "MATCH", "STATEMENT", "IMPORT"})


def truth_of(dataset: Dataset, fenced: Mapping[str, bool], flaw: Flaw, seed: int) -> TruthOf:
    """The truth of each question; `fenced` says by prompt whether an answer is code in a fence."""
    tasks = {task.task_id: task for task in dataset.tasks}
    holes: dict[tuple[str, bool], Hole] = {}

    def truth(question: Question, about: object = None) -> Truth:  # noqa: ARG001 - the Protocol names it
        key = (question.lane.case_id, fenced[question.lane.prompt])
        if key not in holes:
            holes[key] = hole_of(dataset, tasks[question.lane.case_id], flaw, fenced=key[1])
        return Truth(question.lane.case_id, question.number, seed=seed, hole=holes[key])

    return truth


def hole_of(dataset: Dataset, task: Task, flaw: Flaw, *, fenced: bool) -> Hole:
    """The hole of a task; `flaw` tells why a file's text does not compile, None where it does or that is unknown."""
    truth = dataset.truth(task)
    wrong = {"wrong": _wrong(dataset, task, flaw)}
    if truth and _empty_fails(dataset, task, flaw):
        wrong["empty"] = ""
    over = next(_over_runs(dataset, task, flaw), None)
    if over is not None:
        wrong["over_run"] = over
    return Hole(truth, wrong, fenced)


def _wrong(dataset: Dataset, task: Task, flaw: Flaw) -> str:
    if task.proof is not None and task.proof.filling:
        return task.proof.filling
    if not task.tests or flaw(dataset.assembled(task, _NO_PROOF_WRONG)):
        return _NO_PROOF_WRONG
    return _NEVER_CODE


def _empty_fails(dataset: Dataset, task: Task, flaw: Flaw) -> bool:
    killer = task.proof.killed_by if task.proof is not None else ""
    as_pass = killer == "pass" and task.block_type in _STATEMENTS and not task.scene.startswith("2")
    return not task.tests or killer == "nothing" or as_pass or flaw(dataset.assembled(task, "")) is not None


def _over_runs(dataset: Dataset, task: Task, flaw: Flaw) -> Iterator[str]:
    """The truth with more behind it: nothing that compiles, and the truth again once it is repaired."""
    truth, prefix, suffix = dataset.truth(task), dataset.prefix(task), dataset.suffix(task)
    (repaired,) = choose_chains([REPAIRED], "")
    # The end of a filling is kept only where nothing was cut: white space there is the truth's own.
    around = Around(prefix, suffix, fenced=False)
    said = suffix[:_LOOKED_AT]
    tails = (_NEXT, *(said[: at + 1] for at, letter in enumerate(said) if letter in _OPENERS))
    for tail in tails:
        filling = truth + tail
        if taken(repaired, filling, around) == truth and flaw(dataset.assembled(task, filling)) is not None:
            yield filling
