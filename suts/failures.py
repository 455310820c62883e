"""What a provider says of a failure, as a SutError: HTTP statuses, error objects and their words, keys taken out.

One place for both doors a failure comes through: the answer to a request, and an error object inside a stream.
"""

import re
from collections.abc import Iterable, Mapping
from typing import cast

import orjson

from suts.redaction import REDACTED, redactor_of
from suts.sut import ErrorKind, SutError

MESSAGE_LIMIT = 300

_BY_STATUS = {
    401: ErrorKind.AUTH,
    402: ErrorKind.AUTH,
    403: ErrorKind.AUTH,
    404: ErrorKind.NOT_FOUND,
    407: ErrorKind.AUTH,
    408: ErrorKind.TIMEOUT,
    409: ErrorKind.SERVER,
    425: ErrorKind.SERVER,
    429: ErrorKind.RATE_LIMIT,
    503: ErrorKind.OVERLOADED,
    529: ErrorKind.OVERLOADED,
}
_BY_WORD = {
    "authentication_error": ErrorKind.AUTH,
    "billing_error": ErrorKind.AUTH,
    "invalid_api_key": ErrorKind.AUTH,
    "API_KEY_INVALID": ErrorKind.AUTH,
    "permission_denied": ErrorKind.AUTH,
    "permission_error": ErrorKind.AUTH,
    "model_not_found": ErrorKind.NOT_FOUND,
    "not_found_error": ErrorKind.NOT_FOUND,
    "context_length_exceeded": ErrorKind.CONTEXT,
    "exceed_context_size_error": ErrorKind.CONTEXT,
    "invalid_request_error": ErrorKind.BAD_REQUEST,
    "invalid_prompt": ErrorKind.BAD_REQUEST,
    "bio_policy": ErrorKind.BAD_REQUEST,
    "misalignment_policy_violation": ErrorKind.BAD_REQUEST,
    "data_residency_mismatch": ErrorKind.BAD_REQUEST,
    "request_too_large": ErrorKind.BAD_REQUEST,
    "contract_spend_limit_reached": ErrorKind.RATE_LIMIT,
    "credit_balance_exhausted": ErrorKind.RATE_LIMIT,
    "enforced_spend_limit_reached": ErrorKind.RATE_LIMIT,
    "insufficient_quota": ErrorKind.RATE_LIMIT,
    "rate_limit_error": ErrorKind.RATE_LIMIT,
    "rate_limit_exceeded": ErrorKind.RATE_LIMIT,
    "overloaded": ErrorKind.OVERLOADED,
    "overloaded_error": ErrorKind.OVERLOADED,
    "timeout": ErrorKind.TIMEOUT,
    "timeout_error": ErrorKind.TIMEOUT,
}
_PERMANENT = frozenset({ErrorKind.AUTH, ErrorKind.NOT_FOUND, ErrorKind.BAD_REQUEST, ErrorKind.CONTEXT})
# What a server says of a question that does not fit into its context window; only some also give a word of their own.
_OVERFLOW = re.compile(
    r"(?i)maximum (?:context|model|prompt) length"  # OpenAI, vLLM, OpenRouter, DeepSeek, Mistral, xAI
    r"|exceeds? (?:the )?(?:available )?context (?:size|length|window|limit)"  # llama.cpp, Anthropic, Ollama
    r"|prompt is too long: \d|input is too long for"  # Anthropic, Bedrock
    r"|input token count .{0,20}exceeds the maximum"  # Gemini
    r"|longer than the model's context length"  # SGLang
    r"|greater than the context length|loaded with context length of only"  # LM Studio
)
# OpenAI's dozen codes for an image that cannot be used, such as `invalid_image_url` or `image_too_large`.
_IMAGE = re.compile(r"(?:^|_)image(?:_|$)")
# An overflow is refused as an invalid request, if not inside a stream of status 200.
_INVALID = frozenset({ErrorKind.BAD_REQUEST, ErrorKind.SERVER})
# An empty purse is answered with 429 like a burst, but waiting does not fill it.
_EXHAUSTED = frozenset(
    {
        "billing_error",
        "contract_spend_limit_reached",
        "credit_balance_exhausted",
        "enforced_spend_limit_reached",
        "insufficient_quota",
    }
)
# OpenRouter's 402 for money that requests under way have reserved: it comes back when they end.
_RESERVED = "openrouter_in_flight_budget"
# Google answers 400 to a key that is none.
_BAD_KEY = "API_KEY_INVALID"
# In a stream these words stand for the status: it separates a request that is not permitted from an invalid key.
_STATUS_OF_WORD = {"permission_denied": 403, "permission_error": 403}
_STATUS_DIGITS = 3
# The parameters that we send, as APIs name them, and the words that refuse one whatever its value.
_PARAMETERS = re.compile(
    r"\b(max_completion_tokens|max_tokens|temperature|seed|stop|stop_sequences|suffix|reasoning_effort|reasoning"
    r"|thinking|output_config|stream_options|stream)\b"
)
_REFUSING = re.compile(
    r"(?i)unsupported|not support|not permitted|not allowed|forbidden|deprecated|unrecogni[sz]ed|unknown|unexpected"
    r"|only the default|may only be|extra inputs"
)
_DELAY = re.compile(r"\d{1,6}(?:\.\d+)?s")
_KEY_LIKE = re.compile(r"(?i)\bbearer\s+[^\s\"',]+|\b(?:sk|pk|rk|gsk|xai|hf)[-_][A-Za-z0-9_*.-]{8,}|\bAIza[\w-]{20,}")


def kind_of_status(status: int) -> ErrorKind:
    """Return the kind of an HTTP status that is not a success."""
    if status >= 500:
        return _BY_STATUS.get(status, ErrorKind.SERVER)
    return _BY_STATUS.get(status, ErrorKind.BAD_REQUEST)


def redacted(text: str, *secrets: str) -> str:
    """Return the text without secrets that are long enough to be removed, and without what looks like a key."""
    return _KEY_LIKE.sub(REDACTED, redactor_of(*secrets).text(text))


def failure(
    error: object, *, status: int | None = None, retry_after_s: float | None = None, secrets: Iterable[str] = ()
) -> SutError:
    """Return an error object (`{"message": …, "type": …, "code": …}`, or any JSON) as a SutError.

    The HTTP status decides the kind; inside a stream, where there is none, the object's own numeric code, else
    its words do, and an unknown word is the server's fault. An invalid request that its words call too long for the
    context window is CONTEXT. The message is clipped to MESSAGE_LIMIT characters.
    """
    fields = _members(error)
    words = [str(fields[name]) for name in ("code", "type") if isinstance(fields.get(name), (str, int))]
    reasons = [*words, *_details(fields)]
    code = status or next((int(word) for word in words if _is_status(word)), None)
    kind = kind_of_status(code) if code else _kind_of_words(reasons)
    if _BAD_KEY in reasons:
        kind = ErrorKind.AUTH
    message = _message(error, fields, words, status)
    if _RESERVED in reasons:
        kind = ErrorKind.RATE_LIMIT
    elif kind in _INVALID and _is_overflow(reasons, message):
        kind = ErrorKind.CONTEXT
    return SutError(
        kind,
        redacted(message, *secrets)[:MESSAGE_LIMIT],
        retryable=kind not in _PERMANENT and _EXHAUSTED.isdisjoint(reasons),
        retry_after_s=_stated_wait(fields) if retry_after_s is None else retry_after_s,
        status=code or next((_STATUS_OF_WORD[word] for word in words if word in _STATUS_OF_WORD), None),
        parameter=_refused(fields.get("param"), message) if kind is ErrorKind.BAD_REQUEST else "",
    )


def refusal(
    body: bytes, *, status: int | None = None, retry_after_s: float | None = None, secrets: Iterable[str] = ()
) -> SutError:
    """Return the body of an unsuccessful HTTP response as a SutError; a body that is not JSON is quoted as it is."""
    try:
        parsed: object = orjson.loads(body)
    except orjson.JSONDecodeError:
        parsed = body.decode("utf-8", "replace")
    if isinstance(parsed, list) and parsed:
        parsed = parsed[0]
    if isinstance(parsed, dict):
        parsed = parsed.get("error") or parsed
    return failure(parsed, status=status, retry_after_s=retry_after_s, secrets=secrets)


def cut(error: BaseException, *secrets: str) -> SutError:
    """Return what an HTTP library raised within an answer."""
    text = redacted(f"{type(error).__name__}: {error}".removesuffix(": "), *secrets)[:MESSAGE_LIMIT]
    return SutError(ErrorKind.CUT, f"the connection broke within the answer: {text}")


def malformed(payload: bytes) -> SutError:
    """Return a payload that is no chunk of its wire."""
    text = redacted(payload.decode("utf-8", "replace"))
    return SutError(ErrorKind.MALFORMED, f"not a chunk of this stream: {text}"[:MESSAGE_LIMIT])


def _refused(param: object, message: str) -> str:
    """Return the parameter that an error refuses: the one that it names, else the first in its message; "" = none."""
    if not _REFUSING.search(message):
        return ""
    match = _PARAMETERS.fullmatch(param) if isinstance(param, str) and param else _PARAMETERS.search(message)
    return match[1] if match else ""


def _members(value: object) -> Mapping[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _details(fields: Mapping[str, object]) -> list[str]:
    """Return the words that stand deeper.

    Anthropic's `details.error_code`, OpenRouter's `metadata.limit_source`, the reasons of Google's `details`.
    """
    metadata, details = _members(fields.get("metadata")), _members(fields.get("details"))
    words = [details.get("error_code"), metadata.get("limit_source"), fields.get("limit_source")]
    words += [detail.get("reason") for detail in _listed_details(fields)]
    return [word for word in words if isinstance(word, str)]


def _listed_details(fields: Mapping[str, object]) -> list[Mapping[str, object]]:
    listed = fields.get("details")
    return [_members(detail) for detail in listed] if isinstance(listed, list) else []


def _stated_wait(fields: Mapping[str, object]) -> float | None:
    """Return the seconds to wait that Google states among the details, as `31.5s`; None where it states none."""
    waits = (str(detail.get("retryDelay", "")) for detail in _listed_details(fields))
    return next((float(wait[:-1]) for wait in waits if _DELAY.fullmatch(wait)), None)


def _is_status(word: str) -> bool:
    return len(word) == _STATUS_DIGITS and word.isdecimal() and 400 <= int(word) < 600


def _kind_of_words(words: list[str]) -> ErrorKind:
    known = next((_BY_WORD[word] for word in words if word in _BY_WORD), None)
    if known is None and any(_IMAGE.search(word) for word in words):
        return ErrorKind.BAD_REQUEST
    return known or ErrorKind.SERVER


def _is_overflow(reasons: list[str], message: str) -> bool:
    return _kind_of_words(reasons) is ErrorKind.CONTEXT or _OVERFLOW.search(message) is not None


def _as_json(error: object) -> str:
    try:
        return orjson.dumps(error).decode()
    except TypeError:
        # What orjson reads may be nested deeper than what it writes.
        return "an error object that is nested too deep to be shown"


def _message(error: object, fields: Mapping[str, object], words: list[str], status: int | None) -> str:
    message = fields.get("message") or fields.get("detail")
    text = message if isinstance(message, str) else error if isinstance(error, str) else _as_json(error)
    heads = dict.fromkeys([*([str(status)] if status else []), *words])
    return " ".join(f"{' '.join(heads)}: {text}".split()).strip(": ")
