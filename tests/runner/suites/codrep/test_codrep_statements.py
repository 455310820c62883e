"""What each line is, told from its words; blocks, methods and declarations, told from braces."""

import time

import pytest

from runner.suites.codrep.ranker.blocks import (
    NO_BLOCK,
    BraceBlock,
    comments,
    find_blocks,
    header_kind,
    header_words,
    pick,
)
from runner.suites.codrep.ranker.declarations import find_declarations, variable_uses
from runner.suites.codrep.ranker.program import Ints, Program, lex
from runner.suites.codrep.ranker.statements import Statement, read_statements

JAVA = """\
package a; // {
/* class Not {
 */
@Named("x")
public class Box<T> extends Base {
    private final int size = 3;
    int[] cells;

    @Override
    public boolean fits(List<T> things, int limit)
            throws Full {
        for (T thing : things) {
            String name = thing.name();
            limit -= size;
        }
        Runnable later = new Runnable() {
            public void run() { go(); }
        };
        return limit > 0;
    }

    static { start(); }
}
""".splitlines()


def program_of(new_line: str = "x") -> Program:
    return lex(new_line, JAVA)


@pytest.mark.parametrize(
    "line, kind",
    [
        pytest.param("import a.B;", Statement.IMPORT, id="import"),
        pytest.param("@Override", Statement.ANNOTATION, id="annotation"),
        pytest.param("* in a comment", Statement.COMMENT, id="comment"),
        pytest.param("return x;", Statement.RETURN, id="return"),
        pytest.param("} else {", Statement.ELSE, id="else behind a brace"),
        pytest.param("} catch (E e) {", Statement.TRY, id="catch behind a brace"),
        pytest.param("});", Statement.CLOSING, id="closing"),
        pytest.param("&& b", Statement.CONTINUATION, id="continuation"),
        pytest.param('"text" +', Statement.TEXT, id="text"),
        pytest.param("public final class A {", Statement.TYPE, id="type"),
        pytest.param("private int a = f();", Statement.FIELD, id="field"),
        pytest.param("public int a();", Statement.METHOD, id="method with a modifier"),
        pytest.param("void a(int b) {", Statement.METHOD, id="method that returns nothing"),
        pytest.param("Type make(int b) {", Statement.METHOD, id="method without a modifier"),
        pytest.param("int a = 1;", Statement.DECLARATION, id="declaration"),
        pytest.param("List<String> a;", Statement.DECLARATION, id="declaration of a generic type"),
        pytest.param("a.b = c();", Statement.ASSIGNMENT, id="assignment"),
        pytest.param("a.b(c = 1);", Statement.CALL, id="call"),
        pytest.param("first,", Statement.ARGUMENT, id="argument"),
        pytest.param("first", Statement.OTHER, id="other"),
        pytest.param("", Statement.BLANK, id="blank"),
    ],
)
def test_a_line_is_a_statement_of_some_kind(line: str, kind: Statement) -> None:
    assert read_statements(lex("new", [line])).kinds[1] == kind


def test_a_line_is_about_what_it_declares_calls_and_assigns() -> None:
    program = lex("Item a = b.make(c);", ["d.e = 1;", "}"])

    lines = read_statements(program)

    told = [
        [program.words[word] if word >= 0 else None for word in subject.tolist()]
        for subject in (lines.declared, lines.called, lines.assigned)
    ]
    assert told == [["a", None, None], ["make", None, None], ["a", "e", None]]


def test_comments_are_told_from_code() -> None:
    program = program_of()
    inside = comments(program)

    assert [program.words[word] for word in program.tokens[inside]] == ["//", "{", "/*", "class", "Not", "{", "*/"]


def test_a_comment_that_is_not_closed_goes_on_to_the_end() -> None:
    program = lex("/* new", ["a", "/* b", "c"])

    assert comments(program).tolist() == [False, False, False, True, True, True]


def lines_of(program: Program, places: Ints) -> list[int]:
    return [int(line) for line in program.line_of[places]]


def test_blocks_have_kinds_parents_and_methods() -> None:
    program = program_of()
    blocks = find_blocks(program)

    assert [BraceBlock(kind).name for kind in blocks.kinds] == [
        "TYPE",
        "METHOD",
        "CONTROL",
        "ANONYMOUS",
        "METHOD",
        "OTHER",
    ]
    assert blocks.parents.tolist() == [NO_BLOCK, 0, 1, 1, 3, 0]
    assert blocks.methods.tolist() == [NO_BLOCK, 1, 1, NO_BLOCK, 4, NO_BLOCK]
    assert blocks.depths.tolist() == [1, 2, 3, 3, 4, 2]
    assert lines_of(program, blocks.opens) == [5, 11, 12, 16, 17, 22]
    assert lines_of(program, blocks.closes) == [23, 20, 15, 18, 17, 22]


def test_each_line_is_in_its_innermost_block() -> None:
    program = program_of()
    blocks = find_blocks(program)

    around = blocks.at(program.start[[1, 6, 14, 19, 23]])

    assert around.tolist() == [NO_BLOCK, 0, 2, 1, 0]
    assert pick(blocks.depths, around, 0).tolist() == [0, 1, 3, 2, 1]


def test_a_header_of_very_many_annotations_is_read_soon() -> None:
    program = lex("x", ["@A", "@B(1)"] * 30_000 + ["class C {"])
    began = time.process_time()

    blocks = find_blocks(program)

    assert header_words(program, blocks, 0) == ["class", "C"]
    assert time.process_time() - began < 3


def test_a_header_is_told_without_annotations_and_comments() -> None:
    program = lex("x", ['@A("b") @C', "public /* no */ void run(int a) {", "}"])
    blocks = find_blocks(program)

    assert " ".join(header_words(program, blocks, 0)) == "public void run ( int a )"


@pytest.mark.parametrize("lines", [["}}", "{"], ["{{{"], [""], ["*/ } // {"]])
def test_broken_programs_have_blocks_too(lines: list[str]) -> None:
    program = lex("x", lines)
    blocks = find_blocks(program)

    assert len(blocks.opens) == len(blocks.kinds) == " ".join(lines).split("//")[0].count("{")
    assert (blocks.closes >= blocks.opens).all()


@pytest.mark.parametrize(
    "header, kind",
    [
        pytest.param("class A", BraceBlock.TYPE, id="class"),
        pytest.param("if ( a )", BraceBlock.CONTROL, id="if"),
        pytest.param("run ( ( ) ->", BraceBlock.CONTROL, id="lambda"),
        pytest.param("return new A ( )", BraceBlock.ANONYMOUS, id="anonymous class"),
        pytest.param("int [ ] a =", BraceBlock.VALUES, id="initial values"),
        pytest.param("A ( )", BraceBlock.METHOD, id="constructor"),
        pytest.param("", BraceBlock.OTHER, id="nothing"),
    ],
)
def test_a_header_tells_what_its_block_is(header: str, kind: BraceBlock) -> None:
    assert header_kind(header.split()) is kind


def test_declarations_are_seen_in_their_scopes() -> None:
    program = program_of()
    statements = read_statements(program)
    found = find_declarations(program, find_blocks(program), statements.declaring)

    told = {
        program.words[word]: (int(line), int(first), int(last), bool(local))
        for word, line, first, last, local in zip(
            found.words, found.lines, found.first, found.last, found.local, strict=True
        )
    }
    assert told == {
        "size": (6, 5, 23, False),
        "cells": (7, 5, 23, False),
        "things": (10, 10, 20, True),
        "limit": (10, 10, 20, True),
        "thing": (12, 12, 15, True),
        "name": (13, 13, 15, True),
        "later": (16, 16, 20, True),
    }


def test_names_behind_dots_and_before_parentheses_are_no_variables() -> None:
    program = program_of("a.b(c, d.e, F.g(h)) + new J();")

    assert [program.words[word] for word in variable_uses(program)] == ["a", "c", "d", "F", "h"]
