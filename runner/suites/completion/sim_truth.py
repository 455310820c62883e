"""What simulated models know of a hole: a right filling, and fillings that surely fail.

A run over such models has to find exactly what is expected, so only that counts as a failure of which the verdict is
known beforehand: a filling that the tests are on record to refuse, or one with which the file does not compile.
"""

from collections.abc import Callable, Iterator, Mapping

from runner.run.protocols import TruthOf
from runner.storage.ledger import Question
from runner.suites.completion.chains import REPAIRED, Around, choose_chains, taken
from runner.suites.completion.dataset import Dataset, Task
from suts.sut import Hole, Truth

SyntaxCheck = Callable[[str], str | None]

# An unfinished definition: a model that went on with the file until its tokens were spent.
_NEXT = "\n\n\ndef further("
_OPENERS = "([{:=,"
_LOOKED_AT = 400
_NO_PROOF_WRONG = "pass"
_NEVER_CODE = ")("
# Of a hole that a statement fills, an empty filling is `pass` or does not compile.
_STATEMENTS = frozenset({"METHOD", "IF", "FOR", "WHILE", "TRY", "WITH", "MATCH", "STATEMENT", "IMPORT"})


def truth_of(
    dataset: Dataset, fenced: Mapping[str, bool], syntax_errors: Mapping[str, SyntaxCheck], seed: int
) -> TruthOf:
    """The truth of each question; `fenced` says by prompt whether an answer is code in a fence.

    `syntax_errors` are those of the repositories' interpreters, by the names that tasks have.
    """
    tasks = {task.task_id: task for task in dataset.tasks}
    holes: dict[tuple[str, bool], Hole] = {}

    def truth(question: Question, about: object = None) -> Truth:  # noqa: ARG001 - the Protocol names it
        key = (question.lane.case_id, fenced[question.lane.prompt])
        if key not in holes:
            task = tasks[question.lane.case_id]
            holes[key] = hole_of(dataset, task, syntax_errors[task.repo], fenced=key[1])
        return Truth(question.lane.case_id, question.number, seed=seed, hole=holes[key])

    return truth


def hole_of(dataset: Dataset, task: Task, syntax_error: SyntaxCheck, *, fenced: bool) -> Hole:
    """Return the hole of a task; `syntax_error` says why a text does not compile, None where it does or is unknown."""
    truth = dataset.truth(task)
    wrong = {"wrong": _wrong(dataset, task, syntax_error)}
    if truth and _empty_fails(dataset, task, syntax_error):
        wrong["empty"] = ""
    over = next(_over_runs(dataset, task, syntax_error), None)
    if over is not None:
        wrong["over_run"] = over
    return Hole(truth, wrong, fenced)


def _wrong(dataset: Dataset, task: Task, syntax_error: SyntaxCheck) -> str:
    if task.proof is not None and task.proof.filling:
        return task.proof.filling
    if not task.tests or syntax_error(dataset.assembled(task, _NO_PROOF_WRONG)):
        return _NO_PROOF_WRONG
    return _NEVER_CODE


def _empty_fails(dataset: Dataset, task: Task, syntax_error: SyntaxCheck) -> bool:
    killer = task.proof.killed_by if task.proof is not None else ""
    as_pass = killer == "pass" and task.block_type in _STATEMENTS and not task.scene.startswith("2")
    return not task.tests or killer == "nothing" or as_pass or syntax_error(dataset.assembled(task, "")) is not None


def _over_runs(dataset: Dataset, task: Task, syntax_error: SyntaxCheck) -> Iterator[str]:
    """The truth with more behind it: nothing that compiles, and the truth again once it is repaired."""
    truth, prefix, suffix = dataset.truth(task), dataset.prefix(task), dataset.suffix(task)
    (repaired,) = choose_chains([REPAIRED], "")
    # The end of a filling is kept only where nothing was cut: white space there is the truth's own.
    around = Around(prefix, suffix, fenced=False)
    start = suffix[:_LOOKED_AT]
    tails = (_NEXT, *(start[: at + 1] for at, letter in enumerate(start) if letter in _OPENERS))
    for tail in tails:
        filling = truth + tail
        if taken(repaired, filling, around) == truth and syntax_error(dataset.assembled(task, filling)) is not None:
            yield filling
