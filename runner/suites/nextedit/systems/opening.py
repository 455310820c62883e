"""The local systems that options name: checked without running anything, then opened with the isolation they need."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from runner.agents.names import is_agent
from runner.errors import InputError
from runner.run.resolve import split_models
from runner.suites.nextedit.options import NextEditOptions
from runner.suites.nextedit.systems import (
    SYSTEMS,
    TRACE,
    System,
    http_system,
    is_http,
    is_module,
    is_own,
    is_system,
    module_path,
    own_name,
    system_named,
    trace_system,
)
from runner.suites.nextedit.systems.http_addresses import http_address
from runner.suites.nextedit.systems.module_metering import metering_of
from runner.suites.nextedit.systems.module_settings import isolation_note, module_settings
from runner.suites.nextedit.systems.trace_settings import checkpoints_of, trace_settings


def system_names(options: NextEditOptions) -> tuple[str, ...]:
    """The names of all systems, models among them, each once. Raises InputError where there is none."""
    return tuple(dict.fromkeys(map(own_name, split_models(options.model_ids))))


def local_names(options: NextEditOptions) -> tuple[str, ...]:
    """The names of systems that run here: a model has a slash in its name, or --provider is given.

    Raises InputError for unknown names, and for modules and checkpoints that do not exist.
    """
    names = [name for name in system_names(options) if is_system(name) or not _is_remote(name, options)]
    for name in names:
        if name == TRACE:
            checkpoints_of(options.trace)
        elif is_module(name):
            module_path(name)
        elif is_http(name):
            http_address(name, options)
        elif name not in SYSTEMS:
            system_named(name)
    return tuple(names)


def _is_remote(name: str, options: NextEditOptions) -> bool:
    return is_agent(name) or "/" in name or bool(options.provider)


def spending_notes(names: Iterable[str]) -> Iterator[str]:
    """Yield a line that says what a module or a system of one's own may spend, if one is among the systems."""
    modules = [name for name in names if is_module(name) or is_http(name)]
    if modules:
        yield f"{', '.join(modules)}: may ask models at a cost of its own; --budget counts what it reports, afterwards"


def open_systems(names: Sequence[str], options: NextEditOptions, say: Callable[[str], None]) -> dict[str, System]:
    """The systems of these names. Says how modules are isolated. Raises InputError.

    Nothing runs yet: a process starts with its first question.
    """
    if not any(name == TRACE or is_module(name) for name in names):
        return {name: _without_process(name, options) for name in names}
    modules = replace(module_settings(options), metering=metering_of(options))
    if modules.metering is not None and (own := next(filter(is_own, names), "")):
        raise InputError(f"--module-proxy: is for modules of Historian, and {own} is none; remove it")
    systems = {
        name: trace_system(trace_settings(options.trace, modules))
        if name == TRACE
        else (system_named(name, modules) if is_module(name) else _without_process(name, options))
        for name in names
    }
    say(isolation_note(modules))
    return systems


def _without_process(name: str, options: NextEditOptions) -> System:
    if not is_http(name):
        return system_named(name)
    address = http_address(name, options)
    # A run that goes on may have all its answers.
    if not (options.run_id or options.resume):
        address.check()
    return http_system(address)
