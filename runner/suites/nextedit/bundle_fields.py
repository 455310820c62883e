"""The form of a bundle, and what must be true of its fields before git or a user sees them."""

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Annotated, NamedTuple, TypeVar

import msgspec

from runner.structs import WrongField, converted, fix
from runner.suites.nextedit.commits import Omission, Origin, Touched, clashes, is_inside

_LONGEST_ID = 64
_SHORT_ID = 40
_LATEST = (1 << 63) - 1
FormT = TypeVar("FormT")


class BundleFile(msgspec.Struct, frozen=True, kw_only=True):
    """A bundle as its file has it; `authored` is in seconds since 1970, `parent` to `language` are "" if unknown."""

    sha: str
    parent: str = ""
    project: str = ""
    url: str = ""
    authored: Annotated[int, msgspec.Meta(ge=-_LATEST, le=_LATEST), fix("make it seconds since 1970")] = 0
    language: str = ""
    message: str
    files: tuple[Touched, ...]
    omitted: dict[str, Omission] = {}
    tree: dict[str, str] | None = None


class Fields(NamedTuple):
    """What a bundle holds: where it comes from, message, files, what was omitted and why, further texts."""

    origin: Origin
    message: str
    files: tuple[Touched, ...]
    omitted: Mapping[str, Omission]
    tree: Mapping[str, str] | None = None


class FieldError(ValueError):
    """A field is missing, of another kind, or says what cannot be; the message names it."""


def parse_fields(content: Mapping[str, object]) -> Fields:
    """What the fields say. Raises FieldError naming the one that is at fault."""
    bundle = form_of(content, BundleFile)
    if not _is_id(bundle.sha):
        raise FieldError(f"field sha is {_short(bundle.sha)}, which is no full commit id")
    origin = Origin(bundle.sha, bundle.parent, bundle.project, bundle.url, bundle.authored, bundle.language)
    for name in ("parent", "project", "url", "language"):
        check_text(name, getattr(origin, name))
    check_text("message", bundle.message)
    check_files(bundle.files)
    for path in bundle.omitted:
        if not _is_bytes(path):
            raise FieldError(f"field omitted names {path!a}, which is no path")
    check_tree(bundle.tree or {}, bundle.files)
    return Fields(origin, bundle.message, bundle.files, bundle.omitted, bundle.tree)


def form_of(content: object, form: type[FormT]) -> FormT:
    """The content as a form. Raises FieldError naming the first field that does not fit."""
    return converted(content, form, _field_error)


def _field_error(wrong: WrongField) -> FieldError:
    field = f"field {wrong.path}" if wrong.path else "the object"
    return FieldError(f"{field} {wrong.problem}: {wrong.fix}")


def is_tree_path(path: str) -> bool:
    """Whether git could hold a file at this path: inside the tree, without empty parts, made of bytes."""
    return is_inside(path) and str(PurePosixPath(path)) == path and _is_bytes(path)


def check_text(name: str, text: str) -> None:
    """Raise FieldError for a text that no file in UTF-8 can hold."""
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise FieldError(f"field {name} holds half a character, {error.object[error.start]!a}") from error


def check_files(files: Sequence[Touched]) -> None:
    """Raise FieldError for texts that are no two versions of one tree."""
    for number, touched in enumerate(files):
        _check_file(touched, f"files[{number}]")
    if len({touched.path for touched in files}) != len(files):
        raise FieldError("field files names a path twice")
    for side in ("before", "after"):
        for first, second in clashes([touched.path for touched in files if getattr(touched, side) is not None]):
            raise FieldError(f"field files has a text {side} both for {first!a} and for {second!a}, which lies in it")


def check_tree(texts: Mapping[str, str], files: Sequence[Touched]) -> None:
    """Raise FieldError for texts that cannot stand beside the files before the commit."""
    touched = {path for file in files for path in (file.path, file.old_path)}
    for path, text in texts.items():
        _check_path(path, "tree")
        if path in touched:
            raise FieldError(f"field tree holds {path!a}, which field files has")
        if not _is_bytes(text):
            raise FieldError(
                f"field tree[{path!a}] holds half a character; bytes that are not UTF-8 are \\udc80 to \\udcff"
            )
    before = [file.path for file in files if file.before is not None]
    for first, second in clashes([*before, *texts]):
        raise FieldError(f"field tree has a text both for {first!a} and for {second!a}, which lies in it")


def _check_file(touched: Touched, place: str) -> None:
    path, before, after = touched.path, touched.before, touched.after
    _check_path(path, f"{place}.path")
    for name, text in (("before", before), ("after", after)):
        if text is not None and not _is_bytes(text):
            why = "holds half a character; bytes that are not UTF-8 are \\udc80 to \\udcff"
            raise FieldError(f"field {place}.{name} of {path!a} {why}")
    if not before and not after:
        raise FieldError(f"{place}: {path!a} has a text in neither version")
    if touched.old_path is not None:
        if before is None or after is None:
            raise FieldError(f"field {place}.old_path: {path!a} is not in both versions, so it was not renamed")
        _check_path(touched.old_path, f"{place}.old_path")


def _check_path(path: str, field: str) -> None:
    if not is_tree_path(path):
        raise FieldError(f"field {field} is {_short(path)}, which is no relative path inside a tree")


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
