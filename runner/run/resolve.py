"""Resolves names, on a command line or on record: prompts, parsers, algorithms, systems under test, wires."""

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from diff_apply.result import DiffAlgorithm
from parsers.blocks import Parser
from prompts import ALIASES as PROMPT_ALIASES
from prompts import Prompt, PromptError, load
from runner.agents.names import is_agent, names_commands, split_commands
from runner.digests import algorithm_digest, parser_digest, plug_in_digest
from runner.errors import InputError
from suts.plugins import PluginError, load_plugin
from suts.sut import Message, Request, Sampling, Sut, SutError, ValidatesRequest, Wire

T = TypeVar("T")
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Named(Generic[T]):
    """An implementation, the name under which its results are kept, and the digest of its behaviour."""

    name: str
    impl: T
    digest: str


def split_names(text: str, option: str) -> tuple[str, ...]:
    """Return the names of a comma-separated list without duplicates. Raises InputError if there are none."""
    return tuple(dict.fromkeys(_parts(text, option)))


def _parts(text: str, option: str) -> list[str]:
    parts = [name for part in text.split(",") if (name := part.strip())]
    if not parts:
        raise InputError(f"{option}: names nothing; give one or more names, comma-separated")
    return parts


def split_models(text: str, option: str = "--model-ids") -> tuple[str, ...]:
    """Return the model ids of a comma-separated list; a `key=value` part belongs to the id before it."""
    ids: list[str] = []
    parts = split_commands(text) if names_commands(text) else _parts(text, option)
    for part in parts:
        if ids and not is_agent(ids[-1]) and "@" in ids[-1] and "=" in part and "/" not in part.partition("=")[0]:
            ids[-1] += f",{part}"
        else:
            ids.append(part)
    return tuple(dict.fromkeys(ids))


def choose_prompts(names: Iterable[str], say: Say, option: str = "--prompts") -> tuple[Prompt, ...]:
    """Return the prompts of these names or .md files without duplicates. Raises InputError that names `option`."""
    chosen: dict[str, Prompt] = {}
    try:
        for prompt in (load(_registered_name(name, PROMPT_ALIASES, say)) for name in names):
            if chosen.setdefault(prompt.name, prompt) != prompt:
                raise InputError(f"{option}: two files are called {prompt.name}; give one of them another name")
    except PromptError as error:
        raise InputError(f"{option}: {error}") from error
    return tuple(chosen.values())


def choose_parser(name: str, say: Say) -> Named[Parser]:
    """Return the parser of a name or `package.module:Name`. Raises InputError."""
    from parsers import ALIASES, PARSERS

    chosen = _choose("--parser", _registered_name(name, ALIASES, say), PARSERS, parser_digest)
    if not (callable(getattr(chosen.impl, "start", None)) and callable(getattr(chosen.impl, "parse", None))):
        raise InputError(f"--parser: {name!r} is not a parser; name an object with `start` and `parse`")
    return chosen


def choose_algorithms(names: Iterable[str], say: Say) -> tuple[Named[DiffAlgorithm], ...]:
    """Return the algorithms of names or `package.module:Name`. Raises InputError."""
    from diff_apply import ALIASES, DIFF_ALGORITHMS

    registered = [_registered_name(name, ALIASES, say) for name in names]
    chosen = [_choose("--diff-apply", name, DIFF_ALGORITHMS, algorithm_digest) for name in registered]
    for algorithm in chosen:
        if not callable(algorithm.impl):
            raise InputError(
                f"--diff-apply: {algorithm.name!r} is not an algorithm; name a function (original, diff) -> Applied"
            )
    return tuple({algorithm.name: algorithm for algorithm in chosen}.values())


def choose_wires(names: Iterable[str]) -> dict[str, Wire]:
    """Return our wires and those of `package.module:Name`, by that name and their own. Raises InputError."""
    from suts.wires import WIRES

    chosen = dict(WIRES)
    for name in names:
        wire = _imported("--wire", name).impl
        if not (callable(getattr(wire, "decoder", None)) and isinstance(getattr(wire, "name", None), str)):
            raise InputError(f"--wire: {name!r} is not a wire; name an object with `name` and `decoder`")
        # A plug-in cannot replace our wires, whatever its name.
        chosen = {wire.name: wire, name: wire, **chosen}
    return chosen


def stored_wire(name: str, wires: Mapping[str, Wire]) -> Wire:
    """Return the wire that a stored stream names; a recorded name is never imported.

    Raises InputError for any other.
    """
    if name not in wires:
        plug_in = name if ":" in name else "package.module:Name"
        raise InputError(
            f"answers came over the wire {name!r}, which is not one of evals; "
            f"if you trust the code of that name, name it yourself: --wire {plug_in}"
        )
    return wires[name]


def never_imported(option: str, name: str) -> str:
    """Return the recorded name of a parser or an algorithm, which is looked up in the registries only.

    Raises InputError for a plug-in's: the user has to name it again by `option`.
    """
    if ":" in name:
        on_record(option, name, {}, ())
    return name


def on_record(option: str, name: str, registry: Mapping[str, T], named: Iterable[Named[T]]) -> T:
    """Return what a name on record stands for: a registered object, or one that the user has named again.

    A name on record is never imported. Raises InputError; `option` is the one to name it by.
    """
    known = {**{row.name: row.impl for row in named}, **registry}
    if name not in known:
        raise InputError(
            f"the run was read by {name!r}, which is not one of evals; "
            f"if you trust the code of that name, name it yourself: evals replay {option} {name}"
        )
    return known[name]


def choose_suts(
    ids: Iterable[str], build: Callable[[str], Sut], sampling: Sampling | None = None, option: str = "--model-ids"
) -> tuple[Sut, ...]:
    """Return the systems of these ids without duplicates, as `build` makes them.

    With `sampling`, requests that a system would refuse are refused here. Raises InputError that names `option`.
    """
    from suts.settings import UnknownSutError

    try:
        suts = tuple({sut.name: sut for sut in map(build, ids)}.values())
    except UnknownSutError as error:
        raise InputError(f"{option}: {error}") from error
    if sampling is not None:
        _check_sampling(suts, sampling)
    return suts


def _check_sampling(suts: Iterable[Sut], sampling: Sampling) -> None:
    question = Request("", (Message("user", "?"),), sampling)
    for sut in suts:
        try:
            if isinstance(sut, ValidatesRequest):
                sut.check(question)
        except SutError as error:
            raise InputError(f"{sut.name}: {error}") from error


def _registered_name(name: str, aliases: Mapping[str, str], say: Say) -> str:
    """Return the registered name of an alias from an original program; any other name as it is."""
    registered = aliases.get(name, name)
    if registered != name:
        say(f"{name} is called {registered} here")
    return registered


def _choose(option: str, name: str, registry: Mapping[str, T], digest: Callable[[str], str]) -> Named[T]:
    if name in registry:
        return Named(name, registry[name], digest(name))
    if ":" in name:
        return _imported(option, name)
    near = difflib.get_close_matches(name, registry, n=1)
    hint = f"; did you mean {near[0]}?" if near else "."
    raise InputError(f"{option}: {name!r} is not known{hint} Known are {', '.join(registry)}, or package.module:Name")


def _imported(option: str, name: str) -> Named[Any]:
    try:
        plugin = load_plugin(name)
    except PluginError as error:
        raise InputError(f"{option}: {name!r} cannot be imported ({error}); give package.module:Name") from error
    return Named(name, plugin.target, plug_in_digest(plugin.module.__name__))
