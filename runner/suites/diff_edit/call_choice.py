"""How the edits of a run are called, by `--calls`: its prompts, the cases that permit it, the systems that can."""

import re
from collections.abc import Callable, Iterable, Sequence

from diff_apply.result import DiffAlgorithm
from parsers.blocks import Parser
from parsers.xml_tools_v2 import TOOLS
from prompts import PROMPTS, Prompt, load
from runner.calls import CALLS, NATIVE, NATIVE_PARSER, XML, calls_of, native_name
from runner.errors import InputError
from runner.run.resolve import Named, choose_parser, split_names
from runner.run.variants import variants_of
from runner.suites.diff_edit.cases import DiffEditCase
from runner.suites.diff_edit.native_history import NoNativeFormError, native_messages
from runner.suites.diff_edit.options import DiffOptions
from runner.variant import Variant
from suts.sut import Sut, takes_tools

_TAG = re.compile(rf"</?(?:{'|'.join(sorted(TOOLS))})>")


def chosen_calls(options: DiffOptions) -> tuple[str, ...]:
    """Return the values of `--calls`. Raises InputError for an unknown one, or where native calls make no sense."""
    calls = split_names(options.calls, "--calls")
    for name in calls:
        if name not in CALLS:
            raise InputError(f"--calls: {name!r} is not known; give {' or '.join(CALLS)}, or both")
    if NATIVE in calls and options.recorded:
        raise InputError("--calls native: recorded messages have calls in their text; leave out --replay or --calls")
    if NATIVE in calls and options.validity != "strict":
        raise InputError("--calls native: the original's rule of validity is about XML; leave out --validity")
    return calls


def calls_identity(options: DiffOptions) -> dict[str, object]:
    """Return what the identity of a run states of its calls: nothing if they are in the text, as they always were."""
    calls = chosen_calls(options)
    return {} if calls == (XML,) else {"calls": [*calls]}


def prompts_of(prompts: Iterable[Prompt], calls: Sequence[str]) -> tuple[Prompt, ...]:
    """Return the prompts, worded for each way to call. Raises InputError for one that has no such wording."""
    plain = tuple(prompts)
    for prompt in plain:
        if calls_of(prompt.name) == NATIVE:
            raise InputError(f"--prompts {prompt.name}: is chosen by --calls native; give the name behind the slash")
    return tuple(prompt if name == XML else _native(prompt) for name in calls for prompt in plain)


def _native(prompt: Prompt) -> Prompt:
    """Return the wording for native calls: a shipped one, or a user's own if it shows no XML of tools."""
    name = native_name(prompt.name)
    if name in PROMPTS and prompt == load(prompt.name):
        return load(name)
    if tag := _TAG.search(prompt.wording):
        raise InputError(
            f"--prompts {prompt.name}: shows {tag[0]}, and models with native calls must see no such tag; "
            f"give a prompt without tags of tools, or leave out --calls native"
        )
    return Prompt(name, prompt.wording)


def is_native(prompt: Prompt) -> bool:
    """Return whether a prompt is worded for native calls."""
    return calls_of(prompt.name) == NATIVE


def native_parser(say: Callable[[str], None]) -> Named[Parser]:
    """Return what reads native calls."""
    return choose_parser(NATIVE_PARSER, say)


def variants_by_calls(
    suts: Sequence[Sut],
    prompts: Sequence[Prompt],
    parsers: tuple[Named[Parser], Named[Parser]],
    algorithms: Sequence[Named[DiffAlgorithm]],
) -> tuple[Variant, ...]:
    """Return the variants, each with the parser of its calls: the first for XML, the second for native ones."""
    text = [prompt for prompt in prompts if not is_native(prompt)]
    native = [prompt for prompt in prompts if is_native(prompt)]
    groups = zip((text, native), parsers, strict=True)
    return tuple(variant for own, parser in groups for variant in variants_of(suts, own, parser, algorithms))


def without_native_form(cases: Iterable[DiffEditCase], calls: Sequence[str]) -> dict[str, str]:
    """Return why cases are skipped whose conversation cannot be shown without XML, where that is asked for, by id."""
    reasons: dict[str, str] = {}
    for case in cases if NATIVE in calls else ():
        try:
            native_messages(case.messages)
        except NoNativeFormError as error:
            reasons[case.case_id] = f"has no native form: {error} (--calls)"
    return reasons


def check_tools(suts: Iterable[Sut], calls: Sequence[str]) -> None:
    """Raise InputError for a system that takes no tools, where calls are to be native."""
    for sut in suts:
        if NATIVE in calls and not takes_tools(sut):
            raise InputError(f"{sut.name}: takes no tools; leave out --calls native")
