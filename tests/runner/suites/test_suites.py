"""Every suite is a `Suite`: mypy holds their classes to the Protocol, and here their cases to its promises."""

from dataclasses import fields

from runner.suites.codrep.cases import CodrepCase
from runner.suites.codrep.suite import Codrep
from runner.suites.completion.suite import Completion, CompletionCase
from runner.suites.diff_edit.cases import DiffEditCase
from runner.suites.diff_edit.suite import DiffEdit
from runner.suites.edit.problems import EditProblem
from runner.suites.edit.suite import Edit
from runner.suites.next_edit.commits import Commit
from runner.suites.next_edit.suite import NextEdit
from runner.suites.suite import Suite

CODREP: type[Suite[CodrepCase]] = Codrep
COMPLETION: type[Suite[CompletionCase]] = Completion
DIFF_EDIT: type[Suite[DiffEditCase]] = DiffEdit
EDIT: type[Suite[EditProblem]] = Edit
NEXT_EDIT: type[Suite[Commit]] = NextEdit


def test_no_two_suites_have_one_name() -> None:
    names = {
        field.default
        for suite in (Codrep, Completion, DiffEdit, Edit, NextEdit)
        for field in fields(suite)
        if field.name == "name"
    }

    assert names == {"codrep", "completion", "diff-edit", "edit", "next-edit"}
