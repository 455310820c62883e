"""`evals cases mine`, as a person calls it, and the commands that take what it makes."""

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner

from runner.cli.codrep import app as codrep
from tests.repositories import git
from tests.runner.cli.conftest import Call
from tests.runner.mine.made_history import change, start, tree

BIN = Path(sys.executable).parent


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """Five commits: of one line, of two in two files, of a comment, and of two files in several places."""
    folder = tmp_path / "till"
    lines = [b"def f%d():\n    return %d\n\n\n" % (number, number) for number in range(9)]
    start(folder, {"till.py": b"".join(lines), "sum.c": b"int a;\nint b;\n"})
    lines[3] = b"def f3():\n    return 33\n\n\n"
    change(folder, {"till.py": b"".join(lines)}, "Return more from f3")
    lines[5] = b"def f5():\n    return 55\n\n\n"
    change(folder, {"till.py": b"".join(lines), "sum.c": b"int a;\nlong b;\n"}, "Return more from f5")
    change(folder, {"sum.c": b"int a; // why\nlong b;\n"}, "Tell why")
    lines[1], lines[7] = b"def f1(x):\n    return x\n\n\n", b"def f7():\n    return f1(7)\n\n\n"
    change(folder, {"till.py": b"".join(lines)}, "Let f1 take what it returns")
    return folder


def mine(call: Call, kind: str, repo: Path, out: Path, *words: str) -> dict[str, object]:
    """What the command tells as JSON; it ends with 0."""
    done = call("cases", "mine", "--kind", kind, "--repo", repo, "--out", out, "--json", *words)
    assert done.code == 0, done.err
    told: dict[str, object] = orjson.loads(done.out)
    return told


def test_tasks_are_predicted_and_scored_by_the_competition_s_commands(call: Call, repo: Path, tmp_path: Path) -> None:
    told = mine(call, "codrep", repo, tmp_path / "out")
    runner = CliRunner()

    guesses = runner.invoke(codrep, ["predict", "--sut", "formula", str(tmp_path / "out")])
    score = runner.invoke(codrep, ["score", "-d", str(tmp_path / "out")], input=guesses.stdout)

    assert (told["commits"], told["files"], told["cases"]) == (5, 5, 3)
    assert told["refused_files"] == {"lines": 1, "comment": 1}
    assert score.stdout.splitlines()[0] == "Total files: 3"
    assert score.stdout.splitlines()[2].startswith("Recall@1: 1.0 ")


def test_diff_edit_cases_pass_the_strict_check_and_are_run(call: Call, repo: Path, tmp_path: Path) -> None:
    told = mine(call, "diff", repo, tmp_path / "out")

    checked = call("cases", "check", tmp_path / "out", "--strict")
    ran = call(
        "diff",
        "--cases",
        tmp_path / "out",
        "--model-ids",
        "sim/careful?time=virtual",
        "--db",
        tmp_path / "e.db",
        "--json",
    )

    assert (told["commits"], told["cases"]) == (5, 3)
    assert (checked.code, checked.out.splitlines()[-1]) == (0, f"3 cases, 0 skipped, 0 findings in {tmp_path / 'out'}")
    assert (ran.code, ran.err.count("3 cases")) == (0, 1)


def test_bundles_are_replayed(call: Call, repo: Path, tmp_path: Path) -> None:
    told = mine(call, "nextedit", repo, tmp_path / "out")

    replayed = call("nextedit", "--cases", tmp_path / "out", "--sut", "oracle", "--db", tmp_path / "e.db", "--json")

    systems = orjson.loads(replayed.out)["systems"]
    assert told["cases"] == systems["oracle"]["commits"] == 2


def test_what_was_refused_is_told_to_people(call: Call, repo: Path, tmp_path: Path) -> None:
    done = call("cases", "mine", "--kind", "codrep", "--repo", repo, "--out", tmp_path / "out")

    first, *rest = done.out.splitlines()
    assert re.fullmatch(
        rf"3 codrep cases from 5 commits, 5 changed files in \S+ s \(.+ commits/s\): {tmp_path}/out", first
    )
    assert rest == ["refused commits: root 1", "refused files: lines 1, comment 1"]
    assert done.err == ""


@pytest.mark.parametrize(
    "words, cases",
    [
        pytest.param(["--rev", "HEAD~4..HEAD~3"], 1, id="range"),
        pytest.param(["--rev", "HEAD~1", "--rev", "^HEAD~3"], 2, id="without"),
        pytest.param(["--since", "2023-11-15"], 0, id="day-after"),
        pytest.param(["--since", "2023-11-14"], 3, id="day"),
        pytest.param(["--limit", "2"], 2, id="limit"),
        pytest.param(["--languages", "c,go"], 1, id="languages"),
        pytest.param(["--ext", "py"], 2, id="extensions"),
        pytest.param(["--max-bytes", "20"], 1, id="bytes"),
    ],
)
def test_options_narrow_what_is_mined(call: Call, repo: Path, tmp_path: Path, words: list[str], cases: int) -> None:
    assert mine(call, "codrep", repo, tmp_path / "out", *words)["cases"] == cases


def test_a_bare_clone_and_a_folder_within_give_the_same(call: Call, repo: Path, tmp_path: Path) -> None:
    (repo / "inner").mkdir()
    git(tmp_path, "clone", "--quiet", "--bare", str(repo), "till.git")

    for name, place in (("whole", repo), ("inner", repo / "inner"), ("bare", tmp_path / "till.git")):
        mine(call, "diff", place, tmp_path / name)

    assert tree(tmp_path / "whole") == tree(tmp_path / "inner") == tree(tmp_path / "bare")


@pytest.mark.parametrize(
    "words, told",
    [
        pytest.param(["--repo", "/absent"], "/absent: no such folder; name a git repository", id="no-folder"),
        pytest.param(["--repo", "/"], "/: not a git repository", id="no-repository"),
        pytest.param(["--rev", "v9..HEAD"], "name a revision or a range A..B", id="revision"),
        pytest.param(["--languages", "klingon"], "--languages: 'klingon' is none of bash", id="language"),
        pytest.param(["--ext", "klingon"], "--ext: no language is known by 'klingon'", id="extension"),
        pytest.param(["--out", "/dev/null"], "--out /dev/null: is a file; name a new folder", id="file"),
        pytest.param(["--out", "/dev"], "--out /dev: is not empty; name a new folder", id="filled"),
        pytest.param(["--kind", "poem"], "'poem' is not one of", id="kind"),
        pytest.param(["--since", "yesterday"], "'yesterday' does not match", id="since"),
        pytest.param(["--limit", "0"], "--limit", id="limit"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(
    call: Call, repo: Path, tmp_path: Path, words: list[str], told: str
) -> None:
    done = call("cases", "mine", "--kind", "codrep", "--repo", repo, "--out", tmp_path / "new" / "out", *words)

    assert (done.code, done.err.count("\n"), done.out) == (2, 1, "")
    assert told in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["till"]


def test_a_repository_without_commits_is_bad_input(call: Call, tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "empty")

    done = call("cases", "mine", "--kind", "diff", "--repo", tmp_path / "empty", "--out", tmp_path / "out")

    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "HEAD names no commit yet" in done.err


@pytest.mark.parametrize("told", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.wide
def test_an_interrupted_mining_leaves_nothing(tmp_path: Path, told: signal.Signals) -> None:
    start(tmp_path / "repo", {"a.py": b"a = 0\n" * 5000})
    for number in range(1, 30):
        change(tmp_path / "repo", {"a.py": b"a = 0\n" * 4999 + b"a = %d\n" % number})
    words = ["cases", "mine", "--kind", "codrep", "--repo", str(tmp_path / "repo"), "--out", str(tmp_path / "out")]
    child = subprocess.Popen([str(BIN / "evals"), *words], stderr=subprocess.DEVNULL)

    while child.poll() is None and not list(tmp_path.glob(".evals-mined-*/cases/Tasks/*")):
        time.sleep(0.001)
    child.send_signal(told)

    assert child.wait() in {128 + told, 0}
    assert sorted(path.name for path in tmp_path.iterdir()) in (["repo"], ["out", "repo"])
    if (tmp_path / "out").exists():
        assert (tmp_path / "out" / "manifest.jsonl").exists()
