"""The judge of edits: runs an answer with its problem's test after it, isolated in a cell, and returns a verdict.

A Python answer is compiled first, and has passed only if the end of the test was reached; for other languages the exit
code of a command decides. The verdict of a script is remembered: the same answer is run once.
"""

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp

from runner.execution import stale_dirs
from runner.execution.isolation import GROUP_ONLY, Cell, Isolation
from runner.execution.sandbox import ProcessLimits, Ran, run
from runner.execution.script_commands import PLACE, PYTHON, Command, file_name
from runner.execution.untrusted_files import read_plain, remove
from runner.execution.verdicts import Known, Verdict, VerdictKind, log_of
from runner.json_texts import parse_json
from runner.syntax import has_grammar, parses

# Tests of single files: what takes longer than this hangs. The clock is to strike before the processor's limit, which
# ends a process in a way that looks like any other end. Node and Java reserve addresses that they do not use.
LIMITS = ProcessLimits(wall_s=10.0, cpu_s=12.0, memory_bytes=4 << 30, file_bytes=64 << 20)

_DRIVER = Path(__file__).with_name("script_driver.py")
# The cell could not be made; a program could not be started, or was not found.
_NOT_RUN = frozenset({125, 126, 127})
_LONGEST_REPORT, _LONGEST_WHY = 1 << 20, 500
_KILLED = frozenset({-9, 128 + 9, -24, 128 + 24})


@dataclass(frozen=True, slots=True)
class Script:
    """An answer and the test that is run after it; the reference shows whether the answer broke off a run."""

    language: str | None
    program: str
    test: str
    reference: str

    @property
    def key(self) -> str:
        """The digest of all that the verdict depends on."""
        parts = (self.language or "", self.program, self.test)
        return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


class ScriptJudge:
    """Judges scripts, any number of them at once, each in a folder of its own."""

    def __init__(
        self,
        path: str,
        isolation: Isolation = GROUP_ONLY,
        commands: Mapping[str, Command] | None = None,
        limits: ProcessLimits = LIMITS,
        hidden: Sequence[Path] = (),
        python: str = sys.executable,
    ) -> None:
        """`path` is what programs are found by, `commands` how other languages than Python are run.

        No isolated answer sees what is `hidden`: the files that hold the references. `python` runs Python's tests.
        """
        self.path = path
        self.isolation = isolation
        self._commands = dict(commands or {})
        self.limits = limits
        self._hidden = tuple(hidden)
        self._python = python
        self._known = Known()

    def can_judge(self, language: str | None) -> bool:
        """Return whether it is known how scripts of a language are run."""
        return language == PYTHON or (language or "") in self._commands

    def judge(self, script: Script) -> Verdict:
        """Return the verdict; `infra` says nothing of the answer, and is never remembered."""
        known = self._known.get(script.key)
        if known is not None:
            return known
        verdict = self._attempt(script)
        if verdict.outcome is VerdictKind.INFRA and script.program != script.reference:
            control = self._attempt(replace(script, program=script.reference))
            if control.outcome is VerdictKind.PASS:
                # The reference runs to its end in the same place: what broke the run off is the answer.
                verdict = replace(verdict, outcome=VerdictKind.FAIL)
        if verdict.outcome is not VerdictKind.INFRA:
            self._known.add(script.key, verdict)
        return verdict

    def _attempt(self, script: Script) -> Verdict:
        with _own_folder() as folder:
            for name in ("work", "tmp"):
                (folder / name).mkdir()
            text = f"{script.program}\n{script.test}\n"
            place = folder / "work" / file_name(script.language)
            place.write_bytes(text.encode("utf-8", "replace"))
            report = folder / "report.json"
            command = self._words(script, place, report)
            try:
                ran = run(
                    command,
                    cwd=place.parent,
                    limits=self.limits,
                    env=self._environment(folder),
                    cell=Cell(
                        folder,
                        self.isolation,
                        memory_bytes=self.limits.memory_bytes,
                        hidden=tuple(path for path in self._hidden if path.exists()),
                    ),
                )
            except OSError as error:
                return Verdict(VerdictKind.INFRA, log=str(error))
            return self._verdict(script, ran, _read_report(report))

    def _words(self, script: Script, place: Path, report: Path) -> list[str]:
        command = self._commands.get(script.language or "")
        if command is not None:
            return [word.replace(PLACE, place.name) for word in command]
        lines = script.program.count("\n") + 1
        # Of the environment only what we set is taken, neither the folder nor anything of the user's.
        return [self._python, "-P", "-s", "-B", str(_DRIVER), str(report), str(place), str(lines)]

    def _environment(self, folder: Path) -> dict[str, str]:
        return {
            "HOME": str(folder / "work"),
            "LC_ALL": "C.UTF-8",
            "PATH": self.path,
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            "TMPDIR": str(folder / "tmp"),
            "TZ": "UTC",
        }

    def _verdict(self, script: Script, ran: Ran, report: dict[str, str]) -> Verdict:
        outcome, why = self._outcome(script, ran, report), report.get("why", "")
        return Verdict(outcome, why.split("\n")[0][:_LONGEST_WHY] or None, round(ran.wall_s, 3), log_of(ran, outcome))

    def _outcome(self, script: Script, ran: Ran, report: dict[str, str]) -> VerdictKind:
        if ran.timed_out or (ran.exit_code in _KILLED and ran.cpu_s >= self.limits.cpu_s - 1):
            return VerdictKind.TIMEOUT
        verdict = report.get("verdict")
        if verdict == VerdictKind.SYNTAX:
            return VerdictKind.SYNTAX
        if ran.exit_code in _NOT_RUN and verdict is None:
            return VerdictKind.INFRA
        driven = (script.language or "") not in self._commands
        if ran.exit_code == 0 and (not driven or verdict == VerdictKind.PASS):
            return VerdictKind.PASS
        return VerdictKind.FAIL if driven or not _is_broken(script) else VerdictKind.SYNTAX


def _is_broken(script: Script) -> bool:
    """Return whether an answer in another language, which has failed, does so for its syntax.

    Asked afterwards, for grammars are not compilers: what one cannot read may run well.
    """
    language = script.language
    return language is not None and has_grammar(language) and parses(script.program, language) is False


@contextmanager
def _own_folder() -> Iterator[Path]:
    folder = Path(mkdtemp(prefix=stale_dirs.prefix("judge"))).resolve()
    try:
        yield folder
    finally:
        remove(folder)


def _read_report(path: Path) -> dict[str, str]:
    """Return the driver's report; empty where the process ended before it wrote one, or wrote anything else."""
    try:
        value = parse_json(read_plain(path, _LONGEST_REPORT) or b"", json.loads)
    except ValueError:
        return {}
    return value if isinstance(value, dict) and isinstance(value.get("why"), str) else {}


def search_path(environment: Mapping[str, str]) -> str:
    """Return where programs are looked for."""
    return environment.get("PATH", os.defpath)
