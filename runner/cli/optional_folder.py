"""`--save-locally` without a folder, as the original program has it: the folder is `results`, or `--output-path`."""

from collections.abc import Collection

_OPTION, _ALIAS = "--save-locally", "--output-path"
DEFAULT = "results"


def with_default_folder(words: list[str], options: Collection[str]) -> list[str]:
    """Return the words of a command line with a folder after each `--save-locally` that has none.

    It has none at the end and before another option. `options` are those of the command.
    """
    if _OPTION not in options:
        return words
    end = words.index("--") if "--" in words else len(words)
    named = any(word.partition("=")[0] == _ALIAS for word in words[:end])
    result: list[str] = []
    for index, word in enumerate(words):
        bare = word == _OPTION and index < end and (index + 1 == end or words[index + 1].startswith("-"))
        if bare and named:
            continue
        result += [word, DEFAULT] if bare else [word]
    return result
