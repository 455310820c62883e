"""The batch APIs of both vendors, as a client of ours and as the vendors' own clients see them."""

from collections.abc import Mapping
from dataclasses import replace

import orjson
import pytest

from suts.batched import BatchedSut
from suts.batches import BatchLine, BatchMark
from suts.registry import resolve
from suts.settings import Settings, UnknownSutError
from suts.simulated.batches import BatchFaults, parse_batch_faults
from suts.simulated.server import RunningServer
from suts.sut import ErrorKind, Message, Request, Sampling, SutError
from tests.suts.conftest import plain, serving
from tests.suts.simulated.asked_server import TRUTHS, client

MODELS = {"openai": "/v1", "openai-responses": "/v1", "anthropic": ""}
KEYS = {"OPENAI_API_KEY": "sk-test-of-batches", "ANTHROPIC_API_KEY": "sk-test-of-batches"}
providers = pytest.mark.parametrize("provider", MODELS)


def batched(provider: str, server: RunningServer, model: str = "any") -> BatchedSut:
    settings = Settings(base_url=server.url + MODELS[provider], environment=KEYS, batched=True)
    sut = resolve(f"{provider}/{model}", settings)
    assert isinstance(sut, BatchedSut)
    return sut


def lines_for(sut: BatchedSut, names: tuple[str, ...] = tuple(TRUTHS)) -> list[BatchLine]:
    requests = [Request("", (Message("user", text),), Sampling(seed=None)) for text in names]
    return [BatchLine(f"id-{number}", sut.body(request)) for number, request in enumerate(requests)]


def mark_of(lines: list[BatchLine], digest: str = "d1", others: frozenset[str] = frozenset()) -> BatchMark:
    return BatchMark("r1", digest, 0.0, len(lines), frozenset(line.custom_id for line in lines), others)


async def ended(sut: BatchedSut, batch_id: str) -> int:
    """Ask until a batch has ended; return how often."""
    asked = 1
    while not (await sut.batches.state(batch_id)).ended:
        asked += 1
    return asked


@providers
async def test_every_line_is_answered_whatever_the_order_of_the_results(provider: str) -> None:
    async with client(batches=BatchFaults(polls=2)) as asked:
        sut = batched(provider, asked.server)
        lines = lines_for(sut)

        batch_id = await sut.batches.submit(lines, mark_of(lines))
        polls = await ended(sut, batch_id)
        answers = await sut.batches.answers(batch_id)
        await sut.aclose()

    assert polls == 3
    assert list(answers) != [line.custom_id for line in lines]
    assert {line.custom_id: answers[line.custom_id] for line in lines} == answers
    assert [entry.case_id for entry in asked.server.log] == ["alpha", "beta", "gamma"]
    for line, case in zip(lines, ("alpha", "beta", "gamma"), strict=True):
        body = answers[line.custom_id]
        assert isinstance(body, bytes)
        assert f"{case}.py".encode() in body


@providers
async def test_a_batch_is_found_by_its_mark_and_no_other_is(provider: str) -> None:
    async with client(batches=BatchFaults()) as asked:
        sut = batched(provider, asked.server)
        lines = lines_for(sut)
        others = [line._replace(custom_id=f"other-{line.custom_id}") for line in lines]

        assert (await sut.batches.find(mark_of(lines))).batch_id == ""
        first = await sut.batches.submit(others, mark_of(others, "d0"))
        second = await sut.batches.submit(lines, mark_of(lines))
        await ended(sut, first)
        await ended(sut, second)

        assert (await sut.batches.find(mark_of(lines))).batch_id == second
        assert (await sut.batches.find(mark_of(lines, others=frozenset({second})))).batch_id == ""
        assert (await sut.batches.find(replace(mark_of(lines), since_s=4e9))).batch_id == ""
        await sut.aclose()


async def test_of_anthropic_s_batches_one_that_has_not_ended_may_be_the_one() -> None:
    async with client(batches=BatchFaults(polls=2)) as asked:
        sut = batched("anthropic", asked.server)
        lines = lines_for(sut)
        batch_id = await sut.batches.submit(lines, mark_of(lines))

        assert await sut.batches.find(mark_of(lines)) == ("", True)
        assert (await sut.batches.find(mark_of(lines[:2]))).undecided is False
        await ended(sut, batch_id)
        assert await sut.batches.find(mark_of(lines)) == (batch_id, False)
        await sut.aclose()


@providers
async def test_the_list_of_batches_is_read_page_by_page(provider: str) -> None:
    async with client(batches=BatchFaults()) as asked:
        sut = batched(provider, asked.server)
        (line,) = lines_for(sut, ("Change alpha.",))
        first = await sut.batches.submit([line], mark_of([line]))
        for number in range(101):
            other = [line._replace(custom_id=f"other-{number}"), line._replace(custom_id="more")]
            await sut.batches.submit(other, mark_of(other, f"d-{number}"))
        await ended(sut, first)

        assert (await sut.batches.find(mark_of([line]))).batch_id == first
        await sut.aclose()


@providers
async def test_a_submission_whose_reply_is_lost_was_made(provider: str) -> None:
    async with client(batches=BatchFaults(lost=1)) as asked:
        sut = batched(provider, asked.server)
        lines = lines_for(sut)

        with pytest.raises(SutError) as lost:
            await sut.batches.submit(lines, mark_of(lines))
        found = await sut.batches.find(mark_of(lines))
        while found.undecided:
            found = await sut.batches.find(mark_of(lines))
        await sut.aclose()

    assert lost.value.retryable
    assert found.batch_id


@providers
async def test_results_that_break_off_are_no_results(provider: str) -> None:
    async with client(batches=BatchFaults(cut=1)) as asked:
        sut = batched(provider, asked.server)
        lines = lines_for(sut)
        batch_id = await sut.batches.submit(lines, mark_of(lines))
        await ended(sut, batch_id)

        with pytest.raises(SutError) as broken:
            await sut.batches.answers(batch_id)
        answers = await sut.batches.answers(batch_id)
        await sut.aclose()

    assert broken.value.kind is ErrorKind.CUT
    assert len(answers) == len(lines)


async def test_a_line_of_results_that_is_no_json_costs_no_other_answer() -> None:
    lines = [
        b'{"custom_id": "a", "result": {"type": "succeeded", "message": {"id": "m"}}}',
        b'{"custom_id": "b\xff',
        b"7",
    ]

    async with serving(plain(b"\n".join(lines))) as server:
        settings = Settings(base_url=server.url, environment=KEYS, batched=True)
        sut = resolve("anthropic/any", settings)
        assert isinstance(sut, BatchedSut)
        answers = await sut.batches.answers("batch-1")
        await sut.aclose()

    assert answers == {"a": b'{"id":"m"}'}


@providers
async def test_lines_that_expired_and_lines_that_were_refused_are_errors(provider: str) -> None:
    async with client(batches=BatchFaults(expired=1.0)) as expiring, client(forbidden="beta") as refusing:
        outcomes = []
        for server in (expiring.server, refusing.server):
            sut = batched(provider, server)
            lines = lines_for(sut)
            batch_id = await sut.batches.submit(lines, mark_of(lines))
            await ended(sut, batch_id)
            outcomes.append(await sut.batches.answers(batch_id))
            await sut.aclose()

    expired, refused = outcomes
    assert all(isinstance(error, SutError) and error.retryable for error in expired.values())
    assert not expiring.server.log
    kinds = {name: error.kind for name, error in refused.items() if isinstance(error, SutError)}
    assert kinds == {"id-1": ErrorKind.AUTH}


@providers
async def test_a_wrong_key_is_refused(provider: str) -> None:
    async with client(key="sk-another-key") as asked:
        sut = batched(provider, asked.server)
        lines = lines_for(sut)

        with pytest.raises(SutError) as refused:
            await sut.batches.submit(lines, mark_of(lines))
        await sut.aclose()

    assert refused.value.kind is ErrorKind.AUTH
    assert not refused.value.retryable


@pytest.mark.parametrize("name", ["sim/any", "openrouter/a/b", "vllm/any"])
def test_only_openai_and_anthropic_have_batch_apis(name: str) -> None:
    settings = Settings(environment={**KEYS, "OPENROUTER_API_KEY": "sk-test"}, batched=True)

    with pytest.raises(UnknownSutError, match="--batch-api"):
        resolve(name, settings)


@pytest.mark.parametrize("text", ["polls", "polls=x", "polls=-1", "expired=2", "speed=1"])
def test_misspelt_faults_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"--batches: .* is none of polls, expired, lost, cut"):
        parse_batch_faults(text)


async def test_openai_s_own_client_reads_the_simulated_batches() -> None:
    import openai

    async with client(batches=BatchFaults(polls=1)) as asked:
        sdk = openai.AsyncOpenAI(base_url=f"{asked.server.url}/v1", api_key="sk-test")
        body = {"model": "any", "messages": [{"role": "user", "content": "Change alpha."}]}
        line = {"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": body}
        file = await sdk.files.create(file=("lines.jsonl", orjson.dumps(line)), purpose="batch")
        made = await sdk.batches.create(
            input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h", metadata={"run": "r1"}
        )
        states = [(await sdk.batches.retrieve(made.id)).status for _ in range(2)]
        (listed,) = [batch async for batch in sdk.batches.list()]
        assert listed.output_file_id is not None
        results = orjson.loads((await sdk.files.content(listed.output_file_id)).content)
        await sdk.close()

    assert (made.status, states) == ("in_progress", ["in_progress", "completed"])
    assert listed.metadata == {"run": "r1"}
    assert results["custom_id"] == "a"
    assert "alpha.py" in results["response"]["body"]["choices"][0]["message"]["content"]


async def test_anthropic_s_own_client_reads_the_simulated_batches() -> None:
    import anthropic

    async with client(batches=BatchFaults(polls=1)) as asked:
        sdk = anthropic.AsyncAnthropic(base_url=asked.server.url, api_key="sk-test")
        params: Mapping[str, object] = {
            "model": "any",
            "max_tokens": 1000,
            "messages": [{"role": "user", "content": "Change alpha."}],
        }
        made = await sdk.messages.batches.create(requests=[{"custom_id": "a", "params": params}])  # type: ignore[typeddict-item]
        states = [(await sdk.messages.batches.retrieve(made.id)).processing_status for _ in range(2)]
        (result,) = [result async for result in await sdk.messages.batches.results(made.id)]
        await sdk.close()

    assert states == ["in_progress", "ended"]
    assert result.result.type == "succeeded"
    assert "alpha.py" in result.result.message.to_json()
