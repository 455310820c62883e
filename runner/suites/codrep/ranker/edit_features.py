"""Features of the edit: what replacing a candidate by the new line would insert, remove and keep."""

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import Indel, JaroWinkler, Levenshtein, Postfix, Prefix

from runner.suites.codrep.ranker.candidates import Candidates
from runner.suites.codrep.ranker.lexicon import GROUPS
from runner.suites.codrep.ranker.program import Columns, Ints, has_letters, is_name
from runner.suites.codrep.ranker.statements import NO_SUBJECT

# The kinds of words that are counted, and the column for each Kind; primitive types count as keywords.
COUNTED = ("name", "type", "constant", "keyword", "number", "string", "punctuation")
COLUMN_OF = np.array([-1, 0, 1, 2, 3, 3, 4, 5, 6])
# Stands for "no such word" where the fewest occurrences of some words are asked for.
NO_WORD = 10_000


def edit_features(candidates: Candidates) -> Columns:
    """One array over the candidates for each feature."""
    bag = candidates.bag
    columns: Columns = {}
    for name, table in (("inserted", bag.inserted), ("removed", bag.removed)):
        columns |= _word_counts(candidates, name, table)
        columns |= _frequencies(candidates, name, table)
    columns |= _renames(candidates)
    columns |= _hunks(candidates)
    columns |= _middles(candidates)
    sizes = candidates.program.sizes
    in_order = candidates.measures.by_name["word_indel"][candidates.at] * (sizes[0] + sizes[candidates.at]) / 2
    columns["moved"] = bag.kept.sum(axis=1) - in_order
    lines = candidates.statements
    subjects = {"declared": lines.declared, "called": lines.called, "assigned": lines.assigned}
    return columns | {f"same_{name}": _agreement(subject, candidates.at) for name, subject in subjects.items()}


def habit_features(candidates: Candidates) -> Columns:
    """What the lexicon says of each candidate, by group of traits and together."""
    habits = candidates.habits.sum(axis=1)
    columns: Columns = {f"habit_{name}": candidates.habits[:, column] for column, name in enumerate(GROUPS)}
    return columns | {"habits": habits, "outlook": habits + candidates.similarity}


def _agreement(subject: Ints, at: Ints) -> Ints:
    """How a line's subject agrees with the new line's: 0 neither has one, 1 equal, 2 and 3 one has, 4 they differ."""
    old, new = subject[at], subject[0]
    cases = ((old == new) & (old == NO_SUBJECT), old == new, np.full(len(at), new == NO_SUBJECT), old == NO_SUBJECT)
    return np.select(cases, (0, 1, 2, 3), 4)


def _word_counts(candidates: Candidates, name: str, table: Ints) -> Columns:
    """How many words of each kind, how many letters, how rare."""
    kinds = candidates.program.kinds[candidates.bag.words]
    lengths = np.array([len(candidates.program.words[word]) for word in candidates.bag.words.tolist()])
    counts = table @ (COLUMN_OF[kinds][:, None] == np.arange(len(COUNTED)))
    return {f"{name}_{kind}": counts[:, column] for column, kind in enumerate(COUNTED)} | {
        f"{name}_words": table.sum(axis=1),
        f"{name}_letters": table @ lengths,
        f"{name}_rarity": table @ candidates.measures.rarity[candidates.bag.words],
    }


def _frequencies(candidates: Candidates, name: str, table: Ints) -> Columns:
    """How often the names among the words occur elsewhere: typos and what a removal leaves unused are rare."""
    bag = candidates.bag
    names = (table > 0) & is_name(candidates.program.kinds[bag.words])
    elsewhere = candidates.measures.counts[bag.words] - bag.old
    return {
        f"{name}_unseen": (names & (elsewhere == 0)).sum(axis=1),
        f"{name}_rarest": np.log1p(np.where(names, elsewhere, NO_WORD).min(axis=1, initial=NO_WORD)),
        f"{name}_commonest": np.log1p(np.where(names, elsewhere, 0).max(axis=1, initial=0)),
    }


def _renames(candidates: Candidates) -> Columns:
    """How alike an inserted and a removed word are at best, as when a name is changed a little."""
    bag, program = candidates.bag, candidates.program
    letters = has_letters(program.kinds[bag.words])
    new = np.flatnonzero((bag.new > 0) & letters)
    old = np.flatnonzero((bag.old > 0).any(axis=0) & letters)
    inserted, removed = bag.inserted[:, new] > 0, bag.removed[:, old] > 0
    words = [[program.words[word] for word in bag.words[side].tolist()] for side in (new, old)]
    similarity = np.zeros((len(new), len(old)), np.float32)
    if len(new) and len(old):
        similarity = process.cdist(*words, scorer=JaroWinkler.normalized_similarity, dtype=np.float32)
    pairs = np.where(inserted[:, :, None] & removed[:, None, :], similarity, 0)
    of_inserted, of_removed = pairs.max(axis=2, initial=0), pairs.max(axis=1, initial=0)
    return {
        "rename": of_inserted.max(axis=1, initial=0),
        "rename_inserted": of_inserted.sum(axis=1) / np.maximum(inserted.sum(axis=1), 1),
        "rename_removed": of_removed.sum(axis=1) / np.maximum(removed.sum(axis=1), 1),
    }


def _hunks(candidates: Candidates) -> Columns:
    """In how many places the words change, and how many of these replace something."""
    spelled = candidates.measures.spelled
    tags = [
        [operation.tag for operation in Levenshtein.opcodes(spelled[line], spelled[0])]
        for line in candidates.at.tolist()
    ]
    return {
        "hunks": np.array([len(line_tags) - line_tags.count("equal") for line_tags in tags]),
        "replaced": np.array([line_tags.count("replace") for line_tags in tags]),
    }


def _middles(candidates: Candidates) -> Columns:
    """Return the lengths and the similarity of what stands between the common beginning and the common end."""
    new = candidates.program.stripped[0]
    pairs = [_middle(candidates.program.stripped[line], new) for line in candidates.at.tolist()]
    old, middle = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    similarity = Indel.normalized_similarity
    folded = [[text.lower() for text in texts] for texts in (old, middle)]
    return {
        "middle_old": np.array([len(text) for text in old]),
        "middle_new": np.array([len(text) for text in middle]),
        "middle_indel": process.cpdist(old, middle, scorer=similarity),
        "middle_folded": process.cpdist(*folded, scorer=similarity),
    }


def _middle(old: str, new: str) -> tuple[str, str]:
    begin = Prefix.similarity(old, new)
    old, new = old[begin:], new[begin:]
    end = Postfix.similarity(old, new)
    return old[: len(old) - end], new[: len(new) - end]
