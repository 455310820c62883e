"""Cases of our own making for the selftest: small files, each with one right edit of two places."""

import json
from pathlib import Path

from suts.simulated.draws import pick

_NOUNS = ("orders", "parcels", "entries", "samples", "tickets", "routes", "shelves", "readings")
_FUNCTIONS = 9
_EDITED = (2, 6)


def write_cases(folder: Path, count: int) -> None:
    """Write so many case files into a new folder, always the same."""
    folder.mkdir()
    for index in range(count):
        name = f"selftest_{index:03}"
        (folder / f"{name}.json").write_text(json.dumps(_case(name, index)), encoding="utf-8")


def _case(name: str, index: int) -> dict[str, object]:
    noun = pick(("selftest", index), _NOUNS)
    path = f"src/{noun}_{index}.py"
    return {
        "format": 1,
        "test_id": name,
        "source": "selftest",
        "language": "python",
        "file_path": path,
        "file_contents": _file(noun, index, edited=False),
        "expected_contents": _file(noun, index, edited=True),
        "messages": [
            {
                "role": "user",
                "text": f"<task>\nCount only the {noun} that are open, in two functions of {path}.\n</task>",
            }
        ],
        "system_prompt_details": {
            "cwd_value": "/home/sim/project",
            "os_value": "Linux",
            "shell_value": "/bin/sh",
            "home_value": "/home/sim",
        },
    }


def _file(noun: str, index: int, *, edited: bool) -> str:
    """Functions that repeat some of their lines, so that an ambiguous answer can be given."""
    return "\n\n".join(_function(noun, index, at, edited=edited and at in _EDITED) for at in range(_FUNCTIONS))


def _function(noun: str, index: int, at: int, *, edited: bool) -> str:
    counted = f"total += weight_of({noun}_{at}, item, {index + at})"
    body = f"        if item.is_open_for({noun}_{at}):\n            {counted}" if edited else f"        {counted}"
    return (
        f"def count_{noun}_{at}({noun}_{at}):\n"
        f'    """The weight of all {noun} of step {at}."""\n'
        f"    total = {index}\n"
        f"    for item in {noun}_{at}.values():\n"
        f"{body}\n"
        f"    return total\n"
    )
