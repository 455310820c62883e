"""What the house rules say of the modules of the runner together: imports, cycles, suites' names, names of classes."""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from runner.suites import SUITES

ROOT = Path(__file__).parents[1]
MOST_IMPORTS = 12


@cache
def modules() -> Mapping[str, ast.Module]:
    """The syntax tree of every module of the runner, by its dotted name."""
    return {dotted(path): ast.parse(path.read_bytes()) for path in sorted((ROOT / "runner").rglob("*.py"))}


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def file_of(module: str) -> str:
    path = Path(*module.split("."))
    return str(path / "__init__.py" if (ROOT / path).is_dir() else path.with_suffix(".py"))


@cache
def imported(module: str) -> frozenset[str]:
    """The modules of the runner that a module imports, at its top or inside functions."""
    names = set[str]()
    for node in ast.walk(modules()[module]):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return frozenset(known(name) for name in names if name.partition(".")[0] == "runner") - {module}


def known(name: str) -> str:
    """The module that holds a name."""
    while name not in modules():
        name = name.rpartition(".")[0]
    return name


def package(module: str) -> str:
    return module if file_of(module).endswith("__init__.py") else module.rpartition(".")[0]


def in_cycles(graph: Mapping[str, set[str]]) -> set[str]:
    """Nodes of a graph that lie on cycles, until it has none left."""
    left, cyclic = {node: set(targets) for node, targets in graph.items()}, set[str]()
    while True:
        try:
            TopologicalSorter(left).prepare()
        except CycleError as error:
            cycle = set(error.args[1])
            cyclic |= cycle
            left = {node: targets - cycle for node, targets in left.items() if node not in cycle}
        else:
            return cyclic


def test_a_module_imports_at_most_12_others_of_the_runner() -> None:
    assert not {module for module in modules() if len(imported(module)) > MOST_IMPORTS}


def test_modules_do_not_import_each_other_in_a_circle() -> None:
    assert not in_cycles({module: set(imported(module)) for module in modules()})


def test_packages_do_not_import_each_other_in_a_circle() -> None:
    """A package and the one that holds it are one thing: its parts may use what all of them share."""
    graph = defaultdict[str, set[str]](set)
    for module in modules():
        own = package(module)
        for other in map(package, imported(module)):
            if not (own + ".").startswith(other + ".") and not (other + ".").startswith(own + "."):
                graph[own].add(other)

    assert not in_cycles(graph)


def compared_texts(tree: ast.Module) -> Iterator[str]:
    """The string literals that a module compares something with."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare | ast.MatchValue):
            yield from (
                part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)
            )


def test_nothing_is_decided_by_the_name_of_a_suite() -> None:
    deciding = {file_of(module) for module, tree in modules().items() if set(compared_texts(tree)) & SUITES.keys()}

    assert not deciding


def test_no_function_passes_on_its_local_variables() -> None:
    calling = {
        file_of(module)
        for module, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "locals"
    }

    assert not calling


def class_places() -> dict[str, list[str]]:
    """The modules that define each public class."""
    places = defaultdict[str, list[str]](list)
    for module, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(module)
    return places


def test_no_two_classes_have_one_name() -> None:
    assert not {name: found for name, found in class_places().items() if len(found) > 1}


@pytest.mark.parametrize(
    "graph, cyclic",
    [
        pytest.param({"a": {"b"}, "b": {"c"}, "c": set()}, set(), id="none"),
        pytest.param({"a": {"b"}, "b": {"a"}, "c": {"a"}}, {"a", "b"}, id="two that import each other"),
        pytest.param({"a": {"b"}, "b": {"a"}, "c": {"d"}, "d": {"c"}}, {"a", "b", "c", "d"}, id="two cycles"),
    ],
)
def test_the_check_finds_cycles(graph: dict[str, set[str]], cyclic: set[str]) -> None:
    assert in_cycles(graph) == cyclic
