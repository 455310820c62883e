"""The page of a run in a real browser: quiet, within itself, readable without scripts, and without barriers.

The browser is that of $CHROMIUM, or the machine's.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from runner.pages.rendering import rendered
from runner.storage.store import Store
from tests.browser.browsing import chromium
from tests.runner.pages.made_pages import page, three_models
from tests.runner.pages.test_hostile_page import PAYLOADS, hostile
from tests.runner.real_runs import real_run
from tests.runner.suites.made_cases import block, call

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

sync_api = pytest.importorskip("playwright.sync_api", reason="`make test-browser` installs it")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="`make test-browser` installs it")

pytestmark = pytest.mark.browser

WIDTHS, SCHEMES = (1280, 390), ("light", "dark")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Pages by name: models side by side, failed edits, and a page for each hostile payload."""
    folder = tmp_path_factory.mktemp("pages")
    answers = {"one": [call(block("one\ntwo\nthrice"))], "two": [call(block("\tone  "))], "three": ["no call"]}
    with made(folder, "models") as store:
        three_models(store, simulated=True)
    with made(folder, "edits") as store:
        real_run(store, folder / "cases", answers)
    for payload in PAYLOADS:
        with made(folder, payload) as store:
            hostile(store, payload)
    return {path.stem: path for path in folder.glob("*.html")}


@pytest.fixture(scope="module")
def browser(files: dict[str, Path]) -> "Iterator[Browser]":
    """A browser, once the pages are made: it has an event loop of its own, in which no run can be made."""
    assert files
    with chromium() as launched:
        yield launched


@contextmanager
def made(folder: Path, name: str) -> Iterator[Store]:
    """A database that is filled inside; its latest run becomes a page of the name."""
    with closing(Store.open(folder / f"{name}.db")) as store:
        yield store
        (folder / f"{name}.html").write_text(rendered(page(store)), encoding="utf-8")


@contextmanager
def opened(browser: "Browser", path: Path, **context: object) -> "Iterator[Page]":
    """The page in a window of its own. What it logs or asks for is an error, and so is a dialog."""
    events: list[str] = []
    with browser.new_context(**context) as window:
        shown = window.new_page()
        shown.on("console", lambda message: events.append(f"console: {message.text}"))
        shown.on("pageerror", lambda error: events.append(f"error: {error}"))
        shown.on("dialog", lambda dialog: events.append(f"dialog: {dialog.message}"))
        shown.on("request", lambda request: events.append(request.url))
        shown.goto(path.as_uri())
        yield shown
    assert events == [path.as_uri()]


@pytest.mark.parametrize("name", ["models", "edits", *PAYLOADS])
def test_a_page_is_quiet_and_asks_for_nothing(browser: "Browser", files: dict[str, Path], name: str) -> None:
    with opened(browser, files[name]) as shown:
        shown.evaluate("document.querySelectorAll('details').forEach(node => node.open = true)")

        assert shown.title() == f"diff_edit run r1{' (simulated)' if name == 'models' else ''}"
        assert shown.locator("script, iframe, img, object, embed, form, link, base").count() == 0


def test_an_injected_script_or_style_does_nothing(browser: "Browser", files: dict[str, Path]) -> None:
    html = files["models"].read_text(encoding="utf-8")
    planted = "<script>document.title = 'ran'</script><h1 style='display:none' onclick='x()'>planted</h1>"
    path = files["models"].with_name("planted.html")
    path.write_text(html.replace("<main", f"{planted}<main"), encoding="utf-8")

    with browser.new_context() as window:
        shown = window.new_page()
        shown.goto(path.as_uri())

        assert shown.title() == "diff_edit run r1 (simulated)"
        assert shown.get_by_text("planted", exact=True).is_visible()


def test_all_can_be_read_without_scripts(browser: "Browser", files: dict[str, Path]) -> None:
    with opened(browser, files["edits"], java_script_enabled=False) as shown:
        for name in ("ranking", "differences", "cost", "outcomes", "causes", "cases", "failures", "method"):
            assert shown.locator(f"#{name}").is_visible()
        failure = shown.locator("details.failure").filter(has_text="a line off").first
        assert not failure.get_by_text("thrice").first.is_visible()
        failure.locator("summary").press("Enter")
        assert failure.get_by_text("thrice").first.is_visible()


@pytest.mark.parametrize("width", WIDTHS)
def test_links_lead_to_their_sections(browser: "Browser", files: dict[str, Path], width: int) -> None:
    with opened(browser, files["models"], viewport={"width": width, "height": 700}) as shown:
        for link in shown.locator("nav a").all():
            target = link.get_attribute("href") or ""
            link.click()
            sync_api.expect(shown.locator(target)).to_be_in_viewport()


@pytest.mark.parametrize("name", ["models", "edits", "element"])
@pytest.mark.parametrize("width", WIDTHS)
def test_a_page_never_scrolls_sideways(browser: "Browser", files: dict[str, Path], name: str, width: int) -> None:
    with opened(browser, files[name], viewport={"width": width, "height": 700}) as shown:
        shown.evaluate("document.querySelectorAll('details').forEach(node => node.open = true)")

        assert shown.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("name", ["models", "edits"])
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_axe_has_no_serious_finding(
    browser: "Browser", files: dict[str, Path], name: str, scheme: str, width: int
) -> None:
    with opened(browser, files[name], viewport={"width": width, "height": 700}, color_scheme=scheme) as shown:
        shown.evaluate("document.querySelectorAll('details').forEach(node => node.open = true)")
        violations = axe.Axe().run(shown).response["violations"]

    serious = [found for found in violations if found["impact"] in {"serious", "critical"}]
    assert [(found["id"], [node["html"] for node in found["nodes"]]) for found in serious] == []
