"""System prompts: named wordings in Markdown, with placeholders for the details of a user's machine."""

import errno
import hashlib
import os
import re
import stat
from dataclasses import dataclass, fields
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path

PROMPTS: dict[str, str] = {
    "basic": "basic.md",
    "strict": "strict.md",
    "native/basic": "native/basic.md",
    "native/strict": "native/strict.md",
    "codrep/basic": "codrep/basic.md",
    "completion/basic": "completion/basic.md",
    "edit/whole-file": "edit/whole-file.md",
    "codev/chat": "codev/chat.md",
    "nextedit/basic": "nextedit/basic.md",
}
# What Cline's evaluation calls the prompts in whose place these stand.
ALIASES = {"basicSystemPrompt": "basic", "claude4SystemPrompt": "strict"}

# In bytes: a larger file is no prompt.
_LARGEST = 1 << 20
_SECTION = re.compile(r"^<!-- if (\w+) -->\n(.*?)^<!-- end -->(?:\n|\Z)", re.MULTILINE | re.DOTALL)
_BOUNDARY = re.compile(r"^<!-- (?:if \w+|end) -->$", re.MULTILINE)
_PLACE = re.compile(r"\{\{(\w+)\}\}")


class PromptError(ValueError):
    """A wording that cannot be read or filled; the message is one line."""


class UnknownPromptError(PromptError):
    """An unknown name of a prompt; the message lists the known names."""


@dataclass(frozen=True, slots=True)
class PromptDetails:
    """The details of the user's machine that a wording may contain: the `system_prompt_details` of a case.

    `width` and `height` are the browser window's, in pixels; `mcp_string` describes the connected MCP servers.
    """

    cwd_value: str
    os_value: str
    shell_value: str
    home_value: str
    mcp_string: str = ""
    browser_use: bool = False
    width: int = 900
    height: int = 600
    user_custom_instructions: str = ""


_NAMES = frozenset(field.name for field in fields(PromptDetails))


@dataclass(frozen=True, slots=True)
class Prompt:
    """A named wording.

    `{{name}}` stands for a field of PromptDetails. The lines between `<!-- if name -->` and `<!-- end -->`,
    each on a line of its own, are kept only when that field is true or has more than white space; such parts
    do not nest. A wording that names another field or leaves a part open raises PromptError.
    """

    name: str
    wording: str

    def __post_init__(self) -> None:
        """Raise PromptError for a wording that cannot be filled."""
        if _BOUNDARY.search(_SECTION.sub(r"\2", self.wording)):
            raise PromptError(
                f"prompt {self.name}: an 'if' without its 'end', an 'end' without its 'if', or an 'if' within another"
            )
        for name in (*_SECTION.findall(self.wording), *_PLACE.findall(self.wording)):
            field = name if isinstance(name, str) else name[0]
            if field not in _NAMES:
                known = ", ".join(sorted(_NAMES))
                raise PromptError(f"prompt {self.name}: unknown field {field!r}; known are {known}")

    @property
    def digest(self) -> str:
        """The first 8 hexadecimal digits of the wording's SHA-256: prompts with equal wordings are equal."""
        return hashlib.sha256(self.wording.encode()).hexdigest()[:8]

    def render(self, details: PromptDetails) -> str:
        """Return the system prompt for a case; details are inserted literally, never expanded again."""
        values: dict[str, str | int | bool] = {name: getattr(details, name) for name in _NAMES}

        def chosen(section: re.Match[str]) -> str:
            return section[2] if str(values[section[1]] or "").strip() else ""

        return _PLACE.sub(lambda place: str(values[place[1]]), _SECTION.sub(chosen, self.wording))


def load(name: str) -> Prompt:
    """Return the prompt of a name in PROMPTS, or that of a Markdown file whose path ends in `.md`.

    Raises UnknownPromptError for an unknown name, PromptError for a file that cannot be read or filled.
    """
    if name in PROMPTS:
        return Prompt(name, (files("prompts") / PROMPTS[name]).read_text(encoding="utf-8"))
    if not name.endswith(".md"):
        known = ", ".join(PROMPTS)
        near = get_close_matches(name, PROMPTS, n=1)
        hint = f"did you mean {near[0]}? There" if near else "there"
        raise UnknownPromptError(f"no prompt is called {name!r}; {hint} are {known}, or give a path to an .md file")
    try:
        wording = _wording(Path(name))
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "is not UTF-8"
        raise PromptError(f"prompt {name}: cannot be read: {why}; give a Markdown file in UTF-8") from error
    if any("\ud800" <= letter <= "\udfff" for letter in Path(name).stem):
        # Bytes of a path that are not UTF-8 become lone surrogates, which the database cannot store.
        raise PromptError(f"prompt {name!r}: its name is not UTF-8; rename the file")
    return Prompt(Path(name).stem, wording)


def _wording(path: Path) -> str:
    """The text of a user's file. Raises OSError, also for a pipe, which could block, and for a file above the limit."""
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), encoding="utf-8") as file:  # noqa: PTH123 - of a descriptor
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        if about.st_size > _LARGEST:
            raise OSError(errno.EFBIG, f"larger than {_LARGEST >> 20} MB, the limit for a prompt")
        return file.read(_LARGEST)
