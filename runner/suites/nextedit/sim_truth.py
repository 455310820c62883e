"""What simulated models know: the edit that a right answer makes, at each state of a commit."""

from collections.abc import Callable

from diff_apply.generate import edit_blocks
from runner.run.protocols import TruthOf
from runner.storage.ledger import Question
from runner.suites.nextedit.commits import Commit, split_lines
from runner.suites.nextedit.editor import Place
from runner.suites.nextedit.matching import Target, target_of
from runner.suites.nextedit.orders import Order, allowed_next
from runner.suites.nextedit.questions import sendable
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
    """The first edit that is allowed now, or the one at the given place; None where there is none."""
    texts = state.texts()
    options = state.remaining if place else allowed_next(order, state)
    targets = (target_of(state, idx) for idx in options)
    right = next((target for target in targets if place is None or _is_at(target, place)), None)
    if right is None:
        return None
    before = texts.get(right.path, "")
    lines = split_lines(before)
    after = "".join((*lines[: right.start], *right.after, *lines[right.span.end :]))
    return Truth(
        case_id=state.commit.case_id,
        number=number,
        step=len(state.applied),
        path=sendable(right.path),
        blocks=edit_blocks(sendable(before), sendable(after)),
        before=sendable(before),
    )


def _is_at(target: Target, place: Place) -> bool:
    return (target.path, target.start) == (place.path, place.start)
