"""Features of the scope: the method around a candidate, which names are seen there, what is declared and used."""

from dataclasses import dataclass

import numpy as np

from runner.suites.codrep.ranker.blocks import NO_BLOCK, Blocks, BraceBlock, find_blocks, header_words, pick
from runner.suites.codrep.ranker.candidates import Candidates
from runner.suites.codrep.ranker.declarations import find_declarations, variable_uses
from runner.suites.codrep.ranker.lexer import subwords
from runner.suites.codrep.ranker.occurrences import FAR, Occurrences
from runner.suites.codrep.ranker.program import Bools, Columns, Floats, Ints, Program, is_name
from runner.suites.codrep.ranker.statements import NO_SUBJECT

RETURNS = {"void": 1, "boolean": 2, "int": 3, "long": 3, "short": 3, "byte": 3, "String": 4, "double": 5, "float": 5}
OTHER_TYPE, NO_TYPE, NO_METHOD = 6, 7, -1
MODIFIERS = frozenset(("public", "private", "protected", "static", "final", "abstract", "synchronized"))


@dataclass(frozen=True, slots=True, eq=False)
class Scopes:
    """For each candidate the innermost block, the method (its header's lines count as its), and their lines."""

    blocks: Blocks
    around: Ints
    methods: Ints
    in_header: Bools
    first: Ints
    last: Ints
    block_end: Ints


def scope_features(candidates: Candidates, occurrences: Occurrences) -> Columns:
    """One array over the candidates for each feature."""
    program, at, bag = candidates.program, candidates.at, candidates.bag
    scopes = find_scopes(program, at)
    inside = scopes.methods != NO_BLOCK
    length = scopes.last - scopes.first
    names = is_name(program.kinds[bag.words])
    columns: Columns = {
        "in_comment": scopes.blocks.in_comment[program.start[at]],
        "depth": pick(scopes.blocks.depths, scopes.around, 0),
        "block": pick(scopes.blocks.kinds, scopes.around, -1),
        "in_header": scopes.in_header,
        "in_method": inside,
        "method_lines": np.log1p(length) * inside,
        "method_place": (at - scopes.first) / np.maximum(length, 1),
    }
    for name, table in (("inserted", bag.inserted), ("removed", bag.removed)):
        columns |= _within(name, (table > 0) & names, candidates, occurrences, scopes)
    columns |= _header_similarity(candidates, scopes)
    columns |= _visibility(candidates, scopes.blocks)
    return columns | _later_uses(candidates, occurrences, scopes.block_end)


def find_scopes(program: Program, at: Ints) -> Scopes:
    """The blocks around some lines."""
    blocks = find_blocks(program)
    around = blocks.at(program.start[at])
    methods = pick(blocks.methods, around, NO_BLOCK)
    of_methods = np.flatnonzero(blocks.kinds == BraceBlock.METHOD)
    following = np.append(of_methods, NO_BLOCK)[np.searchsorted(blocks.opens[of_methods], program.start[at])]
    begins = pick(blocks.headers, following, len(program.tokens))
    in_header = (following != NO_BLOCK) & (begins < program.start[at + 1]) & (methods == NO_BLOCK)
    methods = np.where(in_header, following, methods)
    ends = program.line_of[blocks.closes]
    end = len(program.raw) - 1
    return Scopes(
        blocks=blocks,
        around=around,
        methods=methods,
        in_header=in_header,
        first=pick(program.line_of[blocks.headers], methods, 1),
        last=pick(ends, methods, end),
        block_end=pick(ends, around, end),
    )


def _within(name: str, mask: Bools, candidates: Candidates, occurrences: Occurrences, scopes: Scopes) -> Columns:
    """Which share of the inserted or removed names the method has elsewhere, before the line, after it."""
    rows, columns = np.nonzero(mask)
    words, at = candidates.bag.words[columns], candidates.at[rows]
    before = occurrences.count(words, scopes.first[rows], at - 1) > 0
    after = occurrences.count(words, at + 1, scopes.last[rows]) > 0
    weights = candidates.measures.rarity[words]
    number = np.maximum(mask.sum(axis=1), 1)

    def total(values: Floats | Bools) -> Floats:
        return np.bincount(rows, values, minlength=len(mask)).astype(np.float64)

    return {
        f"{name}_in_method": total(before | after) / number,
        f"{name}_earlier": total(before) / number,
        f"{name}_later": total(after) / number,
        f"{name}_known": total((before | after) * weights),
        f"{name}_strange": total(~(before | after) * weights),
    }


def _header_similarity(candidates: Candidates, scopes: Scopes) -> Columns:
    """What the method's header says: sub-words that it shares with the edit, and what it returns."""
    program, bag = candidates.program, candidates.bag
    columns = {part: column for column, part in enumerate(bag.parts)}
    has = np.zeros((len(candidates.at), len(bag.parts)), np.bool_)
    returns = np.full(len(candidates.at), NO_METHOD)
    for method in np.unique(scopes.methods[scopes.methods != NO_BLOCK]).tolist():
        words = header_words(program, scopes.blocks, method)
        mine = scopes.methods == method
        returns[mine] = _return_type(words)
        shared = [columns[part] for word in words for part in subwords(word) if part in columns]
        has[np.ix_(mine, shared)] = True
    return {
        "header_new": (has & bag.new_parts).sum(axis=1) / max(bag.new_parts.sum(), 1),
        "header_inserted": (has & bag.new_parts & ~bag.old_parts).sum(axis=1),
        "header_removed": (has & bag.old_parts & ~bag.new_parts).sum(axis=1),
        "returns": returns,
        "returned_new": np.full(len(has), _returned(program.words_of(0))),
        "returned_old": np.array([_returned(program.words_of(line)) for line in candidates.at.tolist()]),
    }


def _return_type(header: list[str]) -> int:
    """A number for the type in front of a method's name."""
    place = header.index("(") if "(" in header else 0
    if place < 2 or header[place - 2] in MODIFIERS:
        return NO_TYPE
    return RETURNS.get(header[place - 2], OTHER_TYPE)


def _returned(words: list[str]) -> int:
    """A number for what a line returns, in the order of RETURNS where the type shows; 0 where it returns nothing."""
    if not words or words[0] != "return":
        return 0
    value = words[1:2]
    kinds = {"true": 2, "false": 2, "!": 2, "null": 6, "new": 7, "this": 8, ";": 1}
    if not value or value[0] in kinds:
        return kinds[value[0]] if value else 1
    if value[0][0].isdigit():
        return 3
    if value[0][0] == '"':
        return 4
    return 9 if {"==", "!=", "&&", "||", "<", ">"} & set(words) else 10


def _visibility(candidates: Candidates, blocks: Blocks) -> Columns:
    """Return which of the new line's variables are declared where visible, and whether it declares one again."""
    program, at, bag = candidates.program, candidates.at, candidates.bag
    declared = find_declarations(program, blocks, candidates.statements.declaring)
    uses = variable_uses(program)
    inserted = (bag.inserted[:, np.searchsorted(bag.words, uses)] > 0).T
    sees = (declared.first[:, None] <= at) & (declared.last[:, None] >= at) & (declared.lines[:, None] != at)
    local = sees & declared.local[:, None]
    of_use = declared.words == uses[:, None]
    visible, visible_local = of_use @ sees.astype(np.int32) > 0, of_use @ local.astype(np.int32) > 0
    lost = of_use.any(axis=1)[:, None] & ~visible
    away = np.where(local, np.abs(at - declared.lines[:, None]), FAR)
    nearest = np.array([away[mask].min(axis=0, initial=FAR) for mask in of_use]).reshape(len(uses), len(at))
    own = declared.words == candidates.statements.declared[0]
    return {
        "variables_lost": lost.sum(axis=0),
        "inserted_lost": (lost & inserted).sum(axis=0),
        "variables_local": visible_local.sum(axis=0),
        "inserted_local": (visible_local & inserted).sum(axis=0),
        "inserted_undeclared": (inserted & ~of_use.any(axis=1)[:, None]).sum(axis=0),
        "inserted_declared_near": np.log1p(np.where(inserted, nearest, FAR).min(axis=0, initial=FAR)),
        "variables_visible": visible.sum(axis=0) / max(len(uses), 1),
        "declares_again": local[own].any(axis=0),
    }


def _later_uses(candidates: Candidates, occurrences: Occurrences, end: Ints) -> Columns:
    """How often the rest of the block uses the name that the new line declares, and the one that the old line does."""
    at, declared = candidates.at, candidates.statements.declared
    new = np.full(len(at), declared[0])
    old = np.where(declared[at] == declared[0], NO_SUBJECT, declared[at])
    return {
        f"declared_{side}_later": np.where(words == NO_SUBJECT, -1, occurrences.count(words, at + 1, end))
        for side, words in (("new", new), ("old", old))
    }
