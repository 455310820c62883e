"""What parsing costs: `python -m tests.bench.bench_parsers`.

Prints, for every parser, microseconds of CPU for a piece of a streamed message (a hundred of 20 to 40 characters:
prose, then one edit of two blocks), whole messages of 2 kB a second, and nanoseconds for a character where each
comes alone. The first line is the floor: the same pieces appended to a list.
"""

import random
import sys
import time
from collections.abc import Callable, Sequence

from parsers import PARSERS

_PROSE = "I will look at the function first, then change how it handles the limit. "


def message(lines: int) -> str:
    """600 characters of prose and one edit of two blocks with `lines` lines each; a line in nine has a "<"."""
    body = "\n".join(f"    value_{n} = compute({n}){' < limit' if n % 9 == 0 else ''}" for n in range(lines))
    block = f"------- SEARCH\n{body}\n=======\n{body.replace('value', 'result')}\n+++++++ REPLACE\n"
    prose = (_PROSE * 9)[:600]
    return f"{prose}\n<replace_in_file>\n<path>src/app.py</path>\n<diff>\n{block}{block}</diff>\n</replace_in_file>"


def cut(text: str) -> list[str]:
    """The text in pieces of 20 to 40 characters."""
    sizes, pieces = random.Random(0), []
    while text:
        size = sizes.randint(20, 40)
        pieces.append(text[:size])
        text = text[size:]
    return pieces


def seconds(run: Callable[[], object], times: int = 50) -> float:
    """The CPU time of one run, the best of seven rounds."""
    best = float("inf")
    for _ in range(7):
        start = time.process_time()
        for _ in range(times):
            run()
        best = min(best, (time.process_time() - start) / times)
    return best


def feed_all(feed: Callable[[str], None], pieces: Sequence[str]) -> None:
    """Hand over all pieces."""
    for piece in pieces:
        feed(piece)


def show(line: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{line}\n")


def main() -> None:
    """Print the figures."""
    streamed, whole, long = cut(message(22)), message(10), message(900)
    floor = seconds(lambda: feed_all(list[str]().append, streamed))
    show(f"{len(streamed)} pieces; floor {floor / len(streamed) * 1e6:.3f} us/piece; whole message {len(whole)} chars")
    for name, parser in PARSERS.items():
        piece = seconds(lambda: feed_all(parser.start().feed, streamed)) / len(streamed)  # noqa: B023
        parse = seconds(lambda: parser.parse(whole))  # noqa: B023
        single = seconds(lambda: feed_all(parser.start().feed, long), times=1) / len(long)  # noqa: B023
        show(f"{name:20}{piece * 1e6:7.3f} us/piece{1 / parse:10,.0f} messages/s{single * 1e9:8.0f} ns/character")


if __name__ == "__main__":
    main()
