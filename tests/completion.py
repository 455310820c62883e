"""A small repository with tests, and a data set of five holes in it."""

from pathlib import Path
from typing import Any

from runner.storage.store import Store
from runner.suites.completion.dataset import ByteSpan, Proof, Task

CODE = '''\
"""Two functions."""


def double(x):
    return x + x


def clamp(x, low, high):
    if x < low:
        return low
    while x > high:
        x -= 1
    return x
'''
TESTS = """\
from pair import clamp, double


def test_double():
    assert double(3) == 6


def test_clamp():
    assert clamp(9, 1, 4) == 4


def test_low():
    assert clamp(0, 1, 4) == 1
"""
FAST = "ttft_ms=1&gap_ms=0"
EDGE = '"""Signs."""\n\nMARK = "<fim_middle>"\n\n\ndef sign(x):\n    return -1 if x < 0 else 1\n'
MORE = "from sign import sign\n\n\ndef test_sign():\n    assert sign(-3) == -1\n"


def task(scene: str, file: str, text: str, hole: str, tests: tuple[str, ...], block_type: str = "STATEMENT") -> Task:
    start = text.index(hole or "return x + x") + (0 if hole else len("return x + x"))
    line = text[:start].count("\n") + 1
    return Task(
        task_id=f"{scene}/{block_type}/{file}:{start}",
        file=file,
        scene=scene,
        with_evidence=False,
        block_type=block_type,
        span=ByteSpan(start, start + len(hole), line, line),
        function="",
        function_end=len(text),
        tests=tests,
        tests_total=len(tests),
        seconds=1,
        proof=Proof("pass", "pass" if hole else "_x", "fail") if tests else None,
    )


DOUBLE = ("tests/test_pair.py::test_double",)
LOW = ("tests/test_pair.py::test_low",)
SIGN = ("tests/test_sign.py::test_sign",)
TASKS = (
    task("1.1", "pair.py", CODE, "return x + x", DOUBLE),
    task("1.3", "pair.py", CODE, "return low", LOW),
    task("2.2", "pair.py", CODE, "", DOUBLE),
    task("1.1", "pair.py", CODE, '"""Two functions."""', (), "COMMENT"),
    task("1.2", "sign.py", EDGE, "return -1 if x < 0 else 1", SIGN),
)


def write_repository(folder: Path) -> Path:
    """The repository in a folder called `repo`; where it is."""
    repo = folder / "repo"
    (repo / "tests").mkdir(parents=True)
    (repo / "pair.py").write_text(CODE)
    (repo / "tests" / "test_pair.py").write_text(TESTS)
    return repo


def words(pair: Path, *more: object) -> list[object]:
    return ["completion", "run", pair, "--db", pair.parent / "e.db", "--json", *more]


def total(data: dict[str, Any], sut: str, chain: str = "raw") -> dict[str, Any]:
    return next(
        one
        for one in data["completion"]["figures"]
        if (one["scene"], one["block_type"], one["sut"], one["chain"]) == ("all", "all", sut, chain)
    )


def rows(pair: Path, sql: str) -> list[tuple[Any, ...]]:
    store = Store.open(pair.parent / "e.db")
    try:
        return [tuple(row) for row in store.rows(sql)]
    finally:
        store.close()
