"""Filler text for simulated answers: sentences that hold no tag, no marker and no code."""

from suts.simulated.draws import Key, digest, pick, unit

_SENTENCES = (
    "I have read the file and the request, and the change is a small one.",
    "The place to edit is easy to find, so one call is enough.",
    "Nothing else in the project depends on these lines.",
    "I keep the existing style, the names and the order of the definitions.",
    "The surrounding code stays exactly as it is.",
    "First I looked for other callers, and there are none that would break.",
    "This keeps the behaviour of the other branches and only alters what was asked for.",
    "An alternative would be to restructure the whole module, but that would be more than was requested.",
    "The edit below does this in as few lines as possible.",
    "After this step the tests should be run once more to be safe.",
    "Let me make the change now.",
    "I also checked the indentation, which the file uses consistently.",
)
_NOUNS = ("total", "buffer", "entry", "handler", "offset", "session", "window", "parcel", "ledger", "cursor")
_VERBS = ("resolve", "collect", "normalise", "refresh", "encode", "merge", "validate", "expand")


def sentences(key: Key, mean_words: int) -> str:
    """About `mean_words` words of prose (half of it to one and a half times), "" for 0."""
    target = round(mean_words * (0.5 + unit((*key, "words"))))
    parts: list[str] = []
    words = 0
    while words < target:
        parts.append(pick((*key, "sentence", len(parts)), _SENTENCES))
        words += parts[-1].count(" ") + 1
    return " ".join(parts)


def padding(key: Key, length: int) -> str:
    """Prose of at least `length` characters."""
    parts: list[str] = []
    size = 0
    while size < length:
        parts.append(pick((*key, "padding", len(parts)), _SENTENCES))
        size += len(parts[-1]) + 1
    return " ".join(parts)


def invented_line(key: Key) -> str:
    """Return a line of code, without indentation and newline, that no file holds: it carries 48 bits of the key."""
    noun, verb = pick((*key, "noun"), _NOUNS), pick((*key, "verb"), _VERBS)
    token = digest((*key, "token"), 12)
    return f"{noun}_{token[:6]} = {verb}_{token[6:]}({noun})"
