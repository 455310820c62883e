"""Whether the model that answered is the one that was asked for, by its name as the server reports it."""

import re

from suts.variants import without_changes

# The date or the number of a release: 2024-08-06, 20250929, 0613, 2411, 001.
_RELEASE = re.compile(r"[-@_](?:20\d\d-?\d\d-?\d\d|[01]\d[0-3]\d|2[3-9][01]\d|00\d)(?=$|[-@_:])")
_FILE = re.compile(r"\.(?:gguf|bin|safetensors)$")
# Words that name a way to serve a model, not a model.
_SERVING = frozenset({"exacto", "extended", "floor", "free", "latest", "nitro", "online", "simulated"})


def asked_model(sut: str) -> str:
    """Return the model that a system's name asks for, without its provider and its changes."""
    return without_changes(sut).partition("/")[2] or sut


def is_same_model(requested: str, served: str) -> bool:
    """Return whether two names can be of one model.

    Paths, the order of words, upper case and the extension of a file do not count, nor does the date of a release that
    only one of the names has: `gpt-4o` and `gpt-4o-2024-08-06` are one model, `gpt-4o` and `gpt-4o-mini` are two.
    """
    left, right = _plain(requested), _plain(served)
    pairs = ((left, right), (left, _undated(right)), (_undated(left), right))
    return any(_words(first) == _words(second) for first, second in pairs)


def _plain(name: str) -> str:
    return _FILE.sub("", name.partition("?")[0].strip("/").rpartition("/")[2].lower())


def _undated(name: str) -> str:
    return _RELEASE.sub("", name)


def _words(name: str) -> list[str]:
    return sorted(word for word in re.split(r"[^a-z0-9]+", name) if word and word not in _SERVING)
