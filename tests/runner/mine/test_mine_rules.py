"""The competition's rules, one by one: which pairs of programs make a task, and which line it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.mine.case import CaseRefusedError, MiningRefusal
from runner.mine.one_line import find_replacement, replaced_line
from runner.mine.pair import FilePair

PROGRAM = b"int a() {\n    /* one\n     * two */\n    return 1; // why\n\n}\n"


def pair_of(before: bytes, after: bytes, language: str = "java") -> FilePair:
    return FilePair(b"A.java", b"A.java", language, before, after)


def reason_of(before: bytes, after: bytes, language: str = "java") -> MiningRefusal:
    with pytest.raises(CaseRefusedError) as refused:
        find_replacement(pair_of(before, after, language))
    return refused.value.reason


def test_a_replaced_line_makes_a_task() -> None:
    replaced = find_replacement(pair_of(PROGRAM, PROGRAM.replace(b"1;", b"2;")))

    assert (replaced.number, replaced.old) == (4, "    return 1; // why")
    assert replaced.new_line == "return 2; // why"


@pytest.mark.parametrize(
    "old, new",
    [
        pytest.param(b"", b"a\n", id="all-added"),
        pytest.param(b"a\nb\n", b"a\nb\nc\n", id="added"),
        pytest.param(b"a\nb\nc\n", b"a\nc\n", id="removed"),
        pytest.param(b"a\nb\nc\n", b"x\nb\nz\n", id="two-lines-apart"),
        pytest.param(b"a\nb\nc\n", b"x\ny\nc\n", id="two-lines-in-a-row"),
        pytest.param(b"a\nb\nc\n", b"x\ny\nb\nc\n", id="one-for-two"),
        pytest.param(b"a\nb\nc\n", b"b\na\nc\n", id="moved"),
        pytest.param(b"a\nb\n", b"a\nb", id="last-newline-taken-off"),
        pytest.param(b"a\nb\n", b"x\nb", id="a-line-and-the-last-newline"),
        pytest.param(b"a\r\nb\r\n", b"a\nb\n", id="all-line-ends"),
    ],
)
def test_anything_but_one_replaced_line_is_refused(old: bytes, new: bytes) -> None:
    assert reason_of(old, new) is MiningRefusal.LINES


@pytest.mark.parametrize(
    "old, new, number",
    [
        pytest.param(b"a\nb", b"a\nc", 2, id="the-last-without-newline"),
        pytest.param(b"a\nb\n", b"a\nc", 2, id="the-last-and-its-newline"),
        pytest.param(b"a", b"c", 1, id="the-only-one"),
        pytest.param(b"a\n\n\n", b"c\n\n\n", 1, id="before-blank-ends"),
        pytest.param(b"a\r\nb\r\n", b"a\r\nc\r\n", 2, id="carriage-returns-before-newlines"),
        pytest.param(b"a\x0cb\nc\n", b"a\x0cb\nd\n", 2, id="a-form-feed-ends-no-line"),
        pytest.param(b"x\nx\nx\n", b"x\nx\ny\n", 3, id="among-equal-lines"),
    ],
)
def test_lines_are_counted_by_newlines_from_1(old: bytes, new: bytes, number: int) -> None:
    assert find_replacement(pair_of(old, new)).number == number


@pytest.mark.parametrize(
    "old, new",
    [
        pytest.param(b"    return 1; // why", b"", id="became-empty"),
        pytest.param(b"    return 1; // why", b" \t", id="became-blank"),
        pytest.param(b"\n\n", b"\n  int b;\n", id="was-empty"),
        pytest.param(b"\n\n", b"\n \n", id="blank-both"),
    ],
)
def test_a_blank_line_is_refused_on_either_side(old: bytes, new: bytes) -> None:
    assert reason_of(PROGRAM, PROGRAM.replace(old, new)) is MiningRefusal.BLANK


@pytest.mark.parametrize(
    "old, new",
    [
        pytest.param(b"    return 1;", b"\treturn 1;", id="indentation"),
        pytest.param(b"// why", b"// why  ", id="behind"),
        pytest.param(b"int a()", b"int a ( )", id="within"),
        pytest.param(b"int a() {", b"int a() {\r", id="carriage-return"),
        pytest.param(b"int a()", b"\xef\xbb\xbfint a()", id="byte-order-mark"),
        pytest.param(b"int a()", "int\u00a0a()".encode(), id="no-break-space"),
    ],
)
def test_a_change_of_white_space_is_refused(old: bytes, new: bytes) -> None:
    assert reason_of(PROGRAM, PROGRAM.replace(old, new)) is MiningRefusal.SPACE


@pytest.mark.parametrize(
    "old, new",
    [
        pytest.param(b"// why", b"// because", id="behind-code"),
        pytest.param(b"     * two */", b"     * three */", id="within-a-block"),
        pytest.param(b"    /* one", b"    /** one", id="the-start-of-a-block"),
        pytest.param(b"1; // why", b"1;", id="taken-off"),
        pytest.param(b"1; // why", b"1; /* why */", id="of-another-kind"),
    ],
)
def test_a_change_of_comments_is_refused(old: bytes, new: bytes) -> None:
    assert reason_of(PROGRAM, PROGRAM.replace(old, new)) is MiningRefusal.COMMENT


@pytest.mark.parametrize(
    "old, new",
    [
        pytest.param(b"    return 1; // why", b"    // return 1; // why", id="commented-out"),
        pytest.param(b"     * two */", b"     * two */ int b;", id="code-behind-a-comment"),
        pytest.param(b"int a()", b'String a = "// no comment"; int a()', id="a-string-like-a-comment"),
    ],
)
def test_code_that_comes_or_goes_by_a_comment_is_a_change_of_code(old: bytes, new: bytes) -> None:
    assert find_replacement(pair_of(PROGRAM, PROGRAM.replace(old, new))).number >= 1


def test_a_string_that_looks_like_a_comment_is_code() -> None:
    before, after = b'a = "# one"\n', b'a = "# two"\n'

    assert find_replacement(pair_of(before, after, "python")).new_line == 'a = "# two"'


@pytest.mark.parametrize(
    "before, after",
    [
        pytest.param(b"a\rb\nc\n", b"a\rb\nd\n", id="in both versions"),
        pytest.param(b"a\nc\n", b"a\nb\rd\n", id="in the new line"),
        pytest.param(b"a\nb\rc\n", b"a\nd\n", id="in the old line"),
    ],
)
def test_a_carriage_return_within_a_line_is_refused(before: bytes, after: bytes) -> None:
    assert reason_of(before, after) is MiningRefusal.LINE_ENDS


def test_the_mark_that_begins_a_file_is_no_part_of_the_new_line() -> None:
    replaced = find_replacement(pair_of(b"\xef\xbb\xbfimport a;\n", b"\xef\xbb\xbfimport b;\n"))

    assert (replaced.number, replaced.new_line) == (1, "import b;")


@given(st.lists(st.text("ab ", max_size=2), min_size=1), st.data())
def test_a_replaced_line_is_found_wherever_it_is(lines: list[str], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(lines) - 1))
    changed = [*lines[:place], "new", *lines[place + 1 :]]
    before, after = ("".join(f"{line}\n" for line in text).encode() for text in (lines, changed))

    replaced = replaced_line(before, after)

    assert replaced is not None
    assert (replaced.number, replaced.old, replaced.new) == (place + 1, lines[place], "new")


@given(st.binary(), st.binary())
def test_what_is_found_turns_one_program_into_the_other(before: bytes, after: bytes) -> None:
    decoded = [text.decode("latin-1").encode() for text in (before, after)]
    replaced = replaced_line(*decoded)

    if replaced is not None:
        lines = decoded[0].split(b"\n")
        assert lines[replaced.number - 1] == replaced.old.encode()
        lines[replaced.number - 1] = replaced.new.encode()
        assert b"\n".join(lines).rstrip(b"\n") == decoded[1].rstrip(b"\n")
