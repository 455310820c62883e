"""The page of an audit: foreign text on it neither runs nor hides, and it has every table of the screen."""

import json
from pathlib import Path

import pytest

from runner.console import harmless
from tests import in_process
from tests.planted_sessions import MODEL, plan, write
from tests.runner.pages.html_reading import read
from tests.runner.pages.test_hostile_page import PAYLOADS, is_inert, is_visible

FILE = "/home/dev/project/a.py"


def page_of(folder: Path, **replaced: str) -> str:
    path = write(folder / "sessions", "claude-code", plan("claude-code", 1, 12))
    rows = path.read_text()
    for old, new in replaced.items():
        rows = rows.replace(json.dumps({"model": MODEL, "file": FILE}[old])[1:-1], json.dumps(new)[1:-1])
    path.write_text(rows)
    ended = in_process.evals("audit", "sessions", "--html", "page.html", cwd=folder)
    assert (ended.returncode, ended.stderr) == (0, "")
    return (folder / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("payload", PAYLOADS)
def test_foreign_text_is_inert_and_visible(tmp_path: Path, payload: str) -> None:
    model, file = (PAYLOADS[payload].format(place) for place in ("model", "path"))

    html = page_of(tmp_path, model=model, file=file)

    root = read(html)
    is_inert(root)
    is_visible(html)
    assert harmless(model, lines=True) in root.text
    assert "http://" not in html
    assert "https://" not in html


def test_the_page_has_the_tables_of_the_screen(tmp_path: Path) -> None:
    html = page_of(tmp_path)

    titles = ("editing calls", "tries of each edit", "why editing calls failed", "the same calls with our algorithms")
    for title in (*titles, "tokens and cost", "edits by language", "files where edits fail most", "edits by week"):
        assert f">{title}</h2>" in html
    assert MODEL in html


def test_a_page_takes_the_place_of_other_forms(tmp_path: Path) -> None:
    ended = in_process.evals("audit", ".", "--html", "page.html", "--json", cwd=tmp_path)

    assert ended.returncode == 2
    assert ended.stderr == "evals: --html: takes the place of --json and --markdown; leave one of them out\n"
