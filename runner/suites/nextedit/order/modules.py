"""Which of a commit's files an import speaks of."""

import re
import sys
from collections.abc import Collection
from pathlib import PurePosixPath

from runner.suites.nextedit.order.languages import Language

_ENDINGS = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
_SCRIPTS = ("", *_ENDINGS, *(f"/index{ending}" for ending in _ENDINGS))
_MADE = re.compile(r"\.[cm]?jsx?$")
# What projects call the folder of their sources.
_ROOTS = ("@/", "~/")


def imported_files(module: str, importer: str, language: Language, paths: Collection[str]) -> tuple[str, ...]:
    """The paths that `module`, as written in the file `importer`, may mean; none for what the commit does not touch."""
    if language.name == "python":
        return _python(module, importer, paths)
    if language.name == "go":
        return tuple(path for path in paths if path.endswith(".go") and _ends_with(_folder(path), module))
    if language.name == "java":
        return tuple(path for path in paths if path.endswith(".java") and _java(path, module))
    return _script(module, importer, paths)


def is_library(module: str, language: Language) -> bool:
    """Whether an import surely speaks of a library; one's own packages look like any in most languages."""
    match language.name:
        case "python":
            return module.partition(".")[0] in sys.stdlib_module_names
        case "java":
            return module.startswith(("java.", "javax."))
        case _:
            return not module.startswith((".", *_ROOTS))


def _folder(path: str) -> str:
    return str(PurePosixPath(path).parent)


def _ends_with(path: str, tail: str) -> bool:
    """Whether one of two paths ends with the other, part by part: roots of source trees are unknown."""
    short, long = sorted((PurePosixPath(path).parts, PurePosixPath(tail).parts), key=len)
    return bool(short) and long[-len(short) :] == short


def _python(module: str, importer: str, paths: Collection[str]) -> tuple[str, ...]:
    name = module.lstrip(".")
    parts = tuple(name.split(".")) if name else ()
    if name != module:
        base = PurePosixPath(importer).parents[len(module) - len(name) - 1 :]
        module_path = str(PurePosixPath(base[0], *parts)) if base else ""
        return tuple(path for path in paths if _python_module(path) == module_path)
    return tuple(path for path in paths if parts and PurePosixPath(_python_module(path)).parts[-len(parts) :] == parts)


def _python_module(path: str) -> str:
    return path.removesuffix(".py").removesuffix(".pyi").removesuffix("/__init__")


def _java(path: str, module: str) -> bool:
    """`a.b` with a name imported from it means `a/b/*.java` or, for members, `a/b.java`."""
    as_path = module.replace(".", "/")
    return _ends_with(_folder(path), as_path) or _ends_with(path.removesuffix(".java"), as_path)


def _script(module: str, importer: str, paths: Collection[str]) -> tuple[str, ...]:
    stem, relative = module, module.startswith(".")
    if relative:
        parts: list[str] = list(PurePosixPath(importer).parent.parts)
        for part in PurePosixPath(module).parts:
            if part == "..":
                del parts[-1:]
            elif part != ".":
                parts.append(part)
        stem = "/".join(parts)
    elif module.startswith(_ROOTS):
        stem = module[2:]
    # TypeScript names the file that its compiler will have made.
    stems = (stem, stem[: -len(match[0])]) if (match := _MADE.search(stem)) else (stem,)
    names = {start + ending for start in stems for ending in _SCRIPTS}
    if relative:
        return tuple(path for path in paths if path in names)
    return tuple(path for path in paths if any(path == name or path.endswith(f"/{name}") for name in names))
