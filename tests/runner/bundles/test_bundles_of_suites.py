"""A run of each suite becomes a bundle, verifies, and is a run of another database."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from runner.bundles.verify_options import VerifyOptions
from tests.in_process import evals
from tests.runner.bundles.bundled_runs import SUITES, bundled, members, verified
from tests.strangers_database import CASES

BundleOf = Callable[[str], Path]
ROOT = CASES.parent

_TIERS = {"completion": "slow", "local": "slow", "predictors": "slow", "nextedit": "wide", "edit": "wide"}
each_suite = pytest.mark.parametrize(
    "suite",
    [pytest.param(suite, marks=[getattr(pytest.mark, _TIERS[suite])] if suite in _TIERS else []) for suite in SUITES],
)
cheap_suites = pytest.mark.parametrize("suite", ["diff_edit", "codrep", "codev"])


@each_suite
def test_every_answer_scoring_and_figure_is_computed_again(bundle_of: BundleOf, suite: str) -> None:
    result = verified(bundle_of(suite))

    assert result.holds, result.lines
    assert {"digests", "variants", "answers", "scorings"} <= {kind for kind, count in result.same.items() if count}


@each_suite
@pytest.mark.wide
def test_an_imported_run_gives_the_same_bundle_and_the_same_report(
    bundle_of: BundleOf, suite: str, tmp_path: Path
) -> None:
    path, db = bundle_of(suite), tmp_path / "evals.db"

    imported = evals("import", path, "--db", db, "--json", cwd=tmp_path)

    (run,) = json.loads(imported.stdout)
    assert (run["was_there"], run["run_id"]) == (False, run["bundled_id"])
    assert bundled(tmp_path, run["run_id"]).read_bytes() == path.read_bytes()
    words = ("report", run["run_id"], "--json", "--db")
    assert evals(*words, db, cwd=tmp_path).stdout == evals(*words, path.parent / "evals.db", cwd=tmp_path).stdout
    page = evals("report", run["run_id"], "--html", tmp_path / "page.html", "--db", db, cwd=tmp_path)
    assert page.returncode == 0, page.stderr


def test_to_import_a_bundle_again_changes_nothing(bundle_of: BundleOf, tmp_path: Path) -> None:
    words = ("import", bundle_of("codrep"), "--db", tmp_path / "evals.db", "--json")
    evals(*words, cwd=tmp_path)

    again = evals(*words, cwd=tmp_path)

    assert json.loads(again.stdout) == [{"run_id": "codrep", "bundled_id": "codrep", "was_there": True}]
    assert len(json.loads(evals("runs", "--json", "--db", tmp_path / "evals.db", cwd=tmp_path).stdout)) == 1


def test_a_run_whose_id_another_run_has_is_given_a_new_one_and_is_known_by_it(
    bundle_of: BundleOf, tmp_path: Path
) -> None:
    db, path = tmp_path / "evals.db", bundle_of("codrep")
    cases = str(CASES / "codrep")
    evals(
        "codrep",
        "run",
        cases,
        "--sut",
        "sim/any?time=virtual",
        "--limit",
        "2",
        "--run-id",
        "codrep",
        "--db",
        db,
        cwd=tmp_path,
    )

    ids = [
        (run["run_id"], run["was_there"])
        for _ in range(2)
        for run in json.loads(evals("import", path, "--db", db, "--json", cwd=tmp_path).stdout)
    ]

    assert ids == [("codrep-2", False), ("codrep-2", True)]


def test_a_replay_brings_along_the_run_that_it_replays(bundle_of: BundleOf, tmp_path: Path) -> None:
    source, db = bundle_of("diff_edit"), tmp_path / "evals.db"
    shutil.copy(source.parent / "evals.db", db)
    words = ("replay", "--run-id", "diff_edit", "--diff-apply", "v1", "--json", "--db", db)
    replay = json.loads(evals(*words, cwd=tmp_path).stdout)["run_id"]
    path = bundled(tmp_path, replay)

    result = verified(path)
    imported = json.loads(evals("import", path, "--db", tmp_path / "new.db", "--json", cwd=tmp_path).stdout)
    after = json.loads(evals("import", path, "--db", source.parent / "evals.db", "--json", cwd=tmp_path).stdout)

    assert result.holds, result.lines
    assert [run["run_id"] for run in imported] == ["diff_edit", replay]
    assert [run["was_there"] for run in after] == [True, False]


@pytest.mark.parametrize("suite", ["diff_edit", "edit", "nextedit"])
def test_an_imported_run_is_replayed_shown_and_compared(bundle_of: BundleOf, suite: str, tmp_path: Path) -> None:
    db = tmp_path / "evals.db"
    evals("import", bundle_of(suite), "--db", db, cwd=tmp_path)
    if suite == "edit":
        shown = evals("show", suite, "--db", db, "--json", cwd=tmp_path)
        assert shown.returncode == 0, shown.stderr
        return

    replayed = evals("replay", "--run-id", suite, "--diff-apply", "v3", "--db", db, "--json", cwd=tmp_path)
    compared = evals("compare", suite, "--db", db, "--json", cwd=tmp_path)
    shown = evals("show", suite, "--db", db, "--json", cwd=tmp_path)

    assert [replayed.returncode, compared.returncode, shown.returncode] == [0, 0, 0]


def test_verdicts_are_taken_from_the_record_unless_tests_are_run(bundle_of: BundleOf) -> None:
    result = verified(bundle_of("edit"))

    assert any("--run-tests" in line for line in result.left)


@pytest.mark.slow
@pytest.mark.parametrize("suite", ["edit", "completion"])
def test_tests_that_are_run_again_give_the_same_verdicts(bundle_of: BundleOf, suite: str) -> None:
    repository = CASES / "completion" / "shelf" if suite == "completion" else None

    result = verified(bundle_of(suite), VerifyOptions(run_tests=True, repository=repository))

    assert result.holds, result.lines
    assert result.same["scorings"]
    assert not result.left


@pytest.mark.slow
@each_suite
def test_a_bundle_verifies_in_another_checkout(bundle_of: BundleOf, suite: str, tmp_path: Path) -> None:
    for package in ("runner", "prompts", "parsers", "diff_apply", "suts"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(bundle_of(suite), tmp_path / "run.zip")
    program = "import runner, sys; from runner.cli import main; print(runner.__file__); main()"

    words = [sys.executable, "-c", program, "verify", "run.zip"]
    variables = {"PYTHONPATH": str(tmp_path)}
    ended = subprocess.run(words, check=True, cwd=tmp_path, env=variables, capture_output=True, text=True)

    assert ended.stdout.startswith(str(tmp_path))


@cheap_suites
def test_no_path_of_this_machine_is_carried(bundle_of: BundleOf, suite: str) -> None:
    path = bundle_of(suite)

    texts = b"".join(members(path).values())

    for folder in (ROOT, path.parent, Path.home()):
        assert str(folder).encode() not in texts
