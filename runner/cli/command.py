"""Commands whose options are the fields of a record: it gives typer's signature, and the command gets it filled.

A field whose type is itself a record stands for the fields of that record: commands share a group of options by
including one record.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, TypeVar, get_type_hints

import typer

from runner.cli.help import CommandGroup, HelpfulCommand
from runner.errors import InputError

RecordT = TypeVar("RecordT")
# An argument: models by words of their own. They become the value of the option.
_MODELS, _MODEL_IDS = "models", "model_ids"


def command(record: type[RecordT], call: Callable[[RecordT], None]) -> Callable[..., None]:
    """Return a function that typer can register: one parameter for each option; `call` gets the filled record.

    Each field is annotated once, with `Annotated[type, typer.Option(...)]` or `typer.Argument`. Its default is the
    option's; a field without a default is required. Raises ValueError where two fields have one name.
    """
    # Words that are left over are models, wherever the record has them: that argument comes last.
    options = sorted(_options_of(record), key=lambda option: option[0].name == _MODELS)

    def run(**values: Any) -> None:  # noqa: ANN401 - the record's fields have the types
        call(filled(record, _with_models(values)))

    run.__name__, run.__doc__, run.__module__ = call.__name__, call.__doc__, call.__module__
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [_parameter(field, annotation) for field, annotation in options]
    )
    # typer asks for the annotations by `get_type_hints`.
    run.__annotations__ = {field.name: annotation for field, annotation in options}
    return run


def group_of_commands(summary: str) -> typer.Typer:
    """Return an app without commands yet, to be registered; `summary` is its help."""
    return typer.Typer(
        help=summary, no_args_is_help=True, cls=CommandGroup, add_completion=False, rich_markup_mode=None
    )


def register(
    app: typer.Typer,
    name: str,
    record: type[RecordT],
    call: Callable[[RecordT], None],
    help_names: Sequence[str] = ("--help",),
) -> None:
    """Add a command to an app; `help_names` are the names of the option that shows its help."""
    settings = {"help_option_names": list(help_names)}
    app.command(name, cls=HelpfulCommand, context_settings=settings)(command(record, call))


def record_of(call: Callable[..., None]) -> type[Any]:
    """Return the record that a command's function takes, by the annotation of its only parameter."""
    (name,) = inspect.signature(call).parameters
    record: type[Any] = get_type_hints(call)[name]
    return record


def filled(record: type[RecordT], values: Mapping[str, Any]) -> RecordT:
    """Return the record with these values of its options and of those of included records.

    Raises KeyError for an option without a value: typer fills in the defaults.
    """
    hints = get_type_hints(record)
    return record(
        **{
            field.name: filled(hints[field.name], values) if is_dataclass(hints[field.name]) else values[field.name]
            for field in _fields(record)
        }
    )


def values_of(options: object) -> dict[str, Any]:
    """Return the values of a filled record by option, those of included records among them."""
    values: dict[str, Any] = {}
    for field in _fields(type(options)):
        value = getattr(options, field.name)
        values |= values_of(value) if is_dataclass(value) else {field.name: value}
    return values


def _with_models(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the values with models that were given as arguments in place of `--model-ids`.

    Raises InputError for a number after --parallel, which is read as an argument.
    """
    words = [str(word) for value in values.values() if isinstance(value, list | tuple) for word in value]
    number = next((word for word in words if word.isdecimal()), None)
    if values.get("parallel") and number is not None:
        raise InputError(f"--parallel: takes no number; give --max-concurrency {number}")
    if _MODEL_IDS not in values or not values.get(_MODELS):
        return values
    return {**values, _MODEL_IDS: ",".join(values[_MODELS])}


def _options_of(record: type[Any]) -> "Iterator[tuple[Field[Any], Any]]":
    """Yield the fields that are options, with their annotations; an included record is replaced by its fields."""
    hints = get_type_hints(record, include_extras=True)
    for field in _fields(record):
        annotation = hints[field.name]
        if isinstance(annotation, type) and is_dataclass(annotation):
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
