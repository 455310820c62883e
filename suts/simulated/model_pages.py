"""The list of models and a single model, in the form of the vendor whose API is asked."""

from datetime import UTC, datetime

from suts.simulated.envelope import CREATED
from suts.simulated.spec import PRESETS, WireName


def models_page(wire: WireName) -> dict[str, object]:
    """Return the presets."""
    names = sorted(PRESETS)
    data = [model_page(wire, name) for name in names]
    if wire == "anthropic-messages":
        return {"data": data, "has_more": False, "first_id": names[0], "last_id": names[-1]}
    return {"object": "list", "data": data}


def model_page(wire: WireName, name: str) -> dict[str, object]:
    """Return one model."""
    if wire == "anthropic-messages":
        created_at = datetime.fromtimestamp(CREATED, UTC).isoformat()
        return {"type": "model", "id": name, "display_name": f"Simulated: {name}", "created_at": created_at}
    return {"id": name, "object": "model", "created": CREATED, "owned_by": "simulated"}
