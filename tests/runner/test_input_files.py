"""Every file that a user names is read only if it is regular and within its limit, else refused in one line."""

import io
import resource
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from prompts import PromptError, load
from runner.cli.defaults import _read as read_settings
from runner.environment import variables_of
from runner.errors import InputError
from runner.execution.verdicts import Known
from runner.input_files import LineLimits, input_bytes, limited_lines, read_bytes, read_text
from runner.jsonl import each_row
from runner.metrics.files import read_sample
from runner.metrics.labelled_answers import read_problems as read_study
from runner.prices import Prices, load_prices
from runner.report.price_tables import refreshed
from runner.suites.codrep.dataset import open_dataset
from runner.suites.codrep.ranker.model import load as load_model
from runner.suites.completion.codev.tasks import read_tasks
from runner.suites.completion.dataset import read_dataset
from runner.suites.diff_edit.cases import load_cases
from runner.suites.edit.problems import read_problems
from runner.suites.nextedit.bundles import read_bundles
from runner.suites.nextedit.order.label_files import read_labels
from runner.suites.nextedit.sources import read_testset
from tests.runner.hostile_files import HOSTILE, make_hostile

every_kind = pytest.mark.parametrize("kind", HOSTILE)
# Far less than a reader would take that went on reading.
_MEMORY = 200 << 20


def exhaust(read: Callable[[Path], Iterable[object]]) -> Callable[[Path], object]:
    return lambda path: list(read(path))


def task_of(path: Path) -> object:
    return open_dataset(path.parent.parent).read(path)


# What reads a file, and its place below a folder; readers of folders get the folder.
READERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "settings": ("evals.toml", read_settings),
    "rows": ("rows.jsonl", exhaust(each_row)),
    "a price table": ("prices.json", load_prices),
    "another price table": ("prices.json", lambda path: refreshed(Prices(""), path)),
    "a text to be scored": ("text.py", lambda path: read_sample(path, [], path)),
    "a folder of cases": ("case.json", lambda path: load_cases(path.parent)),
    "a folder of bundles": ("bundle.json", lambda path: list(read_bundles(path.parent))),
    "one bundle": ("bundle.json", exhaust(read_bundles)),
    "a list of commits": ("testset.json", read_testset),
    "labels": ("labels.jsonl", exhaust(read_labels)),
    "packed labels": ("labels.jsonl.xz", exhaust(read_labels)),
    "a task": ("set/Tasks/1.txt", task_of),
    "a model": ("model.npz", load_model),
    "a data set": ("data.jsonl", read_dataset),
    "verdicts": ("data.verdicts", Known),
    "problems": ("problems.jsonl", read_problems),
    "prompts of Codev": ("prompts.jsonl", lambda path: read_tasks(path, "mode")),
}


@every_kind
@pytest.mark.parametrize("reader", READERS)
def test_a_hostile_file_is_refused_in_one_line_by_every_reader(kind: str, reader: str, tmp_path: Path) -> None:
    place, read = READERS[reader]
    path = make_hostile(kind, tmp_path / place)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    with pytest.raises(InputError) as refused:
        read(path)

    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)
    # A model's limit is that of its arrays: a huge file of zeros is no archive.
    said = "no model" if (reader, kind) == ("a model", "a huge file") else HOSTILE[kind]
    assert said in str(refused.value) or "is longer than" in str(refused.value)
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) << 10 < _MEMORY


@every_kind
def test_a_hostile_prompt_is_refused(kind: str, tmp_path: Path) -> None:
    path = make_hostile(kind, tmp_path / "prompt.md")

    with pytest.raises(PromptError, match=HOSTILE[kind]):
        load(str(path))


def test_a_huge_file_of_variables_is_refused(tmp_path: Path) -> None:
    make_hostile("a huge file", tmp_path / ".env")

    with pytest.raises(InputError, match=r"\.env: cannot be read \(larger than 1 MB"):
        variables_of(tmp_path, {})


def test_variables_in_a_pipe_are_passed_over(tmp_path: Path) -> None:
    make_hostile("a pipe", tmp_path / ".env")

    assert variables_of(tmp_path, {"A": "b"}).merged["A"] == "b"


@every_kind
def test_a_study_refuses_hostile_problems(kind: str, tmp_path: Path) -> None:
    make_hostile(kind, tmp_path / "problems.jsonl")

    with pytest.raises(InputError):
        read_study(tmp_path)


def test_a_link_to_a_regular_file_is_read_through(tmp_path: Path) -> None:
    (tmp_path / "here").write_bytes(b"text")
    (tmp_path / "link").symlink_to("here")

    assert read_bytes(tmp_path / "link") == b"text"


def test_a_file_of_exactly_the_limit_is_read_and_one_byte_more_is_not(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")

    assert read_bytes(path, 5) == b"12345"
    with pytest.raises(OSError, match="limit for such a file"):
        read_bytes(path, 4)


def test_a_file_that_tells_no_size_is_held_to_the_limit() -> None:
    with pytest.raises(OSError, match="larger than"):
        read_bytes(Path("/proc/self/maps"), 10)


def test_a_folder_and_a_missing_file_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\(Is a directory\); name a file"):
        input_bytes(tmp_path, "name a file")
    with pytest.raises(InputError, match=r"\(No such file or directory\); name a file"):
        input_bytes(tmp_path / "none", "name a file")


def test_line_ends_are_read_as_line_feeds(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"a\r\nb\rc\n")

    assert read_text(tmp_path / "text") == "a\nb\nc\n"


def test_a_line_and_a_file_of_lines_have_limits_of_their_own() -> None:
    limits = LineLimits(line=4, total=8)

    assert list(limited_lines(io.BytesIO(b"abc\nabc\n"), "x", limits)) == [b"abc\n", b"abc\n"]
    with pytest.raises(OSError, match="line 2 is longer than"):
        list(limited_lines(io.BytesIO(b"a\nabcde\n"), "x", limits))
    with pytest.raises(OSError, match="limit for a file of lines"):
        list(limited_lines(io.BytesIO(b"abc\n" * 3), "x", limits))
