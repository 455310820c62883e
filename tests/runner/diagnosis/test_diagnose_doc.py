"""The page on failed edits shows the true table of the recorded answers."""

import re
from pathlib import Path

import pytest

from runner.diagnosis.causes import Relaxation, Unforgivable
from tests.runner.cli.conftest import Call, call

__all__ = ["call"]

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "diagnose.md").read_text(encoding="utf-8")


def test_the_table_of_the_recorded_answers_is_the_command_s(
    tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    db = tmp_path / "evals.db"
    assert call("diff", "--replay", "--diff-apply", "v4,v3,v1", "--db", db).code == 0

    printed = call("diagnose", "latest", "--markdown", "--db", db).out

    on_page = PAGE.partition("<!-- recorded answers -->\n\n")[2].partition("\n<!-- end -->")[0]
    assert on_page == re.sub(r"^## ", "### ", printed.partition("\n\n")[2], flags=re.MULTILINE)


def test_every_cause_has_a_row_in_its_order() -> None:
    names = re.findall(r"^\| ([\w ]+) \|", PAGE.partition("## The recorded answers")[0], re.MULTILINE)

    assert [name for name in names if name not in {"relaxation", "cause"}] == [*Relaxation, *Unforgivable]
