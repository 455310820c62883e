"""What a bundle leaves out: cases, answers and bytes on request, paths always; and what can be computed of the rest."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from runner.bundles.local_paths import portable, portable_path, without_paths
from tests.in_process import evals
from tests.runner.bundles.bundled_runs import bundled, members, rows, verified

BundleOf = Callable[[str], Path]


def _redacted(bundle_of: BundleOf, suite: str, what: str) -> Path:
    folder = bundle_of(suite).parent
    return bundled(folder, suite, "--redact", what, name=f"{what}.zip")


def _case_lines(path: Path) -> list[str]:
    """Long lines of the files of cases, which occur nowhere by chance."""

    content = {row["content"] for row in rows(path, "asked/cases.jsonl")}
    files = [
        json.loads(row["text"])["file_contents"] for row in rows(path, "asked/texts.jsonl") if row["digest"] in content
    ]
    return [line for file in files for line in file.splitlines() if len(line) > 30]


def test_without_cases_and_answers_no_line_of_a_case_is_left(bundle_of: BundleOf) -> None:
    lines = _case_lines(bundle_of("diff_edit"))

    texts = b"".join(members(_redacted(bundle_of, "diff_edit", "cases,answers")).values()).decode()

    assert lines
    assert not [line for line in lines if line.strip() in texts]


@pytest.mark.parametrize(
    "what, computed, left",
    [
        pytest.param("cases", {"answers"}, ["cases", "scorings"], id="cases"),
        pytest.param("streams", {"cases", "scorings", "figures"}, ["texts, clocks and tokens"], id="streams"),
        pytest.param("answers", {"cases"}, ["answers", "scorings"], id="answers"),
        pytest.param("cases,streams", {"variants"}, ["cases", "texts, clocks", "scorings"], id="cases and streams"),
    ],
)
def test_verify_names_what_can_no_longer_be_computed(
    bundle_of: BundleOf, what: str, computed: set[str], left: list[str]
) -> None:
    result = verified(_redacted(bundle_of, "diff_edit", what))

    assert result.holds, result.lines
    assert all(result.same[kind] for kind in computed)
    assert all(any(words in line for line in result.left) for words in left), result.left


@pytest.mark.parametrize("suite", ["diff_edit", "edit", "codrep", "nextedit"])
@pytest.mark.parametrize("what", ["cases", "streams", "cases,answers,streams"])
def test_the_rest_is_imported_and_reported(bundle_of: BundleOf, tmp_path: Path, suite: str, what: str) -> None:
    path = _redacted(bundle_of, suite, what)

    imported = evals("import", path, "--db", tmp_path / "evals.db", cwd=tmp_path)
    verify = evals("verify", path, cwd=tmp_path)
    report = evals("report", suite, "--db", tmp_path / "evals.db", "--json", cwd=tmp_path)

    assert [imported.returncode, verify.returncode] == [0, 0], imported.stderr + verify.stderr + verify.stdout
    assert report.returncode == 0 or report.stderr.count("\n") == 1


def test_only_known_parts_can_be_left_out(bundle_of: BundleOf, tmp_path: Path) -> None:
    db = bundle_of("codrep").parent / "evals.db"

    ended = evals("bundle", "codrep", "--redact", "keys", "--db", db, cwd=tmp_path)

    assert ended.returncode == 2
    assert "give one or more of cases, streams, answers" in ended.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "value, expected",
    [
        ("/home/mira/cases", "(left out)"),
        ("~/cases", "(left out)"),
        ("C:\\Users\\mira", "(left out)"),
        ("file:///srv/x", "(left out)"),
        ("/usr/bin/node --test", "(left out)"),
        ("cases/diff_edit", "cases/diff_edit"),
        ("sim/any at in-process", "sim/any at in-process"),
        ("vllm/m at http://127.0.0.1:8000/v1", "vllm/m at http://127.0.0.1:8000/v1"),
    ],
)
def test_settings_keep_names_and_lose_paths(value: str, expected: str) -> None:
    assert portable({"a": [value], "b": 1}) == {"a": [expected], "b": 1}
    assert portable(portable({"a": value})) == {"a": expected}


def test_paths_of_cases_keep_their_last_part() -> None:
    assert portable_path("/srv/codrep/Tasks/11.txt") == "(left out)/11.txt"
    assert portable_path("src/a.py") == "src/a.py"
    assert portable_path(None) is None


def test_tracebacks_keep_the_names_of_files() -> None:
    text = 'File "/home/mira/evals/runner/x.py", line 3\nOSError: /home/mira/data/a and /Users/mira/b'

    assert without_paths(text) == 'File "x.py", line 3\nOSError: ~/data/a and ~/b'
    assert without_paths(None) is None
