"""What this installation has and lacks: interpreter, packages, extras, grammars, encodings, database."""

import platform
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Literal

from runner.errors import InputError
from runner.storage.store import Store
from runner.trust import Sensitive, is_trusted
from suts.network import route_to
from suts.settings import UnknownSutError

State = Literal["ok", "absent", "bad"]
_PARSED = ("python", "javascript", "typescript", "java", "go", "rust", "c", "json", "markdown", "yaml")
_REQUIREMENT = re.compile(r"^([\w.-]+)[^;]*(?:;.*extra == ['\"](\w+)['\"])?")
# Extras that bring other extras, or are for work on evals itself.
_COLLECTIVE = {"all", "build", "dev"}
_PYTHON = (3, 11)
_ON_A_LINE = 6


@dataclass(frozen=True, slots=True)
class InstallationCheck:
    """One part of the installation. `bad` is a fault; `absent` is none, because nothing requires the part."""

    name: str
    state: State
    detail: str


def installation(environ: Mapping[str, str]) -> Iterator[InstallationCheck]:
    """Yield the interpreter, the packages that are needed, those that are extras, and what they bring."""
    version = f"{platform.python_version()} at {sys.executable}"
    yield InstallationCheck("python", "ok" if sys.version_info >= _PYTHON else "bad", version)
    yield from _packages()
    git = shutil.which("git", path=environ.get("PATH"))
    yield InstallationCheck("git", "ok" if git else "absent", git or "not on PATH; suites that read commits need it")
    yield _grammars()
    yield _encoding()


def _packages() -> Iterator[InstallationCheck]:
    yield InstallationCheck("evals", "ok", version("evals"))
    needed: list[str] = []
    extras: list[tuple[str, str]] = []
    for requirement in requires("evals") or ():
        match = _REQUIREMENT.match(requirement)
        if match and match[2] is None:
            needed.append(match[1])
        elif match and match[2] not in _COLLECTIVE:
            extras.append((match[1], match[2]))
    versions = [f"{name} {_version(name)}" for name in needed if _version(name)]
    for start in range(0, len(versions), _ON_A_LINE):
        yield InstallationCheck("packages" if start == 0 else "", "ok", ", ".join(versions[start : start + _ON_A_LINE]))
    for name in needed:
        if _version(name) is None:
            yield InstallationCheck(name, "bad", "is missing; run `make install`")
    for name, extra in extras:
        found_version = _version(name)
        fix = f"is not installed: pip install 'evals[{extra}]'"
        yield InstallationCheck(f"extra {extra}", "ok" if found_version else "absent", f"{name} {found_version or fix}")


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _grammars() -> InstallationCheck:
    from runner.syntax import has_grammar, has_pack

    missing = [language for language in _PARSED if not has_grammar(language)]
    if missing:
        return InstallationCheck(
            "grammars", "bad", f"none for {', '.join(missing)}; reinstall the tree-sitter packages of evals"
        )
    return InstallationCheck("grammars", "ok", f"{', '.join(_PARSED)}{' and more' if has_pack() else ''}")


def _encoding() -> InstallationCheck:
    from runner.tokens import encoding_folder

    folder = encoding_folder()
    if folder is None:
        return InstallationCheck("tiktoken", "absent", "cl100k_base is not at hand; --max-context counts bytes / 3.5")
    return InstallationCheck("tiktoken", "ok", f"cl100k_base in {folder}")


def settings(
    files: Iterable[tuple[str, Path | None, Sensitive | None]], environ: Mapping[str, str]
) -> Iterator[InstallationCheck]:
    """Yield the files that settings come from, and what of them does not count because nobody trusts it."""
    for name, file, sensitive in files:
        if file is None:
            yield InstallationCheck(name, "absent", "none")
            continue
        trusted = sensitive is None or is_trusted(sensitive, environ)
        left = "" if trusted or sensitive is None else f"; not trusted: {', '.join(sensitive.settings)}"
        yield InstallationCheck(name, "ok", f"{file}{left}")


def network(process: Mapping[str, str]) -> Iterator[InstallationCheck]:
    """Yield the proxies that the variables of the process name, without credentials, and what is wrong with them."""
    for scheme in ("https", "http"):
        try:
            address = route_to(f"{scheme}://", process).address
        except UnknownSutError as error:
            yield InstallationCheck(f"{scheme} proxy", "bad", str(error))
        else:
            if address:
                yield InstallationCheck(f"{scheme} proxy", "ok", address)


def database(path: Path) -> InstallationCheck:
    """Return whether the database can be read, and what it holds; it is never made."""
    if not path.exists():
        return InstallationCheck("database", "absent", f"{path}: not there; the first run makes it")
    try:
        with closing(Store.open(path, create=False)) as store:
            counts = [store.rows(f"SELECT count(*) FROM {name}")[0][0] for name in _TABLES]  # noqa: S608 - ours
    except InputError as error:
        return InstallationCheck("database", "bad", str(error))
    counted = ", ".join(f"{count:,} {name}" for name, count in zip(_TABLES, counts, strict=True))
    return InstallationCheck("database", "ok", f"{path}: {path.stat().st_size / 1e6:.1f} MB, {counted}")


_TABLES = ("runs", "answers", "scorings", "streams", "texts")
