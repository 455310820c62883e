"""What there is to choose from, and who can be asked, as tables and as JSON values."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from runner.doctor.catalogue import CatalogueEntry
from runner.doctor.providers import ProviderState
from runner.document import Document, Table
from runner.report.tables import usd
from suts.simulated.spec import PRESETS
from suts.simulated.usage import SIM_PRICES, SIM_PRICES_DATE


def entries_document(kind: str, entries: Sequence[CatalogueEntry]) -> Document:
    """Return a table of names."""
    digests = any(entry.digest for entry in entries)
    columns = ("name", *(("digest",) if digests else ()), "what it is")
    rows = tuple((entry.name, *((entry.digest or "",) if digests else ()), entry.line) for entry in entries)
    return Document(kind, (Table(f"{len(entries)} {kind}", columns, rows, prose=("what it is",)),))


def models_document(states: Sequence[ProviderState], prices_date: str) -> Document:
    """Return the providers, and the simulated models with their rates."""
    columns = ("name", "valid", "applied", "spread", "in", "out")
    presets = tuple(
        (
            f"sim/{name}",
            f"{spec.valid:g}",
            f"{spec.applied:g}",
            f"{spec.spread:g}",
            usd(SIM_PRICES[name].input),
            usd(SIM_PRICES[name].output),
        )
        for name, spec in PRESETS.items()
    )
    title = f"simulated models: configured rates, and fictional prices of {SIM_PRICES_DATE}, USD per million tokens"
    notes = (
        f"priced: models in the price table of {prices_date}; `evals prices` lists them",
        "an id whose first part is no provider is a vendor's model on openrouter",
    )
    return Document("models are provider/model", (provider_table(states), Table(title, columns, presets)), notes)


def provider_table(states: Sequence[ProviderState]) -> Table:
    """Return the providers, where they are and where that was found."""
    columns = ("provider", "base URL", "key", "priced")
    rows = tuple((state.name, _url(state), _key(state), str(state.priced_models)) for state in states)
    title = "providers; of a key only the beginning of its SHA-256 is shown"
    return Table(title, columns, rows, prose=("base URL", "key"))


def _url(state: ProviderState) -> str:
    if not state.installed:
        return f"not installed: {state.problem}"
    if state.base_url_from in {"", "default"}:
        return state.base_url or "its own"
    if state.problem:
        # With a base URL of one's own no key is needed: it is the URL that is refused.
        return f"{state.base_url_from}: {state.problem}"
    return f"{state.base_url} by {state.base_url_from}"


def _key(state: ProviderState) -> str:
    if state.key_from:
        return f"{state.key_fingerprint or 'set'} by {state.key_from}"
    if not state.key_variables:
        return "none taken"
    return f"{' or '.join(state.key_variables)} {'is missing' if state.key_needed else 'not set, optional'}"


def models_data(states: Sequence[ProviderState], prices_date: str) -> dict[str, Any]:
    """Return the same as JSON values."""
    presets = [
        {"name": f"sim/{name}", "simulated": True, **asdict(spec), "prices": asdict(SIM_PRICES[name])}
        for name, spec in PRESETS.items()
    ]
    return {"prices_date": prices_date, "providers": [asdict(state) for state in states], "simulated": presets}
