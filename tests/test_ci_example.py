"""The workflow of docs/ci.md works as it stands, with a simulated model in place of a real one."""

import re
import shlex
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from string import Template
from xml.etree.ElementTree import parse

import pytest

from runner.storage.store import Store
from tests.runner.cli.conftest import Call, call

__all__ = ["call"]

PAGE = (Path(__file__).parents[1] / "docs" / "ci.md").read_text(encoding="utf-8")
MODEL = "sim/any?applied=0.9&valid=1&time=virtual"
RUN_ID = {"GITHUB_RUN_ID": "77"}


def workflow() -> str:
    block: str
    (block,) = re.findall(r"^```yaml workflow\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return block


def commands(step: str) -> Iterator[list[str]]:
    """The words of each `evals` command of a step."""
    (body,) = re.findall(
        rf"^      - name: {step}\n(?:        .*\n)*?        run: \|\n((?:          .*\n)+)", workflow(), re.MULTILINE
    )
    for line in body.splitlines():
        program, *words = shlex.split(Template(line).substitute(RUN_ID))
        assert program == ".venv/bin/evals"
        yield [word.replace("openai/gpt-5-mini", MODEL) for word in words]


@pytest.mark.parametrize("code", [0, 1], ids=["as good", "worse"])
def test_the_workflow_passes_answers_that_are_as_good_and_fails_worse_ones(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    (ask,) = commands("Ask")
    (judge,) = commands("Judge")

    assert call(*[word.replace("ci-77", "main") for word in ask]).code == 0
    assert call(*ask).code == 0
    if code:
        with closing(Store.open(tmp_path / "evals.db")) as store:
            store.execute("UPDATE scorings SET outcome = 'no_match' WHERE run_id = 'ci-77' AND scoring_id % 3")
    done = call(*judge)

    assert done.code == code, done.err
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert parse(tmp_path / "junit.xml").getroot().attrib["failures"] == str(2 * code)  # noqa: S314 - our own file
    assert "gates of ci-77" in (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert done.out.count("::error ") == 2 * code


def test_what_the_workflow_keeps_is_what_its_commands_write() -> None:
    kept = re.findall(r"^            (\S+)$", workflow(), re.MULTILINE)

    (judge,) = commands("Judge")
    written = [judge[judge.index(option) + 1] for option in ("--html", "--junit")]
    assert kept == [*written, "evals.db"]
