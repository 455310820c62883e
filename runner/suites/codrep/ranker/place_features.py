"""Features of the place: where a candidate stands, what stands around it, what of the new line is found near it."""

from collections.abc import Mapping

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import Indel

from runner.suites.codrep.ranker.candidates import Candidates
from runner.suites.codrep.ranker.measures import window
from runner.suites.codrep.ranker.neighbours import first_words, last_words, neighbours
from runner.suites.codrep.ranker.occurrences import FAR, Occurrences
from runner.suites.codrep.ranker.program import Bools, Columns, Floats, Ints, Program, is_name
from runner.suites.codrep.ranker.statements import HEADS

TAB = 4
SHARED_RADII = (2, 5, 15)
PART_RADII = (3, 10)
# The informative last words of lines, as small numbers; 0 is any other.
ENDS = dict(
    zip(
        (";", "{", "}", ",", "(", ")", ":", "*/", "*", "+", ".", "&&", "||", "=", "/*", "//", "->"),
        range(1, 18),
        strict=True,
    )
)


def place_features(candidates: Candidates, occurrences: Occurrences) -> Columns:
    """One array over the candidates for each feature."""
    return (
        _position(candidates)
        | _around(candidates)
        | _shared_near(candidates)
        | _parts_near(candidates)
        | _words_near(candidates, occurrences)
    )


def _position(candidates: Candidates) -> Columns:
    """Where in the file, how deep, and among how many equal lines."""
    program, at = candidates.program, candidates.at
    last = len(program.raw) - 1
    same = program.text_of[at][:, None] == program.text_of[None, 1:]
    earlier = np.arange(1, last + 1) < at[:, None]
    of_new = np.flatnonzero(program.text_of[1:] == 0) + 1
    distance = np.abs(at[:, None] - of_new).min(axis=1, initial=FAR)
    equal = same.sum(axis=1)
    before = (same & earlier).sum(axis=1)
    return {
        "relative": at / last,
        "line": np.log1p(at),
        "lines": np.full(len(at), last),
        "indent": np.array([_indent(program.raw[line]) for line in at.tolist()]),
        "equal": equal,
        "equal_before": before,
        "equal_after": equal - before - 1,
        "new_text_distance": np.log1p(distance),
    }


def _indent(line: str) -> int:
    space = line[: len(line) - len(line.lstrip())]
    return len(space) + (TAB - 1) * space.count("\t")


def _around(candidates: Candidates) -> Columns:
    """The nearest lines before and after: how alike they are to the old line and to the new one."""
    program, at, measures = candidates.program, candidates.at, candidates.measures
    columns: Columns = {}
    sides = neighbours(program, at)
    for side, beside in zip(("before", "after"), sides, strict=True):
        inside = beside > 0
        for name in ("indel", "trigram", "shape"):
            columns[f"{side}_new_{name}"] = measures.by_name[name][beside] * inside
        for name, texts in (("indel", program.stripped), ("shape", measures.shapes)):
            pairs = [[texts[line] for line in lines.tolist()] for lines in (at, beside)]
            columns[f"{side}_old_{name}"] = process.cpdist(*pairs, scorer=Indel.normalized_similarity) * inside
        columns[f"{side}_gap"] = np.abs(beside - at) * inside
        columns[f"{side}_is_new"] = (program.text_of[beside] == 0) & inside
        columns[f"{side}_is_old"] = program.text_of[beside] == program.text_of[at]
    for side, beside in zip(("before", "after"), neighbours(program, at, 2), strict=True):
        columns[f"{side}_2_new_trigram"] = measures.by_name["trigram"][beside] * (beside > 0)
    columns["before_end"] = _codes(program, last_words(program, sides[0]), ENDS)
    columns["old_end"] = _codes(program, last_words(program, at), ENDS)
    columns["before_head"] = _codes(program, first_words(program, sides[0]), HEADS)
    columns["after_head"] = _codes(program, first_words(program, sides[1]), HEADS)
    return columns | _sorted_fit(program, at, sides)


def _codes(program: Program, words: Ints, table: Mapping[str, int]) -> Ints:
    codes = np.zeros(len(program.words), np.int64)
    for word, code in table.items():
        if word in program.ids:
            codes[program.ids[word]] = code
    return codes[words]


def _sorted_fit(program: Program, at: Ints, sides: tuple[Ints, Ints]) -> Columns:
    """Whether the new and the old line stand in order between their neighbours: bit 1 the one before, bit 2 after."""
    texts, new = program.stripped, program.stripped[0]
    triples = list(zip(sides[0].tolist(), at.tolist(), sides[1].tolist(), strict=True))
    return {
        "sorted_new": np.array([(texts[a] < new) + 2 * (new < texts[b]) for a, _, b in triples]),
        "sorted_old": np.array([(texts[a] < texts[line]) + 2 * (texts[line] < texts[b]) for a, line, b in triples]),
    }


def _shared_near(candidates: Candidates) -> Columns:
    """How much of the new line's words stands within some lines, the candidate itself left out."""
    shared, at = candidates.measures.shared, candidates.at
    whole = max(shared[0], 1e-6)
    return {f"near_{radius}": (window(shared, radius)[at] - shared[at]) / whole for radius in SHARED_RADII}


def _parts_near(candidates: Candidates) -> Columns:
    """How many of the sub-words that the candidate lacks stand within some lines of it."""
    parts, weights, at = candidates.measures.parts, candidates.measures.part_weights, candidates.at
    lines = len(parts)
    sums = np.concatenate([np.zeros((1, len(weights)), np.int64), np.cumsum(parts, axis=0)])
    lacking = ~parts[at]
    columns: Columns = {"parts_lacking": lacking @ weights}
    for radius in PART_RADII:
        near = sums[np.minimum(at + radius + 1, lines)] - sums[np.maximum(at - radius, 1)] - parts[at]
        columns[f"parts_lacking_near_{radius}"] = (lacking & (near > 0)) @ weights
    return columns


def _words_near(candidates: Candidates, occurrences: Occurrences) -> Columns:
    """How far the inserted, removed and kept names occur next: the nearest, the mean, the farthest."""
    bag = candidates.bag
    names = is_name(candidates.program.kinds[bag.words])
    columns: Columns = {}
    for name, table in (("inserted", bag.inserted), ("removed", bag.removed), ("kept", bag.kept)):
        columns |= _distances(name, (table > 0) & names, candidates, occurrences)
    return columns


def _distances(name: str, mask: Bools, candidates: Candidates, occurrences: Occurrences) -> Columns:
    rows, columns = np.nonzero(mask)
    before, after = occurrences.nearest(candidates.bag.words[columns], candidates.at[rows])
    logs: dict[str, Floats] = {}
    for side, distances in (("before", before), ("after", after), ("any", np.minimum(before, after))):
        logs[side] = np.zeros(mask.shape)
        logs[side][rows, columns] = np.log1p(distances)
    some, number = mask.any(axis=1), np.maximum(mask.sum(axis=1), 1)
    nearest = {side: np.where(mask, table, np.inf).min(axis=1, initial=np.inf) for side, table in logs.items()}
    values = {
        f"{name}_nearest": nearest["any"],
        f"{name}_nearest_before": nearest["before"],
        f"{name}_nearest_after": nearest["after"],
        f"{name}_mean": logs["any"].sum(axis=1) / number,
        f"{name}_farthest": logs["any"].max(axis=1, initial=0),
        f"{name}_mean_before": logs["before"].sum(axis=1) / number,
    }
    return {key: np.where(some, value, -1) for key, value in values.items()}
