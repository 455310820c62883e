"""What the JSON of a bundle says, checked field by field before git or anybody else sees it."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from runner.suites.nextedit.commits import Omission, Origin, Touched, clashes, is_inside

_LONGEST_ID = 64
_SHORT_ID = 40
_LATEST = 1 << 63


class Fields(NamedTuple):
    """What a bundle holds: where it comes from, message, files, and what was omitted and why."""

    origin: Origin
    message: str
    files: tuple[Touched, ...]
    omitted: Mapping[str, Omission]


class FieldError(ValueError):
    """A field is missing, of another kind, or says what cannot be; the message names it."""


def parse_fields(content: Mapping[str, Any]) -> Fields:
    """What the fields say. Raises FieldError naming the one that is at fault."""
    sha = part_of(content, "sha")
    if not isinstance(sha, str) or not _is_id(sha):
        raise FieldError(f"field sha is {_short(sha)}, which is no full commit id")
    origin = Origin(
        sha=sha,
        parent=text_field(content, "parent", ""),
        project=text_field(content, "project", ""),
        url=text_field(content, "url", ""),
        authored=_seconds(content),
        language=text_field(content, "language", ""),
    )
    return Fields(origin, text_field(content, "message"), files_field(content), _omitted(content))


def is_tree_path(path: str) -> bool:
    """Whether git could hold a file at this path: inside the tree, without empty parts, made of bytes."""
    return is_inside(path) and str(PurePosixPath(path)) == path and _is_bytes(path)


def part_of(content: Mapping[str, Any], name: str, place: str = "") -> object:
    """What a field holds; `place` is in front of its name where it is told. Raises FieldError where it is missing."""
    if name not in content:
        raise FieldError(f"field {place}{name} is missing")
    return content[name]


def text_field(content: Mapping[str, Any], name: str, default: str | None = None) -> str:
    """The text that a field holds, `default` where it is missing and that is not None. Raises FieldError."""
    text = part_of(content, name) if default is None else content.get(name, default)
    if not isinstance(text, str):
        raise FieldError(f"field {name} is {_short(text)}, which is no text")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise FieldError(f"field {name} holds half a character, {error.object[error.start]!a}") from error
    return text


def _seconds(content: Mapping[str, Any]) -> int:
    seconds = content.get("authored", 0)
    if isinstance(seconds, bool) or not isinstance(seconds, int) or abs(seconds) >= _LATEST:
        raise FieldError(f"field authored is {_short(seconds)}, which is no number of seconds since 1970")
    return seconds


def files_field(content: Mapping[str, Any]) -> tuple[Touched, ...]:
    """The texts that the field `files` holds. Raises FieldError."""
    listed = part_of(content, "files")
    if not isinstance(listed, list):
        raise FieldError(f"field files is {_short(listed)}, which is no list of files")
    files = tuple(_file(each, f"files[{number}]") for number, each in enumerate(listed))
    if len({touched.path for touched in files}) != len(files):
        raise FieldError("field files names a path twice")
    for side in ("before", "after"):
        for one, two in clashes([touched.path for touched in files if getattr(touched, side) is not None]):
            raise FieldError(f"field files has a text {side} both for {one!a} and for {two!a}, which lies in it")
    return files


def _file(content: object, place: str) -> Touched:
    if not isinstance(content, dict):
        raise FieldError(f"field {place} is {_short(content)}, which is no object with path, before and after")
    path = _path(part_of(content, "path", f"{place}."), f"{place}.path")
    before, after = (_version(content, name, f"{place}.", path) for name in ("before", "after"))
    if not before and not after:
        raise FieldError(f"{place}: {path} has a text in neither version")
    old_path = content.get("old_path")
    if old_path is None:
        return Touched(path, before, after)
    if before is None or after is None:
        raise FieldError(f"field {place}.old_path: {path} is not in both versions, so it was not renamed")
    return Touched(path, before, after, _path(old_path, f"{place}.old_path"))


def _path(path: object, field: str) -> str:
    if not isinstance(path, str) or not is_tree_path(path):
        raise FieldError(f"field {field} is {_short(path)}, which is no relative path inside a tree")
    return path


def _version(content: Mapping[str, Any], name: str, place: str, path: str) -> str | None:
    text = part_of(content, name, place)
    if text is not None and not isinstance(text, str):
        raise FieldError(f"field {place}{name} of {path} is {_short(text)}, which is no text (null = absent)")
    if text is not None and not _is_bytes(text):
        raise FieldError(
            f"field {place}{name} of {path} holds half a character; bytes that are no UTF-8 are \\udc80 to \\udcff"
        )
    return text


def _omitted(content: Mapping[str, Any]) -> dict[str, Omission]:
    told = content.get("omitted", {})
    if not isinstance(told, dict):
        raise FieldError(f"field omitted is {_short(told)}, which is no object of paths with reasons")
    reasons = {str(each): each for each in Omission}
    for path, reason in told.items():
        if not isinstance(reason, str) or reason not in reasons:
            raise FieldError(f"field omitted says {_short(reason)} of {path!a}; the reasons are {', '.join(reasons)}")
        if not _is_bytes(path):
            raise FieldError(f"field omitted names {path!a}, which is no path")
    return {path: reasons[reason] for path, reason in told.items()}


def _is_id(sha: str) -> bool:
    return len(sha) in {_SHORT_ID, _LONGEST_ID} and set(sha) <= set("0123456789abcdef")


def _is_bytes(text: str) -> bool:
    """Whether a text stands for bytes: its lone surrogates are those of bytes that are no UTF-8."""
    if text.isascii():
        return True
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def _short(value: object) -> str:
    text = ascii(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
