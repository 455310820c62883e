"""A command and the options that it fills in are of one mind about what holds where nothing is said."""

from collections.abc import Callable
from dataclasses import MISSING, fields
from inspect import Parameter, signature

import pytest

from runner.cli.codrep_run import run as codrep_run
from runner.cli.completion_codev import codev
from runner.cli.completion_run import run as completion_run
from runner.cli.diff import diff
from runner.cli.edit import run as edit_run
from runner.run.options import AskOptions
from runner.suites.codrep.options import CodrepOptions
from runner.suites.completion.codev.program import CodevOptions
from runner.suites.completion.options import CompletionOptions
from runner.suites.diff_edit.plan import DiffOptions
from runner.suites.edit.plan import EditOptions


@pytest.mark.parametrize(
    "command, options, at_least, read",
    [
        pytest.param(diff, DiffOptions, 25, "", id="diff"),
        pytest.param(edit_run, EditOptions, 25, "command", id="edit run"),
        pytest.param(codrep_run, CodrepOptions, 20, "", id="codrep run"),
        pytest.param(completion_run, CompletionOptions, 20, "scenes", id="completion run"),
        pytest.param(codev, CodevOptions, 15, "prompts", id="completion codev"),
    ],
)
def test_an_option_has_one_default(
    command: Callable[..., None], options: type[AskOptions], at_least: int, read: str
) -> None:
    """`read` is the option that is taken apart first, so that it has no value in common with what it becomes."""
    said = {
        name: parameter.default
        for name, parameter in signature(command).parameters.items()
        if parameter.default is not Parameter.empty
    }
    meant = {field.name: field.default for field in fields(options) if field.default is not MISSING}
    shared = said.keys() & meant.keys() - {read}

    assert len(shared) >= at_least
    assert {name: said[name] for name in shared} == {name: meant[name] for name in shared}
