"""The form of a case file: its fields, their types, and how to fix each of them; cases/README.md describes them.

`None` stands for a field that is absent or null.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

import msgspec

from prompts import PromptDetails
from runner.structs import NOT_EMPTY, WHOLE, WrongField, fix
from suts.sut import Message

FORMAT = 1
_IMAGE = re.compile(r"data:[\w.+-]+/[\w.+-]+;base64,[A-Za-z0-9+/]+={0,2}")
_OR_ABSENT = "make it a string or leave it out"
_READABLE = f"make it {FORMAT}, or leave it out; a newer one needs a newer version of evals"
_PIXELS = "give pixels, a whole number, or leave it out"

# The user's machine where a case does not describe it.
DEFAULT_DETAILS = PromptDetails("/home/user/project", "Linux", "/bin/bash", "/home/user")

Text = Annotated[str | None, fix(_OR_ABSENT)]
Pixels = Annotated[float, WHOLE, fix(_PIXELS)] | None
Expected = Annotated[
    str | Annotated[tuple[str, ...], NOT_EMPTY] | None,
    fix("make it the file after the edit, a string, or an array of acceptable ones, or leave it out"),
]


class MessageFile(msgspec.Struct, frozen=True):
    """One turn of the conversation, with a text or images."""

    role: Annotated[Literal["user", "assistant"], fix("make it 'user' or 'assistant'")]
    text: Annotated[str | None, fix("make it a string")] = None
    images: Annotated[str | tuple[str, ...] | None, fix("list data URLs")] = None

    def as_asked(self) -> Message:
        """Return the message; a single image may stand alone."""
        images = self.images or ()
        return Message(self.role, self.text or "", (images,) if isinstance(images, str) else images)


class DetailsFile(msgspec.Struct, frozen=True):
    """What the system prompt may say of the user's machine."""

    cwd_value: Annotated[str, fix("give the working folder, a string")]
    os_value: Annotated[str, fix("give the operating system, a string")]
    shell_value: Annotated[str, fix("give the shell, a string")]
    home_value: Annotated[str, fix("give the home folder, a string")]
    mcp_string: Text = None
    browser_use: Annotated[bool | None, fix("make it true or false, or leave it out")] = None
    width: Pixels = None
    height: Pixels = None
    user_custom_instructions: Text = None

    def as_prompted(self) -> PromptDetails:
        """Return the details with their defaults."""
        values: dict[str, Any] = {
            name: int(value) if name in ("width", "height") else value
            for name, value in msgspec.structs.asdict(self).items()
            if value is not None
        }
        return PromptDetails(**values)


class CaseFile(msgspec.Struct, frozen=True, kw_only=True):
    """A case as its file has it. Findings come in the order of the fields."""

    test_id: Annotated[str | None, fix("make it a string, or leave it out to use the file's name")] = None
    file_contents: Annotated[str, fix("make it the text of the file, a string")]
    format: Annotated[float, WHOLE, msgspec.Meta(le=FORMAT), fix(_READABLE)] | None = None
    messages: Annotated[tuple[MessageFile, ...], NOT_EMPTY, fix("list the turns of the conversation")]
    file_path: Annotated[str, NOT_EMPTY, fix("give the path that the edit must name, a string")]
    system_prompt_details: Annotated[
        DetailsFile | None, fix("describe the user's machine in an object, or leave it out")
    ] = None
    original_diff_edit_tool_call_message: Text = None
    expected_contents: Expected = None
    language: Text = None
    source: Text = None


def wrong_messages(case: Mapping[str, object]) -> Iterator[WrongField]:
    """Yield what types cannot check of the messages of a case, be it otherwise right or wrong.

    A message has a text or images, and an image is a data URL.
    """
    messages = case.get("messages")
    for index, message in enumerate(messages if isinstance(messages, list) else ()):
        if isinstance(message, dict):
            yield from _wrong_message(message, f"messages[{index}]")


def _wrong_message(message: Mapping[str, object], path: str) -> Iterator[WrongField]:
    images = message.get("images")
    if message.get("text") is None and images is None:
        yield WrongField(f"{path}.text", "is missing", "add the text of the message, a string")
    for index, image in enumerate(images if isinstance(images, list) else [images]):
        if isinstance(image, str) and not _IMAGE.fullmatch(image):
            yield WrongField(f"{path}.images[{index}]", "is no data URL", "write data:<type>;base64,<data>")
