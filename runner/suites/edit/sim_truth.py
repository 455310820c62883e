"""What simulated models know of a problem: right answers and wrong ones, each proven by the problem's test."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from diff_apply.generate import edit_blocks
from diff_apply.reach import out_of_reach
from runner.execution.script_judge import ScriptJudge
from runner.execution.verdicts import VerdictKind
from runner.metrics import TooLargeError
from runner.metrics.mutants import mutants
from runner.pool.blocks import in_order
from runner.pool.executor import Executor
from runner.run.protocols import TruthOf
from runner.storage.ledger import Question
from runner.suites.edit.answer_form import AnswerForm
from runner.suites.edit.problems import EditProblem
from runner.suites.edit.question import fenced
from suts.sut import Truth

# The algorithm under which a simulated model's faults give the file that was meant.
_FORGIVING = "v4"


@dataclass(frozen=True, slots=True)
class Imagined:
    """Texts of a problem that pass its test, and texts that do not; neither is empty."""

    rights: tuple[str, ...]
    wrongs: tuple[str, ...]

    def truth(self, problem: EditProblem, number: int, seed: int, *, whole: bool) -> Truth:
        """The truth of attempt `number`: each attempt has another right and another wrong answer, in turn."""
        right = self.rights[(number - 1) % len(self.rights)]
        wrong = self.wrongs[(number - 1) % len(self.wrongs)]
        if whole:
            texts = (fenced(text, problem.language) for text in (right, wrong))
            return Truth(problem.case_id, number, seed=seed, answer=next(texts), wrong=next(texts))
        blocks = edit_blocks(problem.origin, right)
        return Truth(problem.case_id, number, seed=seed, path=problem.path, blocks=blocks, before=problem.origin)


def imagine(problem: EditProblem, judge: ScriptJudge) -> Imagined:
    """Mutants of the reference, sorted by the test; takes the time of some ten runs of it.

    A study of simulated answers then has more than two texts to distinguish.
    """
    rights, wrongs = [problem.references[0]], [problem.origin]
    try:
        texts = [mutant.text for mutant in mutants(problem.as_studied(), rounds=1, seed=0)]
    except TooLargeError:
        texts = []
    for text in texts:
        outcome = judge.judge(problem.script(text)).outcome
        if outcome is VerdictKind.PASS and not out_of_reach(problem.origin, text, _FORGIVING):
            rights.append(text)
        elif outcome is VerdictKind.FAIL and text.strip():
            wrongs.append(text)
    return Imagined(tuple(rights), tuple(dict.fromkeys(wrongs)))


def imagined_of(problems: Iterable[EditProblem], judge: ScriptJudge, executor: Executor) -> dict[str, Imagined]:
    """The texts of each problem, by id; proving them takes the time of some ten test runs each."""
    chosen = list(problems)
    results = in_order(executor, lambda problem: imagine(problem, judge), chosen)
    return {problem.case_id: texts for problem, texts in zip(chosen, results, strict=True)}


def truth_of(
    problems: Iterable[EditProblem], forms: Iterable[AnswerForm], texts: Mapping[str, Imagined], seed: int
) -> TruthOf:
    """The truth of each question: a right and a wrong answer in the form that its prompt asks for."""
    by_id = {problem.case_id: problem for problem in problems}
    whole = {form.prompt.name: form.whole for form in forms}

    def truth(question: Question, about: object = None) -> Truth:  # noqa: ARG001 - the Protocol names it
        lane = question.lane
        return texts[lane.case_id].truth(by_id[lane.case_id], question.number, seed, whole=whole[lane.prompt])

    return truth


def reference_truth_of(problems: Iterable[EditProblem], seed: int) -> TruthOf:
    """The truth of each question to a coding agent: the edits that make the reference."""
    by_id = {problem.case_id: problem for problem in problems}

    def truth(question: Question, about: object = None) -> Truth:  # noqa: ARG001 - the Protocol names it
        problem = by_id[question.lane.case_id]
        blocks = edit_blocks(problem.origin, problem.references[0])
        return Truth(
            problem.case_id, question.number, seed=seed, path=problem.path, blocks=blocks, before=problem.origin
        )

    return truth
