"""What a project's files may ask for but not decide: the settings that count only once the user trusts them.

`evals` is run inside cloned repositories, whose `evals.toml` and `.env` were written by others. A setting needs trust
if it says where keys and prompts go, gives consent in the user's place, starts a program or loads code, deletes data,
loosens a safety rule, or names a path outside of the project's folder. A new option of that kind gets a line in
`OPTIONS`; an option whose type is a path needs none.
"""

import ipaddress
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from runner.calls import is_foreign
from suts import PROVIDERS

# Whether a value needs trust in a file of this folder.
Test = Callable[[str, Path], bool]


def _always(_value: str, _folder: Path) -> bool:
    return True


def _imports(value: str, _folder: Path) -> bool:
    """Return whether a comma-separated list has a `package.module:Name`, which is imported."""
    return ":" in value


def _imports_system(value: str, _folder: Path) -> bool:
    """Return the same for models, whose own names may have a colon behind the provider: `ollama/llama3:8b`.

    A name that ends in `.py` is a file that is run, and `claude-code/MODEL` a program that is started.
    """
    return any(
        ":" in name.partition("/")[0] or name.strip().endswith(".py") or name.strip().startswith("claude-code/")
        for name in value.split(",")
    )


def _imports_order(value: str, folder: Path) -> bool:
    """Return the same for an order of edits, which may be a model's: `llm:MODEL`."""
    return _imports_system(value.removeprefix("llm:"), folder)


def leads_outside(value: str, folder: Path) -> bool:
    """Return whether a path leaves the folder, by `..`, as an absolute path, or through a symbolic link."""
    try:
        return not (folder / value).resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError):
        # A loop of links, or no path at all.
        return True


def _starts(value: str, _folder: Path) -> bool:
    """Return whether a comma-separated list of edit tools has a program, which is started."""
    return any(is_foreign(name.strip()) for name in value.split(","))


def _any_outside(value: str, folder: Path) -> bool:
    """Return the same for a list of names and paths."""
    return any(leads_outside(name.strip(), folder) for part in value.split(",") for name in part.split(":"))


def _public(value: str, _folder: Path) -> bool:
    """Return whether a server that listens on this address can be reached from other machines."""
    try:
        return not ipaddress.ip_address(value).is_loopback
    except ValueError:
        return value != "localhost"


OPTIONS: Mapping[str, Test] = MappingProxyType(
    {
        # Where keys and prompts go.
        "base-url": _always,
        "insecure-http": _always,
        # Consent.
        "yes": _always,
        "ping": _always,
        # Programs that are started, and files that are loaded as code.
        "command": _always,
        "open": _always,
        "edit-tool": _starts,
        "external": _always,
        "install": _always,
        "env": _always,
        "executor": _always,
        "lsp": _always,
        "scheduler": _always,
        "python": _always,
        "run-tests": _always,
        "trace-python": _always,
        "trace-models": _always,
        "trace-bases": _always,
        "invoker-model-path": _always,
        "locator-model-path": _always,
        "generator-model-path": _always,
        # Names of the form `package.module:Name`.
        "model-ids": _imports_system,
        "sut": _imports_system,
        "chains": _imports,
        "diff-apply": _imports,
        "metric": _imports,
        "metrics": _imports,
        "order": _imports_order,
        "parser": _imports,
        "wire": _imports,
        # What is deleted: the database may be the user's own, named by EVALS_DB.
        "streams": _always,
        "texts": _always,
        # Safety.
        "agent-limits": _always,
        "clone": _always,
        "host": _public,
        "module-env": _always,
        "module-network": _always,
        "module-proxy": _always,
        "weak-sandbox": _always,
        # Texts that can be paths.
        "answers": leads_outside,
        "batch": leads_outside,
        "datasets": _any_outside,
        "prompt": _any_outside,
        "prompts": _any_outside,
        "reference": leads_outside,
    }
)
# Limits that the user may have set: a project's file does not replace them.
LIMITS = frozenset({"budget"})

_URLS = {name for provider in PROVIDERS.values() for name in provider.base_url_variables}

# The variables of a project's `.env` that are read at all, apart from keys.
VARIABLES: Mapping[str, Test] = MappingProxyType(
    {
        **dict.fromkeys(sorted(_URLS), _always),
        # Historian's: a name may be that of a program in this folder.
        "SUT": _always,
        "INVOKER_MODEL_PATH": _always,
        "LOCATOR_MODEL_PATH": _always,
        "GENERATOR_MODEL_PATH": _always,
        "EVAL_SET": leads_outside,
        "LOG_DIR": leads_outside,
        "OUTPUT_DIR": leads_outside,
        "REPOS_DIR": leads_outside,
    }
)


def option_needs_trust(names: Iterable[str], value: object, folder: Path, *, is_path: bool) -> bool:
    """Return whether a project's file in this folder may set an option only once it is trusted.

    `names` are all long names of the option, without dashes. A flag that is not set asks for nothing.
    """
    if value is False:
        return False
    values = [str(part) for part in value] if isinstance(value, list) else [str(value)]
    tests = [OPTIONS[name] for name in names if name in OPTIONS]
    if is_path:
        tests.append(leads_outside)
    return any(test(part, folder) for test in tests for part in values)


def variable_needs_trust(name: str, value: str, folder: Path) -> bool:
    """Return whether a variable of a `.env` in this folder counts only once it is trusted."""
    return bool(value.strip()) and name in VARIABLES and VARIABLES[name](value.strip(), folder)
