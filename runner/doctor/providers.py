"""Who can be asked from here: each provider's base URL and key, and where each of them was found. Keys stay unread."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from runner.environment import dotenv_of
from runner.prices import Prices
from suts import PROVIDERS
from suts.connection import connect
from suts.settings import Provider, Settings, UnknownSutError


@dataclass(frozen=True, slots=True)
class Variables:
    """The variables of the process and of the nearest .env, and which of the two a variable is of."""

    process: Mapping[str, str]
    file: Path | None
    of_file: Mapping[str, str]

    @property
    def merged(self) -> dict[str, str]:
        """All of them; the file's never override."""
        return {**self.of_file, **self.process}

    def place(self, names: tuple[str, ...]) -> str:
        """The first of these that is set, and where: `OPENAI_API_KEY (environment)`; "" where none is."""
        name = next((each for each in names if self.merged.get(each, "").strip()), "")
        if not name:
            return ""
        return f"{name} ({'environment' if name in self.process else self.file})"


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


def variables_of(folder: Path, environ: Mapping[str, str]) -> Variables:
    """The variables as a run that starts in `folder` sees them. Raises InputError for a .env that is no text."""
    file, found = dotenv_of(folder)
    return Variables(environ, file, found)


def provider_states(variables: Variables, prices: Prices) -> list[ProviderState]:
    """Every provider of the registry, and how many models the table prices for it."""
    return [_state(name, provider, variables, _priced(prices, name)) for name, provider in PROVIDERS.items()]


def _priced(prices: Prices, provider: str) -> int:
    """OpenRouter serves every vendor's models at their prices."""
    return sum(provider == "openrouter" or name.startswith(f"{provider}/") for name in prices.models)


def _state(name: str, provider: Provider, variables: Variables, priced: int) -> ProviderState:
    base_url, fingerprint, problem = provider.base_url, "", ""
    if base_url:
        try:
            connection = connect(Settings(provider=name, environment=variables.merged))
            base_url, fingerprint = connection.base_url, connection.endpoint.key_fingerprint
        except UnknownSutError as error:
            problem = str(error)
    installed = not provider.extra or find_spec(provider.extra) is not None
    return ProviderState(
        name=name,
        base_url=base_url,
        base_url_from=variables.place(provider.base_url_variables) or ("default" if base_url else ""),
        key_variables=provider.key_variables,
        key_needed=provider.key_needed,
        key_fingerprint=fingerprint,
        key_from=variables.place(provider.key_variables),
        extra=provider.extra,
        installed=installed,
        priced_models=priced,
        problem=problem or ("" if installed else f"pip install 'evals[{provider.extra}]'"),
    )
