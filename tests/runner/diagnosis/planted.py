"""Cases whose recorded answers have one known defect each, as a folder that `evals diff --replay` scores."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

BEFORE = (
    "def area(width, height):\n"
    "    # The area - as a 'plain' number.\n"
    "    total = width * height\n"
    '    log("total", total)\n'
    "    return total\n"
    "\n"
    "\n"
    "def edge(width, height):\n"
    "    total = 2 * width\n"
    "    total += 2 * height\n"
    "    return total\n"
)
AFTER = BEFORE.replace("width * height", "height * width").replace("2 * width", "width * 2")

FIRST = "    # The area - as a 'plain' number.\n    total = width * height\n    log(\"total\", total)\n"
SECOND = "def edge(width, height):\n    total = 2 * width\n    total += 2 * height\n"


def block(search: str, replacement: str, marks: tuple[str, str, str] = ("------- SEARCH", "=======", "")) -> str:
    return f"{marks[0]}\n{search}{marks[1]}\n{replacement}{marks[2] or '+++++++ REPLACE'}\n"


def edit(text: str) -> str:
    return text.replace("width * height", "height * width").replace("2 * width", "width * 2")


SECOND_BLOCK = block(SECOND, edit(SECOND))


def searching(search: str) -> str:
    """The right diff but for the SEARCH of its first block."""
    return block(search, edit(search)) + SECOND_BLOCK


def call(diff: str, path: str = "src/area.py") -> str:
    return f"<replace_in_file>\n<path>{path}</path>\n<diff>\n{diff}</diff>\n</replace_in_file>"


# Two lines are too few for v4 to match by similarity.
TWO = FIRST.split("    log", maxsplit=1)[0]
TYPOGRAPHIC = TWO.replace("'plain'", "\u2018plain\u2019").replace(" - ", " \u2013 ")

# What each defect does to the diff; v4 refuses every one of these.
DIFFS: Mapping[str, str] = {
    "quotes and dashes": searching(TYPOGRAPHIC),
    "invisible characters": searching(TWO.replace("The area", "The\u00a0area")),
    "quotes and dashes + invisible characters": searching(TYPOGRAPHIC.replace("The area", "The\u200b area")),
    "elided lines": searching("def area(width, height):\n    # ... as before ...\n" + FIRST.split("\n", 1)[1]),
    "a line off": searching(FIRST.replace("    log", "\n    log")),
    "markers": block(FIRST, edit(FIRST), ("------- SEARCH", "=======", "+++++++ REPLACED")) + SECOND_BLOCK,
    "several places": block(FIRST, edit(FIRST)) + block("    return total\n", "    return -total\n"),
    "stale or imagined text": searching("    amount = imagined(by, the, model)\n"),
    "wrong intent": block(FIRST, FIRST),
    "unreadable blocks": block(FIRST, edit(FIRST)).replace("=======\n", ""),
    "empty SEARCH": block("", AFTER),
    "overlapping blocks": block(FIRST, edit(FIRST)) * 2,
}
# Whole answers without a diff that could be applied.
ANSWERS: Mapping[str, str] = {
    "no call": "I would rather leave the file as it is.",
    "wrong file": call(block(FIRST, edit(FIRST)), "src/other.py"),
    "several calls": call(block(FIRST, edit(FIRST))) * 2,
    "cut off": call(block(FIRST, edit(FIRST)))[:150],
}


def write_case(folder: Path, case_id: str, answer: str, before: str = BEFORE, after: str | None = AFTER) -> None:
    details = {"cwd_value": "/work", "os_value": "Linux", "shell_value": "/bin/sh", "home_value": "/home/ada"}
    case = {
        "messages": [{"role": "user", "text": f"Turn the products of {case_id} round."}],
        "file_contents": before,
        "file_path": "src/area.py",
        "system_prompt_details": details,
        "original_diff_edit_tool_call_message": answer,
        "expected_contents": after,
    }
    folder.mkdir(exist_ok=True)
    (folder / f"{case_id}.json").write_text(json.dumps(case), encoding="utf-8")


def write_planted(folder: Path, copies: Callable[[int], int]) -> dict[str, int]:
    """Write `copies(number)` cases of each defect; return how many each has."""
    answers = {**{cause: call(diff) for cause, diff in DIFFS.items()}, **ANSWERS}
    counts = {cause: copies(number) for number, cause in enumerate(answers)}
    for cause, answer in answers.items():
        for copy in range(counts[cause]):
            write_case(folder, f"{cause.replace(' ', '_')}_{copy}", answer)
    return counts
