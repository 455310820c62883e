"""Draws views by templates: all foreign text is escaped, visible, and of bounded length."""

import base64
import hashlib
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from runner.console import harmless

if TYPE_CHECKING:
    from jinja2 import Environment


def template_text(package: str, name: str) -> str:
    """Return a file of ours among the templates of a package."""
    return files(package).joinpath("templates", name).read_text(encoding="utf-8")


@cache
def drawing(packages: tuple[str, ...], longest_text: int, style: str = "") -> "Environment":
    """Return what draws the templates of packages, the first that has a name; texts are cut at so many characters.

    `style` names the style sheet that templates may embed, one of the first package; a page permits it by its digest.
    """
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in packages]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible(Markup, longest_text),
    )
    if style:
        text = template_text(packages[0], style)
        # The only text of a page that is not escaped: it is a file of ours.
        environment.globals["style"] = Markup(text)  # noqa: S704 - the same
        environment.globals["style_digest"] = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return environment


def _visible(markup: type, longest_text: int) -> Callable[[Any], Any]:
    """Return what every expression of a template goes through before it is escaped.

    Characters that control, reorder or hide text become visible; so no template can forget one.
    """

    def finalize(value: object) -> object:
        if isinstance(value, str) and not isinstance(value, markup):
            left_out = len(value) - longest_text
            return harmless(
                value if left_out <= 0 else f"{value[:longest_text]} [{left_out} more characters]", lines=True
            )
        return value

    return finalize
