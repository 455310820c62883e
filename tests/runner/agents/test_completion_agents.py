"""Coding agents in completion: their folder has all of the repository but what stood in the hole; tests judge."""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from runner.suites.completion.dataset import Dataset, DatasetOrigin, Task, write_dataset
from runner.suites.completion.forms import Seen
from tests.completion import CODE, TASKS, write_repository
from tests.joined import write_three
from tests.main_job import evals, exported, serving
from tests.runner.agents.rooms import PLAYER

TASK, LAST, NOTHING, COMMENT, _ = TASKS
DATASET = Dataset(DatasetOrigin("repo", "", "3.11", (), 3, 0), {"pair.py": CODE}, TASKS[:4])
NOWHERE = ("--base-url", "http://127.0.0.1:9/v1", "--max-attempts-per-case", "1")
# By the text of the file that it finds: what it writes where.
WRITER = """\
import json, pathlib, sys
written = json.loads(pathlib.Path(sys.argv[1]).read_text())
for name, text in written[pathlib.Path("pair.py").read_text()].items():
    pathlib.Path(name).parent.mkdir(exist_ok=True)
    pathlib.Path(name).write_text(text)
"""
# Fills the hole with the line of these that it finds in its folder or at `places`, else with nothing that works.
SPY = """\
import pathlib
def texts(place):
    for path in [place, *place.rglob("*")] if place.is_dir() else [place]:
        try:
            yield path.read_text(errors="replace")
        except OSError:
            pass
file = pathlib.Path("pair.py")
seen = [text for place in (".", *places) for text in texts(pathlib.Path(place))]
found = [line for line in ("return x + x", "return low") if line not in file.read_text() and "".join(seen).count(line)]
file.write_text(file.read_text().replace("<<here>>", found[0] if found else "raise KeyError"))
"""


# Fills holes of functions that add their number; wrongly in a file of five.
ADDER = """\
import pathlib, re
file = pathlib.Path("sums.py")
text = file.read_text()
number = int(re.findall(r"add_(\\d+)", text.partition("<<here>>")[0])[-1])
file.write_text(text.replace("<<here>>", f"return x + {number if text.count('def ') < 5 else 99}"))
"""


def file_of(task: Task, filling: str | None = None) -> str:
    """The file that an agent finds, or the one in which the hole is filled."""
    before, behind = DATASET.prefix(task), DATASET.suffix(task)
    return Seen(task.file, before, behind).marked if filling is None else f"{before}{filling}{behind}"


def data_set(folder: Path, *tasks: Task) -> Path:
    file = folder / "pair.jsonl"
    write_dataset(Dataset(DATASET.about, DATASET.files, tasks), file)
    return file


def outcomes(rows: list[dict[str, Any]]) -> dict[str, str]:
    return {f"{row['parser']} {row['case_id']}": row["outcome"] for row in rows}


def written_by(folder: Path, agent: Mapping[Task, Mapping[str, str]]) -> list[dict[str, Any]]:
    """Let an agent that writes these files into its folder complete these tasks; return what came of it."""
    write_repository(folder)
    script, results = folder / "writer.py", folder / "results.json"
    script.write_text(WRITER)
    results.write_text(json.dumps({file_of(task): files for task, files in agent.items()}))
    name = f"agent:python3 {script} {results}"
    words = ("completion", "run", data_set(folder, *agent), "--sut", name, "--parser", "raw,repaired", *NOWHERE)

    done = evals(*words, "--db", folder / "evals.db")

    assert done.returncode in (0, 3), done.stderr
    return exported(folder / "evals.db")


@pytest.mark.wide
def test_holes_that_agents_fill_are_judged_by_tests_and_read_by_chains(tmp_path: Path) -> None:
    caches = {"__pycache__/pair.pyc": "", ".pytest_cache/README.md": "of pytest"}
    agent = {
        TASK: {"pair.py": file_of(TASK, "return 2 * x"), **caches},
        LAST: {"pair.py": file_of(LAST, "return low\n\n\ndef further(")},
        NOTHING: {"pair.py": file_of(NOTHING, "0")},
        COMMENT: {"pair.py": file_of(COMMENT, '"""Numbers."""')},
    }

    rows = written_by(tmp_path, agent)

    assert outcomes(rows) == {
        f"raw {TASK.task_id}": "solved",
        f"repaired {TASK.task_id}": "solved",
        f"raw {LAST.task_id}": "unsolved",
        f"repaired {LAST.task_id}": "solved",
        f"raw {NOTHING.task_id}": "unsolved",
        f"repaired {NOTHING.task_id}": "unsolved",
        f"raw {COMMENT.task_id}": "untested",
        f"repaired {COMMENT.task_id}": "untested",
    }
    again = evals("replay", "--run-id", rows[0]["run_id"], "--parser", "raw,repaired", "--db", tmp_path / "evals.db")
    assert again.returncode == 0, again.stderr
    replayed = exported(tmp_path / "evals.db")
    assert outcomes(replayed) == outcomes(rows)
    assert [row["scores"] for row in replayed] == [row["scores"] for row in rows]


@pytest.mark.wide
def test_what_an_agent_changes_elsewhere_fills_no_hole(tmp_path: Path) -> None:
    elsewhere = file_of(TASK, "return x + x").replace("Two functions", "Three functions")
    agent = {
        TASK: {"pair.py": elsewhere},
        LAST: {"pair.py": file_of(LAST, "return low"), "notes.txt": "done"},
        NOTHING: {},
        COMMENT: {"pair.py": file_of(COMMENT, "") + "x = 1\n"},
    }

    rows = [row for row in written_by(tmp_path, agent) if row["parser"] == "raw"]

    found = {row["case_id"]: (row["outcome"], row["valid"], row["error_text"]) for row in rows}
    assert found == {
        TASK.task_id: ("unsolved", True, "changed the file outside of the hole"),
        LAST.task_id: ("other_file", False, "changed notes.txt"),
        NOTHING.task_id: ("no_answer", False, "no file was changed"),
        COMMENT.task_id: ("untested", True, "changed the file outside of the hole"),
    }
    report = json.loads(evals("report", "latest", "--json", "--db", tmp_path / "evals.db").stdout)
    whole = [row for row in report["completion"]["figures"] if (row["scene"], row["block_type"]) == ("all", "all")]
    assert {(row["answers"], row["judged"], row["passed"]) for row in whole} == {(1, 1, 0)}


@pytest.mark.wide
def test_an_agent_finds_what_stood_in_its_hole_nowhere_but_in_other_files_of_the_repository(tmp_path: Path) -> None:
    repo = write_repository(tmp_path)
    copy, notes, script = repo / "build" / "lib" / "pair.py", repo / "notes.txt", tmp_path / "spy.py"
    copy.parent.mkdir(parents=True)
    copy.write_text(CODE)
    notes.write_text("What is too low: return low.")
    file, db = data_set(tmp_path, TASK, LAST), tmp_path / "evals.db"
    # What the words of a command name is shown to an agent: these paths are none of them.
    script.write_text(f"places = {[str(path) for path in (repo, copy, file, db)]}\n{SPY}")
    words = ("completion", "run", file, "--sut", f"agent:python3 {script}", *NOWHERE)

    done = evals(*words, "--parser", "raw", "--db", db)

    assert done.returncode == 0, done.stderr
    assert outcomes(exported(db)) == {f"raw {TASK.task_id}": "unsolved", f"raw {LAST.task_id}": "solved"}


@pytest.mark.wide
def test_each_of_several_repositories_is_the_folder_of_its_own_tasks(tmp_path: Path) -> None:
    file, script, db = write_three(tmp_path), tmp_path / "adder.py", tmp_path / "evals.db"
    script.write_text(ADDER)

    done = evals("completion", "run", file, "--sut", f"agent:python3 {script}", *NOWHERE, "--parser", "raw", "--db", db)

    assert done.returncode == 0, done.stderr
    found = Counter((row["case_id"].partition("/")[0], row["outcome"]) for row in exported(db))
    assert found == {("ada", "solved"): 2, ("bob", "solved"): 4, ("cid", "unsolved"): 5}


@pytest.mark.wide
def test_an_agent_is_compared_with_a_model_in_pairs(tmp_path: Path) -> None:
    tasks, db = "cases/completion/shelf.jsonl", tmp_path / "evals.db"
    few = ("--max-cases", "9", "--parser", "raw", "--db", db)
    agent = f"agent:python3 {PLAYER} --wire anthropic --model 'sim/any?valid=1&applied=.5'"
    with serving("--ttft-ms", "1", "--gap-ms", "0", cases=Path(tasks)) as served:
        server = ("--base-url", f"{served.url}/v1")
        runs = [
            evals("completion", "run", tasks, "--sut", agent, *few, *server, "--run-id", "agent"),
            evals("completion", "run", tasks, "any?applied=.8", "--provider", "openai", *few, *server, "--run-id", "m"),
        ]

    assert [run.returncode for run in runs] == [0, 0], [run.stderr for run in runs]
    compared = json.loads(evals("compare", "agent", "m", "--by", "model", "--json", "--db", db).stdout)
    solved = {run: {row["case_id"]: row["outcome"] == "solved" for row in exported(db, run)} for run in ("agent", "m")}
    (pair,) = compared["comparisons"]
    assert solved["agent"].keys() == solved["m"].keys()
    expected = sum(solved["agent"].values()) - sum(solved["m"].values())
    assert abs(pair["difference"]["estimate"]) == pytest.approx(abs(expected) / 9)


@pytest.mark.parametrize(
    "words, message",
    [
        (("--model-ids", "agent:true,sim/careful"), "--model-ids: agent:true is an agent, which has a run without"),
        (("--batch-api",), "--batch-api: an agent asks one question after another"),
    ],
    ids=["models beside it", "batches"],
)
def test_options_that_agents_have_no_use_for_are_refused(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    db = tmp_path / "evals.db"
    run = ("completion", "run", "cases/completion/shelf.jsonl", "--sut", "agent:true", *NOWHERE)

    done = evals(*run, *words, "--db", db)

    assert done.returncode == 2
    assert message in done.stderr
    assert not db.exists()
