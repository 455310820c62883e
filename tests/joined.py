"""Three small repositories, their data sets, and these joined: each has a file of the same name, and numbers to add."""

from pathlib import Path

from runner.suites.completion.dataset import Dataset, DatasetOrigin, Task, write_dataset
from runner.suites.completion.joining import joined
from runner.suites.completion.provenance import Provenance
from tests.completion import task

FILE = "sums.py"
PROVENANCE = {
    "ada": Provenance("MIT", "LICENSE", "2024-05-01", "v2.0", "2024-06-01"),
    "bob": Provenance("Apache-2.0", "LICENSE", "2022-01-01", "v1.0", "2022-02-01"),
    "cid": Provenance("unknown", "", "2025-01-01"),
}
# So many tasks has each of them.
SIZES = {"ada": 2, "bob": 4, "cid": 5}


def truth(number: int) -> str:
    return f"return x + {number}"


def write_three(folder: Path) -> Path:
    """The repositories and their data sets, and the joined set beside them; where that is."""
    for repo, size in SIZES.items():
        write_repository(folder / repo, size)
        text = source(size)
        tasks = tuple(task_of(text, number) for number in range(size))
        about = DatasetOrigin(repo, f"{repo}1", "3.11", (), size, 0, provenance=PROVENANCE[repo])
        write_dataset(Dataset(about, {FILE: text}, tasks), folder / f"{repo}.jsonl")
    write_dataset(joined([folder / f"{repo}.jsonl" for repo in SIZES]), folder / "three.jsonl")
    return folder / "three.jsonl"


def write_repository(folder: Path, size: int) -> None:
    (folder / "tests").mkdir(parents=True)
    (folder / FILE).write_text(source(size))
    tests = "".join(f"\n\ndef test_{n}():\n    assert sums.add_{n}(5) == {5 + n}\n" for n in range(size))
    (folder / "tests" / "test_sums.py").write_text(f"import sums\n{tests}")


def source(size: int) -> str:
    return '"""Sums."""\n' + "".join(f"\n\ndef add_{n}(x):\n    {truth(n)}\n" for n in range(size))


def task_of(text: str, number: int) -> Task:
    return task("1.1", FILE, text, truth(number), (f"tests/test_sums.py::test_{number}",))
