"""How tests of compiled languages and of JavaScript are run where their programs are installed.

The answer and its test are one file. It is right if what is made of it ends with the exit code 0.
"""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from runner.execution.script_commands import PLACE, Command


@dataclass(frozen=True, slots=True)
class Toolchain:
    """The programs that must be installed, and the words that run a test with them."""

    programs: tuple[str, ...]
    command: Command

    def missing(self, path: str) -> str | None:
        """Return the first program that is not in the folders of `path`, if any."""
        return next((program for program in self.programs if shutil.which(program, path=path) is None), None)


def _shell(line: str) -> Command:
    return ("sh", "-c", line.replace(PLACE, '"$0"'), PLACE)


TOOLCHAINS: Mapping[str, Toolchain] = MappingProxyType(
    {
        "javascript": Toolchain(("node",), ("node", PLACE)),
        "java": Toolchain(("javac", "java"), _shell(f"javac -nowarn {PLACE} && java -cp . Main")),
        "cpp": Toolchain(("g++",), _shell(f"g++ -std=c++17 -w -o program {PLACE} && ./program")),
        # The test harness runs what is marked as a test; without a mark the program's own main function is run.
        "rust": Toolchain(
            ("rustc", "cc"),
            _shell(
                f"if grep -q '#\\[test\\]' {PLACE}; then set -- --test; fi;"
                f' rustc --edition 2021 -A warnings "$@" -o program {PLACE} && ./program'
            ),
        ),
        "go": Toolchain(
            ("go",),
            _shell(
                f"if grep -q '^func Test' {PLACE}; then mv {PLACE} answer_test.go && go mod init answer && go test;"
                f" else go run {PLACE}; fi"
            ),
        ),
    }
)


def installed_commands(path: str, environ: Mapping[str, str]) -> dict[str, Command]:
    """Return the commands of the languages whose programs are all installed.

    A rustc of rustup looks for the compiler in the home folder, which a test does not have: it is given the place.
    """
    commands = {name: toolchain.command for name, toolchain in TOOLCHAINS.items() if toolchain.missing(path) is None}
    rustup = Path(environ.get("RUSTUP_HOME") or Path(environ.get("HOME", "/")) / ".rustup")
    if "rust" in commands and rustup.is_dir():
        commands["rust"] = ("env", f"RUSTUP_HOME={rustup}", *commands["rust"])
    return commands
