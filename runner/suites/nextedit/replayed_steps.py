"""Recorded answers read again, by another parser or algorithm, on the states in which they were given.

What was made at each step stays as it was: the answers belong to those states. So a step's predictions, matches and
figures are new, its order and its questions are not.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from runner.records import Outcome
from runner.suites.nextedit.answers import FILL, RECOMMEND, Answer
from runner.suites.nextedit.attempt import Played
from runner.suites.nextedit.commit_replay import content_of, filled, place_of, session_of, target_of
from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.editor import Leak, Mishap, Suggestion
from runner.suites.nextedit.matching import Target, match
from runner.suites.nextedit.prompted import Reading, read_answer, told_unfit
from runner.suites.nextedit.score import judge
from runner.suites.nextedit.state import State
from runner.suites.nextedit.steps import CommitReplay, Content, Step, Trouble
from runner.suites.nextedit.systems.historian_form import lines_at

Read = Sequence[tuple[Outcome, tuple[Suggestion, ...]]]


def rescored(commit: Commit, played: Played, reading: Reading, leak: Leak) -> CommitReplay:
    """The replay as it would be judged had its answers been read this way. Asks nobody."""
    steps = tuple(_rescore(commit, step, played.answers, reading, leak) for step in played.replay.steps)
    return replace(played.replay, steps=steps)


def _rescore(commit: Commit, step: Step, answers: Sequence[Answer], reading: Reading, leak: Leak) -> Step:
    state = State(commit, step.applied)
    session = session_of(state, step.number, leak, None)
    texts, target = state.texts(), target_of(state, step.made)
    read = _read(answers, (step.number, RECOMMEND), texts, reading)
    # A file whose place was told is there, if only to be begun.
    filling = _read(answers, (step.number, FILL), {target.path: "", **texts}, reading)
    suggestions = tuple(dict.fromkeys(one for outcome, found in read if outcome.valid for one in found))
    matches = match(suggestions, [target_of(state, idx) for idx in state.remaining], texts)
    # A prediction of what may not come yet is not taken: the edit was drawn, and asked for at its place.
    taken = (each.suggestion for each in matches if each.target == step.made and step.made in step.allowed)
    made = next((suggestions[position] for position in taken), None)
    return replace(
        step,
        suggestions=suggestions,
        matches=matches,
        metrics=judge(suggestions, matches, step.allowed, session.made),
        content=content_of(made, target, state, asked=False) if made else _filled(filling, target, state),
        troubles=(*_troubles(RECOMMEND, read), *_troubles(FILL, filling)),
    )


def _read(answers: Sequence[Answer], question: tuple[int, str], texts: Mapping[str, str], reading: Reading) -> Read:
    """What the answers to a question, a step and a mode, call for."""
    asked = (each for each in answers if (each.step, each.mode) == question)
    return [read_answer(each.completion.text, texts, reading) for each in asked]


def _troubles(question: str, read: Read) -> Iterator[Trouble]:
    outcomes = [outcome for outcome, _ in read]
    if outcomes and not any(outcome.valid for outcome in outcomes):
        yield Trouble(question, Mishap.NONSENSE, told_unfit(outcomes))


def _filled(read: Read, target: Target, state: State) -> Content | None:
    """The content that was given for the place; None where it was not asked for, the prediction having been right."""
    if not read:
        return None
    suggestions = next((found for outcome, found in read if outcome.valid), ())
    return filled(lines_at(place_of(state, target.idx), suggestions, state.text(target.path) or ""), target, state)
