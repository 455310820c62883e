"""Writing beside the event loop: locks are waited for, a bad entry fails alone, what cannot be written is kept."""

import asyncio
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from runner.records import Completion, Outcome, Scoring, Tokens
from runner.run.call_context import CallContext
from runner.storage.ledger import Expense, Ledger, Question, UnrecordedError
from runner.storage.merging import merge_spills
from runner.storage.spill import answers_waiting, spill_files
from runner.storage.store import Store
from runner.storage.writer import WritePatience
from suts.sut import Request
from tests.runner.contexts import LANE, Contexts, asked
from tests.runner.made_runs import make_run
from tests.runner.scripted import QUESTION, Script, Scripted, question, whole
from tests.runner.virtual_time import now_ns, virtually

IMPATIENT = WritePatience(locked_s=0.3, broken_s=0.3)


@pytest.fixture
def contexts(store: Store) -> Contexts:
    make_run(store)
    return Contexts(store)


def scripted(*scripts: Script) -> Scripted:
    return Scripted(list(scripts) or [whole("yes", 10, 5)], now_ns)


@contextmanager
def locked(db: Path) -> Iterator[None]:
    with closing(sqlite3.connect(db, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield
        other.execute("ROLLBACK")


def lock(db: Path) -> sqlite3.Connection:
    other = sqlite3.connect(db, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    return other


def dump(store: Store) -> list[str]:
    with closing(sqlite3.connect(store.path)) as connection:
        return list(connection.iterdump())


def answered_while_locked(contexts: Contexts, *more: Script) -> CallContext:
    """The context of a session whose database is locked from its first request on, for longer than it waits."""
    contexts.patience = IMPATIENT
    context = contexts.new()
    holder: list[sqlite3.Connection] = []

    def take(_request: Request) -> None:
        holder.append(lock(contexts.store.path))

    async def session() -> None:
        ask = asked(context, scripted([take, *whole("yes", 10, 5)], *more))
        async with context.ledger:
            completion = await ask(QUESTION)
            scoring = Scoring(Outcome.APPLIED, valid=True, answer_id=completion.answer_id, scores={"m": 0.5})
            context.ledger.scored([scoring])
            context.ledger.lane_state(LANE, "full")

    virtually(session())
    holder[0].close()
    return context


def test_an_answer_ends_while_the_database_is_locked_and_is_written_afterwards(contexts: Contexts) -> None:
    async def session() -> tuple[str, list[str]]:
        context = contexts.new()
        async with context.ledger:
            sending = asyncio.Event()
            sut = scripted([lambda _: sending.set(), 0.01, *whole("yes")])
            first = asyncio.create_task(question(asked(context, sut)))
            await sending.wait()
            with locked(contexts.store.path):
                text = await first
                second = asyncio.create_task(question(asked(context, sut), 2))
                await asyncio.sleep(0.1)
                sent_while_locked = len(sut.asked)
                outcomes = [str(row["outcome"]) for row in contexts.answers()]
            await second
            assert (sent_while_locked, len(sut.asked)) == (1, 2)
        return text, outcomes

    text, outcomes = asyncio.run(session())

    assert (text, outcomes) == ("yes", ["in_flight"])
    assert [row["outcome"] for row in contexts.answers()] == ["answered", "answered"]


def test_a_long_wait_for_the_database_is_said_and_so_is_its_end(
    contexts: Contexts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runner.storage.entry_queue._WORTH_SAYING_S", 2.0)
    said = asyncio.Event()

    class Said(list[str]):
        def append(self, line: str) -> None:
            super().append(line)
            said.set()

    contexts.said = Said()

    async def session() -> None:
        context = contexts.new()
        async with context.ledger:
            call = asyncio.create_task(question(asked(context, scripted())))
            with locked(contexts.store.path):
                await said.wait()
            await call

    asyncio.run(session())

    waiting, again = contexts.said
    assert waiting == "waiting for the database, locked by another process; 1 records wait"
    assert again == "the database can be written again"


def test_what_cannot_be_written_is_kept_in_a_file_and_merged_by_the_next_session(contexts: Contexts) -> None:
    context = answered_while_locked(contexts)

    (file,) = spill_files(contexts.store.path, "r1")
    assert "database is locked" in context.ledger.stopped
    assert f"1 answers are kept in {file}" in context.ledger.stopped
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert answers_waiting(contexts.store.path, "r1") == 1
    assert [row["outcome"] for row in contexts.answers()] == ["in_flight"]

    merged = merge_spills(contexts.store, "r1")

    assert (merged.files, merged.answers, merged.damaged) == (1, 1, 0)
    assert spill_files(contexts.store.path, "r1") == []
    assert [(row["outcome"], row["list_cost_usd"]) for row in contexts.answers()] == [("answered", 6e-05)]
    assert [row["outcome"] for row in contexts.calls()] == ["answered"]
    assert [row["pieces"] for row in contexts.store.rows("SELECT pieces FROM streams")] == [3]
    assert tuple(contexts.store.rows("SELECT metric, value FROM scores")[0]) == ("m", 0.5)
    assert contexts.store.rows("SELECT state FROM lanes")[0]["state"] == "full"


def test_an_answer_that_was_merged_is_not_asked_for_again(contexts: Contexts) -> None:
    answered_while_locked(contexts)
    merge_spills(contexts.store, "r1")
    sut = scripted(whole("again"))

    async def session() -> str:
        context = contexts.new()
        async with context.ledger:
            return await question(asked(context, sut))

    assert virtually(session()) == "yes"
    assert sut.asked == []


def test_to_merge_a_file_again_changes_nothing(contexts: Contexts) -> None:
    answered_while_locked(contexts)
    (file,) = spill_files(contexts.store.path, "r1")
    content = file.read_bytes()
    merge_spills(contexts.store, "r1")
    once = dump(contexts.store)
    file.write_bytes(content)

    merged = merge_spills(contexts.store, "r1")

    assert (merged.files, merged.answers) == (1, 0)
    assert dump(contexts.store) == once


def test_a_session_that_cannot_write_sends_nothing_more(contexts: Contexts) -> None:
    contexts.patience = IMPATIENT
    context, sut = contexts.new(), scripted()

    async def session() -> None:
        async with context.ledger:
            with locked(contexts.store.path), pytest.raises(UnrecordedError, match="database is locked"):
                await question(asked(context, sut))
            with pytest.raises(UnrecordedError, match="database is locked"):
                await question(asked(context, sut), 2)

    asyncio.run(session())

    assert sut.asked == []
    assert spill_files(contexts.store.path, "r1") == []


def test_a_session_that_is_stopped_at_once_does_not_wait_for_the_database(contexts: Contexts) -> None:
    context = contexts.new()
    holder: list[sqlite3.Connection] = []

    async def session() -> None:
        async with context.ledger:
            await question(
                asked(context, scripted([lambda _: holder.append(lock(contexts.store.path)), *whole("yes")]))
            )
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        virtually(session())
    holder[0].close()

    assert answers_waiting(contexts.store.path, "r1") == 1


def test_a_full_disk_is_waited_for_less_and_the_answers_are_kept(
    contexts: Contexts, monkeypatch: pytest.MonkeyPatch
) -> None:
    another = Store.another

    def full(store: Store, wait_s: float) -> Store:
        opened = another(store, wait_s)
        opened._connection.execute("PRAGMA max_page_count = 1")
        return opened

    contexts.patience = WritePatience(locked_s=3600.0, broken_s=0.1)
    for number in range(40):
        contexts.store.put_text(f"{number}" * 400)
    monkeypatch.setattr(Store, "another", full)
    context = contexts.new()

    async def session() -> None:
        async with context.ledger:
            for number in range(1, 100):
                await question(asked(context, scripted(whole(f"{number} " * 4000))), number)

    with pytest.raises(UnrecordedError, match="full"):
        virtually(session())

    asked_for = len(contexts.answers())
    assert "full" in context.ledger.stopped
    assert 1 <= asked_for < 99
    assert merge_spills(contexts.store, "r1").answers >= 1
    assert [row["outcome"] for row in contexts.answers()] == ["answered"] * asked_for


async def record(ledger: Ledger, number: int, tokens: int) -> int:
    """Record an answer with so many tokens; its id."""
    asked_for = Question(LANE, number=number)
    answer_id = await ledger.open(asked_for, "system", "{}", 1.0)
    completion = Completion("yes", tokens=Tokens(tokens), list_cost_usd=0.25, answer_id=answer_id)
    ledger.answered(asked_for, completion, Expense(0, 1.0, 0.0), "openai-chat")
    return answer_id


def test_an_answer_that_cannot_be_bound_fails_alone(contexts: Contexts) -> None:
    context = contexts.new()

    async def session() -> None:
        async with context.ledger as ledger:
            for number, tokens in enumerate((1, 2**70, 3, 2**64, 5), 1):
                await record(ledger, number, tokens)

    virtually(session())

    rows = contexts.answers()
    assert [row["outcome"] for row in rows] == ["answered", "crashed", "answered", "crashed", "answered"]
    assert [row["outcome"] for row in contexts.calls()] == ["answered", "failed", "answered", "failed", "answered"]
    assert "cannot be recorded: OverflowError" in rows[1]["error_text"]
    assert rows[1]["list_cost_usd"] == 0.25
    assert context.ledger.refused == 2
    assert len(contexts.said) == 1
    assert "OverflowError" in contexts.said[0]


def test_an_answer_that_cannot_be_bound_is_not_scored_and_asked_for_again(contexts: Contexts) -> None:
    context = contexts.new()

    async def session() -> None:
        async with context.ledger as ledger:
            answer_id = await record(ledger, 1, 2**70)
            ledger.scored([Scoring(Outcome.APPLIED, valid=True, answer_id=answer_id)])
            with pytest.raises(UnrecordedError, match="could not be recorded"):
                await ledger.recorded(Question(LANE, number=1))

    virtually(session())
    sut = scripted(whole("fine"))

    async def again() -> str:
        following = contexts.new()
        async with following.ledger:
            return await question(asked(following, sut))

    assert contexts.store.rows("SELECT * FROM scorings") == []
    assert virtually(again()) == "fine"
    assert len(sut.asked) == 1


def test_a_lane_of_a_transaction_that_failed_is_made_again(contexts: Contexts) -> None:
    contexts.store.execute(
        "CREATE TRIGGER once BEFORE INSERT ON answers WHEN new.number = 1 BEGIN SELECT raise(ABORT, 'no'); END"
    )
    context = contexts.new()

    async def session() -> list[object]:
        async with context.ledger:
            ask = asked(context, scripted())
            return await asyncio.gather(*(question(ask, number) for number in (1, 2, 3)), return_exceptions=True)

    refused, *texts = virtually(session())

    assert isinstance(refused, sqlite3.IntegrityError)
    assert texts == ["yes", "yes"]
    assert len(contexts.store.rows("SELECT * FROM lanes")) == 1
    assert contexts.store.rows("PRAGMA foreign_key_check") == []
