"""How the edits of a run are called, by `--calls`: its prompts, the cases that permit it, the systems that can."""

import re
from collections.abc import Iterable, Sequence

from parsers.xml_tools_v2 import TOOLS
from prompts import PROMPTS, Prompt, load
from runner.calls import CALLS, NATIVE, XML, calls_of, native_name
from runner.errors import InputError
from runner.run.resolve import split_names
from runner.suites.diff_edit.cases import DiffEditCase
from runner.suites.diff_edit.native_history import NoNativeFormError, native_messages
from runner.suites.diff_edit.options import DiffOptions
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
    return tuple(prompt if each == XML else _native(prompt) for each in calls for prompt in plain)


def _native(prompt: Prompt) -> Prompt:
    """Return the wording for native calls: a shipped one, or a user's own if it shows no XML of tools."""
    name = native_name(prompt.name)
    if name in PROMPTS and prompt == load(prompt.name):
        return load(name)
    if found := _TAG.search(prompt.wording):
        raise InputError(
            f"--prompts {prompt.name}: shows {found[0]}, and models with native calls must see no such tag; "
            f"give a prompt without tags of tools, or leave out --calls native"
        )
    return Prompt(name, prompt.wording)


def without_native_form(cases: Iterable[DiffEditCase]) -> dict[str, str]:
    """Return why cases are skipped whose conversation cannot be shown without XML, by their ids."""
    reasons: dict[str, str] = {}
    for case in cases:
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
