"""`evals nextedit` with the checkpoints of TRACE, and with the variables of the original."""

import json
import os
from pathlib import Path

import pytest

from runner.cli.nextedit_variables import NAMES
from runner.environment import dotenv_of, sensitive_variables
from runner.trust import remember
from tests.repositories import make_repository
from tests.runner.cli.test_nextedit_systems import CASE, PYTHON_CASE, call, module, refused
from tests.runner.suites.nextedit.systems.stub_checkpoints import write_stubs


def dotenv(text: str) -> None:
    """Write a .env here, and trust it."""
    Path(".env").write_text(text)
    file, found = dotenv_of(Path.cwd())
    assert file is not None
    remember([sensitive_variables(file, found)], os.environ)


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


class TestTrace:
    def test_stub_checkpoints_are_replayed(self, tmp_path: Path) -> None:
        done = call("--cases", CASE, "--sut", "trace", "--trace-models", write_stubs(tmp_path / "stubs"), "--json")

        systems = json.loads(done.stdout)["systems"]
        assert done.exit_code == 0
        assert systems["trace"]["commits"] == 1
        assert systems["trace"]["troubles"] == {}

    def test_the_originals_variables_name_the_checkpoints(self, tmp_path: Path) -> None:
        folder = write_stubs(tmp_path / "stubs")
        lines = [f"{name.upper()}_MODEL_PATH={folder / name}" for name in ("invoker", "locator", "generator")]
        dotenv("\n".join((*lines, "DEVICE=cpu", "SUT=trace")))

        done = call("--cases", CASE, "--json")

        assert list(json.loads(done.stdout)["systems"]) == ["trace"]

    def test_checkpoints_serve_the_originals_rules_too(self, tmp_path: Path) -> None:
        folder = write_stubs(tmp_path / "stubs")

        done = call("--cases", PYTHON_CASE, "--sut", "trace", "--trace-models", folder, "--compat", "historian")

        assert done.stdout.startswith("trace: 1 commits, ")

    def test_what_is_missing_is_one_line(self, tmp_path: Path) -> None:
        folder = write_stubs(tmp_path / "stubs")
        weights = tmp_path / "generator.bin"
        weights.write_bytes(b"")

        assert "the invoker is not named; name it with --invoker-model-path" in refused("--sut", "trace")
        assert "/invoker is not there" in refused("--sut", "trace", "--trace-models", tmp_path / "nowhere")
        neural = ("--cases", CASE, "--sut", "trace", "--trace-models", folder, "--generator-model-path", weights)
        assert "is no Python interpreter" in refused(*neural, "--trace-python", weights)
        bare = tmp_path / "bare"
        bare.write_text("#!/bin/sh\necho torch\n")
        bare.chmod(0o755)
        assert "has no torch; install it" in refused(*neural, "--trace-python", bare)


class TestVariables:
    @pytest.mark.parametrize("name, known", [("TRACE", "trace"), ("Oracle", "oracle"), ("Mine", "Mine")])
    def test_a_systems_name_may_be_written_as_the_original_does(self, tmp_path: Path, name: str, known: str) -> None:
        stubs = write_stubs(tmp_path / "stubs")
        module(Path("systemUnderTest/Mine"), "def main(payload):\n    return {}\n")
        dotenv(f"SUT={name}\n")

        done = call("--cases", CASE, "--json", "--trace-models", stubs)

        assert list(json.loads(done.stdout)["systems"]) == [known]

    def test_a_folder_of_the_very_name_is_meant_first(self) -> None:
        module(Path("systemUnderTest/TRACE"), "def main(payload):\n    return {}\n")

        done = call("--cases", CASE, "--json", "--sut", "TRACE,trace,SILENT")

        assert "the invoker is not named" in str(done.exception)
        assert list(json.loads(call("--cases", CASE, "--json", "--sut", "TRACE").stdout)["systems"]) == ["TRACE"]

    @pytest.mark.parametrize("blank", ["", "  "])
    def test_a_blank_line_of_dotenv_sets_nothing(self, blank: str) -> None:
        Path(".env").write_text("".join(f"{name}={blank}\n" for name in NAMES))

        done = call("--cases", CASE)

        assert done.exit_code == 0
        assert "order graph" in done.stdout
        assert "\nrules " in done.stdout

    def test_dotenv_gives_defaults_the_environment_and_words_override(self) -> None:
        dotenv("SUT=oracle\nOUTPUT_DIR=from-dotenv\nFLOW_ANALYSIS=no\n")

        told = call("--cases", CASE, "--json")
        environment = call("--cases", CASE, "--json", env={"SUT": "silent"})
        typed = call("--cases", CASE, "--json", "--sut", "random", env={"SUT": "silent"})

        names = [list(json.loads(each.stdout)["systems"]) for each in (told, environment, typed)]
        assert names == [["oracle"], ["silent"], ["random"]]
        assert (Path("from-dotenv") / "knobs-ef8ee13de7-oracle-results.json").is_file()

    def test_a_system_of_a_dotenv_that_nobody_trusts_is_not_run(self) -> None:
        module(Path("systemUnderTest/Mine"), "def main(payload):\n    return {}\n")
        Path(".env").write_text("SUT=Mine\nOUTPUT_DIR=../elsewhere\nLOG_DIR=logs\n")

        done = call("--cases", CASE, "--json")

        assert list(json.loads(done.stdout)["systems"]) == ["rules"]
        assert ".env: SUT, OUTPUT_DIR: not used, this folder is not trusted" in done.stderr
        assert not Path("../elsewhere").exists()

    def test_a_list_in_dotenv_gives_way_to_a_source_that_was_typed(self) -> None:
        Path(".env").write_text("EVAL_SET=nowhere.json\nREPOS_DIR=repos\n")

        assert "nowhere.json" in refused("--sut", "silent")
        assert call("--sut", "silent", "--cases", CASE).exit_code == 0

    def test_bundles_are_made_of_the_list_in_dotenv(self, tmp_path: Path) -> None:
        _, sha = make_repository(tmp_path / "repos" / "tool", {"a.py": b"x\ny\nz\n"}, {"a.py": b"1\ny\n2\n"})
        Path("list.json").write_text(
            json.dumps({"python": [{"commit_url": f"https://example.org/owner/tool/commit/{sha}"}]})
        )
        Path(".env").write_text("EVAL_SET=list.json\nREPOS_DIR=repos\n")

        assert call("bundle", "made").stdout == f"made/tool-{sha[:10]}.json\n"
