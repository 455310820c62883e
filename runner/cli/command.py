"""Commands whose options are the fields of a record: typer's signature is built from it, and the call gets it filled.

A field whose type is a dataclass itself stands for the fields of that record: options that commands share are one
record that their own records include.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, TypeVar, get_type_hints

import typer

RecordT = TypeVar("RecordT")


def command(record: type[RecordT], call: Callable[[RecordT], None]) -> Callable[..., None]:
    """A function that typer can register: a parameter for each field of `record`, and `call` gets the filled record.

    Each field is annotated once, with `Annotated[type, typer.Option(...)]` or `typer.Argument`. Its default is the
    option's; a field without a default is required.
    """
    found = list(_options_of(record))

    def run(**values: Any) -> None:  # noqa: ANN401 - the record's fields have the types
        call(filled(record, values))

    run.__name__, run.__doc__, run.__module__ = call.__name__, call.__doc__, call.__module__
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [_parameter(field, annotation) for field, annotation in found]
    )
    # typer asks for the annotations by `get_type_hints`.
    run.__annotations__ = {field.name: annotation for field, annotation in found}
    return run


def register(app: typer.Typer, name: str, record: type[RecordT], call: Callable[[RecordT], None]) -> None:
    """Add a command to an app."""
    app.command(name)(command(record, call))


def filled(record: type[RecordT], values: Mapping[str, Any]) -> RecordT:
    """The record with these values of its options, those of included records among them."""
    hints = get_type_hints(record)
    return record(
        **{
            field.name: filled(hints[field.name], values) if is_dataclass(hints[field.name]) else values[field.name]
            for field in _fields(record)
        }
    )


def values_of(options: object) -> dict[str, Any]:
    """The values of a filled record by the names of its options, those of included records among them."""
    found: dict[str, Any] = {}
    for field in _fields(type(options)):
        value = getattr(options, field.name)
        found |= values_of(value) if is_dataclass(value) else {field.name: value}
    return found


def _options_of(record: type[Any]) -> "Iterator[tuple[Field[Any], Any]]":
    """The fields that are options, with their annotations."""
    hints = get_type_hints(record, include_extras=True)
    for field in _fields(record):
        annotation = hints[field.name]
        if is_dataclass(annotation) and isinstance(annotation, type):
            yield from _options_of(annotation)
        else:
            yield field, annotation


def _fields(record: type[Any]) -> "list[Field[Any]]":
    return [field for field in fields(record) if field.init]


def _parameter(field: "Field[Any]", annotation: object) -> inspect.Parameter:
    default = field.default
    if default is MISSING and field.default_factory is not MISSING:
        default = field.default_factory()
    if default is MISSING:
        default = inspect.Parameter.empty
    return inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
