"""What a project's files ask for counts only once it is trusted, and until it changes; a user's own file counts."""

import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.runner.cli.conftest import NOT_TRUSTED, Call, Done

pytestmark = pytest.mark.usefixtures("project")


def record(tmp_path: Path) -> Path:
    return tmp_path / "state" / "evals" / "trusted.json"


@contextmanager
def typing(words: str) -> Iterator[None]:
    """A terminal on which this is typed."""
    ours, theirs = os.openpty()
    os.write(ours, words.encode())
    with os.fdopen(ours, "wb"), os.fdopen(theirs) as terminal, pytest.MonkeyPatch.context() as patched:
        patched.setattr("sys.stdin", terminal)
        yield


class TestConfiguration:
    @pytest.mark.parametrize(
        "line,option",
        [
            pytest.param('db = "../all.db"', "--db", id="above"),
            pytest.param('db = "/all.db"', "--db", id="absolute"),
            pytest.param('db = "link/all.db"', "--db", id="through a link"),
            pytest.param('[diff]\ncases = "../cases"', "--cases", id="cases"),
            pytest.param('[diff]\nsave-locally = "/out"', "--save-locally", id="save-locally"),
            pytest.param('[diff]\nprompts = "basic,../mine.md"', "--prompts", id="a prompt"),
            pytest.param('[diff]\nmodel-ids = "evil.models:Thing/x"', "--model-ids", id="a system"),
            pytest.param('[diff]\nparser = "evil:parser"', "--parser", id="a parser"),
            pytest.param(
                '[diff]\ndiff-edit-function = "evil:apply"', "--diff-apply", id="an algorithm by another name"
            ),
            pytest.param("[diff]\nyes = true", "--yes", id="consent"),
            pytest.param("[diff]\ninsecure_http = true", "--insecure-http", id="plain http"),
        ],
    )
    def test_an_untrusted_setting_leaves_the_default(
        self, line: str, option: str, project: Path, tmp_path: Path, call: Call
    ) -> None:
        (project / "link").symlink_to(tmp_path)
        (project / "evals.toml").write_text(f"{line}\n")

        plain, trusted = (
            call("diff", "--explain-config", "--json"),
            call("diff", "--explain-config", "--json", "--trust"),
        )

        assert origin(plain, option) == "default"
        assert plain.err.endswith(NOT_TRUSTED)
        assert origin(trusted, option).startswith(str(project / "evals.toml"))
        assert trusted.err == ""

    @pytest.mark.parametrize(
        "line",
        [
            'db = "results/evals.db"',
            "[diff]\nyes = false",
            '[diff]\nmodel-ids = "sim/careful,ollama/llama3:8b"',
            '[diff]\nprompts = "basic,mine.md"',
            "[diff]\nbudget = 5.0",
        ],
    )
    def test_a_harmless_setting_needs_no_trust(self, line: str, project: Path, call: Call) -> None:
        (project / "evals.toml").write_text(f"{line}\n")

        assert call("diff", "--explain-config").err == ""

    def test_no_variable_of_evals_can_come_from_dotenv(self, project: Path, call: Call) -> None:
        (project / ".env").write_text("EVALS_YES=1\nEVALS_DB=other.db\nEVALS_BASE_URL=https://stranger.example\n")

        done = call("diff", "--explain-config", "--json", "--trust")

        assert {origin(done, option) for option in ("--yes", "--db", "--base-url")} == {"default"}

    def test_what_is_missing_since_it_is_not_trusted_is_told(self, project: Path, call: Call) -> None:
        (project / "evals.toml").write_text('[completion.build]\nout = "../data.jsonl"\nrepo = "."\n')

        done = call("completion", "build")

        assert done.code == 2
        assert done.err.splitlines()[0] + "\n" == f"evals.toml: out: {NOT_TRUSTED}"
        assert "--out" in done.err.splitlines()[1]


def origin(done: Done, option: str) -> str:
    rows = json.loads(done.out)["options"]
    return next(str(row["origin"]) for row in rows if row["option"] == option)


class TestUserFile:
    @pytest.fixture(autouse=True)
    def own(self, tmp_path: Path) -> Path:
        file = tmp_path / "config" / "evals" / "evals.toml"
        file.parent.mkdir(parents=True)
        file.write_text('[diff]\nbase-url = "https://mine.example/v1"\nseed = 1\nmax-tokens = 11\nbudget = 2.0\n')
        return file

    def test_it_counts_less_than_a_project_s_and_needs_no_trust(self, own: Path, project: Path, call: Call) -> None:
        (project / "evals.toml").write_text("[diff]\nseed = 2\n")

        done = call("diff", "--explain-config", "--json")

        assert origin(done, "--base-url") == f"{own}: [diff] base-url"
        assert origin(done, "--max-tokens") == f"{own}: [diff] max-tokens"
        assert origin(done, "--seed") == f"{project / 'evals.toml'}: [diff] seed"
        assert done.err == ""

    def test_it_takes_the_place_of_what_a_project_may_not_say(self, own: Path, project: Path, call: Call) -> None:
        (project / "evals.toml").write_text('base-url = "https://stranger.example/v1"\n')

        done = call("diff", "--explain-config", "--json")

        assert origin(done, "--base-url") == f"{own}: [diff] base-url"
        assert done.err == f"evals.toml: base-url: {NOT_TRUSTED}"

    def test_a_limit_on_cost_is_not_raised_by_a_project(self, own: Path, project: Path, call: Call) -> None:
        (project / "evals.toml").write_text("[diff]\nbudget = 1000.0\n")

        done = call("diff", "--explain-config", "--json")

        assert origin(done, "--budget") == f"{own}: [diff] budget"

    def test_it_is_no_project_s_file_where_it_is_itself(
        self, own: Path, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(own.parent)

        assert origin(call("diff", "--explain-config", "--json"), "--base-url") == f"{own}: [diff] base-url"

    def test_a_relative_folder_of_the_user_s_is_passed_over(
        self, own: Path, project: Path, call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("XDG_CONFIG_HOME", "config")
        monkeypatch.setenv("HOME", str(tmp_path))
        (project / "config").symlink_to(own.parents[1])

        assert origin(call("diff", "--explain-config", "--json"), "--seed") == "default"


class TestRecord:
    @pytest.fixture(autouse=True)
    def asking(self, project: Path) -> Path:
        file = project / "evals.toml"
        file.write_text('base-url = "https://a:b@stranger.example/v1"\n[diff]\nyes = true\nseed = 1\n')
        return file

    def test_the_settings_are_shown_before_they_are_trusted(self, asking: Path, call: Call) -> None:
        done = call("trust", "--yes")

        assert done.out == (
            f'{asking}: base-url = "https://[hidden]@stranger.example/v1"\n{asking}: [diff] yes = true\n'
        )
        assert done.err == f"trusted from now on, until they change: {asking}\n"
        assert call("diff", "--explain-config").err == ""

    def test_without_a_terminal_nothing_is_trusted(self, call: Call, tmp_path: Path) -> None:
        done = call("trust")

        assert done.code == 2
        assert done.err == "evals: trust: there is no terminal to confirm on; review the settings, and give --yes\n"
        assert not record(tmp_path).exists()

    @pytest.mark.parametrize("words,trusted", [("y\n", True), ("n\n", False), ("\n", False)])
    def test_on_a_terminal_the_user_is_asked(self, words: str, trusted: bool, call: Call, tmp_path: Path) -> None:
        with typing(words):
            done = call("trust")

        assert done.code == 0
        assert record(tmp_path).exists() == trusted

    def test_consent_to_paid_runs_is_none_to_trust(self, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("EVALS_YES", "1")

        assert call("trust").code == 2

    @pytest.mark.parametrize(
        "before,after,asks",
        [
            pytest.param("stranger", "another", True, id="a changed setting"),
            pytest.param("seed = 1", "seed = 1\nping = true", None, id="no such option"),
            pytest.param("[diff]", "[doctor]\nping = true\n[diff]", True, id="another setting"),
            pytest.param("seed = 1", "seed = 2", False, id="a setting that needs no trust"),
        ],
    )
    def test_trust_lasts_until_a_setting_changes(
        self, before: str, after: str, asks: bool | None, asking: Path, call: Call
    ) -> None:
        call("trust", "--yes")
        asking.write_text(asking.read_text().replace(before, after))

        done = call("diff", "--explain-config")

        assert (NOT_TRUSTED in done.err) == bool(asks)
        assert (done.code == 2) == (asks is None)

    def test_trust_is_of_one_folder(
        self, asking: Path, project: Path, call: Call, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        call("trust", "--yes")
        copy = project.parent / "copy"
        copy.mkdir()
        (copy / "evals.toml").write_bytes(asking.read_bytes())
        monkeypatch.chdir(copy)

        assert call("diff", "--explain-config").err.endswith(NOT_TRUSTED)

    def test_trusted_files_are_listed_and_revoked(self, asking: Path, call: Call) -> None:
        call("trust", "--yes")

        listed, data = call("trust", "--list"), call("trust", "--list", "--json")
        revoked = call("trust", "--revoke")

        assert listed.out == f"{asking}\n"
        assert json.loads(data.out) == {"trusted": [str(asking)]}
        assert revoked.err == f"no longer trusted: {asking}\n"
        assert call("trust", "--list").out == ""
        assert call("diff", "--explain-config").err.endswith(NOT_TRUSTED)

    def test_settings_can_be_reviewed_as_data(self, asking: Path, call: Call) -> None:
        (file,) = json.loads(call("trust", "--json", "--yes").out)["files"]

        assert (file["file"], file["trusted"]) == (str(asking), False)
        assert file["settings"]["[diff] yes"] is True
        assert json.loads(call("trust", "--json").out)["files"][0]["trusted"] is True

    def test_the_record_is_the_user_s_alone_and_outside_of_the_project(
        self, project: Path, call: Call, tmp_path: Path
    ) -> None:
        call("trust", "--yes")

        assert stat.S_IMODE(record(tmp_path).stat().st_mode) == 0o600
        assert [file.name for file in record(tmp_path).parent.iterdir()] == ["trusted.json"]
        assert [file.name for file in project.iterdir()] == ["evals.toml"]

    @pytest.mark.parametrize("content", ["{", "[]", '{"file": 1}'])
    def test_a_record_that_cannot_be_read_is_one_line(self, content: str, call: Call, tmp_path: Path) -> None:
        record(tmp_path).parent.mkdir(parents=True)
        record(tmp_path).write_text(content)

        done = call("diff", "--explain-config")

        assert done.code == 2
        assert done.err.startswith(f"evals: {record(tmp_path)}: ")
        assert done.err.count("\n") == 1

    def test_nothing_to_trust_is_said(self, asking: Path, call: Call) -> None:
        asking.unlink()

        assert call("trust").err == "nothing here needs trust\n"

    def test_a_value_cannot_steer_the_terminal(self, asking: Path, call: Call) -> None:
        asking.write_text('base-url = "https://x.example/\\u001b[2K\\u202e"\n')

        shown = call("trust", "--yes").out

        assert shown.rstrip("\n").isprintable()

    def test_the_doctor_tells_what_is_not_trusted(self, asking: Path, call: Call) -> None:
        checks = {row["name"]: row["detail"] for row in json.loads(call("doctor", "--json").out)["checks"]}

        assert checks["evals.toml"] == f"{asking}; not trusted: base-url, [diff] yes"
