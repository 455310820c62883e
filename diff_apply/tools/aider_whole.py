"""Writes whole files as Aider's edit format "whole" does (`wholefile_coder`, aider-chat 0.86.2)."""

from collections.abc import Iterable

from diff_apply.tools.aider_files import ChatFiles
from diff_apply.tools.refusal import Edited, Files


def write_files(texts: Iterable[tuple[str, str]], files: Files) -> Edited:
    """Write each (path, text), whatever was there."""
    state = ChatFiles(files)
    for path, text in texts:
        state.write(path, text)
    return state.edited()
