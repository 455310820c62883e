"""What `evals nextedit` makes of names and folders that are not as they should be."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from runner.cli.nextedit import app
from runner.errors import InputError
from runner.suites.nextedit.results import file_name
from tests.repositories import make_repository

BEFORE = {"a.py": b"def load(path):\n    pass\n", "b.py": b"from a import load\n\nload('x')\n"}
AFTER = {"a.py": b"def read(path):\n    pass\n", "b.py": b"from a import read\n\nread('x')\n"}


@pytest.fixture(autouse=True)
def _in_a_repository(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("SUT", "EVAL_SET", "REPOS_DIR", "OUTPUT_DIR", "FLOW_ANALYSIS"):
        monkeypatch.delenv(name, raising=False)
    make_repository(tmp_path / "tool", BEFORE, AFTER)
    monkeypatch.chdir(tmp_path / "tool")


def call(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def refused(*words: object) -> str:
    error = call(*words).exception
    assert isinstance(error, InputError)
    return str(error)


def bundle_of(project: str, folder: Path) -> Path:
    """The bundle of the repository's commit, but for its project."""
    call("bundle", folder, "--repo", ".", "--rev", "HEAD")
    (path,) = folder.glob("*.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"project": project}))
    return path


class TestNames:
    @pytest.mark.parametrize("mode", [[], ["--compat", "historian"]], ids=["ours", "the-originals"])
    @pytest.mark.parametrize("project", ["../../up", "/up", ".."], ids=["above", "absolute", "dots"])
    def test_no_project_leads_out_of_the_output_folder(self, tmp_path: Path, project: str, mode: list[str]) -> None:
        path = bundle_of(project, tmp_path / "bundles")
        sha = json.loads(path.read_text())["sha"][:10]
        folder = tmp_path / "results" / "a" / "b"

        done = call("--cases", path, "--sut", "oracle", "--output-dir", folder, *mode)

        assert done.exit_code == 0
        (written,) = (each for each in (tmp_path / "results").rglob("*") if each.is_file())
        assert written.parent == folder
        assert sha in written.name
        assert not list(tmp_path.glob("up*"))

    def test_models_that_differ_before_a_colon_have_files_of_their_own(self) -> None:
        assert [file_name(each) for each in ("ollama/llama:8b", "ollama/qwen:8b")] == [
            "ollama-llama-8b",
            "ollama-qwen-8b",
        ]
        assert file_name("historian:sut/main.py") == "sut-main.py"

    def test_modules_far_down_have_files_of_their_own(self) -> None:
        paths = [f"historian:/{'long/' * 40}{name}/main.py" for name in ("one", "other")]

        first, second = map(file_name, paths)

        assert first.endswith("-one-main.py")
        assert second.endswith("-other-main.py")


class TestFolders:
    @pytest.mark.parametrize("option", ["--output-dir", "--log-dir"])
    def test_a_file_is_no_folder_to_write_into(self, option: str, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("x")
        (tmp_path / "main.py").write_text("def main(json_input):\n    return {}\n")

        told = refused("--rev", "HEAD", "--sut", f"historian:{tmp_path / 'main.py'}", option, tmp_path / "file")

        assert told == f"{option}: {tmp_path / 'file'} cannot be made: it is a file; name another folder"
        assert not Path("evals.db").exists()

    def test_a_folder_in_a_file_is_none_either(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("x")

        assert "Not a directory" in refused("--rev", "HEAD", "--output-dir", tmp_path / "file" / "a")

    def test_bundles_are_not_written_into_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("x")

        assert "it is a file" in refused("bundle", tmp_path / "file", "--rev", "HEAD")

    @pytest.mark.parametrize("clone", [[], ["--clone"]], ids=["as-they-are", "cloned"])
    def test_repositories_are_not_looked_for_in_a_file(self, clone: list[str], tmp_path: Path) -> None:
        (tmp_path / "file").write_text("x")
        (tmp_path / "list.json").write_text('{"python": [{"commit_url": "https://localhost/o/tool/commit/abc"}]}')

        told = refused("--testset", tmp_path / "list.json", "--repos-dir", tmp_path / "file", *clone)

        assert told.startswith(f"--repos-dir: {tmp_path / 'file'} cannot be made: it is a file")


class TestRevisions:
    def test_those_without_a_repository_are_of_the_one_here(self, tmp_path: Path) -> None:
        done = call("--rev", "HEAD", "--sut", "silent", "--output-dir", tmp_path / "out")

        assert done.exit_code == 0
        assert [each.name.partition("-")[0] for each in (tmp_path / "out").iterdir()] == ["tool"]

    def test_so_they_are_for_bundles(self, tmp_path: Path) -> None:
        done = call("bundle", tmp_path / "out", "--rev", "HEAD")

        assert done.exit_code == 0
        assert len(list((tmp_path / "out").iterdir())) == 1

    def test_they_are_none_of_a_folder_of_bundles(self) -> None:
        assert refused("--rev", "HEAD", "--cases", ".").startswith("--rev: names commits of a repository")

    def test_a_list_that_only_a_variable_names_gives_way_to_them(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("EVAL_SET", "nowhere.json")

        assert call("--rev", "HEAD", "--sut", "silent").exit_code == 0


def test_the_first_reason_is_told_where_nothing_can_be_replayed(tmp_path: Path) -> None:
    (tmp_path / "list.json").write_text('{"python": [{"commit_url": "https://localhost/o/other/commit/abc"}]}')

    told = refused("--testset", tmp_path / "list.json", "--repos-dir", tmp_path)

    assert told.startswith("no commit can be replayed: no_repository 1 (the first: abc: ")
    assert f"{tmp_path / 'other'}: no such folder" in told


def test_a_prompt_that_is_not_there_is_told_by_its_option() -> None:
    assert refused("--rev", "HEAD", "--sut", "sim/careful", "--prompt", "nope").startswith("--prompts: ")


class TestLabels:
    def row(self, **changes: object) -> str:
        edits = [{"file_path": "a.py", "parent_version_range": {"start": at, "end": at + 1}} for at in (0, 2)]
        texts = [{"path": "a.py", "before": "a = 1\nx\nb = 2\n", "after": "a = 3\nx\nb = 4\n"}]
        return json.dumps({"id": "one", "files": texts, "edits": edits, "pairs": {}} | changes) + "\n"

    def test_a_line_that_does_not_fit_is_counted_and_the_rest_compared(self) -> None:
        Path("labels.jsonl").write_text(self.row() + self.row(edits=[]))

        done = call("order", "--labels", "labels.jsonl", "--json")

        assert json.loads(done.stdout).keys() == {"pairs", "precision", "recall", "f1", "accuracy", "skipped"}
        assert (json.loads(done.stdout)["pairs"], json.loads(done.stdout)["skipped"]) == (1, 1)
        assert done.stderr.startswith("skipped: labels.jsonl: line 2: field edits")

    def test_lines_none_of_which_fits_are_bad_input(self) -> None:
        Path("labels.jsonl").write_text(self.row(edits=[]))

        assert refused("order", "--labels", "labels.jsonl").startswith("labels.jsonl: line 1: field edits")
