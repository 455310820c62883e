"""Diff-edit cases and answers for tests, made of a few words."""

import json
from pathlib import Path

from prompts import PromptDetails
from runner.suites.diff_edit.cases import DiffEditCase
from suts.sut import Message

BEFORE = "one\ntwo\nthree\n"
AFTER = "one\nTWO\nthree\n"
DETAILS = PromptDetails("/work/tree", "Linux", "/bin/sh", "/home/ada")


def case_of(
    contents: str = BEFORE, path: str = "src/a.txt", expected: tuple[str, ...] = (), case_id: str = "case"
) -> DiffEditCase:
    return DiffEditCase(
        case_id=case_id,
        messages=(Message("user", "Shout two."),),
        file_contents=contents,
        file_path=path,
        details=DETAILS,
        original_message="",
        expected_contents=expected,
        language=None,
        source=None,
        file=Path(f"{case_id}.json"),
        digest="digest",
    )


def case_json(case_id: str, contents: str = BEFORE, **fields: object) -> str:
    """The file of a case."""
    details = {"cwd_value": "/work/tree", "os_value": "Linux", "shell_value": "/bin/sh", "home_value": "/home/ada"}
    whole = {
        "test_id": case_id,
        "messages": [{"role": "user", "text": f"Shout two in {case_id}."}],
        "file_contents": contents,
        "file_path": "src/a.txt",
        "system_prompt_details": details,
    }
    return json.dumps({**whole, **fields})


def block(search: str = "two", replacement: str = "TWO") -> str:
    return f"------- SEARCH\n{search}\n=======\n{replacement}\n+++++++ REPLACE\n"


def call(diff: str | None = None, path: str | None = "src/a.txt", tool: str = "replace_in_file") -> str:
    """An answer that calls a tool; a parameter that is None is left out."""
    diff = block() if diff is None else diff
    shown = f"<path>{path}</path>\n" if path is not None else ""
    return f"I will.\n\n<{tool}>\n{shown}<diff>\n{diff}</diff>\n</{tool}>"
