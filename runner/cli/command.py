"""Commands whose options are the fields of a record: typer's signature is built from it, and the call gets it filled."""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from typing import Any, TypeVar, get_type_hints

import typer

RecordT = TypeVar("RecordT")


def command(record: type[RecordT], call: Callable[[RecordT], None]) -> Callable[..., None]:
    """A function that typer can register: a parameter for each field of `record`, and `call` gets the filled record.

    Each field is annotated once, with `Annotated[type, typer.Option(...)]` or `typer.Argument`. Its default is the
    option's; a field without a default is required.
    """
    hints = get_type_hints(record, include_extras=True)

    def run(**values: Any) -> None:  # noqa: ANN401 - the record's fields have the types
        call(record(**values))

    run.__name__, run.__doc__, run.__module__ = call.__name__, call.__doc__, call.__module__
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [_parameter(field, hints[field.name]) for field in fields(record) if field.init]  # type: ignore[arg-type]
    )
    # typer asks for the annotations by `get_type_hints`.
    run.__annotations__ = {field.name: hints[field.name] for field in fields(record) if field.init}  # type: ignore[arg-type]
    return run


def register(app: typer.Typer, name: str, record: type[RecordT], call: Callable[[RecordT], None]) -> None:
    """Add a command to an app."""
    app.command(name)(command(record, call))


def _parameter(field: "Field[Any]", annotation: object) -> inspect.Parameter:
    default = field.default
    if default is MISSING and field.default_factory is not MISSING:
        default = field.default_factory()
    if default is MISSING:
        default = inspect.Parameter.empty
    return inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
