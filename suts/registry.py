"""From an id such as `openai/gpt-x@effort=high` to the system under test it names."""

import difflib
import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import cast

from suts import PROVIDERS
from suts.plugins import PluginError, load_plugin
from suts.replicated import at_servers
from suts.settings import Settings, UnknownSutError
from suts.sut import Sut
from suts.variants import SampledSut

Factory = Callable[[str, Settings], Sut]

_SUFFIX = re.compile(r"@(\w+=[^@]*)$")
_DOTTED = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*)(?:/(.*))?")
# Where the ids of vendors that are no provider of their own are served.
_GATEWAY = "openrouter"
# A first segment this much like a provider is a slip, no vendor: no vendor on OpenRouter has such a name.
_ALIKE = 0.75


@dataclass(frozen=True, slots=True)
class ModelId:
    """An id taken apart; `provider` is "" where `factory` is a third party's own."""

    provider: str
    model: str
    suffix: str
    factory: str


def resolve(model_id: str, settings: Settings) -> Sut:
    """Return the system under test that an id names.

    Raises UnknownSutError: for an id that names none, a missing key, a missing extra, a setting that is none.
    """
    named = read_id(model_id, settings.provider)
    factory = _load(named, model_id)
    try:
        sut = _built(factory, named.model, replace(settings, provider=named.provider))
        if settings.batched:
            sut = _batched(sut)
        return SampledSut(sut, named.suffix) if named.suffix else sut
    except UnknownSutError:
        raise
    except ImportError as error:
        extra = PROVIDERS[named.provider].extra if named.provider else ""
        fix = f"; install it: pip install 'evals[{extra}]'" if extra else ""
        raise UnknownSutError(f"{model_id}: {error}{fix}") from error
    except ValueError as error:
        raise UnknownSutError(f"{model_id}: {error}") from error


def read_id(model_id: str, provider: str = "") -> ModelId:
    """Take an id apart.

    - With `provider` the whole id is its model; its own name before the first slash is dropped.
    - `package.module:Name`, or `package.module:Name/model`, names a third party's factory.
    - A first segment in the registry is the provider; one that is almost that is refused; any other one is a vendor
      on OpenRouter.
    - `@key=value,key=value` at the end changes how the model is asked.

    Raises UnknownSutError for an id without a provider, a model or a known provider.
    """
    plain, suffix = _without_suffix(model_id)
    if provider:
        return _of_provider(provider, plain.removeprefix(f"{provider}/"), suffix, model_id)
    if dotted := _DOTTED.fullmatch(plain):
        return ModelId("", dotted[2] or "", suffix, dotted[1])
    head, slash, model = plain.partition("/")
    if not slash:
        raise UnknownSutError(
            f"{model_id!r} names no provider; write provider/model with one of {', '.join(PROVIDERS)}, "
            "or give --provider"
        )
    if head in PROVIDERS:
        return _of_provider(head, model, suffix, model_id)
    if near := difflib.get_close_matches(head, PROVIDERS, n=1, cutoff=_ALIKE):
        raise UnknownSutError(
            f"{model_id!r}: no provider {head!r}; did you mean {near[0]}/{model}? "
            f"For a vendor of that name write {_GATEWAY}/{plain}"
        )
    return _of_provider(_GATEWAY, plain if head else "", suffix, model_id)


def _built(factory: Factory, model: str, settings: Settings) -> Sut:
    """Return the system of a factory, at each of its servers."""
    if not settings.replicas:
        return factory(model, settings)
    return at_servers([factory(model, replace(settings, base_url=url, replicas=())) for url in settings.replicas])


def load(dotted: str) -> object:
    """Return the object that `package.module:Name` names, of a module of ours. Raises ImportError or AttributeError."""
    module, _, name = dotted.partition(":")
    return getattr(import_module(module), name)


def _batched(sut: Sut) -> Sut:
    from suts.batched import batched

    return batched(sut)


def _without_suffix(model_id: str) -> tuple[str, str]:
    match = _SUFFIX.search(model_id)
    return (model_id[: match.start()], match[1]) if match else (model_id, "")


def _of_provider(provider: str, model: str, suffix: str, model_id: str) -> ModelId:
    if provider not in PROVIDERS:
        near = difflib.get_close_matches(provider, PROVIDERS, n=1, cutoff=_ALIKE)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise UnknownSutError(f"no provider {provider!r}{hint or '.'} There are {', '.join(PROVIDERS)}")
    if not model.strip("/ "):
        raise UnknownSutError(f"{model_id!r} names no model; write {provider}/model")
    return ModelId(provider, model, suffix, PROVIDERS[provider].factory)


def _load(named: ModelId, model_id: str) -> Factory:
    try:
        factory = load(named.factory) if named.provider else load_plugin(named.factory).target
    except (ImportError, AttributeError, PluginError) as error:
        raise UnknownSutError(f"{model_id}: cannot load {named.factory}: {error}") from error
    if not _takes_two(factory):
        raise UnknownSutError(f"{model_id}: {named.factory} is no factory (model, settings) -> Sut")
    return cast("Factory", factory)


def _takes_two(factory: object) -> bool:
    try:
        inspect.signature(cast("Factory", factory)).bind("model", "settings")
    except (TypeError, ValueError):
        return False
    return True
