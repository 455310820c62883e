"""The help of a command: its options in groups, common ones first, with names that say what a value is."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from runner.cli.optional_folder import with_default_folder
from runner.cli.plain_values import Parameter, reading_plainly

# A command of fewer options than this has them in one group.
_MANY = 16
_LEFT_WIDTH = 30

# Options by their first name, in the order of the help; those of one command come after the cases.
_GROUPS = {
    "Models": ("--model-ids", "--provider", "--base-url", "--insecure-http"),
    "Cases and answers": (
        *("--cases", "--max-cases", "--max-context", "--prompts", "--parser", "--diff-apply"),
        *(
            "--valid-attempts-per-case",
            "--valid-attempts-per-step",
            "--max-attempts-per-case",
            "--validity",
            "--replay",
        ),
    ),
    "Commits": ("--repo", "--rev", "--testset", "--repos-dir", "--clone", "--min-edits", "--max-edits"),
    "Order of edits, and what is known of them": ("--order", "--lsp", "--leak", "--context"),
    "Options of this command": (),
    "Modules": ("--module-network", "--module-env", "--module-timeout", "--log-dir"),
    "TRACE": (
        *("--trace-models", "--invoker-model-path", "--locator-model-path", "--generator-model-path"),
        *("--trace-bases", "--trace-python", "--device"),
    ),
    "Cost": ("--budget", "--dry-run", "--yes", "--prices"),
    "Run": ("--db", "--run-id", "--resume", "--name", "--note", "--save-locally"),
    "Output": ("--json", "--wide", "--markdown", "--verbose", "--help"),
    "Speed": (
        *("--parallel", "--max-concurrency", "--rpm", "--tpm", "--first-token-timeout", "--idle-timeout"),
        *("--total-timeout", "--wait-for-server", "--jobs", "--executor", "--scheduler"),
    ),
    "Sampling": ("--temperature", "--max-tokens", "--seed", "--thinking-budget"),
}
_OWN = "Options of this command"

# What a value is, by the option's first name; for others the type says it.
_VALUES = {
    "--answers": "FILE",
    "--base-url": "URL",
    "--budget": "USD",
    "--cases": "DIR",
    "--db": "FILE",
    "--diff-apply": "NAMES",
    "--ext": "EXTENSIONS",
    "--fault": "NAME=SHARE",
    "--figure": "FILE",
    "--first-token-timeout": "SECONDS",
    "--host": "ADDRESS",
    "--idle-timeout": "SECONDS",
    "--keep": "DIR",
    "--lang": "LANGUAGE",
    "--model": "MODEL",
    "--model-ids": "MODELS",
    "--models": "PATTERN",
    "--instruction": "TEXT",
    "--note": "TEXT",
    "--parameters": "KEY=VALUE",
    "--prices": "FILE",
    "--prompt": "PROMPT",
    "--prompts": "NAMES",
    "--python": "PATH",
    "--released-after": "DATE",
    "--repo": "DIR",
    "--resume": "RUN",
    "--retry-after-s": "SECONDS",
    "--run-id": "RUN",
    "--save-locally": "DIR",
    "--scenes": "NAMES",
    "--since": "DATE",
    "--stall-s": "SECONDS",
    "--timeout": "SECONDS",
    "--total-timeout": "SECONDS",
    "--validity": "strict|cline",
    "--wait-for-server": "TIME",
    "--wire": "MODULE:NAME",
}
_TYPES = {"int": "N", "float": "NUMBER", "str": "NAME", "list[str]": "NAMES", "list[Path]": "PATHS", "datetime": "DATE"}
_OPTION_NAME = re.compile(r"--[a-z][a-z-]+")
_NO_BREAK = "\N{NON-BREAKING HYPHEN}"
_RANGE = re.compile(r"(; )?(?<![\w.])[\d.]*(<=?)?x[<>]=?[-\d.]+(?=[;\]])")


class HelpfulCommand(TyperCommand):
    """A command whose help is in groups, and whose `--save-locally` may stand without a folder."""

    def get_params(self, ctx: Any) -> list[Any]:  # noqa: ANN401 - its base has private types
        """Return the parameters, which read plain values."""
        return reading_plainly(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - its base has a private type
        """Parse the words of a command line."""
        return super().parse_args(ctx, with_default_folder(args, options_of(self)))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ANN401 - as above
        """Return the words of the usage line, with names of arguments in capitals."""
        return [piece.upper() for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - as above
        """Write the arguments, then the options in groups."""
        write_options(self, ctx, formatter)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401, ARG002 - as above
        """Write the line below the options."""
        write_epilog(self.epilog or "", formatter)


class CommandGroup(TyperGroup):
    """A group of commands."""

    def get_params(self, ctx: Any) -> list[Any]:  # noqa: ANN401 - its base has private types
        """Return the parameters, which read plain values."""
        return reading_plainly(super().get_params(ctx))


class ModelsGroup(CommandGroup):
    """A command that takes models as arguments and has commands of its own, which a first word may call."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - its base has a private type
        """Parse the words of a command line."""
        words = with_default_folder(args, options_of(self))
        # Options end at the first word here, so that what follows a command's name is for that command.
        ctx.allow_interspersed_args = False
        super().parse_args(ctx, list(words))
        models = ctx.params.get("models") or ()
        if not models:
            return list(ctx.args)
        if near := get_close_matches(models[0], self.commands, n=1, cutoff=0.8):
            if near[0] != models[0]:
                ctx.fail(f"No such command {models[0]!r}. Did you mean {near[0]!r}?")
            ctx.params["models"] = None
            ctx._protected_args, ctx.args = list(models[:1]), list(models[1:])  # noqa: SLF001 - as its base
            return list(ctx.args)
        ctx.allow_interspersed_args = True
        return super().parse_args(ctx, list(words))

    def format_options(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - as above
        """Write the arguments, the options in groups, and the commands."""
        write_options(self, ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401, ARG002 - as above
        """Write the line below the options."""
        write_epilog(self.epilog or "", formatter)


def options_of(command: TyperCommand | TyperGroup) -> set[str]:
    """Return all names of a command's options."""
    return {name for option in command.params if isinstance(option, TyperOption) for name in option.opts}


def write_options(command: TyperCommand | TyperGroup, context: Any, formatter: Any) -> None:  # noqa: ANN401 - as above
    """Write the arguments of a command, then its options in groups."""
    parameters = [parameter for parameter in command.get_params(context) if not getattr(parameter, "hidden", False)]
    arguments = [parameter for parameter in parameters if isinstance(parameter, TyperArgument)]
    options = [parameter for parameter in parameters if isinstance(parameter, TyperOption)]
    if arguments:
        _section(formatter, "Arguments", [_argument_row(argument, context) for argument in arguments])
    for heading, group in _grouped(options):
        _section(formatter, heading, [_option_row(option, context) for option in group])


def value_name(parameter: Parameter) -> str:
    """Return what a value is, such as `DIR` or `a|b`; "" for a flag."""
    if isinstance(parameter, TyperOption) and (parameter.is_flag or parameter.count):
        return ""
    kind = parameter.type_descriptor
    if parameter.metavar is not None:
        return parameter.metavar
    if kind.is_choice:
        return "|".join(str(choice) for choice in kind.choices or ())
    named = _VALUES.get(parameter.opts[0])
    kind_name = kind.ranged_type_name if kind.is_ranged else parameter.bare_type()
    if named is not None and kind_name != "int":
        return named
    return "PATH" if kind.is_path else _TYPES.get(str(kind_name), "VALUE")


def _grouped(options: Sequence[TyperOption]) -> Iterator[tuple[str, list[TyperOption]]]:
    """Yield the groups that have options, with these in the order of the table."""
    if len(options) < _MANY:
        yield "Options", list(options)
        return
    places = {name: (heading, index) for heading, names in _GROUPS.items() for index, name in enumerate(names)}
    for heading in _GROUPS:
        group = [option for option in options if _place(option, places)[0] == heading]
        if group:
            yield heading, sorted(group, key=lambda option: _place(option, places)[1])


def _place(option: TyperOption, places: Mapping[str, tuple[str, int]]) -> tuple[str, int]:
    return places.get(_main_name(option), (_OWN, 0))


def _main_name(option: TyperOption) -> str:
    return next((name for name in option.opts if name.startswith("--")), option.opts[0])


def _option_row(option: TyperOption, context: Any) -> tuple[str, str]:  # noqa: ANN401 - as above
    main = _main_name(option)
    short = [name for name in option.opts if not name.startswith("--")]
    others = [name for name in option.opts if name.startswith("--") and name != main]
    left = " ".join(filter(None, (", ".join([*short, main]), value_name(option))))
    record = option.get_help_record(context)
    text = _without_ranges(record[1] if record else "")
    return left, f"{text} Also {', '.join(others)}." if others else text


def _argument_row(argument: TyperArgument, context: Any) -> tuple[str, str]:  # noqa: ANN401 - as above
    record = argument.get_help_record(context)
    return argument.display_name_raw.upper(), _without_ranges(record[1] if record else "")


def _without_ranges(text: str) -> str:
    """Return a help text without `x>=1`: the line about a wrong number names the limits."""
    return _RANGE.sub("", text).replace("[; ", "[").replace("  []", "").replace("  [", " [")


def _section(formatter: Any, heading: str, rows: Iterable[tuple[str, str]]) -> None:  # noqa: ANN401 - as above
    with formatter.section(heading):
        formatter.write_dl([(left, _unbroken(text)) for left, text in rows], col_max=_LEFT_WIDTH)
    _restore_hyphens(formatter)


def write_epilog(text: str, formatter: Any) -> None:  # noqa: ANN401 - as above
    """Write the last line of a help."""
    if text:
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(_unbroken(text))
        _restore_hyphens(formatter)


def _unbroken(text: str) -> str:
    """Return the text with hyphens of options at which no line is broken."""
    return _OPTION_NAME.sub(lambda match: match[0].replace("-", _NO_BREAK), text)


def _restore_hyphens(formatter: Any) -> None:  # noqa: ANN401 - as above
    formatter.buffer[:] = [part.replace(_NO_BREAK, "-") for part in formatter.buffer]
