import pytest

from parsers import PARSERS
from parsers.blocks import EditMarks

SEARCH = "<replace_in_file>\n<path>a.py</path>\n<diff>\n------- SEARCH\nold\n"


def marks(text: str, parser: str = "xml-tools-v2") -> EditMarks:
    parse = PARSERS[parser].start()
    parse.feed(text)
    return parse.marks


def up_to(text: str, part: str) -> int:
    return text.index(part) + len(part)


def test_a_complete_edit_has_all_three_marks() -> None:
    text = f"I change it. {SEARCH}=======\nnew\nmore\n+++++++ REPLACE\n</diff>\n</replace_in_file> done"

    assert marks(text) == EditMarks(
        opened=up_to(text, "<replace_in_file>"),
        first_line=up_to(text, "new\n"),
        closed=up_to(text, "</replace_in_file>"),
    )


def test_positions_count_code_points() -> None:
    assert marks("🎉<replace_in_file>") == EditMarks(opened=1 + len("<replace_in_file>"))


@pytest.mark.parametrize("parser", [name for name in PARSERS if name.startswith("xml-tools")])
def test_every_version_marks_an_xml_edit_alike(parser: str) -> None:
    text = f"{SEARCH}=======\nnew\n+++++++ REPLACE\n</diff>\n</replace_in_file>"

    assert marks(text, parser) == marks(text)


@pytest.mark.parametrize(
    "diff, complete",
    [
        pytest.param("------- SEARCH\na\n=======\nb\n", "b\n", id="exact_markers"),
        pytest.param("<<<<<<< SEARCH\na\n=======\nb\n", "b\n", id="legacy_markers"),
        pytest.param("--- SEARCH>\na\n===\nb\n", "b\n", id="short_markers_and_a_bracket"),
        pytest.param("------- SEARCH\r\na\r\n=======\r\nb\r\n", "b\r\n", id="crlf"),
        pytest.param(" \n\t------- SEARCH\na\n=======\nb\n", "b\n", id="white_space_before_the_value"),
        pytest.param("note\n------- SEARCH\na\n=======\nb\n", "b\n", id="prose_before_the_first_block"),
        pytest.param("------- SEARCH\n=======\nb\n", "b\n", id="empty_search"),
        pytest.param("------- SEARCH\na\n=======\n\n", "=======\n\n", id="a_blank_line_is_a_line"),
        pytest.param("------- SEARCH\na\n=======\n+++++++ REPLACE\n", "REPLACE\n", id="empty_replacement"),
        pytest.param(
            "------- SEARCH\na\n=======\n+++++++ REPLACE</diff>", "</diff>", id="end_marker_at_the_value_s_end"
        ),
        pytest.param("------- SEARCH\na\n=======\nb</diff>", "</diff>", id="a_line_ended_by_the_value_s_end"),
        pytest.param("</diff><diff>------- SEARCH\na\n=======\nb\n", "b\n", id="a_second_diff_parameter"),
    ],
)
def test_the_first_line_is_complete_after(diff: str, complete: str) -> None:
    text = f"<replace_in_file><diff>{diff}"

    assert marks(text).first_line == up_to(text, complete)


@pytest.mark.parametrize(
    "diff",
    [
        pytest.param("------- SEARCH\na\n=======\nb", id="the_line_may_go_on"),
        pytest.param("------- SEARCH\na\n=======", id="the_separator_may_go_on"),
        pytest.param("------- SEARCH\na\n=======\n </diff>", id="nothing_after_the_separator"),
        pytest.param("a\n=======\nb\n", id="no_search_marker"),
        pytest.param("-- SEARCH\na\n=======\nb\n", id="too_few_dashes"),
        pytest.param("-<-<-<- SEARCH\na\n=======\nb\n", id="mixed_characters"),
        pytest.param("------- SEARCH\na\n ======= \nb\n", id="blanks_around_a_marker"),
        pytest.param("------- SEARCH\na\n+++++++ REPLACE\nb\n", id="no_separator"),
    ],
)
def test_there_is_no_first_line_yet_in(diff: str) -> None:
    assert marks(f"<replace_in_file><diff>{diff}").first_line is None


def test_a_separator_outside_the_diff_counts_for_nothing() -> None:
    text = "<replace_in_file><path>------- SEARCH\n=======\nb\n</path>------- SEARCH\n=======\nb\n<diff>"

    assert marks(text).first_line is None


def test_only_the_first_edit_is_marked() -> None:
    first = "<replace_in_file><diff>------- SEARCH\na\n</diff></replace_in_file>"
    text = f"{first}<replace_in_file><diff>------- SEARCH\na\n=======\nb\n</diff></replace_in_file>"

    assert marks(text) == EditMarks(len("<replace_in_file>"), None, len(first))


def test_other_tools_are_no_edits() -> None:
    text = "<write_to_file><content>a</content></write_to_file><read_file><diff>------- SEARCH\n=======\nb\n</diff>"

    assert marks(text) == EditMarks()


def test_an_edit_after_another_tool_is_marked() -> None:
    text = "<read_file></read_file><replace_in_file></replace_in_file>"

    assert marks(text) == EditMarks(up_to(text, "<replace_in_file>"), None, len(text))


def test_the_marks_are_one_object_until_one_more_is_reached() -> None:
    parse = PARSERS["xml-tools-v2"].start()
    parse.feed("<replace_in_file>")
    before = parse.marks

    parse.feed("<diff>\n------- SEARCH\n")

    assert parse.marks is before
