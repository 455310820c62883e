"""What makes the simulated server play llama.cpp's: its context window, slots, tokenizer and `/infill`.

Like the real one it ignores a `suffix` at `/completions`, refuses a question that is longer than its window, and ends
answers with its own timings.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import orjson

from suts.simulated.pace import Piece
from suts.simulated.spec import PRESETS
from suts.simulated.usage import Counted

PROMPT_MS_A_TOKEN: Final = 0.5
OUTPUT_MS_A_TOKEN: Final = 10.0
# Texts that are one token each; all others are cut into tokens of four bytes.
MARKS: Final = ("<fim_prefix>", "<fim_suffix>", "<fim_middle>")
_BYTES_A_TOKEN = 4
_MODEL = "simulated.gguf"


@dataclass(frozen=True, slots=True)
class LlamaCpp:
    """The server that is played: `window` in tokens, for each of `slots`."""

    window: int
    slots: int = 1

    def page(self, method: str, path: str, body: bytes) -> object:
        """Return what this server answers in its own way; None for any other path."""
        match method, path:
            case "GET", "/models":
                card = {"object": "model", "owned_by": "llamacpp", "meta": {"n_ctx": self.window}}
                return {"object": "list", "data": [{"id": name, **card} for name in sorted(PRESETS)]}
            case "GET", "/props":
                settings = {"n_ctx": self.window}
                return {"default_generation_settings": settings, "total_slots": self.slots, "model_path": _MODEL}
            case "POST", "/tokenize":
                return {"tokens": [0] * _tokens(body)}
            case _:
                return None

    def overflow(self, prompt_tokens: int) -> bytes | None:
        """Return the body with which a question of so many tokens is refused; None for one that fits."""
        if prompt_tokens <= self.window:
            return None
        message = f"request ({prompt_tokens} tokens) exceeds the available context size ({self.window} tokens)"
        error = {"code": 400, "message": message, "type": "exceed_context_size_error"}
        return orjson.dumps({"error": {**error, "n_prompt_tokens": prompt_tokens, "n_ctx": self.window}})


def timings(usage: Counted) -> dict[str, object]:
    """Return how long an answer took, at the speed of this server."""
    prompt_ms, output_ms = usage.input * PROMPT_MS_A_TOKEN, usage.output * OUTPUT_MS_A_TOKEN
    counts = {"cache_n": usage.cache_read, "prompt_n": usage.input, "predicted_n": usage.output}
    return {**counts, "prompt_ms": prompt_ms, "predicted_ms": output_ms}


def infill_chunks(
    pieces: Iterable[Piece], model: str, finish_reason: str, usage: Counted
) -> Iterator[Mapping[str, object]]:
    """Yield the chunks of an answer of `/infill`, one a piece and one at the end."""
    for piece in pieces:
        yield {"content": piece.text, "stop": False}
    yield {
        "content": "",
        "stop": True,
        "model": model,
        "tokens_predicted": usage.output,
        "tokens_evaluated": usage.input + usage.cache_read,
        "stop_type": "limit" if finish_reason == "length" else "eos",
        "timings": timings(usage),
    }


def _tokens(body: bytes) -> int:
    content = orjson.loads(body).get("content", "")
    return 1 if content.strip() in MARKS else -(-len(content.encode()) // _BYTES_A_TOKEN)
