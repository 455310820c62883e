"""Foreign text on the served pages: nothing of it runs, leads anywhere, or hides."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest

from runner.console import harmless
from runner.storage.store import Store
from tests.runner.pages.html_reading import Node, read
from tests.runner.pages.test_hostile_page import PAYLOADS, hostile, is_visible
from tests.runner.real_runs import real_run
from tests.runner.suites.made_cases import block, call
from tests.runner.view.served_pages import page, pages_from

ATTRIBUTES = {"data-key", "data-copy", "data-block", "data-start", "data-live", "data-events", "data-end"}


def is_inert(root: Node) -> None:
    """Nothing but the page's own script is named, and each address stays on the server."""
    scripts = [node for node in root.all("script") if node.attributes.get("type") != "application/json"]
    assert [node.attributes.get("src") for node in scripts] == ["/view.js"]
    for node in root.all():
        assert node.tag not in {"iframe", "object", "embed", "base", "img", "style", "meta-refresh"}
        for name, value in node.attributes.items():
            assert not name.startswith("on")
            assert name != "style"
            assert not name.startswith("data-") or name in ATTRIBUTES
            if name in {"href", "action", "src", "formaction"} and value != "data:,":
                parts = urlsplit(value)
                assert (parts.scheme, parts.netloc) == ("", "")
                assert value.startswith(("/", "#")) or not value
                assert not value.startswith("//")


@pytest.mark.parametrize("payload", PAYLOADS)
def test_nothing_that_others_write_runs_or_hides_on_any_page(store: Store, payload: str) -> None:
    hostile(store, payload)
    store.update("runs", {"run_id": "r1"}, {"state": "running"})

    count = 0
    for address, answer in pages_from(store, "/", most=24):
        assert answer.status == 200, address
        is_inert(read(answer.html))
        is_visible(answer.html)
        count += 1

    assert count == 24


@pytest.mark.parametrize(
    "run_id", ["../../etc", "//evil.example/x", "a b?c#d", "%2e%2e", "javascript:alert(1)", "\u202er"]
)
def test_a_run_of_any_name_has_its_page(store: Store, run_id: str) -> None:
    store.execute("PRAGMA foreign_keys = OFF")
    hostile(store, "link")
    for table in ("runs", "variants", "cases", "lanes", "scorings", "scoring_tallies", "answer_tallies"):
        store.update(table, {"run_id": "r1"}, {"run_id": run_id})

    statuses = [answer.status for _, answer in pages_from(store, "/", most=20)]

    assert statuses == [200] * 20


@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_block_of_any_text_is_shown_as_text(store: Store, tmp_path: Path, payload: str) -> None:
    text = PAYLOADS[payload].format("search")
    answers = {"one": [call(block("two", text)), call(block(f"one\n{text}\nthree", text))]}
    real_run(store, tmp_path / "cases", answers, quota=2)

    applied, refused = (page(store, f"/run/r1/attempt/{number}") for number in (1, 2))

    for shown in (applied, refused):
        is_inert(shown)
        assert f"\n{harmless(text)}\n+++++++ REPLACE" in shown.by_id("answer").text
    added = [row.text for row in applied.by_id("change-1").all("tr") if row.attributes["class"] == "add"]
    assert added[0].endswith(f"+{harmless(text).splitlines()[0]}")
