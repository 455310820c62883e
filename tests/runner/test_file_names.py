import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.file_names import name_part


@pytest.mark.parametrize(
    "text, part",
    [
        ("ember.js", "ember.js"),
        ("libstdc++", "libstdc++"),
        ("naïve", "naïve"),
        ("../../up", "up"),
        ("owner/tool", "owner-tool"),
        ("a\0b\nc", "a-b-c"),
        (".hidden", "hidden"),
        ("..", ""),
        ("x" * 300, "x" * 100),
    ],
)
def test_a_name_is_made_part_of_a_files_name(text: str, part: str) -> None:
    assert name_part(text) == part


@given(st.text())
def test_no_name_leads_elsewhere(text: str) -> None:
    part = name_part(text)

    assert not {"/", "\\", "\0"} & set(part)
    assert not part.startswith(".")
