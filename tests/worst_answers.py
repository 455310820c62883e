"""Answers that are as hard to score as possible: what a model that runs amok may send, for any case."""

from collections.abc import Callable, Mapping

LINES = 100_000


def call(path: str, diff: str) -> str:
    return f"<replace_in_file>\n<path>{path}</path>\n<diff>\n{diff}</diff>\n</replace_in_file>\n"


def block(search: str, replacement: str) -> str:
    return f"------- SEARCH\n{search}=======\n{replacement}+++++++ REPLACE\n"


def _junk(count: int) -> str:
    return "".join(f"junk {number} x\n" for number in range(count))


def _own(file: str, count: int) -> str:
    """Lines of the file in another order, again and again."""
    lines = file.split("\n")
    return "".join(lines[number * 7919 % len(lines)] + "\n" for number in range(count))


def _top(file: str) -> str:
    return "".join(line + "\n" for line in file.split("\n")[:2])


# From the file's path, its text and a number of lines to an answer.
WORST: Mapping[str, Callable[[str, str, int], str]] = {
    "junk is searched for": lambda path, _, count: call(path, block(_junk(count), "x\n")),
    "junk is inserted": lambda path, file, count: call(path, block(_top(file), _top(file) + _junk(count))),
    "the file's lines are searched for": lambda path, file, count: call(path, block(_own(file, count), "x\n")),
    "the file's lines are inserted": lambda path, file, count: call(path, block(_top(file), _own(file, count))),
    "blocks without a match": lambda path, _, count: call(path, block("junk\n", "x\n") * (count // 5)),
    "a block again and again": lambda path, file, count: call(path, block(_top(file), "x\n") * (count // 5)),
    "blocks that replace all": lambda path, _, count: call(path, block("", "x\n") * (count // 4)),
    "start markers": lambda path, _, count: call(path, "<<<<<<< SEARCH\n" * count),
    "separators": lambda path, _, count: call(path, "=======\n" * count),
    "end markers": lambda path, _, count: call(path, "+++++++ REPLACE\n" * count),
    "separators in a block": lambda path, file, count: call(path, block(_top(file), "=======\n" * count)),
    "markers to repair": lambda path, file, count: call(
        path, ("---- SEARCH\n" + _top(file) + "====\nx\n++++ REPLACE\n") * (count // 6) + "=======\n"
    ),
    "a long line": lambda path, file, count: call(path, block(_top(file), "x" * 50 * count + "\n")),
    "a long line is searched for": lambda path, _, count: call(path, block("x" * 50 * count + "\n", "")),
    "opened calls": lambda _path, _file, count: "<replace_in_file>" * count,
    "nested calls": lambda path, _, count: f"<replace_in_file><path>{path}</path><diff>" * count + "</diff>" * count,
    "many calls": lambda path, _, count: call(path, block("a\n", "b\n")) * (count // 8),
    "calls closed again": lambda _path, _file, count: (
        '<function_calls><invoke name="Write"></function_calls><content>'
        + '</content></write_to_file><function_calls></invoke><invoke name="Write"></function_calls>' * (count // 4)
    ),
    "angle brackets": lambda _path, _file, count: "<" * 10 * count,
    "white space": lambda _path, _file, count: " " * 10 * count,
}
