"""The file that an edit tool of one's own can begin with: a tool that runs, in Python, TypeScript or JavaScript."""

import re
from pathlib import Path
from typing import Final

# What runs a file of each kind.
RUNNERS: Final = {".py": "python", ".ts": "node", ".mjs": "node"}
_OWN = {".py": "own_tool.py", ".ts": "own_tool.ts", ".mjs": "own_tool.ts"}
# The types of the template, which stand nowhere else.
_TYPE = r"(?:string|number|boolean|unknown|Arguments|Request|Outcome|Record<string, unknown>)"
_TYPES = (
    re.compile(r"^type \w+ = (?:\{\n.*?^\}|[^\n]*);\n+", re.MULTILINE | re.DOTALL),
    re.compile(rf"(?<=[\w)]): {_TYPE}(?=[,);]| [{{=])"),
)


def template_of(path: Path) -> str:
    """Return the text of the file at this path, which speaks of itself by its name."""
    text = Path(__file__).with_name(_OWN[path.suffix]).read_text(encoding="utf-8")
    if path.suffix == ".mjs":
        text = without_types(text)
    return text.replace("own_tool", path.stem)


def without_types(text: str) -> str:
    """Return the TypeScript of the template as JavaScript."""
    for pattern in _TYPES:
        text = pattern.sub("", text)
    return text
