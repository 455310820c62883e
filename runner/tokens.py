"""How many tokens a text has: by tiktoken where its encoding is at hand offline, else by size."""

import math
import os
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

# The name under which tiktoken caches cl100k_base: without the file it would go to the network.
_CACHED = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
_BYTES_A_TOKEN = 3.5
_LETTERS = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """Counts tokens; `method` is recorded beside every count."""

    method: str
    count: Callable[[str], int]


def fewest_tokens(text: str) -> int:
    """Return a number of tokens that no tokenizer is below: none in use joins two runs of letters in one token."""
    return sum(1 for _ in _LETTERS.finditer(text))


def token_counter(*, exact: bool) -> TokenCounter:
    """With `exact` cl100k_base where it is cached on this machine; else UTF-8 bytes / 3.5.

    The encoding takes a third of a second and 60 MB to load, so only those ask for it who decide by it.
    """
    folder = encoding_folder() if exact else None
    if folder is None:
        return TokenCounter("bytes/3.5", lambda text: math.ceil(len(text.encode("utf-8", "replace")) / _BYTES_A_TOKEN))
    # tiktoken hears of its folder in no other way, and would download the encoding.
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    import tiktoken

    encoding = tiktoken.get_encoding("cl100k_base")
    return TokenCounter("cl100k_base", lambda text: len(encoding.encode(text, disallowed_special=())))


def encoding_folder() -> Path | None:
    """Return a folder that holds the encoding: tiktoken's own caches, or the copy that litellm ships (not imported)."""
    litellm = find_spec("litellm")
    folders = [
        Path(os.environ.get("TIKTOKEN_CACHE_DIR") or "-"),
        Path(tempfile.gettempdir()) / "data-gym-cache",
        *([Path(litellm.origin).parent / "litellm_core_utils/tokenizers"] if litellm and litellm.origin else []),
    ]
    return next((folder for folder in folders if (folder / _CACHED).is_file()), None)
