"""Every suite is a `Suite`: mypy holds their classes to the Protocol, and here their cases to its promises."""

from dataclasses import fields

from runner.run.suite import Suite
from runner.suites.codrep.attempt import Codrep
from runner.suites.codrep.cases import CodrepCase
from runner.suites.diff_edit.attempt import DiffEdit
from runner.suites.diff_edit.cases import DiffEditCase
from runner.suites.edit.attempt import Edit
from runner.suites.edit.problems import EditProblem
from runner.suites.nextedit.attempt import NextEdit
from runner.suites.nextedit.commits import Commit

CODREP: type[Suite[CodrepCase]] = Codrep
DIFF_EDIT: type[Suite[DiffEditCase]] = DiffEdit
EDIT: type[Suite[EditProblem]] = Edit
NEXT_EDIT: type[Suite[Commit]] = NextEdit


def test_no_two_suites_have_one_name() -> None:
    names = {
        field.default for suite in (Codrep, DiffEdit, Edit, NextEdit) for field in fields(suite) if field.name == "name"
    }

    assert names == {"codrep", "diff_edit", "edit", "nextedit"}
