"""Recorded answers read again, by another parser or algorithm, on the states in which they were given.

What was made at each step stays as it was: the answers belong to those states. So a step's predictions, matches and
figures are new, its order and its questions are not.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from runner.run.answer_scoring import run_sized
from runner.suites.nextedit.answer_reading import Reading
from runner.suites.nextedit.answers import FILL, RECOMMEND, StepAnswer
from runner.suites.nextedit.commit_replay import place_of, session_of
from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.editor import Leak, Mishap
from runner.suites.nextedit.first_prediction import first_prediction
from runner.suites.nextedit.judging import content_of, filled, impossible_predictions, judge_predictions, weight_of
from runner.suites.nextedit.matching import Target, target_of
from runner.suites.nextedit.prompted import describe_invalid, lines_given
from runner.suites.nextedit.state import State
from runner.suites.nextedit.steps import CommitReplay, Content, Step, Trouble


@dataclass(frozen=True, slots=True)
class Played:
    """A replayed commit, and every answer that was given in it, in order."""

    replay: CommitReplay
    answers: tuple[StepAnswer, ...]


async def reread(commit: Commit, played: Played, reading: Reading, leak: Leak) -> Played:
    """The replay and its answers as they would be, had the answers been read this way. Asks nobody.

    What takes long is computed in worker processes, if the reading has them.
    """
    texts = {step.number: _texts(commit, step) for step in played.replay.steps}
    answers = tuple([await _read(answer, texts[answer.step], reading) for answer in played.answers])
    steps = []
    for step in played.replay.steps:
        own = tuple(answer for answer in answers if answer.step == step.number)
        weight = sum(weight_of(answer.suggestions, commit) for answer in own)
        steps.append(await run_sized(reading.pool, weight, _rejudged, commit, step, own, leak))
    return Played(replace(played.replay, steps=tuple(steps)), answers)


def _texts(commit: Commit, step: Step) -> Mapping[str, Mapping[str, str]]:
    """The files on which the answers of a step are read, by question."""
    state = State(commit, step.applied)
    texts = state.texts()
    # A file whose place is given can be edited, even if it is still to be created.
    return {RECOMMEND: texts, FILL: {target_of(state, step.made_edit).path: "", **texts}}


async def _read(answer: StepAnswer, texts: Mapping[str, Mapping[str, str]], reading: Reading) -> StepAnswer:
    read = await reading.read(answer.completion.text, texts[answer.mode])
    return replace(answer, outcome=read.outcome, suggestions=read.suggestions, trouble=read.trouble)


def _rejudged(commit: Commit, step: Step, answers: Sequence[StepAnswer], leak: Leak) -> Step:
    state = State(commit, step.applied)
    session = session_of(state, step.number, leak, None)
    target = target_of(state, step.made_edit)
    recommended = [answer for answer in answers if (answer.step, answer.mode) == (step.number, RECOMMEND)]
    filling = [answer for answer in answers if (answer.step, answer.mode) == (step.number, FILL)]
    suggestions = tuple(
        dict.fromkeys(suggestion for answer in recommended if answer.valid for suggestion in answer.suggestions)
    )
    judged = judge_predictions(suggestions, state, step.allowed, session.past_edits)
    suggestions = judged.suggestions
    # A prediction of what may not come yet is not taken: the edit was drawn, and asked for at its place.
    taken = (
        hit.suggestion for hit in judged.matches if hit.target == step.made_edit and step.made_edit in step.allowed
    )
    suggestion = next((suggestions[position] for position in taken), None)
    return replace(
        step,
        suggestions=suggestions,
        matches=judged.matches,
        metrics=judged.metrics,
        first=first_prediction(state, suggestions, judged.matches, step.allowed, step.made_edit),
        content=content_of(suggestion, target, state, requested=False)
        if suggestion
        else _filled(filling, target, state),
        troubles=(
            *_troubles(RECOMMEND, recommended),
            *impossible_predictions(judged.impossible, len(suggestions)),
            *_troubles(FILL, filling),
        ),
    )


def _troubles(question: str, answers: Sequence[StepAnswer]) -> Iterator[Trouble]:
    if answers and not any(answer.valid for answer in answers):
        yield Trouble(question, Mishap.NONSENSE, describe_invalid([answer.outcome for answer in answers]))


def _filled(answers: Sequence[StepAnswer], target: Target, state: State) -> Content | None:
    """The content that was given for the place; None where it was not asked for, the prediction having been right."""
    if not answers:
        return None
    suggestions = next((answer.suggestions for answer in answers if answer.valid), ())
    return filled(lines_given(place_of(state, target.idx), suggestions, state.text(target.path) or ""), target, state)
