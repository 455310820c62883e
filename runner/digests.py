"""Digests that identify what a parser, a diff algorithm or a plug-in does, recorded beside the results.

A digest is 8 hexadecimal digits of SHA-256 over a name and the normal form of every module that the behaviour depends
on. Comments, docstrings and layout do not change it (see `source_text`), nor does the version of Python.
"""

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cache
from hashlib import sha256
from importlib.machinery import ModuleSpec
from importlib.resources import files
from importlib.util import find_spec, resolve_name

from runner.source_text import normal_form

# As the normal form has it: `from a.b import c,d`, `from.b import c`, `from.import c` or `import a.b,c`.
_IMPORT = re.compile(
    r"^ *(?:from ?([\w.]+?)(?: |(?<=\.))import\b ?\(?([\w, ]+|\*)\)?|import ([\w., ]+))$", re.MULTILINE
)
# What a plug-in may build on beside its own package.
_OURS = ("parsers", "diff_apply")


def parser_digest(name: str) -> str:
    """Return the digest of a registered parser: of its module and of all that it imports from its package.

    Raises KeyError for a name that is not registered.
    """
    from parsers import PARSERS

    if name not in PARSERS:
        raise KeyError(name)
    return module_digest(name, *_closure(f"parsers.{name.replace('-', '_')}"))


def algorithm_digest(name: str) -> str:
    """Return the digest of a registered diff algorithm. Raises KeyError for a name that is not registered."""
    from diff_apply import DIFF_ALGORITHMS

    return composition_digest(name, DIFF_ALGORITHMS[name])


def composition_digest(name: str, implementation: object) -> str:
    """Return the digest of a function or object by the values that it is composed of and the modules behind these."""
    described = list(_composition(implementation))
    modules = {module for defining, _ in described if defining for module in _closure(defining)}
    return _digest(name, [text for _, text in described], sorted(modules))


def plug_in_digest(module: str) -> str:
    """Return the digest of a plug-in: of its module and of all that it imports from its package or from ours."""
    return module_digest("", *_closure(module, _OURS))


def module_digest(name: str, *modules: str) -> str:
    """Return the digest of a name and of these modules alone."""
    return _digest(name, (), modules)


def same_behaviour(recorded: object, present: object) -> bool:
    """Return whether two values of a run's identity are equal, or name digests known to mean the same behaviour."""
    return _canonical(recorded) == _canonical(present)


def _digest(name: str, values: Iterable[str], modules: Iterable[str]) -> str:
    parts = [name, *values, *(text for module in modules for text in (module, _source(module)))]
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _composition(value: object) -> Iterator[tuple[str, str]]:
    """Yield the module that defines a value, "" for plain data, and its description, then the same of its parts."""
    if isinstance(value, re.Pattern):
        yield "", f"{value.pattern!r}, {value.flags}"
    elif isinstance(value, tuple):
        yield "", f"tuple of {len(value)}"
        for item in value:
            yield from _composition(item)
    elif inspect.isfunction(value) or isinstance(value, type):
        # Its repr shows an address.
        yield value.__module__, value.__qualname__
    elif is_dataclass(value):
        yield type(value).__module__, type(value).__qualname__
        for field in fields(value):
            yield "", field.name
            yield from _composition(getattr(value, field.name))
    elif callable(value):
        yield type(value).__module__, type(value).__qualname__
    else:
        yield "", repr(value)


@cache
def _closure(module: str, packages: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the module and all that it imports, directly or not, from its own package and from `packages`, sorted."""
    within = {module.partition(".")[0], *packages}
    known, todo = set[str](), [module]
    while todo:
        current = todo.pop()
        if current not in known:
            known.add(current)
            targets = ((target, names) for target, names in _imports(current) if target.partition(".")[0] in within)
            todo += (module for target, names in targets for module in (target, *_submodules(target, names)))
    return tuple(sorted(known))


def _imports(module: str) -> Iterator[tuple[str, str]]:
    """Yield each module that a module's source imports, at any level, and the names that it imports from there."""
    spec = _spec(module)
    package = (spec.parent if spec else None) or ""
    for origin, names, plain in _IMPORT.findall(_source(module)):
        if plain:
            yield from ((name.strip().partition(" ")[0], "") for name in plain.split(","))
        elif package or not origin.startswith("."):
            with suppress(ImportError):  # more dots than packages: the import fails at run time too
                yield resolve_name(origin, package), names


def _submodules(package: str, names: str) -> Iterator[str]:
    """Yield those of the names imported from a package that are modules; none if it is not a package."""
    spec = _spec(package)
    if spec is not None and spec.submodule_search_locations is not None:
        submodules = (f"{package}.{name.strip().partition(' ')[0]}" for name in names.split(",") if name)
        yield from filter(_spec, submodules)


@cache
def _source(module: str) -> str:
    """Return the normal form of a module's source; "" where it has none, because it is compiled or cannot be found."""
    spec = _spec(module)
    get_source = getattr(spec.loader, "get_source", None) if spec else None
    return normal_form((get_source(module) if get_source else None) or "")


def _spec(module: str) -> ModuleSpec | None:
    """Return how a module is found; None where it is not, such as an optional one."""
    try:
        return find_spec(module)
    except (ImportError, ValueError):
        return None


@cache
def _known() -> Mapping[str, str]:
    """Return, for each recorded `name@digest` that has a row in the table, the first of its row."""
    import orjson

    rows: dict[str, list[str]] = orjson.loads((files("runner") / "digests.json").read_bytes())
    return {f"{name}@{digest}": f"{name}@{digests[0]}" for name, digests in rows.items() for digest in digests}


def _canonical(value: object) -> object:
    if isinstance(value, str):
        return _known().get(value, value)
    if isinstance(value, list):
        return [_canonical(item) for item in value]
    return value
