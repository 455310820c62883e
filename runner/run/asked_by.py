"""What asks in place of this process, as the options of a command say: a collector of batches, or an engine's workers.

Either is imported when it is asked for.
"""

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, TypeVar

from runner.pool import PROCESSES

if TYPE_CHECKING:
    from runner.run.drain import Drain
    from runner.run.pace import Deadlines
    from runner.run.plan import Plan
    from runner.run.protocols import AsksElsewhere
    from runner.run.session_record import SessionRecord

DetailT = TypeVar("DetailT")


def opened_engine(plan: "Plan[DetailT]") -> "AbstractContextManager[Plan[DetailT]]":
    """Open the engine that asks in place of this process, if the options name one; yields the plan with it."""
    if plan.options.executor == PROCESSES:
        return nullcontext(plan)
    from runner.run.elsewhere import opened_elsewhere

    return opened_elsewhere(plan)


def elsewhere_of(
    plan: "Plan[Any]", record: "SessionRecord", drain: "Drain", deadlines: "Deadlines"
) -> "AsksElsewhere | None":
    """Return what asks in place of this process; None where it asks itself."""
    if plan.options.batch_api:
        return record.collector(plan.options.poll_s, drain)
    if plan.caller is None:
        return None
    from runner.run.elsewhere import AskedElsewhere

    return AskedElsewhere(plan.caller, plan.options, deadlines)
