"""How alike the new line and every line of its program are, one array a measure, computed for all lines at once."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import Indel, JaroWinkler, Postfix, Prefix

from runner.suites.codrep.ranker.lexer import NEWLINE, WordKind, subwords
from runner.suites.codrep.ranker.program import Bools, Floats, Ints, Program, count_pairs, has_letters, spell
from runner.suites.codrep.ranker.trigrams import trigram_dice

PUNCTUATION_WEIGHT = 0.2
# In a line's shape all names are one, all types, all numbers, all strings; keywords and punctuation stay.
SHAPES = {
    WordKind.NAME: 0,
    WordKind.CONSTANT: 0,
    WordKind.TYPE: 1,
    WordKind.PRIMITIVE: 1,
    WordKind.NUMBER: 2,
    WordKind.STRING: 3,
}
BRACKETS = {"parens": "()", "braces": "{}", "squares": "[]"}
NEAR = {"near_3": 3, "near_10": 10}

Scorer = Callable[..., float]


@dataclass(frozen=True, slots=True, eq=False)
class LineMeasures:
    """What is known of every line (n + 1, the new line first) before any is chosen.

    - `by_name`: the similarities, each an array over the lines.
    - `counts`, `rarity`: for each word how often the program has it, and the logarithm of lines per occurrence.
    - `shared`: the weight of the new line's words that each line has.
    - `parts`, `part_weights`: which of the new line's sub-words (columns) each line has, and their rarities.
    - `shapes`, `spelled`: each line as a string of word kinds, and of words.
    """

    by_name: dict[str, Floats]
    counts: Ints
    rarity: Floats
    shared: Floats
    parts: Bools
    part_weights: Floats
    shapes: list[str]
    spelled: list[str]


def measure(program: Program) -> LineMeasures:
    """Compare the new line with every line."""
    lines = len(program.raw)
    counts = np.bincount(program.tokens[program.start[1] :], minlength=len(program.words))
    weights = np.where(has_letters(program.kinds), 1, PUNCTUATION_WEIGHT)
    rarity = np.maximum(np.log((lines + 1) / (counts + 0.5)), 0) * weights
    words, shared = _word_measures(program, rarity)
    parts, part_weights = _parts(program)
    whole = parts[0] @ part_weights
    shapes = spell(program, _shape_codes(program))
    spelled = spell(program, np.arange(len(program.words)))
    by_name = _text_measures(program) | words
    by_name |= _spelled_measures(program.sizes, spelled)
    by_name["shape"] = _compare(Indel.normalized_similarity, shapes)
    by_name["subword_cover"] = parts @ part_weights / whole if whole > 0 else np.zeros(lines)
    for name, pair in BRACKETS.items():
        by_name[name] = _net(program, pair)
    # The new line, as line 0, counts as near a file's first lines: so the shipped model has learned it.
    for name, radius in NEAR.items():
        by_name[name] = window(shared, radius) / max(shared[0], 1e-6)
    by_name |= _edge_measures(program)
    return LineMeasures(by_name, counts, rarity, shared, parts, part_weights, shapes, spelled)


def _compare(scorer: Scorer, lines: Sequence[str]) -> Floats:
    """The first of the lines against all."""
    row: Floats = process.cdist(lines[:1], lines, scorer=scorer, dtype=np.float32)[0]
    return row


def _text_measures(program: Program) -> dict[str, Floats]:
    """Similarities of characters, computed once for lines of one text."""
    texts = program.texts
    lengths = np.array([len(text) for text in texts], np.float32)
    longer, shorter = np.maximum(lengths, max(lengths[0], 1)), np.minimum(lengths, lengths[0])
    prefix, suffix = _compare(Prefix.similarity, texts), _compare(Postfix.similarity, texts)
    distinct = {
        "indel": _compare(Indel.normalized_similarity, texts),
        "jaro_winkler": _compare(JaroWinkler.normalized_similarity, texts),
        "prefix": prefix / longer,
        "suffix": suffix / longer,
        "cover": np.minimum(prefix + suffix, shorter) / longer,
        "trigram": trigram_dice(program),
        "length_ratio": shorter / longer,
    }
    return {name: values[program.text_of] for name, values in distinct.items()}


def _word_measures(program: Program, rarity: Floats) -> tuple[dict[str, Floats], Floats]:
    """Similarities of bags of words, and the weight of the new line's words that each line has."""
    lines = len(program.raw)
    words, counts = np.unique(program.tokens[: program.start[1]], return_counts=True)
    columns = np.full(len(program.words), -1)
    columns[words] = np.arange(len(words))
    column_of = columns[program.tokens]
    hit = np.flatnonzero(column_of >= 0)
    has = count_pairs(program.line_of[hit], column_of[hit], lines, len(words))
    lines_with = (has[1:] > 0).sum(axis=0)
    weights = np.maximum(np.log((lines + 1) / (lines_with + 0.5)), 0)
    weights *= np.where(has_letters(program.kinds[words]), 1, PUNCTUATION_WEIGHT)
    common = np.minimum(has, counts)
    weight_of = np.bincount(program.line_of, rarity[program.tokens], minlength=lines)
    common_weight = common @ weights
    measures = {
        "word_dice": 2 * common.sum(axis=1) / np.maximum(program.sizes + program.sizes[0], 1),
        "rare_dice": 2 * common_weight / np.maximum(weight_of + weight_of[0], 1e-6),
        "rare_cover": common_weight / max(counts @ weights, 1e-6),
    }
    return measures, (has > 0) @ weights


def _spelled_measures(sizes: Ints, spelled: list[str]) -> dict[str, Floats]:
    """Similarities of sequences of words."""
    longer = np.maximum(sizes, max(sizes[0], 1))
    return {
        "word_indel": _compare(Indel.normalized_similarity, spelled),
        "word_prefix": _compare(Prefix.similarity, spelled) / longer,
        "word_suffix": _compare(Postfix.similarity, spelled) / longer,
    }


def _shape_codes(program: Program) -> Ints:
    codes = np.arange(len(program.words)) + len(SHAPES)
    for kind, code in SHAPES.items():
        codes[program.kinds == kind] = code
    return codes


def _net(program: Program, pair: str) -> Floats:
    """How many more brackets a line opens than it closes, less the same of the new line."""
    step = np.zeros(len(program.words))
    for bracket, change in zip(pair, (1, -1), strict=True):
        if bracket in program.ids:
            step[program.ids[bracket]] = change
    net = np.bincount(program.line_of, step[program.tokens], minlength=len(program.raw))
    difference: Floats = net - net[0]
    return difference


def _edge_measures(program: Program) -> dict[str, Floats]:
    """Whether lines begin and end with the same word."""
    last = max(len(program.tokens) - 1, 0)
    padded = np.append(program.tokens, -1)
    first_words = np.where(program.sizes > 0, padded[np.minimum(program.start[:-1], last)], -1)
    last_words = np.where(program.sizes > 0, padded[np.maximum(program.start[1:] - 1, 0)], -1)
    return {
        "same_first": (first_words == first_words[0]).astype(np.float32),
        "same_last": (last_words == last_words[0]).astype(np.float32),
    }


def _parts(program: Program) -> tuple[Bools, Floats]:
    """Which lines have which sub-word of the new line, and how rare each is."""
    lines = len(program.raw)
    parts_of_new = {part for word in program.words_of(0) for part in subwords(word) if len(part) > 1}
    # The longest first: of two that begin alike, a regular expression takes the one it meets first.
    parts = sorted(parts_of_new, key=lambda part: (-len(part), part))
    has = np.zeros((lines, len(parts)), np.bool_)
    if not parts:
        return has, np.zeros(0)
    column = {part: index for index, part in enumerate(parts)}
    vocabulary = NEWLINE.join(program.words[1:]).lower()
    ends = np.flatnonzero(np.frombuffer(vocabulary.encode("utf-32-le", "surrogatepass"), np.uint32) == ord(NEWLINE))
    part_hits = [(hit.start(), column[hit.group()]) for hit in re.finditer("|".join(parts), vocabulary)]
    at, columns = np.array(part_hits).T
    in_word = np.zeros((len(program.words), len(parts)), np.bool_)
    in_word[np.searchsorted(ends, at) + 1, columns] = True
    any_part: Bools = np.logical_or.reduce(in_word, axis=1)
    hits = np.flatnonzero(any_part[program.tokens])
    rows, columns = np.nonzero(in_word[program.tokens[hits]])
    has[program.line_of[hits[rows]], columns] = True
    return has, np.maximum(np.log((lines + 1) / (has[1:].sum(axis=0) + 0.5)), 0.05)


def window(values: Floats, radius: int) -> Floats:
    """The sum of the values at most `radius` lines away, the line itself included."""
    sums = np.concatenate([[0], np.cumsum(values)])
    at = np.arange(len(values))
    inside: Floats = sums[np.minimum(at + radius + 1, len(values))] - sums[np.maximum(at - radius, 0)]
    return inside
