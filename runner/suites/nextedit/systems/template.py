"""The file that a system of one's own can begin with: a system that runs."""

from pathlib import Path

_TEMPLATE = Path(__file__).with_name("own_template.py")


def template_of(path: Path) -> str:
    """The text of the file at this path, which speaks of itself by its name."""
    text = _TEMPLATE.read_text(encoding="utf-8")
    return text.replace("own_template.py", str(path)).replace("own_template", path.stem)
