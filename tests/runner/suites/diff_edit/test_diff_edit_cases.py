"""A folder of cases is read as the original reads it, and each mistake is named: file, field and mend."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prompts import PromptDetails
from runner.errors import InputError
from runner.suites.diff_edit.cases import CaseFolder, DiffEditCase, Skipped, load_cases, others_note, read_folder
from suts.sut import Message

PIXEL = "data:image/png;base64,iVBORw0KGgo="


def a_case(**changes: object) -> dict[str, Any]:
    """A case with the original's fields alone; a change to None leaves a field out."""
    case: dict[str, Any] = {
        "test_id": "greet",
        "messages": [
            {"role": "user", "text": "<task>\nSay it politely.\n</task>", "images": []},
            {"role": "assistant", "text": "<read_file>\n<path>greet.py</path>\n</read_file>"},
            {"role": "user", "text": "[read_file for 'greet.py'] Result:\n\nprint('hi')\n"},
        ],
        "file_contents": "print('hi')\n",
        "file_path": "greet.py",
        "system_prompt_details": {
            "mcp_string": "(none)",
            "cwd_value": "/home/a/app",
            "browser_use": False,
            "width": 900,
            "height": 600,
            "os_value": "Linux",
            "shell_value": "/bin/bash",
            "home_value": "/home/a",
            "user_custom_instructions": "",
        },
        "original_diff_edit_tool_call_message": "",
    }
    return {name: value for name, value in (case | changes).items() if value is not None}


def details(**changes: object) -> dict[str, Any]:
    """The system_prompt_details of a case; a change to None leaves a field out."""
    values = a_case()["system_prompt_details"] | changes
    return {name: value for name, value in values.items() if value is not None}


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write case files into a folder of their own and return it."""

    def written(**files: object) -> Path:
        for name, content in files.items():
            path = tmp_path / f"{name}.json"
            if isinstance(content, bytes):
                path.write_bytes(content)
            else:
                path.write_text(json.dumps(content), encoding="utf-8")
        return tmp_path

    return written


def only(folder: CaseFolder) -> DiffEditCase:
    (case,) = folder.cases
    return case


def test_a_case_in_the_originals_format_is_read_as_it_is(write: Callable[..., Path]) -> None:
    case = only(load_cases(write(one=a_case())))

    assert case.case_id == "greet"
    assert case.messages[1] == Message("assistant", "<read_file>\n<path>greet.py</path>\n</read_file>")
    assert case.file_contents == "print('hi')\n"
    assert case.file_path == "greet.py"
    assert case.details == PromptDetails(**a_case()["system_prompt_details"])
    assert case.file.name == "one.json"
    assert (case.original_message, case.expected_contents, case.language, case.source) == ("", (), None, None)


def test_the_added_fields_are_read(write: Callable[..., Path]) -> None:
    case = only(load_cases(write(one=a_case(expected_contents="x", language="python", source="evals", format=1))))

    assert (case.expected_contents, case.language, case.source) == (("x",), "python", "evals")


def test_several_expected_files_are_all_acceptable(write: Callable[..., Path]) -> None:
    case = only(load_cases(write(one=a_case(expected_contents=["x", "y", ""]))))

    assert case.expected_contents == ("x", "y", "")


def test_files_come_in_the_order_of_their_names(write: Callable[..., Path]) -> None:
    folder = write(b=a_case(test_id="2"), a10=a_case(test_id="3"), a9=a_case(test_id="1"), B=a_case(test_id="0"))

    assert [case.case_id for case in load_cases(folder).cases] == ["0", "3", "1", "2"]


@pytest.mark.parametrize("test_id", [None, ""], ids=["absent", "empty"])
def test_without_an_id_the_files_name_is_the_id(write: Callable[..., Path], test_id: str | None) -> None:
    assert only(load_cases(write(**{"some.case": a_case(test_id=test_id)}))).case_id == "some.case"


def test_other_files_and_folders_are_not_cases(write: Callable[..., Path]) -> None:
    folder = write(one=a_case())
    (folder / "README.md").write_text("about", encoding="utf-8")
    (folder / "one.JSON").write_text("no", encoding="utf-8")
    (folder / "old.json").mkdir()
    (folder / "results.json").write_text('[{"passed": 1}]', encoding="utf-8")
    (folder / "package.json").write_text('{"name": "x"}', encoding="utf-8")
    (folder / ".hidden").write_text("", encoding="utf-8")

    loaded = load_cases(folder)

    assert len(loaded.cases) == 1
    assert loaded.others == ("README.md", "one.JSON", "package.json", "results.json")
    assert others_note(folder, loaded.others) == (
        f"{folder}: not cases, left alone: README.md, one.JSON, package.json, results.json"
    )


def test_a_folder_without_any_case_is_refused_whatever_else_it_has(write: Callable[..., Path]) -> None:
    folder = write(results={"passed": 1})

    with pytest.raises(InputError, match="has no cases"):
        load_cases(folder)


def test_a_case_that_does_not_describe_the_user_s_machine_gets_a_plain_one(write: Callable[..., Path]) -> None:
    case = only(load_cases(write(one=a_case(system_prompt_details=None))))

    assert case.details == PromptDetails("/home/user/project", "Linux", "/bin/bash", "/home/user")


@pytest.mark.parametrize(
    "contents",
    [
        pytest.param(None, id="absent"),
        pytest.param("", id="empty"),
        pytest.param(" \t\r\n\u00a0\u2028\ufeff", id="what JavaScript trims"),
    ],
)
def test_a_case_without_a_file_is_skipped_and_told(write: Callable[..., Path], contents: str | None) -> None:
    folder = load_cases(write(a=a_case(file_contents=contents), b=a_case(test_id="other")))

    assert [case.case_id for case in folder.cases] == ["other"]
    assert folder.skipped == (
        Skipped(folder.folder / "a.json", "greet", "file_contents is absent or only white space"),
    )


def test_a_null_file_is_an_absent_one(write: Callable[..., Path]) -> None:
    folder = load_cases(write(a=a_case() | {"file_contents": None}, b=a_case()))

    assert len(folder.skipped) == 1


def test_what_python_alone_would_strip_is_a_file(write: Callable[..., Path]) -> None:
    assert only(load_cases(write(one=a_case(file_contents="\x1c\x85")))).file_contents == "\x1c\x85"


def test_images_are_kept_with_their_message(write: Callable[..., Path]) -> None:
    said = [{"role": "user", "text": "", "images": [PIXEL]}, {"role": "user", "images": [PIXEL]}]

    assert only(load_cases(write(one=a_case(messages=said)))).messages == (Message("user", "", (PIXEL,)),) * 2


def test_a_single_image_may_stand_alone(write: Callable[..., Path]) -> None:
    said = [{"role": "user", "images": PIXEL}]

    assert only(load_cases(write(one=a_case(messages=said)))).messages == (Message("user", "", (PIXEL,)),)


def test_optional_details_have_defaults(write: Callable[..., Path]) -> None:
    given = {"cwd_value": "/w", "os_value": "macOS", "shell_value": "zsh", "home_value": "/h", "width": 900.0}

    case = only(load_cases(write(one=a_case(system_prompt_details=given))))

    assert case.details == PromptDetails(cwd_value="/w", os_value="macOS", shell_value="zsh", home_value="/h")


def test_line_ends_and_odd_characters_arrive_unchanged(write: Callable[..., Path]) -> None:
    text = "\ufeffa\r\nb\u2028c\u0085\U0001f680\ttail"

    assert only(load_cases(write(one=a_case(file_contents=text)))).file_contents == text


def test_a_byte_order_mark_before_the_json_is_no_harm(write: Callable[..., Path]) -> None:
    assert load_cases(write(one=b"\xef\xbb\xbf" + json.dumps(a_case()).encode())).cases


def test_the_digest_is_of_what_is_said_not_of_how_it_is_written(tmp_path: Path) -> None:
    for name, text in (("a", json.dumps(a_case())), ("b", json.dumps(dict(reversed(a_case().items())), indent=4))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "one.json").write_text(text, encoding="utf-8")

    first, second = load_cases(tmp_path / "a"), load_cases(tmp_path / "b")

    assert only(first).digest == only(second).digest
    assert first.digest == second.digest


def test_any_change_of_a_case_changes_the_digests(write: Callable[..., Path]) -> None:
    before = load_cases(write(one=a_case()))
    after = load_cases(write(one=a_case(file_contents="print('ho')\n")))

    assert only(before).digest != only(after).digest
    assert before.digest != after.digest


@pytest.mark.parametrize(
    "content, field, message",
    [
        pytest.param(b'{"a": 1,\n  "b": }', "line 2, column 8", "is not JSON", id="bad-json"),
        pytest.param(b"", "line 1, column 1", "is not JSON", id="empty-file"),
        pytest.param(b'{"test_id": "\xff"}', "byte 13", "is not UTF-8; save the file as UTF-8", id="not-utf-8"),
        pytest.param(b'{"test_id": "\\ud800"}', "line 1, column", "is not JSON", id="half-a-surrogate-pair"),
        pytest.param([a_case()], "file", "is an array; write one JSON object", id="array"),
        pytest.param(a_case(test_id=7), "test_id", "is a number; make it a string", id="id-type"),
        pytest.param(a_case(file_contents=["x"]), "file_contents", "is an array; make it", id="contents-type"),
        pytest.param(a_case(messages=None), "messages", "is missing; list the turns", id="no-messages"),
        pytest.param(a_case(messages=[]), "messages", "is empty; list the turns", id="empty-messages"),
        pytest.param(a_case(messages={}), "messages", "is an object; list the turns", id="messages-type"),
        pytest.param(a_case(messages=["hi"]), "messages[0]", "is a string; list the turns", id="message-type"),
        pytest.param(
            a_case(messages=[{"role": "system", "text": "x"}]),
            "messages[0].role",
            "is 'system'; make it 'user' or 'assistant'",
            id="role",
        ),
        pytest.param(a_case(messages=[{"text": "x"}]), "messages[0].role", "is missing; make it 'user'", id="no-role"),
        pytest.param(
            a_case(messages=[{"role": ["user"], "text": "x"}]), "messages[0].role", "is an array", id="role-type"
        ),
        pytest.param(
            a_case(messages=[{"role": "user", "content": "x"}]), "messages[0].text", "is missing", id="no-text"
        ),
        pytest.param(a_case(messages=[{"role": "user", "text": 5}]), "messages[0].text", "is a number", id="text-type"),
        pytest.param(
            a_case(messages=[{"role": "user", "text": "x", "images": ["cat.png"]}]),
            "messages[0].images[0]",
            "is no data URL; write data:<type>;base64,<data>",
            id="image",
        ),
        pytest.param(
            a_case(messages=[{"role": "user", "text": "x", "images": [PIXEL, 1]}]),
            "messages[0].images[1]",
            "is a number; list data URLs",
            id="image-type",
        ),
        pytest.param(a_case(file_path=None), "file_path", "is missing; give the path", id="no-path"),
        pytest.param(a_case(file_path=""), "file_path", "is empty; give the path", id="empty-path"),
        pytest.param(a_case(file_path=True), "file_path", "is true or false; give the path", id="path-type"),
        pytest.param(a_case() | {"file_path": None}, "file_path", "is null; give the path", id="null-path"),
        pytest.param(a_case(system_prompt_details="x"), "system_prompt_details", "is a string", id="details-type"),
        pytest.param(
            a_case(system_prompt_details=details(cwd_value=None)),
            "system_prompt_details.cwd_value",
            "is missing; give the working folder",
            id="no-cwd",
        ),
        pytest.param(
            a_case(system_prompt_details=details(browser_use="no")),
            "system_prompt_details.browser_use",
            "is a string; make it true or false",
            id="flag-type",
        ),
        pytest.param(
            a_case(system_prompt_details=details(width=1.5)),
            "system_prompt_details.width",
            "is 1.5; give pixels",
            id="width",
        ),
        pytest.param(
            a_case(system_prompt_details=details(height=True)),
            "system_prompt_details.height",
            "is true or false; give pixels",
            id="height-type",
        ),
        pytest.param(
            a_case(expected_contents=3), "expected_contents", "is a number; make it the file", id="expected-type"
        ),
        pytest.param(a_case(expected_contents=[]), "expected_contents", "is empty; make it the file", id="no-expected"),
        pytest.param(a_case(expected_contents=["a", {}]), "expected_contents[1]", "is an object", id="expected-item"),
        pytest.param(a_case(language=1), "language", "is a number; make it a string", id="language-type"),
        pytest.param(a_case(source=[]), "source", "is an array; make it a string", id="source-type"),
        pytest.param(
            a_case(original_diff_edit_tool_call_message=0),
            "original_diff_edit_tool_call_message",
            "is a number",
            id="recorded-type",
        ),
        pytest.param(
            a_case(format=2), "format", "is 2; make it 1, or leave it out; a newer one needs a newer", id="newer-format"
        ),
        pytest.param(a_case(format="1"), "format", "is a string; make it 1", id="format-type"),
    ],
)
def test_bad_input_is_one_line_with_file_field_and_mend(
    write: Callable[..., Path], content: object, field: str, message: str
) -> None:
    folder = write(bad=content)

    with pytest.raises(InputError) as caught:
        load_cases(folder)

    line = str(caught.value)
    assert line.startswith(f"{folder / 'bad.json'}: {field}")
    assert message in line
    assert "; " in line
    assert "\n" not in line


def test_two_cases_of_one_id_are_refused_with_both_names(write: Callable[..., Path]) -> None:
    folder = write(a=a_case(), b=a_case())

    with pytest.raises(InputError, match=r"b\.json: test_id: 'greet' is also the id of a\.json; give one of them"):
        load_cases(folder)


@pytest.mark.parametrize("number", ["1e999", "-1"])
def test_a_number_beyond_measure_is_a_finding_too(tmp_path: Path, number: str) -> None:
    text = json.dumps(a_case(system_prompt_details=details(width=77))).replace("77", number)
    (tmp_path / "one.json").write_text(text, encoding="utf-8")

    with pytest.raises(InputError, match=r"one\.json: "):
        load_cases(tmp_path)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere: folder: cannot be read: No such file or directory; give a folder"):
        load_cases(tmp_path / "nowhere")


def test_a_file_given_as_folder_is_named(write: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match=r"one\.json: folder: cannot be read: Not a directory; give a folder"):
        load_cases(write(one=a_case()) / "one.json")


def test_an_empty_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"folder: has no cases; give a folder of case files \(\*\.json\)"):
        load_cases(tmp_path)


def test_a_folder_of_skipped_cases_alone_is_named(write: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match="folder: all 1 cases are skipped, the first as file_contents is absent"):
        load_cases(write(one=a_case(file_contents="")))


def test_a_dangling_link_is_named(tmp_path: Path) -> None:
    (tmp_path / "gone.json").symlink_to(tmp_path / "nothing")

    with pytest.raises(InputError, match=r"gone\.json: file: cannot be read: No such file or directory; make it"):
        load_cases(tmp_path)


def test_one_reading_finds_all_mistakes_and_keeps_the_good_cases(write: Callable[..., Path]) -> None:
    bad = a_case(file_path=None, language=3, system_prompt_details=details(os_value=None, home_value=4))

    folder, findings = read_folder(write(a=bad, b=a_case(), c=b"{"))

    assert [case.file.name for case in folder.cases] == ["b.json"]
    assert [(finding.file.name, finding.field) for finding in findings[:-1]] == [
        ("a.json", "file_path"),
        ("a.json", "system_prompt_details.os_value"),
        ("a.json", "system_prompt_details.home_value"),
        ("a.json", "language"),
    ]
    assert findings[-1].file.name == "c.json"


def test_the_error_counts_the_further_findings(write: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match=r" \(2 more: evals cases check .*\)$"):
        load_cases(write(a=a_case(file_path=None, language=3), c=b"{"))
