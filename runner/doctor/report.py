"""What `evals doctor` found, as tables."""

from collections.abc import Sequence

from runner.doctor.installation import InstallationCheck
from runner.doctor.listing import provider_table
from runner.doctor.ping import Ping
from runner.doctor.providers import ProviderState
from runner.document import Document, Table
from suts.model_names import asked_model, is_same_model

_SIGNS = {"ok": "ok", "absent": "-", "bad": "BAD"}


def health_document(
    checks: Sequence[InstallationCheck], states: Sequence[ProviderState], pings: Sequence[Ping]
) -> Document:
    """Checks, providers, and the models that were named."""
    rows = tuple((check.name, _SIGNS[check.state], check.detail) for check in checks)
    tables = [
        Table("this installation", ("what", "state", "found"), rows, ("what", "state"), ("found",)),
        provider_table(states),
    ]
    if pings:
        columns = ("model", "at", "key", "first byte", "round trip", "served by", "state")
        tables.append(Table("models", columns, tuple(map(_row, pings)), ("model", "state", "round trip", "at")))
    bad = [f"{check.name}: {check.detail}" for check in checks if check.state == "bad"]
    bad += [f"{ping.sut}: {ping.error}" for ping in pings if ping.error]
    return Document("evals doctor", tuple(tables), tuple(bad))


def _row(ping: Ping) -> tuple[str, ...]:
    served = " via ".join(filter(None, (ping.served_model, ping.upstream)))
    clocks = (_ms(ping.first_byte_ms), _ms(ping.round_trip_ms))
    return (ping.sut, ping.base_url, ping.key_fingerprint or "-", *clocks, served or "-", _state(ping))


def _state(ping: Ping) -> str:
    if ping.error:
        return "failed"
    if ping.round_trip_ms is None:
        return "can be asked"
    same = not ping.served_model or is_same_model(asked_model(ping.sut), ping.served_model)
    return "answers" if same else "another model answers"


def _ms(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f} ms"
