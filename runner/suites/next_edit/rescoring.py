"""Recorded answers read again, by another parser or algorithm, on the states in which they were given.

What was made at each step stays as it was: the answers belong to those states. So a step's predictions, matches and
figures are new, its order and its questions are not.
"""

from collections.abc import Sequence
from dataclasses import replace

from runner.suites.next_edit.answers import FILL, RECOMMEND, Answer
from runner.suites.next_edit.commits import Commit
from runner.suites.next_edit.editor import Leak
from runner.suites.next_edit.judging import judge
from runner.suites.next_edit.matching import Target, match
from runner.suites.next_edit.prompted import Reading, read_answer
from runner.suites.next_edit.replay import content_of, filled, place_of, session_of, target_of
from runner.suites.next_edit.state import State
from runner.suites.next_edit.steps import CommitReplay, Content, Step
from runner.suites.next_edit.suite import Played
from runner.suites.next_edit.systems.historian_form import lines_at


def rescored(commit: Commit, played: Played, reading: Reading, leak: Leak) -> CommitReplay:
    """The replay as it would be judged had its answers been read this way. Asks nobody."""
    steps = tuple(_rescore(commit, step, played.answers, reading, leak) for step in played.replay.steps)
    return replace(played.replay, steps=steps)


def _rescore(commit: Commit, step: Step, answers: Sequence[Answer], reading: Reading, leak: Leak) -> Step:
    state = State(commit, step.applied)
    session = session_of(state, step.number, leak, None)
    read = [
        read_answer(each.completion.text, state.texts(), reading)
        for each in answers
        if (each.step, each.mode) == (step.number, RECOMMEND)
    ]
    suggestions = tuple(dict.fromkeys(one for outcome, found in read if outcome.valid for one in found))
    matches = match(suggestions, [target_of(state, idx) for idx in state.remaining], state.texts())
    made = next((suggestions[each.suggestion] for each in matches if each.target == step.made), None)
    target = target_of(state, step.made)
    return replace(
        step,
        suggestions=suggestions,
        matches=matches,
        metrics=judge(suggestions, matches, step.allowed, session.made),
        content=content_of(made, target, state, asked=False)
        if made
        else _filled(step, state, target, answers, reading),
        troubles=(),
    )


def _filled(step: Step, state: State, target: Target, answers: Sequence[Answer], reading: Reading) -> Content | None:
    """The content that was given for the place; None where it was not asked for, the prediction having been right."""
    asked = [each for each in answers if (each.step, each.mode) == (step.number, FILL)]
    place = place_of(state, target.idx)
    text = state.text(target.path)
    texts = {target.path: "", **state.texts()}
    if not asked:
        return None
    read = (read_answer(each.completion.text, texts, reading) for each in asked)
    suggestions = next((found for outcome, found in read if outcome.valid), ())
    return filled(lines_at(place, suggestions, text or ""), target, state)
