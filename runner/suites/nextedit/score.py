"""From the answers of a replayed commit to scorings; `evals rescore` is refused, with the reason."""

from collections.abc import Callable, Iterator, Sequence

from runner.errors import InputError
from runner.metrics.sample import Sample
from runner.records import Outcome, Result, Scoring
from runner.storage.rows import to_json
from runner.storage.store import Row, Store
from runner.suites.nextedit.answers import FILL, RECOMMEND, StepAnswer
from runner.suites.nextedit.folder_agents import attempt_detail
from runner.suites.nextedit.matching import LEAST_BLEU
from runner.suites.nextedit.reread_steps import Played
from runner.suites.nextedit.results import judged_json
from runner.suites.nextedit.step_metrics import CUTS
from runner.suites.nextedit.steps import Step


def samples(_store: Store, run: Row) -> Callable[[Row], Sample | None]:
    """Raise InputError: no one text is expected of an answer.

    A recommendation may predict any edit that is allowed, and has no expected result unless it matches one; metrics
    of the matching answers alone would be the better, the fewer answers match.
    """
    raise InputError(
        f"run {run['run_id']}: an answer to a step of a commit may predict any of several edits, so that no one result"
        " is expected of it; `evals report` shows the figures of steps, `excision` among them"
    )


def result_of(readings: Sequence[tuple[tuple[str, str], Played]]) -> Result:
    """A replayed commit as an attempt: a scoring of each answer by each parser and algorithm that read it."""
    costs = [answer.completion.cost_usd for answer in readings[0][1].answers]
    return Result(
        valid=True,
        scorings=tuple(scoring for names, played in readings for scoring in scorings_of(played, *names)),
        cost_usd=None if None in costs else sum(cost for cost in costs if cost is not None),
    )


def scorings_of(played: Played, parser: str, algorithm: str) -> Iterator[Scoring]:
    """The scoring of each answer; the figures of a step stand with one of its answers."""
    steps = {step.number: step for step in played.replay.steps}
    bearers = _bearers(played.answers)
    for position, answer in enumerate(played.answers):
        step = steps.get(answer.step)
        bears = bearers.get(answer.step) == position
        detail = {**(judged_json(step) if bears and step else {}), **attempt_detail(parser, answer.completion.text)}
        yield Scoring(
            outcome=_outcome(answer, step),
            valid=answer.valid,
            parser=parser,
            diff_algorithm=algorithm,
            error_text=answer.trouble,
            num_edits=len(answer.suggestions),
            scores=scores_of(step) if bears and step else {},
            detail=to_json(detail) if detail else None,
            answer_id=answer.completion.answer_id,
        )


def _bearers(answers: Sequence[StepAnswer]) -> dict[int, int]:
    """The answer with which each step's figures stand: its first valid recommendation, the last where none is valid."""
    positions: dict[int, int] = {}
    for position, answer in enumerate(answers):
        if answer.mode == RECOMMEND and not (answer.step in positions and answers[positions[answer.step]].valid):
            positions[answer.step] = position
    return positions


def _outcome(answer: StepAnswer, step: Step | None) -> Outcome:
    """Solved where the edit made was predicted, or its content was given at its place."""
    if answer.outcome is not Outcome.APPLIED or step is None:
        return answer.outcome
    content = step.content
    requested = content is not None and content.requested
    right = content is not None and (content.bleu > LEAST_BLEU if answer.mode == FILL else not requested)
    return Outcome.SOLVED if right else Outcome.UNSOLVED


def scores_of(step: Step) -> dict[str, float]:
    """The figures of a step by name, those that are known."""
    metrics, content = step.metrics, step.content
    scores = {"precision": metrics.precision, "recall": metrics.recall, "f1": metrics.f1}
    scores |= {f"hit@{cut}": float(metrics.hit_at(cut)) for cut in CUTS}
    scores |= {f"tp@{cut}": float(metrics.kept_at(cut)) for cut in CUTS}
    if step.in_view is not None:
        scores["in_view"] = float(bool(step.in_view))
    if content is not None:
        scores |= {"bleu": content.bleu / 100, "exact": float(content.exact), **content.excision}
    return scores
