"""`evals edit check`: checks problems by their tests."""

import os
from dataclasses import dataclass

import typer

from runner.run.options import Jobs, Json, WeakSandbox, YesWeak
from runner.suites.edit.options import Commands, Env, File, Python, Timeout, pins_of


@dataclass(frozen=True, slots=True, kw_only=True)
class EditCheckOptions:
    """The options of `evals edit check`."""

    file: File
    command: Commands = None
    python: Python = ""
    env: Env = None
    timeout: Timeout = 10.0
    jobs: Jobs = 2
    weak_sandbox: WeakSandbox = False
    yes: YesWeak = False
    json: Json = False


def check(options: EditCheckOptions) -> None:
    """Check that the problems can be solved, and only by an edit.

    The test must fail on the origin and pass on the reference; the exit code is 2 if not.
    """
    from runner.console import put_json, show_lines
    from runner.execution.isolation import Weak
    from runner.execution.script_commands import commands_of
    from runner.execution.script_judge import search_path
    from runner.suites.edit.check import checked
    from runner.suites.edit.interpreters import interpreter
    from runner.suites.edit.judging import open_judge

    path, weak = search_path(os.environ), Weak(options.weak_sandbox, options.yes)
    commands, python = (
        commands_of(tuple(options.command or ())),
        interpreter(options.python, path, pins_of(options.env)),
    )
    judge = open_judge(path, commands, options.timeout, (options.file,), weak, python)
    problems, findings = checked(options.file, judge, options.jobs)
    if options.json:
        put_json({"problems": len(problems), "findings": findings})
    else:
        show_lines(map(str, findings))
        show_lines([f"{len(problems)} problems can be read, {len(findings)} findings in {options.file}"])
    if findings:
        raise typer.Exit(2)
