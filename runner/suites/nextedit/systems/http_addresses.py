"""Where a system of one's own listens, as its name and the options say."""

import os
from pathlib import Path

from runner.environment import settings_of, variables_of
from runner.errors import InputError
from runner.suites.nextedit.options import NextEditOptions
from runner.suites.nextedit.systems.own_http import HttpAddress
from suts.connection import checked_url, is_loopback
from suts.network import route_to
from suts.settings import UnknownSutError


def http_address(url: str, options: NextEditOptions) -> HttpAddress:
    """The address of a system that listens, and the way to it. Raises InputError for one that may not be asked."""
    variables = variables_of(Path.cwd(), os.environ)
    settings = settings_of(variables, provider="--model-ids", insecure_http=options.insecure_http)
    try:
        checked_url(url, settings)
        route = route_to(url, settings.network, loopback=is_loopback(url))
    except UnknownSutError as error:
        raise InputError(str(error)) from error
    return HttpAddress(url, route, options.modules.module_timeout)
