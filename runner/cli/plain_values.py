"""Plain values of options, read without typer's validators, whose import takes a third of a short command's start.

Plain are defaults, texts, paths and decimal numbers in range; typer itself reads all others and words the refusals.
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias, get_args

from typer.core import TyperArgument, TyperOption
from typer.models import ParameterInfo

Parameter: TypeAlias = TyperArgument | TyperOption

_WHOLE = re.compile(r"[0-9]{1,15}")
_DECIMAL = re.compile(r"[0-9]{1,15}(\.[0-9]{1,15})?")


class _NotPlainError(Exception):
    """A value that typer has to read."""


def reading_plainly(parameters: Iterable[Any]) -> list[Any]:
    """Return the parameters of a command, changed so that they read plain values themselves."""
    parameters = list(parameters)
    for parameter in parameters:
        # A command is asked for its parameters more than once.
        if "process_value" not in vars(parameter):
            parameter.process_value = _plainly_or(parameter.process_value, parameter)
    return parameters


def _plainly_or(read_any: Callable[[Any, Any], Any], parameter: Parameter) -> Callable[[Any, Any], Any]:
    def process_value(context: Any, value: Any) -> Any:  # noqa: ANN401 - as typer has it
        try:
            plain = _value(parameter, value)
        except _NotPlainError:
            return read_any(context, value)
        return parameter.callback(context, parameter, plain) if parameter.callback else plain

    return process_value


def _value(parameter: Parameter, value: Any) -> Any:  # noqa: ANN401 - as above
    kind, takes_many = parameter.type_descriptor, parameter.multiple or parameter.nargs == -1
    if not value and parameter.required:
        raise _NotPlainError
    if value is None:
        return () if takes_many else None
    if not takes_many:
        return _read(kind.annotation, kind.parameter_info, value)
    if not isinstance(value, list | tuple) or not kind.is_list:
        raise _NotPlainError
    return [_read(get_args(kind.annotation)[0], kind.parameter_info, part) for part in value]


def _read(annotation: Any, info: ParameterInfo, value: Any) -> Any:  # noqa: ANN401 - as above
    read = _READERS.get(annotation)
    if read is None or info.parser is not None:
        raise _NotPlainError
    return read(info, value)


def _text(_info: ParameterInfo, value: object) -> str:
    if not isinstance(value, str):
        raise _NotPlainError
    return value


def _flag(_info: ParameterInfo, value: object) -> bool:
    if not isinstance(value, bool):
        raise _NotPlainError
    return value


def _whole(info: ParameterInfo, value: object) -> int:
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        value = int(value)
    if type(value) is not int or _is_beyond(info, value):
        raise _NotPlainError
    return value


def _number(info: ParameterInfo, value: object) -> float:
    if isinstance(value, str) and _DECIMAL.fullmatch(value):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, float | int) or _is_beyond(info, value):
        raise _NotPlainError
    return float(value)


def _is_beyond(info: ParameterInfo, value: float) -> bool:
    # NaN is beyond any bound.
    return (info.min is not None and not value >= info.min) or (info.max is not None and not value <= info.max)


def _path(info: ParameterInfo, value: object) -> Path:
    is_checked = info.exists or info.writable or info.resolve_path or info.allow_dash or info.path_type
    if is_checked or not (info.file_okay and info.dir_okay) or not isinstance(value, str | Path) or "\0" in str(value):
        raise _NotPlainError
    path = Path(value)
    if info.readable and os.access(path, os.F_OK) and not os.access(path, os.R_OK):
        raise _NotPlainError
    return path


_READERS: Mapping[type, Callable[[ParameterInfo, Any], Any]] = MappingProxyType(
    {bool: _flag, str: _text, int: _whole, float: _number, Path: _path}
)
