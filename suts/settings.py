"""What a system under test is made with: settings from the edge of the program, and who a provider is."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


class UnknownSutError(ValueError):
    """An id that names no usable system under test; the message is one line with the id and the fix."""


class Secret(str):
    """A key: itself wherever it is used, unreadable wherever it is shown."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'[redacted]'"


def _ignore(_variable: str) -> None:
    """Do nothing."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The inputs from outside: no code of this package reads the environment, a clock or a source of randomness.

    `provider` reads every id as that provider's ("" = the id's first segment names it); `base_url` overrides
    the provider's own and its variable; `replicas` are the base URLs where a model is at several servers;
    `environment` holds the variables, keys and base URLs by the vendors' own names. `untrusted` are the names of those
    that a project's file set without the user's consent: a base URL among them is used only with a key among them, and
    `report_unused` gets the name of a variable that is not used.
    `insecure_http` permits plain http to other machines. `now_ns` is monotonic, `unix_s` wall-clock seconds.
    `network` holds the variables of the process alone, which name proxies and certificates (`suts.network`). `seed`
    and `options` are the simulated models' own. `keyless` accepts a missing key, for a plan that asks nobody. `batched`
    models are asked by the batch APIs of their vendors.
    """

    provider: str = ""
    base_url: str = ""
    replicas: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    untrusted: frozenset[str] = frozenset()
    report_unused: Callable[[str], None] = _ignore
    insecure_http: bool = False
    now_ns: Callable[[], int] = time.monotonic_ns
    unix_s: Callable[[], float] = time.time
    network: Mapping[str, str] = field(default_factory=dict, repr=False)
    seed: int = 0
    options: Mapping[str, str] = field(default_factory=dict)
    keyless: bool = False
    batched: bool = False


@dataclass(frozen=True, slots=True)
class Provider:
    """One line of the registry.

    `factory` is the dotted name of `(model: str, settings: Settings) -> Sut`, called with `settings.provider`
    set to this line's name. `key_variables` are tried in order; without any the provider needs no key.
    `extra` names the optional dependency that the factory imports. `own_credentials` says that a vendor's SDK finds
    credentials of the user by rules of its own.
    """

    factory: str
    base_url: str = ""
    base_url_variables: tuple[str, ...] = ()
    key_variables: tuple[str, ...] = ()
    key_needed: bool = True
    extra: str = ""
    own_credentials: bool = False
