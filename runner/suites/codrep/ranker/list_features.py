"""Features of the list: how a candidate compares with the task's other candidates."""

import numpy as np

from runner.suites.codrep.ranker.program import Columns, Floats

# The features that are compared by margin: how much better than the best other candidate.
COMPARED = (
    *("similarity", "habits", "outlook"),
    *("indel", "jaro_winkler", "prefix", "suffix", "cover", "trigram", "word_dice", "rare_dice", "rare_cover"),
    *("word_indel", "shape", "folded_indel", "levenshtein", "edit_distance", "partial", "token_set", "token_sort"),
    *("subword_dice", "subword_cover", "middle_indel", "inserted_words", "removed_words", "hunks"),
    *("near_5", "parts_lacking", "parts_lacking_near_3", "inserted_nearest", "inserted_mean", "kept_mean"),
    *("inserted_in_method", "variables_lost", "before_new_indel", "after_new_indel"),
)
# Those that are compared by rank too.
RANKED = (
    *("similarity", "habits", "outlook", "cover", "trigram", "rare_dice", "subword_dice", "subword_cover", "token_set"),
    *("inserted_words", "parts_lacking", "inserted_mean", "kept_mean"),
)


def list_features(features: Columns) -> Columns:
    """The margins and the ranks among the candidates, and how many there are."""
    compared = _table(features, COMPARED)
    ranked = _table(features, RANKED)
    margins, ranks = margin(compared), (ranked > ranked[:, None]).sum(axis=1)
    columns: Columns = {f"margin_{name}": margins[:, column] for column, name in enumerate(COMPARED)}
    columns |= {f"rank_{name}": ranks[:, column] for column, name in enumerate(RANKED)}
    return columns | {"candidates": np.full(len(compared), len(compared))}


def _table(features: Columns, names: tuple[str, ...]) -> Floats:
    return np.stack([features[name] for name in names], axis=1).astype(np.float32)


def margin(table: Floats) -> Floats:
    """Each value less the greatest of the others in its column; 0 where there are no others."""
    if len(table) < 2:
        return np.zeros_like(table)
    second, best = np.sort(table, axis=0)[-2:]
    gaps: Floats = np.where(table == best, table - second, table - best)
    return gaps
