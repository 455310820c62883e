"""One data set of three repositories: joined, proved again, asked, judged, and replayed, each in its own tree."""

from dataclasses import asdict
from pathlib import Path

import orjson
import pytest

from runner.suites.completion.dataset import read_dataset
from runner.suites.completion.origin_table import RepositoryFacts
from runner.suites.completion.repository_report import MEAN, POOLED
from tests.completion import FAST, rows, total
from tests.joined import FILE, PROVENANCE, SIZES, write_three
from tests.runner.cli.conftest import Call


@pytest.fixture
def three(tmp_path: Path) -> Path:
    return write_three(tmp_path)


def db(three: Path) -> tuple[str, Path]:
    return "--db", three.parent / "e.db"


@pytest.mark.wide
def test_planted_rates_are_found_over_three_repositories_and_a_replay_runs_no_test(three: Path, call: Call) -> None:
    suts = [f"sim/{one}?{FAST}" for one in ("truth", "wrong", "any?applied=0.5")]
    suts[2] = suts[2].replace("?ttft", "&ttft")

    done = call("completion", "run", three, "--sut", ",".join(suts), "--run-id", "a", "-j", 1, *db(three), "--json")

    data = orjson.loads(done.out)
    planted = {one["sut"]: one["right"] for one in data["expected"]}
    assert done.code == 0, done.err
    assert [total(data, sut)["passed"] for sut in suts] == [planted[sut] for sut in suts]
    assert (planted[suts[0]], planted[suts[1]]) == (sum(SIZES.values()), 0)
    assert 0 < planted[suts[2]] < sum(SIZES.values())
    assert rows(three, "SELECT DISTINCT source FROM cases ORDER BY 1") == [(name,) for name in SIZES]
    replayed = call("replay", "--run-id", "a", "--parser", "trimmed", *db(three), "--json")
    assert (replayed.code, orjson.loads(replayed.out)["judged"]) == (0, 0), replayed.err


@pytest.mark.wide
def test_a_filling_that_no_run_has_a_verdict_of_is_judged_in_its_own_repository(three: Path, call: Call) -> None:
    over = f"sim/over-run?{FAST}"
    call("completion", "run", three, "--sut", over, "--chains", "raw", "--run-id", "a", "-j", 1, *db(three), "--json")
    replay = ("replay", "--run-id", "a", "--parser", "repaired", *db(three), "--json")
    text = (three.parent / "bob" / FILE).read_text()
    (three.parent / "bob" / FILE).write_text(f"{text}\n")

    refused = call(*replay)
    (three.parent / "bob" / FILE).write_text(text)
    replayed = call(*replay)

    assert refused.code == 2
    assert "11 fillings were never judged, and" in refused.err
    assert "bob has changed since; restore it" in refused.err
    data = orjson.loads(replayed.out)
    assert data["judged"] == sum(SIZES.values())
    assert total(data["summary"], over, "repaired")["passed"] == sum(SIZES.values())


def test_another_text_in_one_of_the_repositories_is_refused(three: Path, call: Call) -> None:
    (three.parent / "cid" / FILE).write_text("x = 1\n")

    done = call("completion", "run", three, "--sut", f"sim/truth?{FAST}", *db(three))

    assert (done.code, done.err.count("\n")) == (2, 2)
    assert "cid/sums.py: not the text of the data set; give cid at cid1 as --repo" in done.err


@pytest.mark.wide
def test_what_is_built_of_repositories_one_by_one_is_joined_and_each_proof_tried_again(three: Path, call: Call) -> None:
    folder = three.parent
    for repo in ("ada", "bob"):
        place = ("--repo", folder / repo, "--out", folder / f"{repo}.built.jsonl")
        assert call("completion", "build", *place, "--scenes", "1.1", "--limit", 1, "--mutants", 0).code == 0

    files = (folder / "ada.built.jsonl", folder / "bob.built.jsonl")
    done = call("completion", "join", *files, "--out", folder / "built.jsonl", "--json")
    proved = call("completion", "validate", folder / "built.jsonl", "--repo", folder / "{repo}", "-j", 1)
    other = call("completion", "validate", folder / "built.jsonl", "--python", folder / "{repo}" / "python")

    told = orjson.loads(done.out)
    tasks = read_dataset(folder / "built.jsonl").tasks
    assert (told["tasks"], [one["repository"] for one in told["repositories"]]) == (len(tasks), ["ada", "bob"])
    tested = sum(bool(task.tests) for task in tasks)
    assert (proved.code, proved.out) == (0, f"{tested} of {tested} proofs hold\n"), proved.err
    assert tested >= 4
    assert other.code == 2
    assert f"{folder}/ada/python" in other.err


def test_a_join_shows_the_licences_and_dates_of_its_repositories(three: Path, call: Call) -> None:
    files = [three.parent / f"{name}.jsonl" for name in SIZES]

    done = call("completion", "join", *files, "--out", three, "--wide")

    assert done.code == 0
    for name, about in PROVENANCE.items():
        (line,) = [line for line in done.out.splitlines() if line.split()[:1] == [name]]
        assert line.split()[1:] == [str(SIZES[name]), *RepositoryFacts(**asdict(about)).cells]
    assert "not known to let their code be passed on among other code: cid (unknown)" in done.out


@pytest.mark.parametrize(
    "files, out, told",
    [
        (
            ["ada.jsonl"],
            "x.jsonl",
            "ada.jsonl: is one data set, and there is nothing to join it with; give two or more",
        ),
        (["ada.jsonl", "three.jsonl"], "x.jsonl", "field 'repo' is 'ada', as in"),
        (["ada.jsonl", "bob.jsonl"], "no/x.jsonl", "give a file in an existing folder"),
        (["ada.jsonl", "none.jsonl"], "x.jsonl", "none.jsonl"),
    ],
)
def test_a_join_that_cannot_be_is_told_in_one_line(
    three: Path, call: Call, files: list[str], out: str, told: str
) -> None:
    done = call("completion", "join", *(three.parent / name for name in files), "--out", three.parent / out)

    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert told in done.err
    assert not (three.parent / out).exists()


@pytest.mark.wide
def test_rates_planted_in_answers_from_elsewhere_are_reported_by_repository(three: Path, call: Call) -> None:
    planted = {"ada": 1, "bob": 3, "cid": 1}
    dataset = read_dataset(three)
    own = {name: [task for task in dataset.tasks if task.repo == name] for name in planted}
    right = {task.task_id for name, tasks in own.items() for task in tasks[: planted[name]]}
    answers = [
        {"task_id": task.task_id, "model": "they", "text": dataset.truth(task) if task.task_id in right else "pass"}
        for task in dataset.tasks
    ]
    (three.parent / "answers.jsonl").write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in answers))

    done = call(
        "completion", "score", three, "--answers", three.parent / "answers.jsonl", "-j", 1, *db(three), "--json"
    )

    found = orjson.loads(done.out)["completion"]["repositories"]
    rates = {rate["repository"]: rate for rate in found["rates"] if rate["chain"] == "raw"}
    assert {name: (rates[name]["passed"], rates[name]["tasks"]) for name in SIZES} == {
        name: (planted[name], SIZES[name]) for name in SIZES
    }
    assert rates[MEAN]["pass_at_1"] == pytest.approx((1 / 2 + 3 / 4 + 1 / 5) / 3)
    assert rates[POOLED]["pass_at_1"] == pytest.approx(5 / 11)
    assert {one["repository"]: one["licence"] for one in found["facts"]} == {
        name: about.licence for name, about in PROVENANCE.items()
    }
    shown = call("report", "latest", *db(three), "--markdown").out
    assert "not known to let their code be passed on among other code: cid (unknown)" in shown
    assert "clustered by file in these repositories alone, each weighs alike" in shown
    assert call("compare", "latest", *db(three)).code == 0
    assert call("report", "latest", *db(three), "--html", three.parent / "page.html").code == 0


@pytest.mark.wide
def test_a_report_says_what_was_left_out_and_needs_no_repository_of_it(three: Path, call: Call) -> None:
    (three.parent / "cid" / FILE).unlink()

    words = ("--sut", f"sim/truth?{FAST}", "--released-after", "2022-01-01", "-j", 1, *db(three), "--json")
    done = call("completion", "run", three, *words)

    found = orjson.loads(done.out)["completion"]["repositories"]
    assert done.code == 0, done.err
    assert {rate["repository"] for rate in found["rates"]} == {"ada", "bob", MEAN, POOLED}
    assert found["released_after"] == "2022-01-01"
    assert found["left_out"] == [{"repository": "cid", "tasks": SIZES["cid"], "released": ""}]
    shown = call("report", "latest", *db(three), "--markdown").out
    assert "leaves out 5 tasks: 5 of cid (no date of a release is known)" in shown


def test_a_preview_says_how_many_tasks_are_left_out(three: Path, call: Call) -> None:
    words = ("completion", "run", three, "--sut", "sim/truth", "--dry-run", "--released-after")

    done = call(*words, "2023-01-01")

    assert done.code == 0
    assert "1 systems, 2 cases" in done.err + done.out
    assert "--released-after 2023-01-01 leaves out 9 tasks: 4 of bob (2022-02-01)" in done.err + done.out


@pytest.mark.parametrize("day, told", [("2025-01-01", "three.jsonl: no task is left"), ("soon", "released-after")])
def test_a_day_that_leaves_nothing_or_is_none_is_told_in_one_line(three: Path, call: Call, day: str, told: str) -> None:
    done = call("completion", "run", three, "--sut", "sim/truth", "--dry-run", "--released-after", day)

    assert (done.code, done.err.count("\n")) == (2, 1)
    assert told in done.err


def test_answers_to_nothing_but_left_out_tasks_are_refused(three: Path, call: Call) -> None:
    task = next(task for task in read_dataset(three).tasks if task.repo == "bob")
    (three.parent / "a.jsonl").write_bytes(orjson.dumps({"task_id": task.task_id, "text": "x"}) + b"\n")

    words = ("--answers", three.parent / "a.jsonl", "--released-after", "2023-01-01", "--db", three.parent / "e.db")
    done = call("completion", "score", three, *words)

    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "no answer is to a task that is left" in done.err
