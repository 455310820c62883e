"""A process in a cell that answers each line with a line: asked under a limit of time and of size, and killed whole."""

import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from runner.execution.isolation import Cell, entered
from runner.execution.sandbox import end

# Memory by what is written to, not by addresses: engines of JavaScript reserve many that they never use.
_LIMITED = 'ulimit -d "$1" && ulimit -t "$2" && ulimit -f "$3" && ulimit -c 0 && shift 3 && exec "$@"'
_PIECE = 1 << 16
_LAST_WORDS = 4096
_SHOWN = 200
_ENDING_S = 1.0


@dataclass(frozen=True, slots=True)
class LineProcessLimits:
    """Seconds for an answer, and for the first one of a process; bytes of an answer; what each process may use."""

    answer_s: float = 10.0
    first_answer_s: float = 30.0
    answer_bytes: int = 16 << 20
    memory_bytes: int = 2 << 30
    cpu_s: int = 600
    file_bytes: int = 64 << 20


class LineProcessError(Exception):
    """The process gave no answer: it ended, took too long, or wrote something else; it no longer exists."""


class LineProcess:
    """One process; used by one thread at a time, and no longer than the thread that started it.

    The kernel ends a cell with the thread that started it.
    """

    def __init__(
        self, command: Sequence[str], *, cwd: Path, env: Mapping[str, str], cell: Cell, limits: LineProcessLimits
    ) -> None:
        """Start it. Raises OSError where that cannot be done."""
        self._limits, self._isolated, self._answered = limits, cell.isolation.contained, False
        self._closed, self._ending = False, threading.Lock()
        self._words = bytearray()
        self._inside = ExitStack()
        numbers = (str(limits.memory_bytes // 1024), str(limits.cpu_s), str(limits.file_bytes // 512))
        words = ["/bin/sh", "-c", _LIMITED, "sh", *numbers, *command]
        with ExitStack() as inside:
            self._process = subprocess.Popen(  # noqa: S603 - the user's program, in a cell
                inside.enter_context(entered(cell, words)),
                cwd=cwd,
                env=dict(env),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
            self._inside = inside.pop_all()
        for pipe in self._pipes():
            os.set_blocking(pipe.fileno(), False)

    def ask(self, line: bytes) -> bytes:
        """Return the line that answers a line, without its end. Raises LineProcessError, which is final."""
        self._words.clear()
        seconds = self._limits.answer_s if self._answered else self._limits.first_answer_s
        try:
            answer = self._exchange(line, time.monotonic() + seconds)
        except TimeoutError:
            self.close()
            raise LineProcessError(f"it gave no answer within {seconds:g} s") from None
        except EOFError:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_ENDING_S)
            self.close()
            raise LineProcessError(f"it {_how_ended(self._process.returncode)}{self._last_words()}") from None
        except LineProcessError:
            self.close()
            raise
        self._answered = True
        return answer

    def _exchange(self, line: bytes, until: float) -> bytes:
        stdin, stdout, stderr = self._pipes()
        left, answer = memoryview(line + b"\n"), bytearray()
        with selectors.DefaultSelector() as waiting:
            waiting.register(stdin, selectors.EVENT_WRITE)
            waiting.register(stdout, selectors.EVENT_READ)
            waiting.register(stderr, selectors.EVENT_READ)
            while True:
                ready = {key.fileobj for key, _ in waiting.select(max(0.0, until - time.monotonic()))}
                if stderr in ready and not self._listen(stderr):
                    waiting.unregister(stderr)
                if stdin in ready:
                    left = left[self._write(stdin, left) :]
                    if not left:
                        waiting.unregister(stdin)
                if stdout in ready and self._read(stdout, answer):
                    return bytes(answer[:-1])
                if time.monotonic() >= until:
                    raise TimeoutError

    def _write(self, stdin: IO[bytes], left: memoryview) -> int:
        # A process that has closed its input may still have an answer on its way; the end of its output decides.
        try:
            return os.write(stdin.fileno(), left[:_PIECE])
        except BlockingIOError:
            return 0
        except OSError:
            return len(left)

    def _read(self, stdout: IO[bytes], answer: bytearray) -> bool:
        """Read what is there; return whether the line is whole. Raises EOFError, LineProcessError."""
        piece = os.read(stdout.fileno(), _PIECE)
        if not piece:
            raise EOFError
        answer += piece
        at = piece.find(b"\n")
        if len(answer) > self._limits.answer_bytes + 1:
            raise LineProcessError(f"its answer has more than {self._limits.answer_bytes:,} bytes")
        if at >= 0 and at != len(piece) - 1:
            raise LineProcessError("it wrote more than one line")
        return at >= 0

    def _listen(self, stderr: IO[bytes]) -> bool:
        """Keep the end of what it says; return whether there may be more."""
        try:
            piece = os.read(stderr.fileno(), _PIECE)
        except BlockingIOError:
            return True
        self._words += piece
        del self._words[:-_LAST_WORDS]
        return bool(piece)

    def _last_words(self) -> str:
        lines = [line for line in self._words.decode("utf-8", "replace").splitlines() if line.strip()]
        return f": {lines[-1].strip()[:_SHOWN]}" if lines else ""

    def _pipes(self) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        return process.stdin, process.stdout, process.stderr

    def kill(self) -> None:
        """End it, and all that it started; a thread that waits for its answer gets LineProcessError."""
        with self._ending:
            if self._process.returncode is None:
                end(self._process, isolated=self._isolated)
            elif not self._isolated:
                # What it has started is still of its group.
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        """End it and let go of what it had, once nobody asks it; a second call does nothing."""
        if not self._closed:
            self._closed = True
            self.kill()
            for pipe in self._pipes():
                pipe.close()
            self._inside.close()


def _how_ended(code: int) -> str:
    return f"ended by signal {-code}" if code < 0 else f"ended with exit status {code}"
