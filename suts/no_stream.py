"""Answers that are no stream: a page or one object under a good status, and redirects, each shown by its beginning."""

import re
from collections.abc import Mapping
from urllib.parse import urljoin, urlsplit, urlunsplit

import orjson

from suts.failures import MESSAGE_LIMIT, redacted, refusal
from suts.sut import ErrorKind, SutError

# What a line of a stream of events may begin with.
_FIELDS = (b"data", b"event", b"id", b"retry", b":")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_OBJECT = (b"{", b"[")
_SHOWN = 120
_SUFFIXES = ("/chat/completions", "/completions", "/v1/messages", "/messages", "/models")
_TAG = re.compile(r"(?s)<(script|style)\b.*?</\1\s*>|<[^>]*>?")
_CHECK_URL = "check --base-url"
# Members of a whole answer: of chat completions, of messages.
_ANSWER = frozenset({"choices", "content"})


def is_no_stream(head: bytes, content_type: str) -> bool:
    """Return whether the first piece of a body shows that no events follow: a page, an object, or other text.

    Some servers give a stream another content type, so its first line decides.
    """
    start = head.removeprefix(_BYTE_ORDER_MARK).lstrip()
    if not start:
        return False
    if start[:1] in (b"<", *_OBJECT):
        return True
    if "event-stream" in content_type:
        return False
    return not any(start.startswith(field) or field.startswith(start) for field in _FIELDS)


def no_stream(body: bytes, content_type: str, *secrets: str) -> SutError:
    """Return a body under a good status that is no stream: the error that it states, or MALFORMED with its beginning.

    An error object has the kind that its words name, as in a stream.
    """
    text = body.removeprefix(_BYTE_ORDER_MARK).strip()
    if text[:1] in _OBJECT:
        if _is_error(text):
            return refusal(text, secrets=secrets)
        message = f"the server answered with one object, not with a stream: {beginning(text, *secrets)}"
        return SutError(ErrorKind.MALFORMED, message)
    kind = content_type.partition(";")[0].strip().lower() or ("text/html" if text[:1] == b"<" else "text")
    return SutError(ErrorKind.MALFORMED, f"{kind}, not a stream: {_CHECK_URL}; it begins {beginning(text, *secrets)}")


def is_redirect(status: int, headers: Mapping[str, str]) -> bool:
    """Return whether a response names another place; header names ignore the case."""
    return 300 <= status < 400 and "location" in headers


def redirected(status: int, headers: Mapping[str, str], url: str, *secrets: str) -> SutError:
    """Return a redirect as SutError(BAD_REQUEST): requests hold the key and the prompts, so none follows it.

    The message names the base URL that the redirect leads to, without a query.
    """
    target = _base_of(headers.get("location", ""), url)
    text = f"redirects to {beginning(target.encode(), *secrets)}: give that as --base-url" if target else _CHECK_URL
    return SutError(ErrorKind.BAD_REQUEST, f"{status}: {text}", retryable=False, status=status)


def beginning(body: bytes, *secrets: str) -> str:
    """Return the beginning of an untrusted text in one line: without keys, tags and control characters."""
    text = redacted(body[: 8 * MESSAGE_LIMIT].decode("utf-8", "replace"), *secrets)
    if text.startswith("<"):
        text = _TAG.sub(" ", text)
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return line[:_SHOWN] or "with nothing that can be shown"


def _is_error(text: bytes) -> bool:
    """Return whether an object is the statement of an error, not a whole answer that was not asked for."""
    try:
        parsed: object = orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    if isinstance(parsed, list):
        parsed = parsed[0] if parsed else None
    return isinstance(parsed, dict) and ("error" in parsed or _ANSWER.isdisjoint(parsed))


def _base_of(location: str, url: str) -> str:
    """Return the base URL that a redirect of a request to `url` leads to; "" for a target that cannot be read."""
    try:
        parts = urlsplit(urljoin(url, location.strip()))
        host = parts.hostname or ""
        bracketed = f"[{host}]" if ":" in host else host
        netloc = bracketed if parts.port is None else f"{bracketed}:{parts.port}"
    except ValueError:
        return ""
    if not location.strip() or not host:
        return ""
    path = parts.path.rstrip("/")
    suffix = next((suffix for suffix in _SUFFIXES if path.endswith(suffix)), "")
    return urlunsplit((parts.scheme, netloc, path.removesuffix(suffix), "", ""))
