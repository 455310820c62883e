"""Draws a page's view as one HTML file: no script, nothing from elsewhere, and all foreign text escaped and visible."""

import base64
import hashlib
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runner.console import harmless
from runner.errors import InputError
from runner.pages.run_page import Page

if TYPE_CHECKING:
    from jinja2 import Environment

MOST_BYTES = 5_000_000
# No text on a page is longer, whatever a database holds.
_LONGEST_TEXT = 20_000
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
    style = _style()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return _environment().get_template("report.html").render(page=page, style_digest=digest)


def _style() -> str:
    return files("runner.pages").joinpath("templates", "report.css").read_text(encoding="utf-8")


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("runner.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible(Markup),
    )
    # The only text of a page that is not escaped: it is a file of ours.
    environment.globals["style"] = Markup(_style())  # noqa: S704 - the same
    return environment


def _visible(markup: type) -> Callable[[Any], Any]:
    """Return what every expression of a template goes through before it is escaped.

    Characters that control, reorder or hide text become visible; so no template can forget one.
    """

    def finalize(value: object) -> object:
        if isinstance(value, str) and not isinstance(value, markup):
            left_out = len(value) - _LONGEST_TEXT
            return harmless(
                value if left_out <= 0 else f"{value[:_LONGEST_TEXT]} [{left_out} more characters]", lines=True
            )
        return value

    return finalize
