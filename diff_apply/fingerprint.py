"""Tells versions of an algorithm apart by content: its name, its composition and the sources it rests on."""

import ast
import inspect
import re
import sys
from dataclasses import fields, is_dataclass
from functools import cache
from hashlib import sha256
from importlib import import_module

from diff_apply.result import DiffAlgorithm


def fingerprint(name: str, algorithm: DiffAlgorithm) -> str:
    """Eight hex digits of SHA-256 that change when the name, the composition or any module behind it changes.

    The modules are the one that defines the algorithm and, of the same package, all that it imports. Works for any
    function or object of a module with a source, so for algorithms of other packages too.
    """
    defining = algorithm if inspect.isfunction(algorithm) else type(algorithm)
    modules = _closure(defining.__module__)
    parts = [name, _composition(algorithm), *(source for module in modules for source in (module, _source(module)))]
    return sha256("\0".join(parts).encode()).hexdigest()[:8]


def _composition(value: object) -> str:
    """A value with the values it is made of; functions by name, as their addresses differ from run to run."""
    if is_dataclass(value) and not isinstance(value, type):
        inner = (f"{field.name}={_composition(getattr(value, field.name))}" for field in fields(value))
        return f"{type(value).__qualname__}({', '.join(inner)})"
    if isinstance(value, tuple):
        return f"({', '.join(map(_composition, value))})"
    if isinstance(value, re.Pattern):
        return f"{value.pattern!r}, {value.flags}"
    return f"{value.__module__}.{value.__qualname__}" if inspect.isfunction(value) else repr(value)


@cache
def _closure(module: str) -> tuple[str, ...]:
    """A module and all of its package that it imports, directly or not, in name order."""
    package = module.partition(".")[0]
    found, todo = set[str](), [module]
    while todo:
        current = todo.pop()
        if current not in found:
            found.add(current)
            todo += [name for name in _imports(current) if name.partition(".")[0] == package]
    return tuple(sorted(found))


def _imports(module: str) -> list[str]:
    return [
        node.module
        for node in ast.walk(ast.parse(_source(module)))
        if isinstance(node, ast.ImportFrom) and node.module and not node.level
    ]


@cache
def _source(module: str) -> str:
    import_module(module)
    return inspect.getsource(sys.modules[module])
