"""What of a bundle only programs of foreign edit tools can compute: they start where the user names them again."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from parsers.blocks import Parser
from runner.bundles.findings import Verification
from runner.calls import is_foreign
from runner.errors import InputError
from runner.run.replay import rereader_of
from runner.run.resolve import choose_wires
from runner.run.suite import ReplayOptions, Say, Suite
from runner.run.variants import variants_on_record
from runner.storage.reread import Rereader
from runner.storage.store import Row, Store


def with_own_tools(store: Store, run_id: str, options: ReplayOptions) -> ReplayOptions:
    """Return the options with those of the named tools that the run has."""
    own = {variant.edit_tool for variant in variants_on_record(store, run_id)}
    return replace(options, edit_tools=tuple(tool for tool in options.edit_tools if tool in own))


def unnamed_tools(store: Store, run: Row, named: tuple[str, ...]) -> frozenset[str]:
    """Return the foreign tools of a run that are not named; the prompts of their answers have the same names."""
    tools = {variant.edit_tool for variant in variants_on_record(store, run["run_id"])}
    return frozenset(tool for tool in tools if is_foreign(tool) and tool not in named)


def check_named(store: Store, run_ids: Iterable[str], named: Iterable[str]) -> None:
    """Raise InputError for a tool that is named and that none of these runs has."""
    tools = {variant.edit_tool for run_id in run_ids for variant in variants_on_record(store, run_id)}
    for name in named:
        if name not in tools:
            raise InputError(f"--edit-tool: no run has answers for {name!r}; name one of the bundle, or leave it out")


def bundle_rereader(suite: Suite[Any, Any], store: Store, run: Row, options: ReplayOptions, say: Say) -> Rereader:
    """Return what reads the answers of a run again, those to the tools that the options name by their own parsers.

    Raises InputError.
    """
    parsers: Mapping[str, Parser] = {}
    if options.edit_tools:
        with suite.replay(store, run, options, say) as rescoring:
            parsers = rescoring.parsers
    return rereader_of(store, run, choose_wires(options.wires), parsers)


def note_unnamed(what: str, counts: Counter[str], result: Verification) -> None:
    """Note how much was not computed for want of which tools; nothing where each was named."""
    for tool, count in sorted(counts.items()):
        result.left.append(
            f"{what} of {count} answers for {tool!r}: only this program can; if you trust it, name it by --edit-tool"
        )
