"""Which language server serves which language: what `--lsp` says."""

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from runner.errors import InputError
from runner.suites.nextedit.order.languages import LANGUAGES
from runner.syntax import has_grammar

_SCRIPTS = ("typescript", "tsx", "javascript")
# What the well-known servers serve; their programs know it, but state it only for files that they are asked about.
_SERVED: Mapping[str, tuple[str, ...]] = {
    "basedpyright-langserver": ("python",),
    "clangd": ("c", "cpp", "objc", "cuda"),
    "gopls": ("go",),
    "jdtls": ("java",),
    "jedi-language-server": ("python",),
    "pylsp": ("python",),
    "pyright-langserver": ("python",),
    "rust-analyzer": ("rust",),
    "typescript-language-server": _SCRIPTS,
    "vtsls": _SCRIPTS,
}
_FOLLOWING = {"typescript": _SCRIPTS, "javascript": ("javascript",)}
_SHORT = {"jedi": "jedi-language-server"}
_SECRET = ("KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL")


@dataclass(frozen=True, slots=True)
class Server:
    """A command that speaks the protocol on its standard streams, and the languages it serves; none named = every one.

    `env` is the environment it gets.
    """

    command: tuple[str, ...]
    languages: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        """The command as one line."""
        return shlex.join(self.command)

    def serves(self, language: str) -> bool:
        """Whether files in a language are to be shown to it."""
        return not self.languages or language in self.languages


def chosen_servers(values: Sequence[str], env: Mapping[str, str]) -> tuple[Server, ...]:
    """The servers that `CMD` or `LANGUAGE=CMD` name. Raises InputError naming the part that cannot be.

    `jedi` is short for `jedi-language-server`. Servers get the environment without what looks like a credential.
    """
    return tuple(_chosen(value, env) for value in values)


def _chosen(value: str, env: Mapping[str, str]) -> Server:
    language, command = _split(value)
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError(f"--lsp {value}: is no command ({error})") from error
    if not words:
        raise InputError(f"--lsp {value!r}: name a command that speaks the protocol on its standard streams")
    words[0] = _SHORT.get(words[0], words[0])
    path = shutil.which(words[0], path=env.get("PATH", os.defpath))
    if path is None:
        raise InputError(f"--lsp {value}: there is no program {words[0]!r}; install it or give its path")
    served = _FOLLOWING.get(language, (language,)) if language else _SERVED.get(PurePath(words[0]).name, ())
    kept = {name: value for name, value in env.items() if not any(part in name.upper() for part in _SECRET)}
    return Server((os.path.abspath(path), *words[1:]), served, kept)  # noqa: PTH100 - links decide what is run


def _split(value: str) -> tuple[str, str]:
    """The language, "" if none is named, and the command. Raises InputError for a language without a grammar."""
    language, equals, command = value.partition("=")
    language = language.strip().lower()
    if not equals or not language.replace("_", "").isalnum():
        return "", value
    if not has_grammar(language):
        known = ", ".join(LANGUAGES)
        raise InputError(f"--lsp {value}: no language is called {language!r}; there are {known} and others")
    return language, command
