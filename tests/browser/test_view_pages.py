"""The served pages in a real browser: from the leaderboard to an attempt, its stream, its spans, and hostile texts."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from runner.console import harmless
from runner.records import Outcome
from runner.run.replay import live_parser
from runner.run.resolve import choose_wires, stored_wire
from runner.storage.playback import frames, recording_of
from runner.storage.runs import find_run
from runner.storage.store import Store
from tests.browser.browsing import chromium, viewing
from tests.runner.made_runs import Made
from tests.runner.pages.test_hostile_page import PAYLOADS, hostile

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

sync_api = pytest.importorskip("playwright.sync_api", reason="`make test-browser` installs it")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="`make test-browser` installs it")

pytestmark = pytest.mark.browser

MODELS = ("sim/careful?time=virtual", "sim/sloppy?time=virtual")
WIDTHS, SCHEMES = (1280, 390), ("light", "dark")


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A simulated run of two models and two algorithms, and a run for each hostile payload."""
    folder = tmp_path_factory.mktemp("view")
    words = ["diff", *MODELS, "--diff-apply", "v4,v3", "--parallel", "--run-id", "r1", "--db", str(folder / "run.db")]
    command = [sys.executable, "-c", "from runner.cli import main; main()", *words]
    subprocess.run(command, check=True, capture_output=True)
    for payload in PAYLOADS:
        with closing(Store.open(folder / f"{payload}.db")) as store:
            hostile(store, payload)
    return {path.stem: path for path in folder.glob("*.db")}


@pytest.fixture(scope="module")
def servers(databases: dict[str, Path]) -> Iterator[dict[str, str]]:
    """The addresses of the databases' servers."""
    with ExitStack() as stack:
        yield {name: stack.enter_context(viewing(path)) for name, path in databases.items()}


@pytest.fixture(scope="module")
def browser(servers: dict[str, str]) -> "Iterator[Browser]":
    assert servers
    with chromium() as launched:
        yield launched


@contextmanager
def opened(browser: "Browser", address: str, path: str = "/", **context: object) -> "Iterator[Page]":
    """A page in a window of its own. What it logs is an error, and so are a dialog and a request off the server."""
    base = address.partition("/?")[0]
    events, asked = list[str](), list[str]()
    with browser.new_context(**context) as window:
        shown = window.new_page()
        shown.on("console", lambda message: events.append(f"console: {message.text}"))
        shown.on("pageerror", lambda error: events.append(f"error: {error}"))
        shown.on("dialog", lambda dialog: events.append(f"dialog: {dialog.message}"))
        shown.on("request", lambda request: asked.append(request.url))
        shown.goto(address)
        assert "token" not in shown.url
        if path != "/":
            shown.goto(base + path)
        yield shown
    assert [*events, *(url for url in asked if not url.startswith((f"{base}/", "data:,")))] == []


def scoring(path: Path, condition: str) -> int:
    """The id of the first attempt of which a condition holds."""
    with closing(Store.open_to_read(path)) as store:
        sql = f"SELECT scoring_id FROM attempts JOIN classes USING (scoring_id) WHERE {condition} ORDER BY 1"  # noqa: S608 - of a test
        return int(store.rows(sql)[0][0])


def texts(shown: "Page", selector: str) -> list[str]:
    return [node.text_content() or "" for node in shown.locator(selector).all()]


def test_the_leaderboard_leads_to_an_attempt(browser: "Browser", servers: dict[str, str]) -> None:
    with opened(browser, servers["run"]) as shown:
        shown.get_by_role("link", name="r1", exact=True).click()
        shown.locator("#ranking tbody a").first.click()
        shown.locator(".attempts tbody th a").first.click()

        sync_api.expect(shown.locator("#answer")).to_contain_text("replace_in_file")
        assert "of 29" in (shown.locator(".crumbs").text_content() or "")
        shown.go_back()
        sync_api.expect(shown.locator(".attempts")).to_be_visible()


def test_the_marked_text_is_the_span_that_was_matched(
    browser: "Browser", servers: dict[str, str], databases: dict[str, Path]
) -> None:
    with closing(Store.open_to_read(databases["run"])) as store:
        sql = """
            SELECT s.scoring_id, s.blocks, k.content_id FROM scorings s JOIN answers a USING (answer_id)
            JOIN lanes l USING (lane_id) JOIN cases k ON k.run_id = l.run_id AND k.case_id = l.case_id
            WHERE s.outcome = 'applied' GROUP BY k.case_id, s.diff_algorithm"""
        rows = store.rows(sql)
        contents = {row["scoring_id"]: json.loads(store.text(row["content_id"]) or "") for row in rows}
    with opened(browser, servers["run"]) as shown:
        base = shown.url.rstrip("/")
        for row in rows[::3]:
            shown.goto(f"{base}/run/r1/attempt/{row['scoring_id']}")
            original = contents[row["scoring_id"]]["file_contents"]
            spans = [original[block["start"] : block["end"]] for block in json.loads(row["blocks"])]
            assert texts(shown, "mark.matched") == [harmless(span, lines=True) for span in spans]


def test_before_and_after_are_those_of_diff(
    browser: "Browser", servers: dict[str, str], databases: dict[str, Path], tmp_path: Path
) -> None:
    program = shutil.which("diff")
    if program is None:
        pytest.skip("no diff here")
    with closing(Store.open_to_read(databases["run"])) as store:
        sql = """
            SELECT s.scoring_id, s.edited_id, k.content_id FROM scorings s JOIN answers a USING (answer_id)
            JOIN lanes l USING (lane_id) JOIN cases k ON k.run_id = l.run_id AND k.case_id = l.case_id
            WHERE s.edited_id IS NOT NULL AND s.outcome = 'applied' GROUP BY s.edited_id"""
        edits = {
            row["scoring_id"]: (
                json.loads(store.text(row["content_id"]) or "")["file_contents"],
                store.text(row["edited_id"]),
            )
            for row in store.rows(sql)
        }
    with opened(browser, servers["run"]) as shown:
        base = shown.url.rstrip("/")
        for scoring_id, pair in list(edits.items())[::3]:
            for name, text in zip(("before", "after"), pair, strict=True):
                (tmp_path / name).write_bytes((text or "").encode())
            words = [program, "-u", str(tmp_path / "before"), str(tmp_path / "after")]
            done = subprocess.run(words, capture_output=True, check=False)
            shown.goto(f"{base}/run/r1/attempt/{scoring_id}")

            assert texts(shown, "#change-1 td.code") == [
                harmless(line) for line in done.stdout.decode().split("\n")[2:-1]
            ]


def test_scrubbing_shows_the_text_that_had_arrived(
    browser: "Browser", servers: dict[str, str], databases: dict[str, Path]
) -> None:
    scoring_id = scoring(databases["run"], "class = 'right' AND num_edits > 1")
    with closing(Store.open_to_read(databases["run"])) as store:
        answer_id = store.rows("SELECT answer_id FROM scorings WHERE scoring_id = ?", scoring_id)[0][0]
        recorded = recording_of(store, answer_id)
        parser = live_parser(store, find_run(store, "r1"), recorded.prompt)
        arrived = [
            (frame.at_ns / 1e6, frame.text)
            for frame in frames(recorded.stream, stored_wire(recorded.wire, choose_wires(())), parser)
            if frame.kind == "text"
        ]
    with opened(browser, servers["run"], f"/run/r1/attempt/{scoring_id}") as shown:
        slider = shown.locator("#slider")
        last = int(slider.get_attribute("max") or "0")
        for step in (0, 1, last // 2, last - 1, last):
            slider.fill(str(step))
            ms = float((shown.locator("#moment").text_content() or "").partition(" ")[0])
            visible = (
                "".join(texts(shown, "#answer .part"))
                if step == last
                else shown.evaluate(
                    "[...document.querySelectorAll('#answer .part')].map(node => node.firstChild.textContent).join('')"
                )
            )
            assert visible == "".join(text for at, text in arrived if round(at, 1) <= ms)
            assert (
                shown.locator("#answer .pending").first.evaluate("node => getComputedStyle(node).visibility")
                == "hidden"
            )
        for words in ("first token", "first edit", "first replacement line"):
            assert shown.locator(".timeline text", has_text=words).count() == 1


def test_keys_lead_to_failures_and_filters_and_can_be_switched_off(browser: "Browser", servers: dict[str, str]) -> None:
    with opened(browser, servers["run"], "/run/r1/attempts?outcome=failed") as shown:
        shown.locator(".attempts tbody th a").first.click()
        sync_api.expect(shown.get_by_role("button", name="letter keys")).to_be_visible()
        first = shown.url
        shown.keyboard.press("n")
        sync_api.expect(shown).not_to_have_url(first)
        sync_api.expect(shown.get_by_role("button", name="letter keys")).to_be_visible()
        shown.keyboard.press("p")
        sync_api.expect(shown.locator(".crumbs")).to_contain_text("1 of ")
        shown.get_by_role("button", name="letter keys").click()
        here = shown.url
        shown.keyboard.press("n")
        shown.get_by_role("button", name="letter keys").click()
        assert shown.url == here
        shown.goto(f"{shown.url.partition('/run')[0]}/run/r1/attempts")
        sync_api.expect(shown.get_by_role("button", name="letter keys")).to_be_visible()
        shown.keyboard.press("/")
        assert shown.evaluate("document.activeElement.name") == "model"


def test_a_block_and_what_it_matched_light_each_other(
    browser: "Browser", servers: dict[str, str], databases: dict[str, Path]
) -> None:
    scoring_id = scoring(databases["run"], "class = 'right' AND num_edits > 1")
    with opened(browser, servers["run"], f"/run/r1/attempt/{scoring_id}") as shown:
        shown.locator("mark.matched").last.click()
        number = shown.locator("mark.matched").last.get_attribute("data-block")

        assert [node.get_attribute("data-block") for node in shown.locator(".lit").all()] == [number, number]


def test_figures_of_a_run_change_while_it_goes_on(
    browser: "Browser", tmp_path: Path, databases: dict[str, Path]
) -> None:
    path = tmp_path / "live.db"
    shutil.copy(databases["run"], path)
    with closing(Store.open(path)) as store, viewing(path) as address:
        store.update("runs", {"run_id": "r1"}, {"state": "running"})
        with opened(browser, address, "/run/r1") as shown:
            answers = shown.locator("[data-live=answers]")
            before = int(answers.text_content() or "")
            made = Made(store)
            made.scoring(made.answer(made.lane("c_hash_map_leaks", MODELS[0]), 7), Outcome.APPLIED)

            sync_api.expect(answers).to_have_text(str(before + 1))
            store.update("runs", {"run_id": "r1"}, {"state": "complete"})
            sync_api.expect(shown.locator("[data-live=state]")).to_have_text("complete")


@pytest.mark.parametrize("payload", PAYLOADS)
def test_nothing_that_others_write_runs(browser: "Browser", servers: dict[str, str], payload: str) -> None:
    with opened(browser, servers[payload]) as shown:
        base = shown.url.rstrip("/")
        for path in (
            "/",
            "/run/r1",
            "/run/r1/attempts",
            "/run/r1/attempt/1",
            "/run/r1/attempt/2",
            "/run/r1/report",
            "/cases",
            "/compare",
        ):
            shown.goto(base + path)
            shown.evaluate("document.querySelectorAll('details').forEach(node => node.open = true)")
            assert shown.locator("script").count() == 1 + shown.locator("#arrivals").count()
            assert shown.locator("iframe, img, object, embed, base").count() == 0
            assert shown.locator("a[href^='javascript:']").count() == 0
            assert shown.evaluate("document.documentElement.scrollWidth") <= 1280


def kinds(databases: dict[str, Path]) -> dict[str, str]:
    """An address of each kind of page."""
    right, failed = (scoring(databases["run"], f"class = '{name}'") for name in ("right", "failed"))
    case = "c_hash_map_leaks"
    with closing(Store.open_to_read(databases["run"])) as store:
        digest = store.rows("SELECT digest FROM cases WHERE case_id = ?", case)[0][0]
    return {
        "runs": "/", "run": "/run/r1", "list": "/run/r1/attempts?outcome=failed", "right": f"/run/r1/attempt/{right}",
        "failed": f"/run/r1/attempt/{failed}", "cases": "/cases", "case": f"/case/{digest}?id={case}",
        "compare": f"/compare?a=r1&b=r1&b-diff=v3&case={case}", "missing": "/run/r9", "report": "/run/r1/report",
    }  # fmt: skip


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_pages_have_no_barriers_and_never_scroll_sideways(
    browser: "Browser", servers: dict[str, str], databases: dict[str, Path], scheme: str, width: int
) -> None:
    found = []
    with browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme) as window:
        shown = window.new_page()
        shown.goto(servers["run"])
        base = shown.url.rstrip("/")
        for name, path in kinds(databases).items():
            shown.goto(base + path)
            shown.evaluate("document.querySelectorAll('details').forEach(node => node.open = true)")
            if shown.evaluate("document.documentElement.scrollWidth") != width:
                found.append((name, "scrolls sideways", ""))
            found += [
                (name, violation["id"], violation["nodes"][0]["html"][:300])
                for violation in axe.Axe().run(shown).response["violations"]
                if violation["impact"] in {"serious", "critical"}
            ]
    assert found == []


def test_all_can_be_read_without_scripts(
    browser: "Browser", servers: dict[str, str], databases: dict[str, Path]
) -> None:
    right = scoring(databases["run"], "class = 'right'")
    with opened(browser, servers["run"], f"/run/r1/attempt/{right}", java_script_enabled=False) as shown:
        assert "+++++++ REPLACE" in shown.locator("#answer").inner_text()
        assert not shown.locator("#slider").is_visible()
        assert shown.locator("#change-1").is_visible()
