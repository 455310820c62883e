"""What kind of statement each line of a program is, derived from a few of its words for all lines at once."""

from dataclasses import dataclass
from enum import IntEnum, auto

import numpy as np

from runner.suites.codrep.ranker.lexer import WordKind
from runner.suites.codrep.ranker.program import Bools, Ints, Program, is_name


class Statement(IntEnum):
    """The kinds of statement that a line may be or begin."""

    BLANK = 0
    IMPORT = auto()
    PACKAGE = auto()
    ANNOTATION = auto()
    COMMENT = auto()
    RETURN = auto()
    THROW = auto()
    IF = auto()
    ELSE = auto()
    LOOP = auto()
    TRY = auto()
    SWITCH = auto()
    CASE = auto()
    JUMP = auto()
    ASSERT = auto()
    TYPE = auto()
    CONTINUATION = auto()
    OPENING = auto()
    CLOSING = auto()
    TEXT = auto()
    NEW = auto()
    FIELD = auto()
    METHOD = auto()
    DECLARATION = auto()
    ASSIGNMENT = auto()
    CALL = auto()
    ARGUMENT = auto()
    OTHER = auto()


HEADS = {
    **dict.fromkeys(("import", "using", "include"), Statement.IMPORT),
    **dict.fromkeys(("package", "namespace"), Statement.PACKAGE),
    "@": Statement.ANNOTATION,
    **dict.fromkeys(("//", "/*", "*/", "*"), Statement.COMMENT),
    "return": Statement.RETURN,
    **dict.fromkeys(("throw", "raise"), Statement.THROW),
    "if": Statement.IF,
    **dict.fromkeys(("else", "elif"), Statement.ELSE),
    **dict.fromkeys(("for", "while", "do"), Statement.LOOP),
    **dict.fromkeys(("try", "catch", "finally", "except"), Statement.TRY),
    "switch": Statement.SWITCH,
    **dict.fromkeys(("case", "default"), Statement.CASE),
    **dict.fromkeys(("break", "continue"), Statement.JUMP),
    "assert": Statement.ASSERT,
    **dict.fromkeys(("class", "interface", "enum"), Statement.TYPE),
    **dict.fromkeys(
        (".", "+", "-", "&&", "||", "?", ":", "&", "|", "==", "!=", "<", ">", "<=", ">=", "->"),
        Statement.CONTINUATION,
    ),
    **dict.fromkeys(("(", "{", "["), Statement.OPENING),
    **dict.fromkeys((")", "}", "]", ";", ","), Statement.CLOSING),
    "new": Statement.NEW,
}
MODIFIERS = (
    *("public", "protected", "private", "static", "final", "abstract", "native"),
    *("synchronized", "transient", "volatile", "strictfp"),
)
TYPES = ("class", "interface", "enum")
DECLARATOR_ENDS = ("=", ";", ":", ",", ")")

NO_PLACE = np.iinfo(np.int64).max
NO_SUBJECT = -1


@dataclass(frozen=True, slots=True, eq=False)
class Statements:
    """What each line of a program is and what it is about.

    - `kinds`: the `Statement` of every line.
    - `declared`, `called`, `assigned`: the first name that every line declares, calls, or assigns to, as the number
      of a word; `NO_SUBJECT` without any.
    - `declaring`: which tokens end a type that a name follows at once, as in `List<String> names`.
    """

    kinds: Ints
    declared: Ints
    called: Ints
    assigned: Ints
    declaring: Bools


def read_statements(program: Program) -> Statements:
    """The statements of all lines."""
    names = is_name(program.kinds)[program.tokens]
    declaring = _declaring(program, names)
    follows = np.append(program.tokens[1:], 0)
    declared = np.zeros(len(names), np.bool_)
    declared[1:] = declaring[:-1]
    declared &= program.among((*DECLARATOR_ENDS, "("))[follows]
    return Statements(
        kinds=_kinds(program, declaring),
        declared=_first_word(program, declared),
        called=_first_word(program, names & (follows == program.id_of("("))),
        assigned=_first_word(program, names & (follows == program.id_of("="))),
        declaring=declaring,
    )


def _declaring(program: Program, names: Bools) -> Bools:
    ends_type = is_name(program.kinds) | (program.kinds == WordKind.PRIMITIVE) | program.among((">", "]"))
    mask = np.zeros(len(program.tokens), np.bool_)
    same_line = program.line_of[1:] == program.line_of[:-1]
    mask[:-1] = ends_type[program.tokens[:-1]] & names[1:] & same_line
    return mask


def _kinds(program: Program, declaring: Bools) -> Ints:
    heads = np.zeros(len(program.words), np.int64)
    for word, head in HEADS.items():
        if word in program.ids:
            heads[program.ids[word]] = head
    heads[program.kinds == WordKind.STRING] = Statement.TEXT
    first, second = _word_at(program, 0), _word_at(program, 1)
    kinds = heads[first]
    # What stands behind a closing brace says more: `} else {`, `} catch (...) {`.
    behind = (first == program.id_of("}")) & (heads[second] > 0) & (program.sizes > 1)
    kinds = np.where(behind, heads[second], kinds)
    kinds = np.where(kinds == 0, _by_pattern(program, first, declaring), kinds)
    return np.where(program.sizes == 0, int(Statement.BLANK), kinds)


def _word_at(program: Program, place: int) -> Ints:
    """The word at a place of each line; 0 where the line is shorter."""
    padded = np.append(program.tokens, 0)
    words = padded[np.minimum(program.start[:-1] + place, len(program.tokens))]
    return np.where(program.sizes > place, words, 0)


def _by_pattern(program: Program, first: Ints, declaring: Bools) -> Ints:
    """Return the kind of a line that has no known head: by what comes first of `=`, `(`, and two names in a row."""
    assigned = _first_place(program, program.tokens == program.id_of("="))
    called = _first_place(program, program.tokens == program.id_of("("))
    declared = _first_place(program, declaring) < np.minimum(assigned, called)
    modified = program.among(MODIFIERS)[first]
    types = _first_place(program, program.among(TYPES)[program.tokens])
    comma = np.append(program.tokens, 0)[program.start[1:] - 1] == program.id_of(",")
    tests = (
        (types < called, Statement.TYPE),
        (modified & (called < assigned), Statement.METHOD),
        (modified, Statement.FIELD),
        (declared & (called < assigned), Statement.METHOD),
        (declared, Statement.DECLARATION),
        (assigned < called, Statement.ASSIGNMENT),
        (called < NO_PLACE, Statement.CALL),
        (comma, Statement.ARGUMENT),
    )
    return np.select([test for test, _ in tests], [int(kind) for _, kind in tests], int(Statement.OTHER))


def _first_place(program: Program, mask: Bools) -> Ints:
    """For each line the first token that the mask holds, `NO_PLACE` where there is none."""
    places = np.full(len(program.raw), NO_PLACE)
    # Of several values for one place the last one stays: so the tokens are gone through backwards.
    at = np.flatnonzero(mask)[::-1]
    places[program.line_of[at]] = at
    return places


def _first_word(program: Program, mask: Bools) -> Ints:
    places = np.minimum(_first_place(program, mask), len(program.tokens))
    return np.append(program.tokens, NO_SUBJECT)[places]
