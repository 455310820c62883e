"""The features of a candidate in the order of the model's columns: name, group, meaning."""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from runner.suites.codrep.ranker.list_features import COMPARED, RANKED
from runner.suites.codrep.ranker.program import Columns, Floats

_TEXT = {
    "indel": "similarity of characters, insertions and deletions alone (0 to 1, as all similarities)",
    "jaro_winkler": "Jaro-Winkler similarity of characters",
    "prefix": "common beginning, as a share of the longer line",
    "suffix": "common end, as a share of the longer line",
    "cover": "common beginning and end together",
    "trigram": "Dice's coefficient of character trigrams",
    "length_ratio": "the shorter length over the longer",
    "word_dice": "Dice's coefficient of words",
    "rare_dice": "the same, words weighted by rarity in the file",
    "rare_cover": "the share of the new line's rare words that the old line has",
    "word_indel": "similarity of the sequences of words",
    "word_prefix": "common words at the beginning",
    "word_suffix": "common words at the end",
    "shape": "similarity of the sequences of kinds of word",
    "subword_cover": "the share of the new line's sub-words that the old line has, by rarity",
    "same_first": "the first words are equal",
    "same_last": "the last words are equal",
    "parens": "difference of the net count of ()",
    "braces": "difference of the net count of {}",
    "squares": "difference of the net count of []",
    "similarity": "the sum that chose the long list",
    "folded_indel": "indel in lower case",
    "levenshtein": "Levenshtein similarity",
    "edit_distance": "Levenshtein distance in characters",
    "partial": "best similarity to a part (0 to 100)",
    "token_set": "similarity of the sets of blank-separated pieces (0 to 100)",
    "token_sort": "similarity of the sorted pieces (0 to 100)",
    "subword_dice": "Dice's coefficient of sub-words",
    "same_shape": "the shapes are equal",
    "same_letters": "equal but for punctuation and spaces",
    "length_old": "characters of the old line",
    "length_new": "characters of the new line",
    "length_change": "characters that the edit adds",
    "words_old": "words of the old line",
    "words_new": "words of the new line",
    "statement_old": "kind of statement of the old line",
    "statement_new": "kind of statement of the new line",
    "same_statement": "the kinds are equal",
}
_CHANGED = {
    "name": "names",
    "type": "types",
    "constant": "constants",
    "keyword": "keywords and primitive types",
    "number": "numbers",
    "string": "strings",
    "punctuation": "operators and brackets",
    "words": "words of any kind",
    "letters": "characters of the words",
    "rarity": "summed rarity of the words",
    "unseen": "names that occur nowhere else",
    "rarest": "log of the rarest name's other occurrences",
    "commonest": "log of the commonest name's other occurrences",
}
_EDIT = {
    **{f"{side}_{name}": f"{side}: {what}" for side in ("inserted", "removed") for name, what in _CHANGED.items()},
    "rename": "similarity of the most alike inserted and removed word",
    "rename_inserted": "mean over the inserted words of the best",
    "rename_removed": "mean over the removed words of the best",
    "hunks": "places where the words change",
    "replaced": "those where words are replaced, not only added or removed",
    "middle_old": "characters between the common beginning and end, old",
    "middle_new": "the same, new",
    "middle_indel": "similarity of these middles",
    "middle_folded": "the same in lower case",
    "moved": "words kept in another order",
    "same_declared": "how the declared names agree",
    "same_called": "how the called names agree",
    "same_assigned": "how the assigned names agree",
}
_HABIT = {
    "habit_words": "lexicon: inserted words and removed words",
    "habit_word_pairs": "lexicon: pairs of an inserted and a removed word",
    "habit_texts": "lexicon: the old line's text",
    "habit_shapes": "lexicon: the old shape, and both shapes",
    "habit_statements": "lexicon: the kinds of statement",
    "habit_words_by_statement": "lexicon: words within kinds of statement",
    "habit_neighbours": "lexicon: kinds of statement around",
    "habit_parts": "lexicon: sub-words",
    "habits": "the lexicon's sum",
    "outlook": "similarity and habits together",
}
_SIDE = {
    "new_indel": "indel to the new line",
    "new_trigram": "trigrams shared with the new line",
    "new_shape": "shape like the new line's",
    "old_indel": "indel to the old line",
    "old_shape": "shape like the old line's",
    "gap": "lines away",
    "is_new": "equals the new line",
    "is_old": "equals the old line",
    "2_new_trigram": "trigrams that the line one further shares with the new line",
}
_NEAREST = {
    "nearest": "log distance to the nearest name",
    "nearest_before": "the same, earlier lines alone",
    "nearest_after": "the same, later lines alone",
    "mean": "mean log distance",
    "farthest": "greatest log distance",
    "mean_before": "mean log distance, earlier lines alone",
}
_PLACE = {
    "relative": "line as a share of the file",
    "line": "log of the line",
    "lines": "lines of the file",
    "indent": "indentation in columns",
    "equal": "lines of the same text",
    "equal_before": "those before",
    "equal_after": "those after",
    "new_text_distance": "log distance to a line that is the new line",
    **{f"{side}_{name}": f"the line {side}: {what}" for side in ("before", "after") for name, what in _SIDE.items()},
    "before_end": "last word of the line before",
    "old_end": "last word of the old line",
    "before_head": "first word of the line before",
    "after_head": "first word of the line after",
    "sorted_new": "the new line is in order between its neighbours",
    "sorted_old": "the old line is",
    **{f"near_{radius}": f"the new line's words within {radius} lines, by rarity" for radius in (2, 5, 15)},
    "parts_lacking": "rarity of the new line's sub-words that the old line lacks",
    **{f"parts_lacking_near_{radius}": f"of these, those within {radius} lines" for radius in (3, 10)},
    **{f"{s}_{name}": f"{s}: {what}" for s in ("inserted", "removed", "kept") for name, what in _NEAREST.items()},
}
_IN_METHOD = {
    "in_method": "share of the names that the method has elsewhere",
    "earlier": "share that it has before the line",
    "later": "share that it has after the line",
    "known": "rarity of those that it has",
    "strange": "rarity of those that it has not",
}
_SCOPE = {
    "in_comment": "inside a comment",
    "depth": "depth of blocks",
    "block": "kind of the innermost block",
    "in_header": "in a method's header",
    "in_method": "in a method",
    "method_lines": "log of the method's lines",
    "method_place": "place in the method, 0 to 1",
    **{f"{side}_{name}": f"{side}: {what}" for side in ("inserted", "removed") for name, what in _IN_METHOD.items()},
    "header_new": "share of the new line's sub-words in the method's header",
    "header_inserted": "inserted sub-words in the header",
    "header_removed": "removed sub-words in the header",
    "returns": "type that the method returns",
    "returned_new": "what the new line returns",
    "returned_old": "what the old line returns",
    "variables_lost": "the new line's variables declared, but not where they are seen",
    "inserted_lost": "those that the edit inserts",
    "variables_local": "the new line's variables that are locals or parameters here",
    "inserted_local": "those that the edit inserts",
    "inserted_undeclared": "inserted names that the file declares nowhere",
    "inserted_declared_near": "log distance to the nearest declaration of an inserted local",
    "variables_visible": "share of the new line's variables declared and seen",
    "declares_again": "the new line declares a local that is there already",
    "declared_new_later": "later uses in the block of the name that the new line declares",
    "declared_old_later": "later uses of the name that the old line declares and the new one does not",
}
_LIST = {
    **{f"margin_{name}": f"{name} less the best other candidate's" for name in COMPARED},
    **{f"rank_{name}": f"how many candidates have more of {name}" for name in RANKED},
    "candidates": "how many candidates there are",
}
GROUPS = {"text": _TEXT, "edit": _EDIT, "habit": _HABIT, "place": _PLACE, "scope": _SCOPE, "list": _LIST}


class Feature(NamedTuple):
    """One feature; `of` is the feature that a margin or a rank compares."""

    name: str
    group: str
    meaning: str
    of: str = ""


FEATURES = tuple(
    Feature(name, group, meaning, name.partition("_")[2] if group == "list" else "")
    for group, members in GROUPS.items()
    for name, meaning in members.items()
)


def without(groups: Collection[str]) -> tuple[str, ...]:
    """The names of the features outside of some groups; margins and ranks of what is left out go too."""
    left_out = {feature.name for feature in FEATURES if feature.group in groups}
    return tuple(feature.name for feature in FEATURES if feature.name not in left_out and feature.of not in left_out)


def tabulate(columns: Columns, names: Collection[str]) -> Floats:
    """The named features as a matrix, candidates x features, of 32-bit floats."""
    return np.array([columns[name] for name in names], np.float32).T
