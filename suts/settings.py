"""What a system under test is made with: settings from the edge of the program, and who a provider is."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


class UnknownSutError(ValueError):
    """An id that names no system under test, or one that cannot be made; one line with the id and the mend."""


class Secret(str):
    """A key: itself wherever it is used, unreadable wherever it is shown."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'[redacted]'"


@dataclass(frozen=True, slots=True)
class Settings:
    """What the edge knows: nothing below it reads the environment, a clock or a source of randomness.

    `provider` reads every id as that provider's ("" = the id's first segment names it); `base_url` overrides
    the provider's own and its variable; `environment` holds the variables, keys and base URLs by the vendors'
    own names. `now_ns` is monotonic, `unix_s` wall-clock seconds. `trust_env` lets the transport use the
    proxies and the .netrc of the process. `seed` and `options` are the simulated models' own. Systems that are
    `planned_only` are never asked, and need no key.
    """

    provider: str = ""
    base_url: str = ""
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    now_ns: Callable[[], int] = time.monotonic_ns
    unix_s: Callable[[], float] = time.time
    trust_env: bool = False
    seed: int = 0
    options: Mapping[str, str] = field(default_factory=dict)
    planned_only: bool = False


@dataclass(frozen=True, slots=True)
class Provider:
    """One line of the registry.

    `factory` is the dotted name of `(model: str, settings: Settings) -> Sut`, called with `settings.provider`
    set to this line's name. `key_variables` are tried in order; without any the provider needs no key.
    `extra` names the optional dependency that the factory imports.
    """

    factory: str
    base_url: str = ""
    base_url_variables: tuple[str, ...] = ()
    key_variables: tuple[str, ...] = ()
    key_needed: bool = True
    extra: str = ""
