"""The body of an unsuccessful answer, in the form and the words of the vendor of each wire."""

from collections.abc import Mapping
from typing import Final

import orjson

from suts.simulated.google_forms import GOOGLE_WIRE, google_error
from suts.simulated.spec import WireName

# The type and the code of OpenAI's errors; a status that is not here is a fault of the request.
_OPENAI: Final[Mapping[int, tuple[str, str | None]]] = {
    401: ("invalid_request_error", "invalid_api_key"),
    403: ("permission_error", None),
    404: ("invalid_request_error", "model_not_found"),
    429: ("requests", "rate_limit_exceeded"),
    500: ("server_error", None),
    529: ("server_error", "overloaded"),
}
_ANTHROPIC: Final[Mapping[int, str]] = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}
_REQUEST: Final = "invalid_request_error"


def error_body(wire: WireName, status: int, message: str, parameter: str | None = None) -> bytes:
    """Return the JSON body of an unsuccessful answer; `parameter` is the one of the request that is refused."""
    if wire == "anthropic-messages":
        error = {"type": _ANTHROPIC.get(status, _REQUEST), "message": message}
        return orjson.dumps({"type": "error", "error": error, "request_id": "req_sim"})
    if wire == GOOGLE_WIRE:
        return orjson.dumps(google_error(status, message))
    kind, code = _OPENAI.get(status, (_REQUEST, None))
    code = "unsupported_parameter" if parameter else code
    return orjson.dumps({"error": {"message": message, "type": kind, "param": parameter, "code": code}})
