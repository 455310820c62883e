"""Other places of a repository that help with a hole: definitions that are imported, and functions that are alike.

What is looked for comes from what a model sees, never from the hole, but for scene 3, whose point it is that the hole
needs other files. Only what our own version of Python can parse is found.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from runner.suites.completion.dataset import ByteSpan, Evidence

MOST_DEFINITIONS = 8
MOST_ALIKE = 3
_NEAR_LINES = 30
_HOPS = 3
_DOTTED = re.compile(r"[^\W\d][\w.]*")
_NAME = re.compile(r"[^\W\d]\w*")

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True)
class _Module:
    """A file: its top-level definitions, all its functions with their names, and what it imports from where."""

    definitions: Mapping[str, Evidence]
    functions: tuple[tuple[Evidence, frozenset[str]], ...]
    imports: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class Index:
    """What the files of a repository define and import."""

    files: Mapping[str, str]
    _modules: dict[str, _Module] = field(default_factory=dict)
    _paths: dict[str, str] = field(default_factory=dict)
    _names: dict[str, Mapping[str, Evidence]] = field(default_factory=dict)

    def imported(self, file: str, text: str) -> tuple[Evidence, ...]:
        """The definitions of other files that names in a text of this file stand for, in the order of the imports."""
        if file not in self._names:
            self._names[file] = self._imported_names(file)
        known = self._names[file]
        if not known:
            return ()
        used = set()
        for dotted in _DOTTED.findall(text):
            parts = dotted.split(".")
            used |= {".".join(parts[:count]) for count in range(1, len(parts) + 1)}
        names = dict.fromkeys(evidence for name, evidence in known.items() if name in used)
        return tuple(names)[:MOST_DEFINITIONS]

    def alike(self, file: str, around: ByteSpan | None, seen: str) -> tuple[Evidence, ...]:
        """The functions most like a text by the names in both (Jaccard), without the function around the hole."""
        query = frozenset(_NAME.findall(seen))
        scored = [
            (-len(query & names) / len(query | names), evidence.path, evidence.start_line, evidence)
            for path, module in self._all()
            for evidence, names in module.functions
            if query & names and not (path == file and _overlap(evidence, around))
        ]
        return tuple(evidence for *_, evidence in sorted(scored, key=lambda row: row[:3])[:MOST_ALIKE])

    def _all(self) -> Iterator[tuple[str, _Module]]:
        for path in self.files:
            yield path, self._module(path)

    def _module(self, path: str) -> _Module:
        if path not in self._modules:
            self._modules[path] = _module(path, self.files[path])
        return self._modules[path]

    def _imported_names(self, file: str) -> dict[str, Evidence]:
        """Names as they are written in the file, dotted where a module was imported."""
        names: dict[str, Evidence] = {}
        for local, module, name in self._module(file).imports:
            whole = self._path(f"{module}.{name}" if name else module)
            if whole is not None:
                names |= {
                    f"{local}.{inner}": definition for inner, definition in self._module(whole).definitions.items()
                }
            elif (definition := self._definition(module, name, _HOPS)) is not None:
                names[local] = definition
        return {name: evidence for name, evidence in names.items() if evidence.path != file}

    def _definition(self, module: str, name: str, hops: int) -> Evidence | None:
        """What `from module import name` gives, through modules that pass it on."""
        path = self._path(module)
        if path is None or hops == 0:
            return None
        definition = self._module(path).definitions.get(name)
        if definition is not None:
            return definition
        for local, other, inner in self._module(path).imports:
            if local == name and inner:
                return self._definition(other, inner, hops - 1)
        return None

    def _path(self, module: str) -> str | None:
        if not self._paths:
            self._paths.update((module_name(path), path) for path in self.files)
        return self._paths.get(module)


def near(data: bytes, span: ByteSpan, seen_from: int) -> str:
    """What is seen around a hole: some lines before it, and some of what comes at or behind `seen_from`."""
    before = data[: span.start].decode().splitlines()[-_NEAR_LINES:]
    behind = data[max(seen_from, span.end) :].decode().splitlines()[:_NEAR_LINES]
    return "\n".join((*before, *behind))


def module_name(path: str) -> str:
    """The dotted name by which a file is imported."""
    parts = PurePosixPath(path).with_suffix("").parts
    parts = parts[1:] if parts[0] in {"src", "lib", "python"} and len(parts) > 1 else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _module(path: str, text: str) -> _Module:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return _Module({}, (), ())
    lines = text.splitlines()
    definitions = {node.name: _signature(path, lines, node) for node in tree.body if isinstance(node, Definition)}
    functions = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = "\n".join(lines[node.lineno - 1 : node.end_lineno])
            evidence = Evidence(path, node.lineno, node.end_lineno or node.lineno, body)
            functions.append((evidence, frozenset(_NAME.findall(body))))
    return _Module(definitions, tuple(functions), tuple(_imports(module_name(path), path, tree)))


def _signature(path: str, lines: list[str], definition: Definition) -> Evidence:
    """The lines of a definition up to its docstring's end, or up to its body."""
    first = definition.body[0]
    has_docstring = (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    )
    last = (first.end_lineno or first.lineno) if has_docstring else max(definition.lineno, first.lineno - 1)
    return Evidence(path, definition.lineno, last, "\n".join(lines[definition.lineno - 1 : last]))


def _imports(module: str, path: str, tree: ast.Module) -> Iterator[tuple[str, str, str]]:
    """Local name, module, and the name in it ("" for the module itself)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.asname or alias.name, alias.name, ""
        elif isinstance(node, ast.ImportFrom):
            source = _source(module, path, node)
            for alias in node.names:
                yield alias.asname or alias.name, source, alias.name


def _source(module: str, path: str, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = module.split(".")
    up = node.level - (1 if path.endswith("__init__.py") else 0)
    package = parts[: len(parts) - up]
    return ".".join((*package, *((node.module,) if node.module else ())))


def _overlap(evidence: Evidence, around: ByteSpan | None) -> bool:
    return around is not None and evidence.start_line <= around.end_line and around.start_line <= evidence.end_line


def without_tests(paths: Iterable[str]) -> list[str]:
    """The Python files that are neither tests nor what tests or installers need."""
    return [path for path in paths if path.endswith(".py") and not _is_test(PurePosixPath(path))]


def _is_test(path: PurePosixPath) -> bool:
    folders = {"test", "tests", "testing", "docs", "examples", "benchmarks"}
    named = path.name.startswith("test_") or path.name.endswith("_test.py") or path.name in {"conftest.py", "setup.py"}
    return named or not folders.isdisjoint(path.parts[:-1])
