"""What an answer's usage says that it was charged: an addition of OpenRouter's to OpenAI's wires."""

from collections.abc import Mapping

from suts.wires.fields import amount, members


def charge_usd(usage: Mapping[str, object]) -> float | None:
    """Return OpenRouter's charge; with the user's own upstream key, plus what the upstream charges.

    Raises TypeError or ValueError for what is no amount of money.
    """
    cost = amount(usage.get("cost"))
    if cost is None:
        return None
    upstream = amount(members(usage.get("cost_details")).get("upstream_inference_cost"))
    # Without an own key, the upstream's figure is included in the charge.
    return amount(cost + (upstream if upstream and usage.get("is_byok") is not False else 0.0))
