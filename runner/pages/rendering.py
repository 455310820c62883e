"""Draws a page's view as one HTML file: no script, nothing from elsewhere, and all foreign text escaped and visible."""

from dataclasses import replace
from pathlib import Path

from runner.errors import InputError
from runner.pages.drawing import drawing
from runner.pages.run_page import Page

MOST_BYTES = 5_000_000
# No text on a page is longer, whatever a database holds.
_LONGEST_TEXT = 20_000
_STYLE = "report.css"
# Where a page is too large, failures are left out until it fits.
_FEWER = (200, 100, 50, 20, 5, 0)


def rendered(page: Page) -> str:
    """Return the HTML of a page, with as many failures as fit into 5 MB."""
    html = ""
    for most in _FEWER:
        html = _html(_with_failures(page, most // len(page.runs)))
        if len(html.encode()) <= MOST_BYTES:
            break
    return html


def write_page(page: Page, path: Path) -> int:
    """Write a page; returns its size in bytes. Raises InputError where the file cannot be written."""
    data = rendered(page).encode()
    try:
        path.write_bytes(data)
    except OSError as error:
        raise InputError(f"--html {path}: cannot be written ({error.strerror}); name another file") from error
    return len(data)


def _with_failures(page: Page, most: int) -> Page:
    runs = []
    for run in page.runs:
        failures = replace(run.endings.failures, failures=run.endings.failures.failures[:most])
        runs.append(replace(run, endings=replace(run.endings, failures=failures)))
    return replace(page, runs=tuple(runs))


def _html(page: Page) -> str:
    environment = drawing(("runner.pages",), _LONGEST_TEXT, _STYLE)
    return environment.get_template("report.html").render(page=page)
