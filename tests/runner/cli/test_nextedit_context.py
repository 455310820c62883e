"""`evals nextedit --context`: decoys and retrieval in whole runs, from repositories and from bundles."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from runner.cli import app
from runner.cli.nextedit_variables import NAMES
from runner.errors import InputError
from tests.nextedit import cases_folder
from tests.repositories import make_repository

MODEL = "sim/truth?ttft_ms=0&gap_ms=0&time=virtual"
OTHERS = {f"lib/part_{at}.py": f"def part_{at}():\n    return {at}\n".encode() for at in range(40)}
BEFORE = {
    "a.py": b"def load(rows):\n    return rows\n",
    "use.py": b"from a import load\n\n\n\n\n\nload([1])\n",
    **OTHERS,
}
AFTER = {
    "a.py": b"def read(rows):\n    return rows\n",
    "use.py": b"from a import read\n\n\n\n\n\nread([1])\n",
    **OTHERS,
}


@pytest.fixture(autouse=True)
def _a_repository(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    make_repository(tmp_path, BEFORE, AFTER)


def call(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def found(*words: object) -> dict[str, Any]:
    done = call("nextedit", "--sut", f"{MODEL},rules", "--db", "evals.db", "--json", *words)
    assert done.exit_code == 0, done.output
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def refused(*words: object) -> str:
    error = call("nextedit", *words).exception
    assert isinstance(error, InputError)
    return str(error)


def questions() -> list[str]:
    """What the model was asked."""
    records = [json.loads(line) for line in call("export", "--db", "evals.db").stdout.splitlines()]
    return [record["request"]["messages"][0]["text"] for record in records if record["model_id"] == MODEL]


def in_view(report: dict[str, Any]) -> dict[str, float]:
    return {name: system["figures"]["in view"]["micro"][0] for name, system in report["systems"].items()}


REPOSITORY = ("--repo", ".", "--rev", "HEAD")


def test_the_touched_files_are_all_in_view() -> None:
    report = found(*REPOSITORY)

    assert in_view(report) == {MODEL: 1.0, "rules": 1.0}
    assert all("lib/part_" not in question for question in questions())


def test_decoys_are_shown_among_the_touched_files_the_same_again() -> None:
    first = found(*REPOSITORY, "--context", "decoys", "--run-id", "one")
    shown = questions()
    again = found(*REPOSITORY, "--context", "decoys", "--run-id", "two", "--db", "other.db")

    assert in_view(first) == in_view(again) == {MODEL: 1.0, "rules": 1.0}
    assert all(question.count("lib/part_") == 5 for question in shown)
    assert sorted(shown) == sorted(questions())


def test_what_is_retrieved_holds_a_share_of_the_places_and_the_report_says_which() -> None:
    report = found(*REPOSITORY, "--context", "retrieved", "--leak", "none", "--max-context", 1300)
    text = call("report", "latest", "--db", "evals.db").stdout

    assert in_view(report)[MODEL] == 1.0
    assert any("use.py" in question and "lib/part_" in question for question in questions())
    assert all(len(question) < 3900 for question in questions())
    assert "what was in view" in text
    assert "context retrieved" in text


def test_a_search_that_may_show_nothing_of_a_place_is_reported_as_such() -> None:
    alike = b"from a import load\ndef load(rows):\n    return rows\nload([1])\n"
    copies = {f"A{at}/use_a.py": alike for at in range(90)}
    make_repository(Path("big"), {**BEFORE, **copies}, {**AFTER, **copies})

    report = found("--repo", "big", "--rev", "HEAD", "--context", "retrieved", "--max-context", 1300)

    assert in_view(report)[MODEL] < 1.0


def test_a_bundle_that_carries_its_tree_gives_the_same_questions_as_the_repository() -> None:
    assert call("nextedit", "bundle", "cases", *REPOSITORY, "--tree").exit_code == 0
    found(*REPOSITORY, "--context", "retrieved")
    from_repository = questions()
    Path("evals.db").unlink()

    found("--cases", "cases", "--context", "retrieved")

    assert sorted(questions()) == sorted(from_repository)


@pytest.mark.parametrize("context", ["decoys", "retrieved"])
def test_a_bundle_without_its_tree_is_refused_in_one_line(context: str) -> None:
    message = refused("--cases", cases_folder(), "--context", context)

    assert message.startswith(f"--context {context}: the bundle of ")
    assert "(and 12 others) holds only files that the commit touches; write it with `evals nextedit bundle" in message
    assert "\n" not in message


def test_decoys_that_would_tell_what_may_not_be_known_are_refused() -> None:
    assert "--leak none forbids" in refused(*REPOSITORY, "--context", "decoys", "--leak", "none")


@pytest.mark.parametrize(
    "tree, problem",
    [
        ({"a.py": "x"}, "field tree holds 'a.py', which field files has"),
        ({"../a": "x"}, "field tree is '../a', which is no relative path"),
        ({"a.py/b": "x"}, "field tree has a text both for 'a.py' and for 'a.py/b'"),
        ({"b": 1}, "field tree['b'] "),
        (["b"], "field tree "),
    ],
)
def test_a_tree_that_cannot_be_is_refused_by_its_field(tree: object, problem: str) -> None:
    call("nextedit", "bundle", "cases", *REPOSITORY)
    (path,) = Path("cases").iterdir()
    path.write_text(json.dumps({**json.loads(path.read_text()), "tree": tree}))

    message = refused("--cases", "cases")

    assert str(path) in message
    assert problem in message


def test_a_run_goes_on_only_in_its_context() -> None:
    found(*REPOSITORY, "--run-id", "one")

    assert "context was 'touched', is 'retrieved@" in refused(
        *REPOSITORY, "--sut", f"{MODEL},rules", "--db", "evals.db", "--context", "retrieved", "--run-id", "one"
    )


def test_runs_in_two_contexts_are_compared_by_context_and_by_nothing_else() -> None:
    make_repository(Path("two"), BEFORE, AFTER, BEFORE)
    for context in ("touched", "retrieved"):
        found("--repo", "two", "--rev", "HEAD~2..HEAD", "--run-id", context, "--context", context)

    by_context = call("compare", "touched", "retrieved", "--by", "context", "--db", "evals.db").stdout
    by_run = call("compare", "touched", "retrieved", "--by", "run", "--db", "evals.db").stdout

    assert "touched - retrieved" in by_context
    assert "nothing to compare" in by_run


@pytest.mark.parametrize("context", ["touched", "decoys", "retrieved"])
def test_the_largest_prompt_and_the_cost_that_are_told_beforehand_are_not_exceeded(context: str) -> None:
    words = ("nextedit", *REPOSITORY, "--sut", MODEL, "--context", context, "--db", "evals.db", "--json")
    planned = json.loads(call(*words, "--dry-run").stdout)

    call(*words)

    records = [json.loads(line) for line in call("export", "--db", "evals.db").stdout.splitlines()]
    named = int(planned["notes"][-1].split()[3].replace(",", ""))
    assert max(record["input_tokens"] for record in records) <= named
    assert 0 < sum(record["list_cost_usd"] for record in records) <= planned["bound_usd"]
