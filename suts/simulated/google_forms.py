"""Google's Gemini API as the simulated server speaks it: what requests hold, how answers, models and errors look."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple
from urllib.parse import unquote

import orjson

from suts.simulated.envelope import Envelope, data
from suts.simulated.pace import Piece
from suts.simulated.tool_choice import is_object
from suts.wires.call_results import google_result

GOOGLE_WIRE: Final = "google-generate"
_PATH: Final = re.compile(r"/v1beta/models/(.+):(streamGenerateContent|generateContent|countTokens)")
MODELS: Final = "/v1beta/models"
_FINISH: Final = {"stop": "STOP", "tool_calls": "STOP", "length": "MAX_TOKENS"}
_STATUS: Final = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
}
_Object = dict[str, object]


class GooglePath(NamedTuple):
    """What the path of a request says: the model, and what is wanted of it."""

    model: str
    method: str

    @property
    def counts(self) -> bool:
        """Whether tokens are to be counted, and nothing answered."""
        return self.method == "countTokens"

    @property
    def fields(self) -> Mapping[str, object]:
        """The same as other APIs have it in the body."""
        return {"model": self.model, "stream": self.method == "streamGenerateContent"}


def google_path(path: str) -> GooglePath | None:
    """Return what a path says; None for one of another API."""
    match = _PATH.fullmatch(path)
    return None if match is None else GooglePath(unquote(match[1]), match[2])


def generated(values: Mapping[str, object]) -> tuple[str, list[str], list[str]]:
    """Return the model, the system prompt and the texts of the conversation. Raises ValueError."""
    match values.get("model"), values.get("contents"):
        case str() as model, list() as contents:
            system = [*_texts(values.get("systemInstruction"))]
            return model, system, [text for content in contents for text in _texts(content)]
        case _:
            raise ValueError("contents has to be an array")


def results_in(values: Mapping[str, object]) -> list[str]:
    """Return the texts of the results of calls that a conversation holds."""
    results = (part.get("functionResponse") for content in _objects(values, "contents") for part in _parts(content))
    return [google_result(result).text for result in results if is_object(result)]


def google_tools(values: Mapping[str, object]) -> dict[str, Mapping[str, object]]:
    """Return the schemas of the tools that a request declares, by name."""
    declared = (tool for group in _objects(values, "tools") for tool in _objects(group, "functionDeclarations"))
    return {str(tool["name"]): _schema(tool) for tool in declared if "name" in tool}


def _schema(tool: Mapping[str, object]) -> Mapping[str, object]:
    schema = tool.get("parametersJsonSchema", tool.get("parameters"))
    return schema if is_object(schema) else {}


def _objects(values: Mapping[str, object], name: str) -> list[Mapping[str, object]]:
    listed = values.get(name)
    return [item for item in listed if is_object(item)] if isinstance(listed, list) else []


def _parts(content: object) -> list[Mapping[str, object]]:
    return _objects(content, "parts") if is_object(content) else []


def _texts(content: object) -> Iterator[str]:
    for part in _parts(content):
        if isinstance(text := part.get("text"), str):
            yield text
        elif is_object(result := part.get("functionResponse")):
            yield google_result(result).text


def google_frames(pieces: Sequence[Piece], envelope: Envelope) -> list[bytes]:
    """Return the events of a stream: one entry per piece, and one that ends it. A call is whole at its last piece."""
    last = {piece.call: place for place, piece in enumerate(pieces) if piece.call >= 0}
    out = []
    for place, piece in enumerate(pieces):
        if piece.call < 0:
            part: _Object = {"text": piece.text, "thought": True} if piece.reasoning else {"text": piece.text}
        else:
            whole = _call(pieces, envelope, piece.call) if last[piece.call] == place else None
            part = whole or {"text": ""}
        out.append(_event(_response(envelope, [part])))
    return [*out, _event(_response(envelope, [{"text": ""}], _ended(pieces, envelope), usage=True))]


def _event(response: _Object) -> bytes:
    """Return an event; line separators of Unicode are escaped: clients in JavaScript end a line there."""
    return data(response).replace(b"\xe2\x80\xa8", b"\\u2028").replace(b"\xe2\x80\xa9", b"\\u2029")


def google_whole(pieces: Sequence[Piece], envelope: Envelope) -> bytes:
    """Return the JSON answer to a request that wants no stream."""
    thought = "".join(piece.text for piece in pieces if piece.reasoning)
    text = "".join(piece.text for piece in pieces if not piece.reasoning and piece.call < 0)
    parts: list[_Object] = [{"text": thought, "thought": True}] if thought else []
    parts += [{"text": text}] if text or not envelope.calls else []
    calls = (_call(pieces, envelope, call) for call in range(len(envelope.calls)))
    parts += [call for call in calls if call is not None]
    return orjson.dumps(_response(envelope, parts, _ended(pieces, envelope), usage=True))


def _call(pieces: Sequence[Piece], envelope: Envelope, call: int) -> _Object | None:
    """Return the part of a call; None where its arguments broke off: the API has no place for these."""
    try:
        arguments: object = orjson.loads("".join(piece.text for piece in pieces if piece.call == call))
    except orjson.JSONDecodeError:
        return None
    return {"functionCall": {"id": envelope.call_id(call), "name": envelope.calls[call], "args": arguments}}


def _ended(pieces: Sequence[Piece], envelope: Envelope) -> str:
    broken = any(_call(pieces, envelope, call) is None for call in range(len(envelope.calls)))
    reason = _FINISH[envelope.reason]
    return "MALFORMED_FUNCTION_CALL" if broken and reason == "STOP" else reason


def _response(envelope: Envelope, parts: list[_Object], reason: str = "", *, usage: bool = False) -> _Object:
    candidate: _Object = {"content": {"parts": parts, "role": "model"}, "index": 0}
    if reason:
        candidate["finishReason"] = reason
    counted = _usage(envelope) if usage else {}
    return {"candidates": [candidate], **counted, "modelVersion": envelope.model, "responseId": f"sim{envelope.token}"}


def _usage(envelope: Envelope) -> _Object:
    usage = envelope.usage
    if usage is None:
        return {}
    prompt = usage.input + usage.cache_read + usage.cache_write
    counts = {
        "promptTokenCount": prompt,
        "cachedContentTokenCount": usage.cache_read,
        "candidatesTokenCount": usage.output - usage.reasoning,
        "thoughtsTokenCount": usage.reasoning,
        "totalTokenCount": prompt + usage.output,
    }
    return {"usageMetadata": counts}


def google_error(status: int, message: str) -> _Object:
    """Return the body of an unsuccessful answer, or an error within a stream."""
    return {"error": {"code": status, "message": message, "status": _STATUS.get(status, "UNAVAILABLE")}}


def google_models(names: Sequence[str]) -> _Object:
    """Return the list of models."""
    methods = ["generateContent", "countTokens"]
    return {"models": [{"name": f"models/{name}", "supportedGenerationMethods": methods} for name in names]}
