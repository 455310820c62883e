"""Running the main job as a user does: a simulated server, commands, and what they leave behind."""

import json
import os
import subprocess
import sys
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runner.run.session import lane_keys
from runner.storage.ledger import Question
from runner.suites.diff_edit.cases import load_cases
from runner.suites.diff_edit.sim_truth import truth_of
from suts.simulated.models import Counts, expected_counts
from suts.simulated.spec import parse_spec
from tests import in_process

ROOT = Path(__file__).parents[1]
CASES = ROOT / "cases" / "diff_edit"
EVALS = Path(sys.executable).parent / "evals"
FAULTS = "429=0.15,500=0.1,529=0.05,reset=0.05,malformed=0.05,cut=0.05,error=0.05,stall=0.02"
MODEL = "any?applied=0.6&valid=0.7"
KEYS = {"OPENAI_API_KEY": "sk-test", "ANTHROPIC_API_KEY": "sk-test", "GEMINI_API_KEY": "sk-test"}
INFRASTRUCTURE = {"sut_error", "timeout", "lost", "crashed"}


@dataclass(frozen=True)
class Served:
    url: str

    def stats(self) -> dict[str, Any]:
        found: dict[str, Any] = self._told("stats")
        return found

    def log(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._told("log")
        return found

    def _told(self, page: str) -> Any:  # noqa: ANN401 - JSON
        with urllib.request.urlopen(f"{self.url}/_sim/{page}", timeout=60) as answer:  # noqa: S310 - loopback
            return json.load(answer)


@contextmanager
def serving(*options: str, cases: Path = CASES, **variables: str) -> Iterator[Served]:
    command = [str(EVALS), "serve-sim", "--cases", str(cases), "--port", "0", "--retry-after-s", "0.05", *options]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env={**os.environ, **variables})
    try:
        assert server.stdout is not None
        yield Served(server.stdout.readline().split()[-1])
    finally:
        server.kill()
        server.communicate()


def evals(*words: object, **variables: str) -> in_process.Ended:
    return in_process.evals(*words, cwd=ROOT, **{**KEYS, **variables})


def started(*words: object) -> subprocess.CompletedProcess[str]:
    """Run a command as a process of its own."""
    environ = {**os.environ, **KEYS}
    command = [str(EVALS), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environ, timeout=600, check=False)


def diff_words(url: str, db: Path, *words: object) -> list[object]:
    models = ("--provider", "openai", "--base-url", f"{url}/v1", "--model-ids", MODEL)
    return ["diff", *models, "--db", db, "-n", 2, "--parallel", *words]


def exported(db: Path, run: str = "latest") -> list[dict[str, Any]]:
    done = evals("export", run, "--db", db, "--format", "jsonl")
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.split("\n") if line]


def planted(quota: int) -> Counts:
    cases = load_cases(CASES).cases
    truth = truth_of(cases, seed=0)
    lanes = lane_keys([""], [""], [case.case_id for case in cases])
    truths = [known for lane in lanes if (known := truth(Question(lane)))]
    return expected_counts(parse_spec(MODEL), truths, quota, 10 * quota)


def scored(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in rows if row["outcome"] not in INFRASTRUCTURE]


def final_rows(rows: list[dict[str, Any]]) -> Counter[tuple[object, ...]]:
    """What must be the same however a run was interrupted: no ids, no times, no clocks."""
    names = (
        "model_id",
        "prompt",
        "diff_algorithm",
        "case_id",
        "number",
        "outcome",
        "valid",
        "raw_output",
        "edited_file",
    )
    return Counter(tuple(row[name] for name in names) for row in scored(rows))


def hundred_cases(folder: Path) -> Path:
    folder.mkdir()
    case = json.loads((CASES / "go_trie_suggest.json").read_text())
    for index in range(100):
        case["test_id"] = f"case_{index:03}"
        case["messages"][0]["text"] = f"Task {index}. " + case["messages"][0]["text"]
        (folder / f"case_{index:03}.json").write_text(json.dumps(case))
    return folder
