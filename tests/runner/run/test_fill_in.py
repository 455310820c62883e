"""Fill-in-the-middle prompts are refused where the server or the model would not read them as such."""

import json

import pytest

from prompts.fim import FAMILIES
from runner.errors import InputError
from runner.run.fill_in import check_fill_in, cut_by_server
from runner.run.plan import FillIn
from suts.registry import resolve
from suts.server_facts import UNKNOWN, ServerFacts, facts_of, server_of
from suts.settings import Settings
from suts.simulated.config import ServerConfig
from suts.simulated.llamacpp import LlamaCpp
from suts.simulated.server import serving
from suts.sut import Request
from tests.suts.conftest import Step, plain
from tests.suts.conftest import serving as scripted

SUFFIX = FillIn(suffix="fim/suffix")
LLAMA = ServerConfig(llamacpp=LlamaCpp(4096), parameters="ttft_ms=0&gap_ms=0")


def marked(*families: str) -> FillIn:
    return FillIn({f"fim/{name}": FAMILIES[name].tokens for name in families})


def counted(*prompt_tokens: int | None) -> list[list[Step]]:
    """Answers to text completions that report so many tokens of their prompts."""
    usages = [{} if count is None else {"usage": {"prompt_tokens": count}} for count in prompt_tokens]
    return [plain(json.dumps({"choices": [{"text": "a"}], **usage}).encode()) for usage in usages]


async def check(model: str, url: str, fill_in: FillIn, facts: ServerFacts | None = None) -> None:
    sut = resolve(model, Settings(base_url=f"{url}/v1", environment={"OPENAI_API_KEY": "k"}))
    try:
        await check_fill_in(sut, await facts_of(sut) if facts is None else facts, fill_in)
    finally:
        await sut.aclose()


async def test_a_server_that_ignores_the_suffix_is_refused() -> None:
    async with serving(LLAMA) as server:
        with pytest.raises(InputError, match=r"the server of openai/any ignores the suffix \(15 prompt tokens with"):
            await check("openai/any", server.url, SUFFIX)


async def test_the_same_server_fills_in_where_its_own_endpoint_is_asked() -> None:
    async with serving(LLAMA) as server:
        await check("llamacpp/any@temperature=1", server.url, SUFFIX)
        asked = [entry.wire for entry in server.log]

    assert asked == ["llamacpp-infill"]


async def test_a_server_that_reads_the_suffix_is_taken() -> None:
    async with serving(ServerConfig(parameters=LLAMA.parameters)) as server:
        await check("vllm/any", server.url, SUFFIX)

        assert len(server.log) == 2


@pytest.mark.parametrize("counts", [(None, None), (7, None)])
async def test_a_server_that_counts_nothing_is_taken_at_its_word(counts: tuple[int | None, ...]) -> None:
    async with scripted(*counted(*counts)) as server:
        await check("vllm/m", server.url, SUFFIX, UNKNOWN)

        assert [json.loads(asked.body).get("suffix") is None for asked in server.asked] == [True, False]


@pytest.mark.parametrize(
    "model, scripts, message",
    [
        pytest.param(
            "vllm/m",
            [*counted(7), plain(b'{"error":{"message":"suffix is not\\n supported"}}', status="400 Bad Request")],
            "vllm/m refuses a suffix: suffix is not supported;",
            id="a suffix is refused",
        ),
        pytest.param(
            "llamacpp/m",
            [plain(b'{"error":{"message":"prefix token is missing."}}', status="501 Not Implemented")],
            "llamacpp/m cannot fill in: prefix token is missing.;",
            id="a model without marks",
        ),
    ],
)
async def test_what_a_server_refuses_is_said_in_its_words(model: str, scripts: list[list[Step]], message: str) -> None:
    async with scripted(*scripts) as server:
        with pytest.raises(InputError, match="--prompts fim/suffix: ") as refused:
            await check(model, server.url, SUFFIX, UNKNOWN)

    assert message in str(refused.value)


async def test_a_familys_marks_have_to_be_single_tokens_of_the_model() -> None:
    async with serving(LLAMA) as server:
        await check("llamacpp/any", server.url, marked("starcoder2", "codeqwen1.5"))
        with pytest.raises(InputError, match=r"to llamacpp/any the mark '<\|fim_prefix\|>' is 4 tokens, not one"):
            await check("llamacpp/any", server.url, marked("starcoder2", "qwen2.5-coder"))


async def test_marks_are_not_checked_where_the_server_has_no_tokenizer() -> None:
    async with serving(ServerConfig(parameters=LLAMA.parameters)) as server:
        await check("vllm/any", server.url, marked("qwen2.5-coder"))

        assert server.log == []


@pytest.mark.parametrize(
    "read, warning",
    [
        pytest.param(4, "its server cuts the longest question from 5 to 4 tokens; ", id="cut"),
        pytest.param(9, "", id="with the marks"),
        pytest.param(None, "", id="no count"),
    ],
)
async def test_a_question_that_infill_would_cut_is_detected_by_a_text_of_its_size(
    read: int | None, warning: str
) -> None:
    counts = [plain(json.dumps({"tokens": [0] * count}).encode()) for count in (3, 2, 3, 2)]
    async with scripted(*counts, plain(json.dumps({"tokens_evaluated": read}).encode())) as server:
        sut = resolve("llamacpp/m", Settings(base_url=f"{server.url}/v1"))
        asked = server_of(sut)
        assert asked is not None
        request = Request("", (), prompt="def f", suffix="pass")
        warned = await cut_by_server(asked, ServerFacts(tokenizer="llamacpp"), request)
        await sut.aclose()
        sent = json.loads(server.asked[-1].body)

    assert warned.startswith(warning)
    assert bool(warned) is bool(warning)
    assert (sent["input_prefix"], sent["input_suffix"], sent["n_predict"]) == (" a a a", " a a", 1)


async def test_a_server_that_is_gone_is_left_to_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    async with scripted(["reset"]) as server:
        await check("vllm/m", server.url, SUFFIX, UNKNOWN)

    assert "vllm/m: it is not known whether it reads the marks of fill-in-the-middle: " in capsys.readouterr().err
