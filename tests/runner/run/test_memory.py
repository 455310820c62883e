"""What an attempt leaves in memory: nothing, and without the help of the garbage collector."""

import asyncio
import gc

import pytest

from runner.records import Completion
from runner.run.call_context import CallContext
from runner.storage.store import Store
from runner.storage.streams import AnswerReader
from tests.runner.contexts import Contexts, asked
from tests.runner.made_runs import make_run
from tests.runner.scripted import QUESTION, Scripted, chunk, ending
from tests.runner.virtual_time import now_ns, virtually


def alive() -> int:
    """Answers in memory, other tests' among them."""
    return sum(type(one) in {AnswerReader, Completion} for one in gc.get_objects())


async def asking_many(context: CallContext, sut: Scripted, times: int) -> int:
    """How many answers are in memory once all are written, beyond those that were there before."""
    ask = asked(context, sut)

    async def once(number: int) -> None:
        await ask(QUESTION, number=number)

    async with context.ledger:
        gc.collect()
        before = alive()
        gc.disable()
        try:
            async with asyncio.TaskGroup() as group:
                for number in range(1, times + 1):
                    group.create_task(once(number))
            await asyncio.sleep(0.1)
            return alive() - before
        finally:
            gc.enable()


@pytest.mark.wide
def test_an_answer_is_freed_with_its_attempt(store: Store) -> None:
    make_run(store)
    contexts = Contexts(store)
    sut = Scripted([[0.1, chunk("an "), 0.2, chunk("answer"), ending(prompt=10, output=5)]], now_ns)

    left = virtually(asking_many(contexts.new(), sut, 20))

    assert len(contexts.answers()) == 20
    assert left == 0
