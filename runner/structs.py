"""Turns JSON values into typed structs; a value that does not fit gives one finding for each wrong field.

A form is a struct, or a dataclass whose fields are those of the file. The fix of a field stands beside its type:
`Annotated[str, fix("give the working folder, a string")]`; a field without one gets a fix made from its type. Fields
that a form does not have are ignored. Limits of size and depth are those of `input_files` and `json_texts`.
"""

import dataclasses
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

FormT = TypeVar("FormT")
# Limits of values, declared beside a type. A limit by a pattern is no choice: msgspec 0.22 miscounts the references to
# a pattern, which ends in a crash of the process.
NOT_EMPTY = msgspec.Meta(min_length=1)
# For `float`: a number that may also be written as 900.0.
WHOLE = msgspec.Meta(ge=0, multiple_of=1)
_SHORT = 40
# msgspec raises the second one for half of a surrogate pair in a field's name, or in one of a few allowed words.
_UNFIT = (msgspec.ValidationError, UnicodeEncodeError)
_EXPECTED: tuple[tuple[type, str], ...] = (
    (bool, "true or false"),
    (int, "a whole number"),
    (float, "a number"),
    (str, "a string"),
    (list, "an array"),
    (tuple, "an array"),
    (types.NoneType, "null"),
)


@dataclass(frozen=True, slots=True)
class WrongField:
    """One field that does not fit: its path, such as `files[0].path`, what is wrong, and how to fix it.

    The path is empty where the value as a whole is no such object.
    """

    path: str
    problem: str
    fix: str


def fix(text: str) -> msgspec.Meta:
    """Declare the fix of a field, beside its type."""
    return msgspec.Meta(description=text)


def fitted(value: object, form: type[FormT]) -> FormT | tuple[WrongField, ...]:
    """Return the value as a `form`, or all fields of it that do not fit, in the order of the form."""
    try:
        return msgspec.convert(value, form)
    except _UNFIT:
        return tuple(_wrong(value, form, "", None))


def converted(value: object, form: type[FormT], error: Callable[[WrongField], Exception]) -> FormT:
    """Return the value as a `form`. Raises what `error` makes of the first field that does not fit."""
    result = fitted(value, form)
    # A form may itself be a tuple, but never one of wrong fields.
    if isinstance(result, tuple):
        raise error(result[0])
    return result


def kind_of(value: object) -> str:
    """Return what a JSON value is, in words."""
    kinds: tuple[tuple[type, str], ...] = (
        (bool, "true or false"),
        (int, "a number"),
        (float, "a number"),
        (str, "a string"),
        (list, "an array"),
        (dict, "an object"),
    )
    return next((words for kind, words in kinds if isinstance(value, kind)), "null")


def _wrong(value: object, kind: Any, path: str, inherited: str | None) -> Iterator[WrongField]:  # noqa: ANN401 - a type
    """Yield the fields in a value that do not fit; the value itself if none of its parts is at fault."""
    try:
        msgspec.convert(value, kind)
    except _UNFIT as error:
        its_fix = _declared(kind) or inherited
        parts = [
            wrong
            for part, part_kind, place, passed_on in _parts(value, kind, path)
            for wrong in _wrong(part, part_kind, place, its_fix if passed_on else None)
        ]
        remedy = f"{'add it,' if value is msgspec.UNSET else 'make it'} {_expected(kind)}"
        yield from parts or [WrongField(path, _problem(value, error), its_fix or remedy)]


def _parts(value: object, kind: Any, path: str) -> Iterator[tuple[object, Any, str, bool]]:  # noqa: ANN401 - a type
    """Yield what is inside of an object or array: value, type, path, and whether it has the fix of the whole."""
    for option in _options(kind):
        item = get_args(option)
        if isinstance(value, list | tuple) and get_origin(option) in (list, tuple):
            yield from ((part, item[0], f"{path}[{index}]", True) for index, part in enumerate(value))
        elif isinstance(value, dict) and get_origin(option) is dict:
            yield from ((part, item[1], f"{path}[{_short(name)}]", True) for name, part in value.items())
        elif isinstance(value, dict):
            prefix = f"{path}." if path else ""
            for name, field_kind, required in _fields(option):
                if required or name in value:
                    yield value.get(name, msgspec.UNSET), field_kind, f"{prefix}{name}", False


def _fields(form: Any) -> Iterator[tuple[str, Any, bool]]:  # noqa: ANN401 - a type
    """Yield name, type, and whether a value is required, of the fields of a struct or dataclass."""
    if isinstance(form, type) and issubclass(form, msgspec.Struct):
        yield from ((field.encode_name, field.type, field.required) for field in msgspec.structs.fields(form))
    elif dataclasses.is_dataclass(form):
        hints = get_type_hints(form, include_extras=True)
        for field in dataclasses.fields(form):
            absent = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
            yield field.name, hints[field.name], absent


def _options(kind: Any) -> Iterator[Any]:  # noqa: ANN401 - a type
    """Yield the types that a value may have, without what is annotated."""
    origin = get_origin(kind)
    if origin is Annotated:
        yield from _options(get_args(kind)[0])
    elif origin in (Union, types.UnionType):
        for option in get_args(kind):
            yield from _options(option)
    else:
        yield kind


def _declared(kind: Any) -> str | None:  # noqa: ANN401 - a type
    """Return the fix that is declared with a type, or with one of the types of a union."""
    args = get_args(kind)
    if get_origin(kind) is Annotated:
        texts = (note.description for note in args[1:] if isinstance(note, msgspec.Meta))
        return next((text for text in texts if text), None) or _declared(args[0])
    if get_origin(kind) in (Union, types.UnionType):
        return next(filter(None, map(_declared, args)), None)
    return None


def _expected(kind: Any) -> str:  # noqa: ANN401 - a type
    """Return the types in words."""
    return " or ".join(dict.fromkeys(map(_in_words, _options(kind))))


def _in_words(option: Any) -> str:  # noqa: ANN401 - a type
    if get_origin(option) is Literal:
        return f"one of {', '.join(map(repr, get_args(option)))}"
    bare = get_origin(option) or option
    if issubclass(bare, Enum):
        return f"one of {', '.join(repr(member.value) for member in bare)}"
    return next((words for known, words in _EXPECTED if issubclass(bare, known)), "an object")


def _problem(value: object, error: Exception) -> str:
    """Say what is wrong with a value: its kind if that is not allowed, else the value."""
    if value is msgspec.UNSET:
        return "is missing"
    if isinstance(error, UnicodeEncodeError) and isinstance(value, dict):
        return "has half a character in the name of a field"
    if value is None or (", got `" in str(error) and not isinstance(value, float)):
        return f"is {kind_of(value)}"
    return "is empty" if value in ("", []) else f"is {_short(value)}"


def _short(value: object) -> str:
    """Return a value as one short line."""
    text = ascii(value)
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 3]}..."
