"""The judge: whether the tests of a hole pass with an answer in it, by exit code, JUnit report and sealed statement.

Syntax comes first, without a test run. An answer is blamed for a run that broke off only if the tests pass with the
truth in its place right afterwards; else the verdict is `infra`, which says nothing of the answer.
"""

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue
from tempfile import gettempdir, mkdtemp
from typing import Self

from runner.execution import stale_dirs
from runner.execution.copies import Copy, JudgeTarget, tree_digest, tree_files, truths
from runner.execution.forks import MEANS
from runner.execution.isolation import Cell, Isolation
from runner.execution.junit import read_report
from runner.execution.sandbox import ProcessLimits, Ran
from runner.execution.syntax_check import syntax_error_of
from runner.execution.untrusted_files import remove
from runner.execution.verdicts import JudgeTask, Known, Verdict, VerdictKind, log_of

# How a command ends that has used up its time of the processor.
OUT_OF_TIME = frozenset({-24, 128 + 24})
_FAILED = 1
_MEMORY = 4 << 30
_REPORT = "junit.xml"
# Of a handful of tests; a longer one has none that passed in it, and may have been made to keep us busy.
_LONGEST_REPORT = 16 << 20


def limits_for(seconds: float) -> ProcessLimits:
    """Return what tests may use that take some seconds with the truth."""
    wall_s = max(10.0, 5 * seconds)
    return ProcessLimits(wall_s=wall_s, cpu_s=wall_s, memory_bytes=_MEMORY, file_bytes=64 << 20)


class Judge:
    """Answers questions, any number of them at once, each in a copy of its own, and remembers the answers.

    A context manager; copies are made as they are needed, one for each question under way, and removed at the end.
    """

    def __init__(
        self,
        repo: Path,
        target: JudgeTarget,
        isolation: Isolation,
        known: Known | None = None,
        hidden: Sequence[Path] = (),
    ) -> None:
        """Read which files there are. Raises InputError for what is no folder.

        The tests see neither the repository nor installed copies of it, nor what else is to be `hidden`: that is no
        part of the repository either, should it be in its folder.
        """
        self.repo = repo.resolve()
        out_of_sight = {path.resolve() for path in hidden}
        self.files = {path: file for path, file in tree_files(repo).items() if self.repo / path not in out_of_sight}
        self.tree = tree_digest(self.files)
        self.isolation = isolation
        self.target = target
        self.hidden = (*truths(repo, target, self.files), *hidden)
        self._known = known if known is not None else Known()
        self._idle: SimpleQueue[Copy] = SimpleQueue()
        self._made = ExitStack()
        self._compiling = threading.Lock()
        self._forking: bool | None = None

    def __enter__(self) -> Self:
        stale_dirs.sweep(Path(gettempdir()), remove)
        self.base = Path(mkdtemp(prefix=stale_dirs.prefix("judge")))
        self._made.callback(remove, self.base)
        return self

    def __exit__(self, *_raised: object) -> None:
        self._made.close()

    @property
    def means(self) -> tuple[str, ...]:
        """How tests are isolated, and whether their runs are forked, as far as that is known by now."""
        return (*self.isolation.means, MEANS) if self._forking else self.isolation.means

    @contextmanager
    def copy(self) -> Iterator[Copy]:
        """Lend a copy that no other caller uses meanwhile."""
        try:
            copy = self._idle.get_nowait()
        except Empty:
            # Other copies hold other truths: none is seen from another.
            folder = Path(mkdtemp(dir=self.base))
            cell = Cell(folder, self.isolation, memory_bytes=_MEMORY, hidden=(*self.hidden, self.base))
            copy = Copy(cell, self.files, self.target)
            self._made.callback(copy.close)
        yield copy
        # Not after an error: a copy of which nobody knows how it is left is not used again.
        self._idle.put(copy)

    def judge(self, question: JudgeTask) -> Verdict:
        """Return the verdict; what is known is not tried again, and `infra` is never remembered."""
        key = question.key(self.tree)
        known = self._known.get(key)
        if known is not None:
            return known
        verdict = self._try(question)
        if verdict.outcome is not VerdictKind.INFRA:
            self._known.add(key, verdict)
        return verdict

    def _try(self, question: JudgeTask) -> Verdict:
        error = self.syntax_error(question.text)
        if error is not None:
            return Verdict(VerdictKind.SYNTAX, log=error)
        with self.copy() as copy:
            verdict = _attempt(copy, question)
            self._forking = copy.forks
            if verdict.outcome is not VerdictKind.INFRA:
                return verdict
            truth = JudgeTask(question.file, copy.text(question.file), question.tests, question.seconds)
            if truth.text == question.text or _attempt(copy, truth).outcome is not VerdictKind.PASS:
                return verdict
        # The truth runs to its end in the same place: what broke the run off is the answer.
        broken_by = VerdictKind.SYNTAX if "SyntaxError" in verdict.log else VerdictKind.FAIL
        return Verdict(broken_by, verdict.failing, verdict.seconds, verdict.log)

    def syntax_error(self, text: str) -> str | None:
        """Return the compiler's error for a text; None if there is none, or the target runs another Python version."""
        if self.target.version != sys.version_info[:2]:
            return None
        with self._compiling:
            return syntax_error_of(text)


def _attempt(copy: Copy, question: JudgeTask) -> Verdict:
    """Run the tests once; `infra` for every end that is not an end of tests, whatever the cause."""
    report = f"--junit-xml={copy.reports / _REPORT}"
    words = ["-q", "-x", report, "--", *question.tests]
    limits = limits_for(question.seconds)
    ran, doubt = copy.witnessed(question.file, question.text, words, limits, question.tests)
    failing: str | None = None
    outcome = _without_report(ran)
    if outcome is None:
        test_report = read_report(copy.report(_REPORT, _LONGEST_REPORT), question.tests)
        if test_report is None:
            # Ended without an error and without a report: the tests were cut short.
            outcome = VerdictKind.FAIL
        else:
            failing = test_report.failing
            outcome = VerdictKind.PASS if _all_passed(ran, test_report.passed, question, failing) else VerdictKind.FAIL
            if outcome is VerdictKind.PASS and doubt is not None:
                return Verdict(VerdictKind.FAIL, None, round(ran.wall_s, 3), f"not believed: {doubt}")
    return Verdict(outcome, failing, round(ran.wall_s, 3), log_of(ran, outcome))


def _all_passed(ran: Ran, passed: int, question: JudgeTask, failing: str | None) -> bool:
    return ran.exit_code == 0 and failing is None and passed >= len(question.tests)


def _without_report(ran: Ran) -> VerdictKind | None:
    """Return what the exit code alone decides; None where the report is to be read."""
    if ran.timed_out or ran.exit_code in OUT_OF_TIME:
        return VerdictKind.TIMEOUT
    return None if ran.exit_code in {0, _FAILED} else VerdictKind.INFRA
