"""What simulated models know: the edit that a right answer makes, at each state of a commit."""

from collections.abc import Callable

from diff_apply.generate import edit_blocks
from runner.run.protocols import TruthOf
from runner.storage.ledger import Question
from runner.suites.nextedit.commit_replay import target_of
from runner.suites.nextedit.commits import Commit, split_lines
from runner.suites.nextedit.editor import Place
from runner.suites.nextedit.matching import Target
from runner.suites.nextedit.orders import Order
from runner.suites.nextedit.prompting import sendable
from runner.suites.nextedit.state import Situation, State
from suts.sut import Truth


def truth_of(order_of: Callable[[Commit], Order]) -> TruthOf:
    """The truth of each question: what is asked about is the `Situation` in which it is asked."""

    def truth(question: Question, about: object = None) -> Truth | None:
        assert isinstance(about, Situation)
        order = order_of(about.state.commit)
        return right_answer(about.state, order, about.place, question.number)

    return truth


def right_answer(state: State, order: Order, place: Place | None, number: int) -> Truth | None:
    """An edit that is allowed now, or the one at the given place.

    Where no place is given, the edit is of a file that exists, because nothing else can be answered with: if need be
    one that is not allowed, and no edit where only files are left that are still to be created.
    """
    texts = state.texts()
    options = state.remaining if place else (*order.allowed(state.applied), *state.remaining)
    targets = (target_of(state, idx) for idx in options)
    right = next((target for target in targets if (_is_at(target, place) if place else target.path in texts)), None)
    if right is None:
        return None if place else _nothing_right(state, number)
    before = texts.get(right.path, "")
    lines = split_lines(before)
    after = "".join((*lines[: right.start], *right.after, *lines[right.span.end :]))
    return Truth(
        case_id=state.commit.case_id,
        number=number,
        step=len(state.applied),
        path=right.path,
        blocks=edit_blocks(sendable(before), sendable(after)),
        before=sendable(before),
    )


def _is_at(target: Target, place: Place) -> bool:
    return (target.path, target.start) == (place.path, place.start)


def _nothing_right(state: State, number: int) -> Truth | None:
    """The file that was edited last, if it exists, with no edit of it that would be right."""
    texts = state.texts()
    recent = (state.commit.edits[idx].path for idx in reversed(state.applied))
    path = next((path_name for path_name in (*recent, *texts) if path_name in texts), None)
    if path is None:
        return None
    return Truth(state.commit.case_id, number, step=len(state.applied), path=path, before=sendable(texts[path]))
