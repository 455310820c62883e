"""Coding agents that predict the next edits of commits: in the tree of the step, and again from what they changed."""

import json
from collections import Counter
from pathlib import Path

import pytest

from runner.records import Outcome
from runner.suites.nextedit.editor import Suggestion
from runner.suites.nextedit.folder_reading import read_folder
from tests.main_job import evals, exported
from tests.nextedit import few_cases

AGENT = Path(__file__).parents[2] / "agents" / "next_place.py"
TEXTS = {"a.py": "one\ntwo\nthree\n", "b.py": "x\n"}


def answer(ended_by: str = "", **tree: object) -> str:
    return json.dumps({"figures": {"ended_by": ended_by}, "tree": tree})


@pytest.mark.parametrize(
    "text, outcome, predicted",
    [
        pytest.param(
            answer(changed={"b.py": "y\n", "a.py": "1\ntwo\n3\n"}),
            Outcome.APPLIED,
            [Suggestion("a.py", 0, ("one\n",), ("1\n",))],
            id="the first of several places",
        ),
        pytest.param(answer(removed=["b.py"]), Outcome.APPLIED, [Suggestion("b.py", 0, ("x\n",), ())], id="a removal"),
        pytest.param(
            answer(changed={"new.py": "z\n"}), Outcome.APPLIED, [Suggestion("new.py", 0, (), ("z\n",))], id="a new file"
        ),
        pytest.param(answer(), Outcome.NO_ANSWER, [], id="nothing"),
        pytest.param("no JSON", Outcome.NO_ANSWER, [], id="no answer of an agent"),
        pytest.param(answer("turns", changed={"a.py": ""}), Outcome.OUT_OF_TURNS, [], id="a limit"),
        pytest.param(answer(large=["a.py"]), Outcome.OTHER_FILE, [], id="a file of unknown text"),
    ],
)
def test_the_first_changed_place_is_the_prediction(text: str, outcome: Outcome, predicted: list[Suggestion]) -> None:
    assert read_folder(text, TEXTS) == (outcome, tuple(predicted))


@pytest.mark.slow
def test_agents_are_judged_step_by_step_in_trees_and_scored_again_without_them(tmp_path: Path) -> None:
    cases, results, db = few_cases(tmp_path / "cases"), tmp_path / "results.json", tmp_path / "evals.db"
    # Its insertion can stand at several lines.
    (cases / "knobs-ef8ee13de7.json").unlink()
    bundles = [json.loads(path.read_text()) for path in sorted(cases.glob("*.json"))]
    results.write_text(json.dumps({file["path"]: file["after"] for bundle in bundles for file in bundle["files"]}))
    kinds = ("right", "wrong", "stray", "idle")
    names = {kind: f"agent:python3 {AGENT} {results} {kind}" for kind in kinds}
    server = ("--base-url", "http://127.0.0.1:9/v1")

    done = evals("nextedit", ",".join(names.values()), "--cases", cases, "--order", "none", *server, "--db", db)

    assert done.returncode in (0, 3), done.stderr
    rows = exported(db)
    first = {
        kind: Counter(row["outcome"] for row in rows if row["model_id"] == name and row["mode"] == "recommend")
        for kind, name in names.items()
    }
    steps = first["right"].total()
    assert steps > 3
    assert first == {
        "right": Counter(solved=steps),
        "wrong": Counter(unsolved=steps),
        "stray": Counter(unsolved=steps),
        "idle": Counter(no_answer=steps),
    }
    again = evals("replay", "--run-id", rows[0]["run_id"], "--db", db)
    assert again.returncode == 0, again.stderr
    replayed = [row for row in exported(db) if row["run_id"] != rows[0]["run_id"]]
    refused = evals("replay", "--run-id", rows[0]["run_id"], "--db", db, "--parser", "xml-tools-v2")
    assert (refused.returncode, "nothing parses" in refused.stderr) == (2, True)
    keys = ("model_id", "case_id", "step", "mode", "outcome", "scores")
    assert [[row[key] for key in keys] for row in replayed] == [[row[key] for key in keys] for row in rows]
