"""Accepts the words of Cline's evaluation whose form differs from ours: a bare `--save-locally`."""

from collections.abc import Sequence

_SAVE, _OUTPUT = "--save-locally", "--output-path"
# The folder of the original, relative to its program; here to the current folder.
_DEFAULT_FOLDER = "results"


def with_folder(words: Sequence[str]) -> list[str]:
    """Return the words with a folder after a bare `--save-locally`; `--output-path` names it where it is given."""
    end = words.index("--") if "--" in words else len(words)
    names_folder = any(word.partition("=")[0] == _OUTPUT for word in words[:end])
    result = list[str]()
    for at, word in enumerate(words):
        bare = word == _SAVE and at < end and (at + 1 == end or words[at + 1].startswith("-"))
        if bare and names_folder:
            continue
        result += [word, _DEFAULT_FOLDER] if bare else [word]
    return result
