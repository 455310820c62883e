"""The models that modules may ask by the proxy, as the options say."""

from dataclasses import replace

from runner.agents.door import new_secret
from runner.agents.limits import read_limits
from runner.agents.opening import upstreams_of
from runner.errors import InputError
from runner.prices import load_prices
from runner.suites.nextedit.options import NextEditOptions
from runner.suites.nextedit.systems.module_meter import Metering
from suts.settings import UnknownSutError


def metering_of(options: NextEditOptions) -> Metering | None:
    """Return what modules may ask, None without the proxy.

    Raises InputError where there is no server, or where they have a network.
    """
    if not options.modules.module_proxy:
        return None
    if options.modules.module_network:
        raise InputError("--module-proxy: is the only network of a module; remove --module-network")
    limits = read_limits(options.agent_limits)
    if options.budget is not None:
        limits = replace(limits, usd=min(limits.usd, options.budget))
    try:
        upstreams = upstreams_of(options.sut_settings, "--module-proxy")
    except UnknownSutError as error:
        raise InputError(str(error)) from error
    return Metering(
        upstreams, limits, load_prices(options.prices), priced=options.budget is not None, secret=new_secret()
    )
