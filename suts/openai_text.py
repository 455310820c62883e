"""OpenAI-compatible text completions, and llama.cpp's `/infill`: the model continues a prompt as it stands.

vLLM, llama.cpp, LM Studio, Ollama, OpenRouter and OpenAI itself answer at `/completions`. Their chunks are those of
chat completions with `text` in place of a delta, so the wire `openai-chat` reads them. llama.cpp's server ignores
`suffix` there, without an error; its own `/infill` takes prefix and suffix and puts the model's marks around them.
"""

from collections.abc import Mapping

from suts.posting import Body
from suts.sut import ErrorKind, Request, Sampling, SutError


def text_body(model: str, request: Request, *, stream_options: Mapping[str, object]) -> Body:
    """Return the body for this endpoint, before encoding. Raises SutError for unsupported settings."""
    sampling = request.sampling
    _refuse_reasoning(sampling)
    body: Body = {
        "model": model,
        "prompt": request.prompt,
        sampling.limit_name or "max_tokens": sampling.max_tokens,
        "stream": True,
        "stream_options": {"include_usage": True, **stream_options},
    }
    return body | _optional(suffix=request.suffix, **_sampled(sampling))


def infill_body(model: str, request: Request) -> Body:
    """Return the body for `/infill` of llama.cpp's server. Raises SutError for unsupported settings."""
    sampling = request.sampling
    _refuse_reasoning(sampling)
    body: Body = {
        "model": model,
        "input_prefix": request.prompt,
        "input_suffix": request.suffix,
        "n_predict": sampling.max_tokens,
        "stream": True,
    }
    return body | _optional(**_sampled(sampling))


def _sampled(sampling: Sampling) -> Body:
    return {"seed": sampling.seed, "temperature": sampling.temperature, "stop": list(sampling.stop) or None}


def _optional(**values: object) -> Body:
    return {name: value for name, value in values.items() if value is not None}


def _refuse_reasoning(sampling: Sampling) -> None:
    if sampling.thinking_budget or sampling.effort is not None:
        raise SutError(
            ErrorKind.BAD_REQUEST,
            "text completions do not support effort or thinking; remove these settings",
            retryable=False,
        )
