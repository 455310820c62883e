"""Every marker of a diff is accounted for: it makes a block, it is text, or it is an error with its line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diff_apply.fences import Block, Section, read_blocks
from diff_apply.result import DiffError, Reason


def one(search: str, replacement: str) -> list[Block]:
    return [Block(1, Section(search), Section(replacement))]


READ = [
    pytest.param("------- SEARCH\na\n=======\nb\n+++++++ REPLACE", one("a\n", "b\n"), id="standard"),
    pytest.param("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE", one("a\n", "b\n"), id="legacy"),
    pytest.param("<<< SEARCH\na\n=====\nb\n++++ REPLACE", one("a\n", "b\n"), id="mixed and short"),
    pytest.param("--- SEARCH>\na\n===\nb\n+++ REPLACE>", one("a\n", "b\n"), id="a bracket after the word"),
    pytest.param("------- SEARCH\r\na\r\n=======\r\nb\r\n+++++++ REPLACE\r\n", one("a\r\n", "b\r\n"), id="CRLF"),
    pytest.param("------- SEARCH\n=======\n+++++++ REPLACE", one("", ""), id="empty sections"),
    pytest.param("------- SEARCH\n\n=======\n\n+++++++ REPLACE", one("\n", "\n"), id="blank lines are lines"),
    pytest.param("x\n------- SEARCH\na\n=======\n+++++++ REPLACE\ny", one("a\n", ""), id="prose is passed over"),
    pytest.param("", [], id="nothing"),
    pytest.param("\n \n", [], id="blanks"),
]

UNDERLINES = [
    pytest.param("------- SEARCH\na\n===\n=======\nb\n+++++++ REPLACE", one("a\n===\n", "b\n"), id="in the search"),
    pytest.param(
        "------- SEARCH\na\n=======\nb\n===\n+++++++ REPLACE", one("a\n", "b\n===\n"), id="in the replacement"
    ),
    pytest.param("--- SEARCH\n=======\n===\n====\n+++ REPLACE", one("=======\n", "====\n"), id="longer ones too"),
    pytest.param(
        "------- SEARCH\n ======= \n=======\n+++++++ REPLACE", one(" ======= \n", ""), id="with blanks around"
    ),
    pytest.param("------- SEARCH\n==\n=======\n+++++++ REPLACE", one("==\n", ""), id="of two"),
]

FENCED = [
    pytest.param(
        "-------- SEARCH\n------- SEARCH\n=======\n========\n+++++++ REPLACE\n++++++++ REPLACE",
        one("------- SEARCH\n=======\n", "+++++++ REPLACE\n"),
        id="standard markers are text",
    ),
    pytest.param(
        "-------- SEARCH\na\n========\n+++++++ REPLACE\n------- SEARCH\n=======\n++++++++ REPLACE",
        one("a\n", "+++++++ REPLACE\n------- SEARCH\n=======\n"),
        id="be they in the order of blocks",
    ),
    pytest.param(
        "-------- SEARCH\na\n====\nb\n+++++ REPLACE\n"
        "---- SEARCH\nc\n========\n++++++++ REPLACE\n"
        "--- SEARCH\nd\n===\n+++ REPLACE",
        [
            Block(1, Section("a\n"), Section("b\n")),
            Block(2, Section("c\n"), Section("")),
            Block(3, Section("d\n"), Section("")),
        ],
        id="a diff not wholly fenced is read by any length",
    ),
    pytest.param("-------- SEARCH\na\n=======\nb\n+++++++ REPLACE", one("a\n", "b\n"), id="nor one fenced in part"),
    pytest.param("-------- SEARCH\na\n===\n++++++++ REPLACE", one("a\n", ""), id="nor one without a fence between"),
]

NEWLINES = [
    pytest.param("a\n\\ No newline at end of file\n", Section("a\n", newline=False), id="none"),
    pytest.param("a\n\\ Newline at end of file\n", Section("a\n", newline=True), id="one"),
    pytest.param("a\n\\ No newline at end of file\r\n", Section("a\n", newline=False), id="said with a CR"),
    pytest.param("\\ No newline at end of file\n", Section("", newline=False), id="of no lines"),
    pytest.param("\\ No newline at end of file\na\n", Section("\\ No newline at end of file\na\n"), id="only last"),
    pytest.param("\\ No newline\n", Section("\\ No newline\n"), id="only in full"),
]


@pytest.mark.parametrize("diff, blocks", READ + UNDERLINES + FENCED)
def test_a_diff_is_read_as_blocks(diff: str, blocks: list[Block]) -> None:
    assert read_blocks(diff) == blocks


@pytest.mark.parametrize("text, section", NEWLINES)
def test_a_last_line_may_speak_of_the_newline(text: str, section: Section) -> None:
    assert read_blocks(f"--- SEARCH\n{text}===\n{text}+++ REPLACE") == [Block(1, section, section)]


REFUSED = [
    pytest.param("------- SEARCH\na\n", Reason.UNCLOSED, 1, "line 1", id="cut in the search"),
    pytest.param("------- SEARCH\na\n=======\nb", Reason.UNCLOSED, 1, "line 1", id="cut in the replacement"),
    pytest.param("--- SEARCH\n===\n--- SEARCH\n===\n+++ REPLACE", Reason.UNCLOSED, 1, "line 1", id="a second start"),
    pytest.param("--- SEARCH\n--- SEARCH\n===\n+++ REPLACE", Reason.UNCLOSED, 1, "line 1", id="a start in the search"),
    pytest.param("--- SEARCH\na\n+++ REPLACE", Reason.MISSING_MARKER, 1, "no separator", id="no separator"),
    pytest.param("a\n===\nb\n+++ REPLACE", Reason.MISSING_MARKER, 1, "line 2", id="no start marker"),
    pytest.param("just prose", Reason.MISSING_MARKER, None, "no SEARCH/REPLACE block", id="no marker"),
    pytest.param("+++ REPLACE", Reason.EXTRA_MARKER, 1, "line 1", id="an end alone"),
    pytest.param("--- SEARCH\n===\n+++ REPLACE\n+++ REPLACE", Reason.EXTRA_MARKER, 2, "line 4", id="an extra end"),
    pytest.param("--- SEARCH\na\n===\n===\n+++ REPLACE", Reason.EXTRA_MARKER, 1, "line 4", id="two separators"),
    pytest.param("--- SEARCH\na\n====\n=====\n+++ REPLACE", Reason.EXTRA_MARKER, 1, "line 4", id="of foreign lengths"),
    pytest.param(
        "--- SEARCH\na\n===\n++++ REPLACE\n+++ REPLACE", Reason.EXTRA_MARKER, 2, "line 5", id="an end as text"
    ),
]


@pytest.mark.parametrize("diff, reason, number, message", REFUSED)
def test_a_broken_diff_is_refused(diff: str, reason: Reason, number: int | None, message: str) -> None:
    with pytest.raises(DiffError, match=message) as caught:
        read_blocks(diff)

    assert (caught.value.reason, caught.value.block) == (reason, number)


LEFTOVERS = [
    pytest.param("+++++++ REPLACED", id="another word"),
    pytest.param("+++++++ REPLACE.", id="a full stop"),
    pytest.param("+++++++ REPLACE the second line", id="text behind the word"),
    pytest.param("  +++++++ REPLACE", id="indented"),
    pytest.param("+++++++REPLACE", id="no space"),
    pytest.param("+++++++ replace", id="lower case"),
    pytest.param("------- REPLACE", id="another run"),
    pytest.param("++++++ REPLACE ", id="a blank behind"),
    pytest.param(">>>>>>>", id="half a conflict marker"),
    pytest.param("------- SEARCH:", id="a start"),
]
# As the first line of a REPLACE these underline nothing.
LEFTOVER_SEPARATORS = [
    pytest.param("======", id="a separator that is too short"),
    pytest.param("=========", id="a separator that is too long"),
]
ENDINGS = [pytest.param("\n", id="LF"), pytest.param("\r\n", id="CRLF")]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("line", LEFTOVERS + LEFTOVER_SEPARATORS)
def test_a_line_that_was_meant_as_a_marker_is_never_text_of_a_replace(line: str, ending: str) -> None:
    diff = f"------- SEARCH\na\n=======\n{line}\nb\n+++++++ REPLACE".replace("\n", ending)

    with pytest.raises(DiffError, match=r"line 4 of the diff: .* looks like a marker but is none") as caught:
        read_blocks(diff)

    assert (caught.value.reason, caught.value.block) == (Reason.LEFTOVER_MARKER, 1)


@pytest.mark.parametrize("line", LEFTOVERS)
@pytest.mark.parametrize("place", ["{line}\n{block}", "{block}\n{line}", "{block}\n{line}\n{block}\n"])
def test_a_line_that_was_meant_as_a_marker_is_never_prose(line: str, place: str) -> None:
    block = "------- SEARCH\na\n=======\nb\n+++++++ REPLACE"

    with pytest.raises(DiffError) as caught:
        read_blocks(place.format(line=line, block=block))

    assert caught.value.reason is Reason.LEFTOVER_MARKER


@pytest.mark.parametrize("line", LEFTOVERS + LEFTOVER_SEPARATORS)
def test_it_is_text_where_the_search_has_it_too_or_the_diff_is_fenced(line: str) -> None:
    repeated = f"------- SEARCH\n{line}\n=======\nb\n{line}\n+++++++ REPLACE"
    fenced = f"---------- SEARCH\na\n==========\n{line}\n++++++++++ REPLACE"

    assert read_blocks(repeated) == one(f"{line}\n", f"b\n{line}\n")
    assert read_blocks(fenced) == one("a\n", f"{line}\n")


TEXTS = [
    pytest.param("Title\n======\n", id="an underline"),
    pytest.param("=====\nTitle\n=====\n", id="a line above and below"),
    pytest.param("    Title\n    =======\n", id="an underline of a docstring"),
    pytest.param("-------\n", id="a rule"),
    pytest.param("+++++++\n", id="a rule of plus signs"),
    pytest.param("<<<<<<< HEAD\n>>>>>>> branch\n", id="conflict markers"),
    pytest.param("  =======\n", id="an indented run"),
    pytest.param("======= \n", id="a run with a blank"),
    pytest.param(">>> f()\n>>>\n", id="a session of Python"),
    pytest.param("-- search by name\n", id="a comment of SQL"),
    pytest.param("---------- Search by name ----------\n", id="a banner"),
    pytest.param("a == b\n==\n", id="two equal signs"),
    pytest.param("++++\n", id="a delimiter of AsciiDoc"),
    pytest.param("x = a >>>>>>> b\n", id="amid a line"),
]


@pytest.mark.parametrize("text", TEXTS)
def test_what_only_resembles_a_marker_is_text(text: str) -> None:
    assert read_blocks(f"------- SEARCH\na\n=======\n{text}+++++++ REPLACE") == one("a\n", text)


SUSPECTS = [
    pytest.param("-------SEARCH\na\n=======\n+++++++ REPLACE", "'-------SEARCH' is not a marker", id="no space"),
    pytest.param("--- SEARCH\na\n=== \n+++ REPLACE", "'=== ' is not a marker", id="a trailing blank"),
    pytest.param("--- SEARCH\na\n===\n ++ REPLACE", "' \\+\\+ REPLACE' is not a marker", id="too short an end"),
    pytest.param("-- search\na\n==\nb", "'==' is not a marker", id="the last of several"),
]


@pytest.mark.parametrize("diff, hint", SUSPECTS)
def test_what_was_meant_as_a_marker_is_pointed_at(diff: str, hint: str) -> None:
    with pytest.raises(DiffError, match=hint):
        read_blocks(diff)


UNFINISHED = [
    pytest.param("------- SEARCH\na\n=======\nb\n", 0, id="an open block is left out"),
    pytest.param("------- SEARCH\na\n=======\nb\n+++++++ REPLACE", 0, id="a last line may go on"),
    pytest.param("------- SEARCH\na\n=======\nb\n+++++++ REPLACE\n", 1, id="a closed block is read"),
    pytest.param("------- SEARCH\na\n=======\nb\n+++++++ REPLACE\n------- SEARCH\nc\n", 1, id="what follows waits"),
    pytest.param("-------- SEARCH\na\n=======\nb\n+++++++ REPLACE\n", 0, id="a fence may still come"),
    pytest.param("only prose so far\n", 0, id="prose may go on"),
    pytest.param("===", 0, id="half a marker is none"),
]


@pytest.mark.parametrize("diff, count", UNFINISHED)
def test_an_unfinished_diff_is_read_as_far_as_it_is_sure(diff: str, count: int) -> None:
    assert len(read_blocks(diff, final=False)) == count


@pytest.mark.parametrize("diff, reason", [("===\n", Reason.MISSING_MARKER), ("+++ REPLACE\n", Reason.EXTRA_MARKER)])
def test_what_nothing_can_mend_is_refused_though_unfinished(diff: str, reason: Reason) -> None:
    with pytest.raises(DiffError) as caught:
        read_blocks(diff, final=False)

    assert caught.value.reason is reason


MARKS = st.sampled_from(["--- SEARCH\n", "===\n", "+++ REPLACE\n", "a\n", "------- SEARCH\n", "=======\n", "b"])


@given(st.lists(MARKS, max_size=12).map("".join))
def test_the_blocks_of_a_diff_begin_with_those_of_its_prefixes(diff: str) -> None:
    try:
        whole = read_blocks(diff)
    except DiffError:
        return

    for length in range(len(diff)):
        part = read_blocks(diff[:length], final=False)
        assert part == whole[: len(part)]
