"""Features of the two texts: how alike the new line and a candidate are as characters, words, and shapes."""

import re

import numpy as np
from rapidfuzz import fuzz, process
from rapidfuzz.distance import Indel, Levenshtein

from runner.suites.codrep.ranker.candidates import Candidates
from runner.suites.codrep.ranker.program import Columns

MEASURED = (
    *("indel", "jaro_winkler", "prefix", "suffix", "cover", "trigram", "length_ratio", "word_dice", "rare_dice"),
    *("rare_cover", "word_indel", "word_prefix", "word_suffix", "shape", "subword_cover", "same_first", "same_last"),
    *("parens", "braces", "squares"),
)

# Of a longer new line the beginning is sought in the old one: the time for that grows with the cube.
LONGEST_PART = 1000

_NO_WORD = re.compile(r"\W+")


def text_features(candidates: Candidates) -> Columns:
    """One array over the candidates for each feature."""
    program, at, bag = candidates.program, candidates.at, candidates.bag
    new, old = program.stripped[0], [program.stripped[line] for line in at.tolist()]
    columns = {name: candidates.measures.by_name[name][at] for name in MEASURED}
    new_words, folded = [new], [text.lower() for text in old]
    shapes = candidates.measures.shapes
    lengths = np.array([len(text) for text in old])
    bare = _NO_WORD.sub("", new)
    common_parts = (bag.old_parts & bag.new_parts).sum(axis=1)
    return columns | {
        "similarity": candidates.similarity,
        "folded_indel": process.cdist([new.lower()], folded, scorer=Indel.normalized_similarity)[0],
        "levenshtein": process.cdist(new_words, old, scorer=Levenshtein.normalized_similarity)[0],
        "edit_distance": process.cdist(new_words, old, scorer=Levenshtein.distance)[0],
        "partial": process.cdist([new[:LONGEST_PART]], old, scorer=fuzz.partial_ratio)[0],
        "token_set": process.cdist(new_words, old, scorer=fuzz.token_set_ratio)[0],
        "token_sort": process.cdist(new_words, old, scorer=fuzz.token_sort_ratio)[0],
        "subword_dice": 2 * common_parts / np.maximum(bag.new_parts.sum() + bag.old_parts.sum(axis=1), 1),
        "same_shape": np.array([shapes[line] == shapes[0] for line in at.tolist()]),
        "same_letters": np.array([_NO_WORD.sub("", text) == bare for text in old]),
        "length_old": lengths,
        "length_new": np.full(len(at), len(new)),
        "length_change": len(new) - lengths,
        "words_old": program.sizes[at],
        "words_new": np.full(len(at), program.sizes[0]),
        "statement_old": candidates.statements.kinds[at],
        "statement_new": np.full(len(at), candidates.statements.kinds[0]),
        "same_statement": candidates.statements.kinds[at] == candidates.statements.kinds[0],
    }
