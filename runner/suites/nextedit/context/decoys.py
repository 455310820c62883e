"""Decoys: files that a commit does not touch, shown among those that it does."""

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from random import Random

from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.context.trees import Tree, text_of, untouched

# At least so many decoys, if the project has them; as many as the commit touches files, if these are more.
_LEAST = 5
_LARGEST = 100_000


def decoys_of(commit: Commit, tree: Tree, seed: int) -> dict[str, str]:
    """Return the decoys of a commit with their texts, by path; the same for the same seed.

    They are drawn from the files whose names end as those of touched files do, then from all others; files that are
    empty, longer than 100,000 characters, or no text are none.
    """
    random = Random(f"{seed}:{commit.origin.sha}:decoys")
    number = max(_LEAST, len(commit.files))
    texts: dict[str, str] = {}
    with tree() as files:
        for path in _drawn(untouched(commit, files), commit, random):
            text = text_of(files[path])
            if text and len(text) <= _LARGEST:
                texts[path] = text
            if len(texts) == number:
                break
    return dict(sorted(texts.items()))


def _drawn(paths: Sequence[str], commit: Commit, random: Random) -> Iterator[str]:
    """Yield all paths in random order, those that end like touched ones first."""
    ends = {PurePosixPath(touched.path).suffix for touched in commit.files}
    like = [path for path in paths if PurePosixPath(path).suffix in ends]
    others = [path for path in paths if PurePosixPath(path).suffix not in ends]
    yield from random.sample(like, len(like))
    yield from random.sample(others, len(others))
