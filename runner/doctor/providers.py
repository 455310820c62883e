"""Who can be asked from here: each provider's base URL and key, and where each of them was found. Keys stay unread."""

from dataclasses import dataclass, replace
from importlib.util import find_spec

from runner.environment import Variables, settings_of
from runner.prices import Prices
from suts import PROVIDERS
from suts.connection import connect
from suts.settings import Provider, Settings, UnknownSutError


@dataclass(frozen=True, slots=True)
class ProviderState:
    """One provider as it can be reached now.

    `base_url` is "" where it has none (in process, or another program's own); `base_url_from` and `key_from` name a
    variable and its place, `default`, or "" for none. `key_fingerprint` is the first 8 digits of the key's SHA-256.
    `installed` is False where its optional dependency is missing; `problem` says why it cannot be asked, or is "".
    """

    name: str
    base_url: str
    base_url_from: str
    key_variables: tuple[str, ...]
    key_needed: bool
    key_fingerprint: str
    key_from: str
    extra: str
    installed: bool
    priced_models: int
    problem: str


def provider_states(variables: Variables, prices: Prices, *, insecure_http: bool = False) -> list[ProviderState]:
    """Return every provider of the registry, and how many models the table prices for it."""
    settings = settings_of(variables, insecure_http=insecure_http)
    return [
        _state(provider, replace(settings, provider=name), variables, _priced(prices, name))
        for name, provider in PROVIDERS.items()
    ]


def _priced(prices: Prices, provider: str) -> int:
    """OpenRouter serves every vendor's models at their prices."""
    return sum(provider == "openrouter" or name.startswith(f"{provider}/") for name in prices.models)


def _state(provider: Provider, settings: Settings, variables: Variables, priced: int) -> ProviderState:
    base_url, fingerprint, problem = provider.base_url, "", ""
    unused: set[str] = set()
    if base_url:
        try:
            connection = connect(replace(settings, report_unused=unused.add))
            base_url, fingerprint = connection.base_url, connection.endpoint.key_fingerprint
        except UnknownSutError as error:
            problem = str(error)
    installed = not provider.extra or find_spec(provider.extra) is not None
    used = tuple(name for name in provider.base_url_variables if name not in unused)
    return ProviderState(
        name=settings.provider,
        base_url=base_url,
        base_url_from=variables.place(used) or ("default" if base_url else ""),
        key_variables=provider.key_variables,
        key_needed=provider.key_needed,
        key_fingerprint=fingerprint,
        key_from=variables.place(provider.key_variables),
        extra=provider.extra,
        installed=installed,
        priced_models=priced,
        problem=problem or ("" if installed else f"pip install 'evals[{provider.extra}]'"),
    )
