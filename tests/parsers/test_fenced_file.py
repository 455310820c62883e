"""The file of an answer is found whatever stands around it, and never guessed where several could be meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.fenced_file import FencedFile, fenced_files

CODE = "def f():\n    return 1\n"


def is_python(word: str) -> bool:
    return word in {"py", "python"}


def texts(answer: str) -> list[str]:
    return [block.text for block in fenced_files(answer, is_python)]


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(f"```python\n{CODE}```", id="plain"),
        pytest.param(f"Here it is:\n\n```\n{CODE}```\n\nDone.", id="prose around, no word"),
        pytest.param(f"~~~py\n{CODE}~~~\n", id="tildes"),
        pytest.param(f"``````python title=a.py\n{CODE}```````", id="a longer fence, closed by a longer one"),
        pytest.param("1. So:\n   ```python\n   def f():\n       return 1\n   ```\n", id="in a list"),
        pytest.param(f"```python\n{CODE}", id="never closed"),
        pytest.param(f"```python\n{CODE}```\nThe same again:\n```python\n{CODE}```", id="the same twice"),
        pytest.param(
            f"Run\n```bash\npytest\n```\nafter\n```python\n{CODE}```", id="one of the language beside another"
        ),
        pytest.param(f"```\n\n```\n```\n{CODE}```", id="a blank block beside it"),
        pytest.param(f"Inline ```code``` and\n```\n{CODE}```", id="three backticks in a sentence"),
    ],
)
def test_the_file_is_found(answer: str) -> None:
    assert texts(answer) == [CODE]


@pytest.mark.parametrize(
    "answer, count",
    [
        pytest.param("", 0, id="nothing"),
        pytest.param("I would rather not.", 0, id="prose"),
        pytest.param(CODE, 0, id="code without a fence"),
        pytest.param("```python\n```", 0, id="an empty block"),
        pytest.param("```python\na = 1\n```\nor\n```python\na = 2\n```", 2, id="two of the language"),
        pytest.param("```\na = 1\n```\nor\n```\na = 2\n```", 2, id="two without a word"),
        pytest.param("```sh\nls\n```\n```py\na = 1\n```\nor\n```py\na = 2\n```", 3, id="two of the language of three"),
    ],
)
def test_where_no_single_file_is_meant_nothing_is_guessed(answer: str, count: int) -> None:
    assert len(texts(answer)) == count


@pytest.mark.parametrize(
    "inner",
    [
        pytest.param('def f():\n    """Say.\n\n    ```\n    f()\n    ```\n    """\n', id="indented in a docstring"),
        pytest.param("# Title\n\n```sh\nmake\n```\n\nEnd.\n", id="a block with a word in Markdown"),
        pytest.param("~~~\ntilde\n~~~\n", id="of the other kind"),
    ],
)
def test_fences_within_the_file_belong_to_it(inner: str) -> None:
    assert texts(f"```\n{inner}```\n") == [inner]


def test_a_longer_fence_keeps_shorter_ones() -> None:
    inner = "```\na\n```\nb\n```\nc\n```\n"

    assert texts(f"````\n{inner}````") == [inner]


def test_a_word_that_opened_nothing_does_not_swallow_the_rest() -> None:
    assert texts("```\na = 1\n```python\nb = 2\n```") == ["a = 1\n```python\nb = 2\n"]


def test_what_was_cut_off_is_told() -> None:
    found = fenced_files("```Python\na = 1\nb =")

    assert found == (FencedFile("a = 1\nb =\n", "python", closed=False),)


@given(st.text(alphabet="`~ \n\tab", max_size=80))
def test_any_text_is_read(answer: str) -> None:
    for block in fenced_files(answer, is_python):
        assert block.text.strip()
        assert block.text.endswith("\n")


@given(st.lists(st.text(alphabet="ab =(`", max_size=9), max_size=9))
def test_what_is_fenced_long_enough_comes_back(lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)

    found = fenced_files(f"Here:\n{'`' * 10}python\n{text}{'`' * 10}\n")

    assert [block.text for block in found] == ([text] if text.strip() else [])


def test_a_long_line_of_blanks_behind_a_fence_is_read_once() -> None:
    (found,) = fenced_files(f"~~~sh{' ' * 500_000}-e\t \r\na\n~~~\n")

    assert (found.word, found.text) == ("sh", "a\n")
