"""Runs a module written for Historian in a process of its own: questions come in, answers go out, as JSON.

Started as a script, `module_child.py MODULE`, so that the module's interpreter needs nothing of ours. Questions come by
standard input, answers leave by standard output: the length in 8 bytes, big-endian, and that many bytes of JSON. An
answer is {"result": ...} or {"error": traceback}. What the module prints goes to standard error.
"""

import asyncio
import importlib
import importlib.util
import inspect
import json
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

PACKAGE = "systemUnderTest"
# The functions of the original's template, for modules that leave the dispatching to the caller.
FUNCTIONS = {
    "init": "setup",
    "suggestion(location+content)": "subsequent_edit_recommendation",
    "suggestion(content)": "generate_edit_solution",
    "end": "end",
}


def load(path: Path) -> ModuleType:
    """The module, imported as the original would: as one of a package, in whatever folder it lies."""
    path = path.resolve()
    home = path.parent
    if PACKAGE in path.parts[:-1]:
        root = Path(*path.parts[: path.parts.index(PACKAGE)])
        sys.path.insert(0, str(root))
        module = importlib.import_module(".".join(path.relative_to(root).with_suffix("").parts))
    elif home.name and "." not in home.name + path.stem:
        sys.path.insert(0, str(home))
        # As if its folder lay in one of the original's name: so its neighbours have the names they would have there.
        package = ModuleType(PACKAGE)
        package.__path__ = [str(home.parent)]
        sys.modules[PACKAGE] = package
        module = importlib.import_module(f"{PACKAGE}.{home.name}.{path.stem}")
    else:
        sys.path.insert(0, str(home))
        spec = importlib.util.spec_from_file_location(path.stem, path)
        if spec is None or spec.loader is None:
            raise ImportError(f"{path} is no Python module")
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module
        spec.loader.exec_module(module)
    # The original's template uses json without importing it.
    vars(module).setdefault("json", json)
    return module


def entry(module: ModuleType) -> Callable[[dict[str, object]], object]:
    """What answers a question: the module's `main`, or the function for the question's status.

    Raises AttributeError for a module with none of them.
    """
    main = getattr(module, "main", None)
    if callable(main):
        return lambda payload: _call(main, payload)
    if not any(callable(getattr(module, name, None)) for name in FUNCTIONS.values()):
        raise AttributeError(f"the module has no main, and none of {', '.join(FUNCTIONS.values())}")

    def dispatch(payload: dict[str, object]) -> object:
        function = getattr(module, FUNCTIONS[str(payload["status"])], None)
        return _call(function, payload) if callable(function) else None

    return dispatch


def _call(function: Callable[[dict[str, object]], object], payload: dict[str, object]) -> object:
    if inspect.iscoroutinefunction(function):
        return asyncio.run(function(payload))
    return function(payload)


def _stand_in(folder: str) -> None:
    """Go back to the folder where the process began, if the one it stands in was removed."""
    try:
        Path.cwd()
    except FileNotFoundError:
        os.chdir(folder)


def serve(module: Path) -> None:
    """Answer questions until there are no more."""
    source, sink = os.dup(0), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    answer: Callable[[dict[str, object]], object] | None = None
    home = str(Path.cwd())
    with os.fdopen(source, "rb") as questions, os.fdopen(sink, "wb") as answers:
        while len(head := questions.read(8)) == 8:
            payload = json.loads(questions.read(int.from_bytes(head, "big")))
            try:
                _stand_in(home)
                answer = answer or entry(load(module))
                reply = json.dumps({"result": answer(payload)})
            # Whatever the module raises is its answer: it says which question it failed.
            except BaseException:  # noqa: BLE001
                reply = json.dumps({"error": traceback.format_exc()})
            data = reply.encode()
            answers.write(len(data).to_bytes(8, "big") + data)
            answers.flush()


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
