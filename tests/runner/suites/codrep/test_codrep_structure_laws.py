"""What is read from a program by arrays, against plain readings of its tokens one after the other."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.suites.codrep.ranker.blocks import NO_BLOCK, BraceBlock, comments, find_blocks, header_kind, header_words
from runner.suites.codrep.ranker.declarations import find_declarations, variable_uses
from runner.suites.codrep.ranker.lexer import WordKind, kind_of
from runner.suites.codrep.ranker.neighbours import first_words, last_words, neighbours
from runner.suites.codrep.ranker.occurrences import FAR, index_words
from runner.suites.codrep.ranker.program import LAST_CHARACTER, NOWHERE, Program, count_pairs, lex, spell, tokens_of
from runner.suites.codrep.ranker.scope_features import find_scopes
from runner.suites.codrep.ranker.statements import NO_SUBJECT, Statement, read_statements

WORDS = st.sampled_from(
    [
        *(
            "{",
            "}",
            "{",
            "}",
            ";",
            "/*",
            "*/",
            "//",
            "(",
            ")",
            "a",
            "b",
            "int",
            "new",
            "class",
            "if",
            "=",
            "->",
            "@",
            ".",
            ",",
        ),
        *("Type", '"s"', "1", "void", "return", "import", "<", ">"),
    ]
)
LINES = st.lists(st.lists(WORDS, max_size=7).map(" ".join), min_size=1, max_size=10)


def words_by_line(program: Program) -> list[list[str]]:
    return [program.words_of(number) for number in range(len(program.raw))]


def plain_comments(lines: list[list[str]]) -> list[bool]:
    """Which tokens stand in comments, read from left to right; the new line's do not."""
    found = [False] * len(lines[0])
    inside = False
    for line in lines[1:]:
        to_the_end = False
        for word in line:
            if not to_the_end and not inside:
                inside, to_the_end = word == "/*", word == "//"
            elif inside and word == "*/":
                found.append(True)
                inside = False
                continue
            found.append(inside or to_the_end)
    return found


def plain_blocks(lines: list[list[str]]) -> tuple[list[int], list[tuple[int, int]]]:
    """The innermost open brace in front of each token, and the braces that belong together; -1 for none."""
    hidden = plain_comments(lines)
    words = [word for line in lines for word in line]
    stack: list[int] = []
    around: list[int] = []
    pairs: dict[int, int] = {}
    for place, word in enumerate(words):
        around.append(stack[-1] if stack else -1)
        if hidden[place] or place < len(lines[0]):
            continue
        if word == "{":
            stack.append(place)
            pairs[place] = len(words) - 1
        elif word == "}" and stack:
            pairs[stack.pop()] = place
    return around, sorted(pairs.items())


def is_chosen(word: str) -> bool:
    """Whether a word is a name that somebody chose."""
    return kind_of(word) in (WordKind.NAME, WordKind.TYPE, WordKind.CONSTANT)


@settings(max_examples=25)
@given(LINES)
def test_comments_are_those_of_a_reading_from_left_to_right(lines: list[str]) -> None:
    program = lex("new /* line", lines)

    assert comments(program).tolist() == plain_comments(words_by_line(program))


@settings(max_examples=25)
@given(LINES)
def test_blocks_are_those_of_a_stack_of_braces(lines: list[str]) -> None:
    program = lex("new {", lines)

    blocks = find_blocks(program)

    around, pairs = plain_blocks(words_by_line(program))
    assert list(zip(blocks.opens.tolist(), blocks.closes.tolist(), strict=True)) == pairs
    innermost = blocks.at(np.arange(len(program.tokens)))
    assert [blocks.opens[block] if block != NO_BLOCK else -1 for block in innermost.tolist()] == around


@settings(max_examples=25)
@given(LINES)
def test_a_block_lies_within_its_parent_one_level_deeper(lines: list[str]) -> None:
    blocks = find_blocks(lex("new", lines))

    for number, parent in enumerate(blocks.parents.tolist()):
        depth = blocks.depths[parent] if parent != NO_BLOCK else 0
        assert blocks.depths[number] == depth + 1
        assert blocks.headers[number] <= blocks.opens[number] <= blocks.closes[number]
        if parent != NO_BLOCK:
            assert blocks.opens[parent] < blocks.opens[number]
            assert blocks.closes[number] <= blocks.closes[parent]


@settings(max_examples=25)
@given(LINES)
def test_the_method_of_a_block_is_a_method_around_it(lines: list[str]) -> None:
    blocks = find_blocks(lex("new", lines))

    for number, method in enumerate(blocks.methods.tolist()):
        around: list[int] = []
        block = number
        while block != NO_BLOCK and blocks.kinds[block] not in (BraceBlock.TYPE, BraceBlock.ANONYMOUS):
            around.append(block)
            block = blocks.parents[block]
        methods = [block for block in around if blocks.kinds[block] == BraceBlock.METHOD]
        assert method == (methods[0] if methods else NO_BLOCK)


@settings(max_examples=25)
@given(LINES)
def test_a_header_has_no_braces_nor_ends_of_statements(lines: list[str]) -> None:
    program = lex("new", lines)
    blocks = find_blocks(program)

    for number, kind in enumerate(blocks.kinds.tolist()):
        words = header_words(program, blocks, number)
        assert not {"{", "}", ";"} & set(words)
        assert header_kind(words) == kind


@settings(max_examples=25)
@given(LINES)
def test_the_lines_of_a_method_hold_every_line_within_it(lines: list[str]) -> None:
    program = lex("new", lines)
    at = np.flatnonzero(program.sizes[1:] > 0) + 1

    scopes = find_scopes(program, at)

    inside = scopes.methods != NO_BLOCK
    assert (scopes.first[inside] <= at[inside]).all()
    assert (at[inside] <= scopes.last[inside]).all()
    assert (scopes.first[~inside] == 1).all()
    assert (scopes.last[~inside] == len(lines)).all()
    assert not (scopes.in_header & ~inside).any()


@settings(max_examples=25)
@given(LINES)
def test_what_is_declared_is_seen_where_it_is_declared(lines: list[str]) -> None:
    program = lex("new", lines)
    blocks = find_blocks(program)

    found = find_declarations(program, blocks, read_statements(program).declaring)

    assert (found.first <= found.lines).all()
    assert (found.lines <= found.last).all()
    assert (found.first[found.local] == found.lines[found.local]).all()
    assert all(is_chosen(program.words[word]) for word in found.words.tolist())


@settings(max_examples=25)
@given(st.lists(WORDS, max_size=10))
def test_variables_are_names_without_a_dot_before_or_a_parenthesis_behind(words: list[str]) -> None:
    program = lex(" ".join(words), ["x"])

    told = program.words_of(0)
    expected = {
        word
        for before, word, after in zip(["", *told], told, [*told[1:], ""], strict=False)
        if is_chosen(word) and before != "." and after != "("
    }
    assert {program.words[word] for word in variable_uses(program).tolist()} == expected


class TestOccurrences:
    @settings(max_examples=25)
    @given(LINES, st.data())
    def test_words_are_counted_between_lines(self, lines: list[str], data: st.DataObject) -> None:
        program = lex("new a", lines)
        by_line = words_by_line(program)
        word = data.draw(st.sampled_from(sorted(program.ids.keys() - {"\n"})))
        first, last = (data.draw(st.integers(1, len(lines))) for _ in range(2))

        count = index_words(program).count(np.array([program.ids[word]]), np.array([first]), np.array([last]))

        assert count.tolist() == [sum(line.count(word) for line in by_line[first : last + 1])]

    @settings(max_examples=25)
    @given(LINES, st.data())
    def test_the_nearest_lines_with_a_word_are_found(self, lines: list[str], data: st.DataObject) -> None:
        program = lex("new a", lines)
        by_line = words_by_line(program)
        word = data.draw(st.sampled_from(sorted(program.ids.keys() - {"\n"})))
        line = data.draw(st.integers(1, len(lines)))

        before, after = index_words(program).nearest(np.array([program.ids[word]]), np.array([line]))

        earlier = [line - number for number in range(1, line) if word in by_line[number]]
        later = [number - line for number in range(line + 1, len(by_line)) if word in by_line[number]]
        assert (before.tolist(), after.tolist()) == ([min(earlier, default=FAR)], [min(later, default=FAR)])


class TestLines:
    @settings(max_examples=25)
    @given(LINES, st.integers(1, 3))
    def test_neighbours_are_counted_without_blank_lines(self, lines: list[str], steps: int) -> None:
        program = lex("new", lines)
        filled = [number for number, line in enumerate(lines, 1) if line.strip()]

        before, after = neighbours(program, np.array(filled, np.int64), steps)

        padded = [0] * steps + filled + [0] * steps
        assert before.tolist() == padded[: len(filled)]
        assert after.tolist() == padded[2 * steps :]

    @settings(max_examples=25)
    @given(LINES)
    def test_the_edges_of_lines_are_their_first_and_last_words(self, lines: list[str]) -> None:
        program = lex("new line", lines)
        numbers = np.arange(len(program.raw))

        first, last = ([program.words[word] for word in found(program, numbers)] for found in (first_words, last_words))

        assert first[1:] == [(line or ["\n"])[0] for line in words_by_line(program)[1:]]
        assert last == [(line or ["\n"])[-1] for line in words_by_line(program)]
        assert first[0] == "\n"

    @settings(max_examples=25)
    @given(LINES, st.data())
    def test_tokens_of_lines_come_in_the_order_asked_for(self, lines: list[str], data: st.DataObject) -> None:
        program = lex("new line", lines)
        asked = data.draw(st.lists(st.integers(0, len(lines)), max_size=6))

        rows, places = tokens_of(program, np.array(asked, np.int64))

        expected = [(row, word) for row, line in enumerate(asked) for word in program.words_of(line)]
        words = [program.words[word] for word in program.tokens[places].tolist()]
        assert list(zip(rows.tolist(), words, strict=True)) == expected

    @settings(max_examples=25)
    @given(LINES)
    def test_spelled_lines_are_equal_where_their_words_are(self, lines: list[str]) -> None:
        program = lex("new a", lines)

        spelled = spell(program, np.arange(len(program.words)))

        by_line = words_by_line(program)
        for (one, words), (other, other_words) in pairwise(zip(spelled, by_line, strict=True)):
            assert (one == other) == (words == other_words)
        assert [len(line) for line in spelled] == program.sizes.tolist()

    def test_of_very_many_words_the_last_are_spelled_alike(self) -> None:
        program = lex("a", [" ".join(f"w{line}x{word}" for word in range(400)) for line in range(150)])

        spelled = spell(program, np.arange(len(program.words)))

        assert len(program.words) > LAST_CHARACTER
        assert len(set(spelled[1])) == 400
        assert set(spelled[-1]) == {chr(LAST_CHARACTER)}

    def test_a_word_that_does_not_occur_has_no_number(self) -> None:
        program = lex("a", ["b"])

        assert program.id_of("c") == NOWHERE
        assert program.among(["c", "b"]).tolist() == [word == "b" for word in program.words]

    @settings(max_examples=25)
    @given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5)), max_size=30))
    def test_pairs_are_counted_in_a_table(self, pairs: list[tuple[int, int]]) -> None:
        rows, columns = np.array(pairs, np.int32).reshape(-1, 2).T

        table = count_pairs(rows, columns, 5, 6)

        assert table.tolist() == [[pairs.count((row, column)) for column in range(6)] for row in range(5)]


@pytest.mark.parametrize(
    "line, kind",
    [
        pytest.param("package a.b;", Statement.PACKAGE, id="package"),
        pytest.param("namespace a {", Statement.PACKAGE, id="namespace"),
        pytest.param("using a;", Statement.IMPORT, id="using"),
        pytest.param("throw new E();", Statement.THROW, id="throw"),
        pytest.param("raise E()", Statement.THROW, id="raise"),
        pytest.param("if (a) {", Statement.IF, id="if"),
        pytest.param("elif a:", Statement.ELSE, id="elif"),
        pytest.param("while (a) {", Statement.LOOP, id="while"),
        pytest.param("} while (a);", Statement.LOOP, id="while behind a brace"),
        pytest.param("do {", Statement.LOOP, id="do"),
        pytest.param("try {", Statement.TRY, id="try"),
        pytest.param("} finally {", Statement.TRY, id="finally behind a brace"),
        pytest.param("switch (a) {", Statement.SWITCH, id="switch"),
        pytest.param("case A:", Statement.CASE, id="case"),
        pytest.param("default:", Statement.CASE, id="default"),
        pytest.param("break;", Statement.JUMP, id="break"),
        pytest.param("assert a;", Statement.ASSERT, id="assert"),
        pytest.param("interface A {", Statement.TYPE, id="interface"),
        pytest.param("abstract enum A {", Statement.TYPE, id="a type behind a modifier"),
        pytest.param("/** text", Statement.COMMENT, id="documentation"),
        pytest.param("// text", Statement.COMMENT, id="a comment of one line"),
        pytest.param("*/", Statement.COMMENT, id="the end of a comment"),
        pytest.param(".map(a)", Statement.CONTINUATION, id="a chained call"),
        pytest.param("? a", Statement.CONTINUATION, id="a choice"),
        pytest.param("(a + b)", Statement.OPENING, id="opening"),
        pytest.param("}", Statement.CLOSING, id="a closing brace"),
        pytest.param("} x", Statement.CLOSING, id="a closing brace before a name"),
        pytest.param("new A();", Statement.NEW, id="new"),
        pytest.param("private A a;", Statement.FIELD, id="field without a value"),
        pytest.param("protected abstract A a(B b)", Statement.METHOD, id="method of two modifiers"),
        pytest.param("int[] a = {1};", Statement.DECLARATION, id="declaration of an array"),
        pytest.param("a += f(b);", Statement.CALL, id="an assignment by an operator counts as its call"),
        pytest.param("a[0] = b;", Statement.ASSIGNMENT, id="assignment to an element"),
        pytest.param("a.b().c();", Statement.CALL, id="a chain of calls"),
        pytest.param("A.B,", Statement.ARGUMENT, id="a qualified argument"),
    ],
)
def test_a_line_is_a_statement_by_its_first_telling_words(line: str, kind: Statement) -> None:
    assert read_statements(lex("new", [f"    {line}"])).kinds[1] == kind


@settings(max_examples=25)
@given(LINES)
def test_a_line_has_the_same_kind_wherever_it_stands(lines: list[str]) -> None:
    together = read_statements(lex("new", lines))

    for number, line in enumerate(lines, 1):
        assert read_statements(lex("new", [line])).kinds[1] == together.kinds[number]


@settings(max_examples=25)
@given(LINES)
def test_what_a_line_calls_and_assigns_is_its_first_name_before_the_mark(lines: list[str]) -> None:
    program = lex("new", lines)

    found = read_statements(program)

    words = [program.words[word] for word in program.tokens.tolist()]
    marked = list(zip(program.line_of.tolist(), words, [*words[1:], ""], strict=True))
    for subject, mark in ((found.called, "("), (found.assigned, "=")):
        for number, word in enumerate(subject.tolist()):
            # The mark may stand on the line below.
            names = [name for line, name, after in marked if line == number and after == mark and is_chosen(name)]
            assert (program.words[word] if word != NO_SUBJECT else None) == (names[0] if names else None)
