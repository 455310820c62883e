"""OpenAI-compatible text completions: the model continues a prompt as it stands, for fill-in-the-middle.

vLLM, llama.cpp, LM Studio, Ollama, OpenRouter and OpenAI itself answer at `/completions`. Their chunks are those of
chat completions with `text` in place of a delta, so the wire `openai-chat` reads them.
"""

from collections.abc import Mapping

from suts.posting import Body
from suts.sut import ErrorKind, Request, SutError


def text_body(model: str, request: Request, *, stream_options: Mapping[str, object]) -> Body:
    """Return the body for this endpoint, before encoding. Raises SutError for unsupported settings."""
    sampling = request.sampling
    if sampling.thinking_budget or sampling.effort is not None:
        raise SutError(
            ErrorKind.BAD_REQUEST,
            "text completions do not support effort or thinking; remove these settings",
            retryable=False,
        )
    body: Body = {
        "model": model,
        "prompt": request.prompt,
        sampling.limit_name or "max_tokens": sampling.max_tokens,
        "stream": True,
        "stream_options": {"include_usage": True, **stream_options},
    }
    optional = {
        "suffix": request.suffix,
        "seed": sampling.seed,
        "temperature": sampling.temperature,
        "stop": list(sampling.stop) or None,
    }
    return body | {name: value for name, value in optional.items() if value is not None}
