"""Answers questions to the three checkpoints, as JSON, in a process of its own.

Started as a script, `server.py INVOKER LOCATOR GENERATOR BASES DEVICE`, so that the interpreter needs nothing of ours.
Questions come by standard input, answers leave by standard output: the length in 8 bytes, big-endian, and that many
bytes of JSON. A question is {"do": "invoke" | "locate" | "generate" | "count", "texts": [...]}, an answer {"result":
[one for each text]} or {"error": traceback}. What a checkpoint prints goes to standard error.

A folder with `checkpoint.py` loads itself: `load(folder, device)` gives a function from texts to answers; the locator's
may have an attribute `count` from texts to numbers of tokens. Every other path is read by torch and transformers.
"""

import importlib
import importlib.util
import json
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

Answers = Callable[[list[str]], Sequence[Any]]
_ROLES = ("invoker", "locator", "generator")
_BYTES_A_TOKEN = 4


def load(role: str, path: Path, bases: str, device: str) -> Answers:
    """The function of a checkpoint."""
    own = path / "checkpoint.py"
    if not own.is_file():
        # Beside this script; it imports torch, which checkpoints that load themselves do without.
        loaded: Answers = importlib.import_module("neural").LOADERS[role](path, bases, device)
        return loaded
    spec = importlib.util.spec_from_file_location(f"{role}_checkpoint", own)
    if spec is None or spec.loader is None:
        raise ImportError(f"{own} is no Python module")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path))
    spec.loader.exec_module(module)
    answers: Answers = module.load(path, device)
    return answers


def lengths(texts: Sequence[str]) -> list[int]:
    """How many tokens texts have by their size, for checkpoints that do not count."""
    return [len(text.encode("utf-8", "replace")) // _BYTES_A_TOKEN + 1 for text in texts]


def serve(paths: Sequence[str], bases: str, device: str) -> None:
    """Answer questions until there are no more."""
    source, sink = os.dup(0), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    functions: dict[str, Callable[[list[str]], Sequence[Any]]] = {}
    with os.fdopen(source, "rb") as questions, os.fdopen(sink, "wb") as answers:
        while len(head := questions.read(8)) == 8:
            question = json.loads(questions.read(int.from_bytes(head, "big")))
            try:
                if not functions:
                    loaded = [load(role, Path(path), bases, device) for role, path in zip(_ROLES, paths, strict=True)]
                    functions = dict(zip(("invoke", "locate", "generate"), loaded, strict=True))
                    functions["count"] = getattr(loaded[1], "count", lengths)
                reply = json.dumps({"result": list(functions[question["do"]](question["texts"]))})
            # Whatever a checkpoint raises is its answer: it says which question it failed.
            except BaseException:  # noqa: BLE001
                reply = json.dumps({"error": traceback.format_exc()})
            data = reply.encode()
            answers.write(len(data).to_bytes(8, "big") + data)
            answers.flush()


if __name__ == "__main__":
    serve(sys.argv[1:4], *sys.argv[4:6])
