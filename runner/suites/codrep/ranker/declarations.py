"""The names that a program declares, where they can be seen, and the names that the new line uses."""

from dataclasses import dataclass

import numpy as np

from runner.suites.codrep.ranker.blocks import Blocks, BraceBlock, pick
from runner.suites.codrep.ranker.program import Bools, Ints, Program, is_name
from runner.suites.codrep.ranker.statements import DECLARATOR_ENDS


@dataclass(frozen=True, slots=True, eq=False)
class Declarations:
    """Names declared in the program: the word, its line, the lines where it can be seen, whether it is local."""

    words: Ints
    lines: Ints
    first: Ints
    last: Ints
    local: Bools


def find_declarations(program: Program, blocks: Blocks, declaring: Bools) -> Declarations:
    """Every name that follows a type and is followed by what ends a declarator; fields, locals and parameters.

    A field is seen in its whole class, a local from its line to the end of its block, a parameter in the block
    whose header names it. `declaring` are the tokens that end such a type.
    """
    tokens = program.tokens
    at = np.flatnonzero(declaring[:-1]) + 1
    at = at[at + 1 < len(tokens)]
    at = at[program.among(DECLARATOR_ENDS)[tokens[at + 1]]]
    at = at[(at >= program.start[1]) & ~blocks.in_comment[at]]
    around = blocks.at(at)
    following = np.minimum(np.searchsorted(blocks.opens, at), max(len(blocks.opens) - 1, 0))
    in_header = np.zeros(len(at), np.bool_)
    if len(blocks.opens):
        in_header = (blocks.headers[following] <= at) & (blocks.opens[following] > at)
        of = blocks.kinds[following]
        in_header &= (of == BraceBlock.METHOD) | (of == BraceBlock.CONTROL)
        in_header &= tokens[at + 1] != program.id_of(";")
    scope = np.where(in_header, following, around)
    kinds = pick(blocks.kinds, scope, BraceBlock.TYPE)
    field = ~in_header & ((kinds == BraceBlock.TYPE) | (kinds == BraceBlock.ANONYMOUS))
    lines = program.line_of[at]
    ends = np.append(program.line_of[blocks.closes], len(program.raw))[scope]
    begins = np.append(program.line_of[blocks.opens], 1)[scope]
    return Declarations(tokens[at], lines, np.where(field, begins, lines), ends, ~field)


def variable_uses(program: Program) -> Ints:
    """The new line's names that may be variables: neither behind a dot nor in front of a parenthesis."""
    words = program.tokens[: program.start[1]]
    before, after = np.append(-1, words[:-1]), np.append(words[1:], -1)
    free = (before != program.id_of(".")) & (after != program.id_of("("))
    return np.unique(words[free & is_name(program.kinds[words])])
