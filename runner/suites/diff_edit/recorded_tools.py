"""The foreign edit tools of a run on record: started only where the user names them again, as they are today."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from runner.edit_tools import EDIT_TOOLS
from runner.edit_tools.tool import EditTool, rest
from runner.errors import InputError
from runner.run.suite import ReplayOptions
from runner.storage.store import Store
from runner.suites.diff_edit.foreign_tools import hidden_files, open_tools
from runner.suites.diff_edit.tools import parts_of
from runner.variant import Variant


@contextmanager
def tools_on_record(
    store: Store, variants: Sequence[Variant], options: ReplayOptions
) -> Iterator[Mapping[str, EditTool]]:
    """Open the foreign tools of a run's variants, by their names there.

    A name on record starts nothing. Raises InputError for a tool that the options do not name again, unless the run is
    to be scored as recorded, and for one that they name and the run does not have.
    """
    tools = {
        tool.name: tool for tool in open_tools(options.edit_tools, hidden_files(store.path), options.weak).values()
    }
    try:
        recorded = {variant.edit_tool for variant in variants} - EDIT_TOOLS.keys()
        for name in sorted(recorded - tools.keys()) if not options.as_recorded else ():
            raise InputError(
                f"the run was made with the tool {name!r}, which is not one of evals; "
                f'if you trust this program, name it yourself: evals replay --edit-tool "{name}"'
            )
        for name in sorted(tools.keys() - recorded):
            raise InputError(
                f"--edit-tool: the run has no answers for {name!r}; name a tool of the run, or leave it out"
            )
        yield tools
    finally:
        rest(tools)


def as_they_are(variants: Sequence[Variant], tools: Mapping[str, EditTool]) -> list[Variant]:
    """Return the variants with the digests of their foreign tools today."""
    return [
        _as_it_is(variant, tools[variant.edit_tool]) if variant.edit_tool in tools else variant for variant in variants
    ]


def _as_it_is(variant: Variant, tool: EditTool) -> Variant:
    parser, algorithm = parts_of(tool)
    return replace(variant, parser_digest=parser.digest, algorithm_digest=algorithm.digest)
