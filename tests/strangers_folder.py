"""A stranger's folder that holds every trap at once, and what would be touched if one of them worked."""

import json
import os
import resource
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from typer.core import TyperGroup, TyperOption
from typer.main import get_command

from runner.cli import app
from runner.cli.defaults import commands_of, long_names, options_of, table_of
from runner.trust_policy import LIMITS, OPTIONS, VARIABLES
from tests.repositories import git
from tests.runner.hostile_files import HOSTILE, make_hostile
from tests.strangers_database import DEEP, make_databases

ROOT = Path(__file__).parents[1]
EVALS = Path(sys.executable).with_name("evals")
KEY = "sk-of-the-user-0123456789abcdef"
MODULE = "evil_mod"
GOOD = ROOT / "cases" / "diff_edit" / "py_lru_cache_peek.json"

# What evals or its libraries import, always, on some way, or to see whether it is there.
MODULES = (
    *("anthropic", "httpx", "lightgbm", "litellm", "multiprocessing", "numpy", "openai", "orjson", "pandas", "parsers"),
    *(
        "pickle",
        "pytest",
        "rich",
        "runner",
        "scipy",
        "sitecustomize",
        "sqlite_dump",
        "sqlite_utils",
        "suts",
        "tiktoken",
    ),
    *("tokenize", "typer", "usercustomize", "yaml", "zstandard"),
)
PROGRAMS = ("canary", "git", "python", "python3", "unshare", "setpriv", "sh", "ssh", "clangd", "pyright-langserver")
PLUG_IN = """
from diff_apply import DIFF_ALGORITHMS
from parsers import PARSERS
from suts.wires import WIRES

parser, algorithm, wire = PARSERS["xml-tools-v2"], DIFF_ALGORITHMS["v4"], WIRES["openai-chat"]


def metric(sample):
    return 1.0
"""
# Variables that change what programs load or where they connect.
ENVIRONMENT = (
    *("LD_PRELOAD", "LD_LIBRARY_PATH", "PATH", "PYTHONPATH", "PYTHONSTARTUP", "BASH_ENV", "ENV", "GIT_SSH_COMMAND"),
    *("GIT_EXTERNAL_DIFF", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "HOME", "EVALS_DB", "EVALS_CONFIG", "SSL_CERT_FILE"),
)
ADDRESSES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "EVALS_BASE_URL")
# The most memory that a command may take, in bytes of addresses.
MEMORY = 2 << 30


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Stranger:
    """`folder` is the stranger's; `outside` stands for the rest of the machine; `ran` gets the names of what ran."""

    folder: Path
    outside: Path
    ran: Path
    user: Path
    program: Path = EVALS

    def evals(self, *words: object, seconds: float = 600, **variables: str) -> Done:
        """A command in the folder, of a user who has keys and has trusted nothing but what a test trusts."""
        done = subprocess.run(
            [str(self.program), *map(str, words)],
            cwd=self.folder, env={**self.environment(), **variables}, stdin=subprocess.DEVNULL,
            preexec_fn=_limit_memory, capture_output=True, timeout=seconds, check=False,
        )  # fmt: skip
        return Done(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))

    def environment(self) -> dict[str, str]:
        """The user's variables."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.user),
            "XDG_CONFIG_HOME": str(self.user / "config"),
            "XDG_STATE_HOME": str(self.user / "state"),
            "LANG": "C.UTF-8",
            # Libraries reserve memory for each thread.
            "OPENBLAS_NUM_THREADS": "1",
            **dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY"), KEY),
        }

    def names_of_what_ran(self) -> set[str]:
        """The modules that were imported and the programs that were started."""
        return {path.name for path in self.ran.iterdir()}

    def outside_files(self) -> dict[str, bytes]:
        """All files that are none of the stranger's."""
        return {str(path): path.read_bytes() for path in self.outside.rglob("*") if path.is_file()}


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def make_stranger(place: Path, url: str, program: Path = EVALS, *, databases: bool = True) -> Stranger:
    """The folder below `place`, with all traps; what leads to a server leads to `url`."""
    stranger = Stranger(place / "folder", place / "outside", place / "ran", place / "user", program)
    for path in (stranger.folder, stranger.outside, stranger.ran, stranger.user):
        path.mkdir(parents=True)
    shutil.copy(ROOT / "runner" / "prices.json", stranger.outside)
    (stranger.outside / "prompt.md").write_text("Edit files.")
    _make_code(stranger)
    _make_inputs(stranger.folder)
    if databases:
        make_databases(stranger.folder, MODULE, stranger.folder / "good")
    _make_links(stranger)
    _make_settings(stranger, url)
    _make_repository(stranger)
    # What another user has trusted is no trust of this one, wherever a variable of the project leads.
    assert stranger.evals("trust", "--yes", XDG_STATE_HOME=str(stranger.folder / "state")).code == 0
    return stranger


def _make_code(stranger: Stranger) -> None:
    for name in (*MODULES, MODULE):
        mark = f"from pathlib import Path\nPath({str(stranger.ran / name)!r}).touch()\n"
        (stranger.folder / f"{name}.py").write_text(mark + PLUG_IN * (name == MODULE))
    (stranger.folder / "bin").mkdir()
    for name in PROGRAMS:
        for path in (stranger.folder / name, stranger.folder / "bin" / name):
            path.write_text(f"#!/bin/sh\n: > {stranger.ran / name}\n")
            path.chmod(0o755)


def _make_inputs(folder: Path) -> None:
    """Where each suite looks for its input, files that must be neither waited for nor taken whole; and a good case."""
    for name in ("cases/diff_edit", "cases/nextedit", "my/cases"):
        for kind in HOSTILE:
            make_hostile(kind, folder / name / f"{kind.replace(' ', '_')}.json")
        (folder / name / "deep.json").write_text(DEEP)
    for kind, name in zip(
        HOSTILE, ("cases/edit/problems.jsonl", "cases/completion/shelf.jsonl", "my/prompt.md"), strict=True
    ):
        make_hostile(kind, folder / name)
    for number, kind in enumerate(HOSTILE):
        make_hostile(kind, folder / "cases" / "codrep" / "Tasks" / f"{number}.txt")
    (folder / "cases" / "codrep" / "Solutions").mkdir()
    for kind, name in zip(HOSTILE, ("problems.jsonl", "predictions.jsonl", "answers.jsonl"), strict=True):
        make_hostile(kind, folder / "study" / name)
    (folder / "deep.jsonl").write_text(DEEP + "\n")
    (folder / "good").mkdir()
    shutil.copy(GOOD, folder / "good")


def _make_links(stranger: Stranger) -> None:
    (stranger.folder / "link").symlink_to(stranger.outside)
    (stranger.folder / "predicts").symlink_to(stranger.outside)
    (stranger.folder / "linked.db").symlink_to(stranger.outside / "linked.db")
    (stranger.folder / "zero.db").symlink_to("/dev/zero")
    os.mkfifo(stranger.folder / "pipe.db")


def _make_settings(stranger: Stranger, url: str) -> None:
    """`evals.toml` and `.env`, and a user's folders in the stranger's, which say that all of it is trusted."""
    folder = stranger.folder
    (folder / "evals.toml").write_text(_configuration(stranger, url))
    variables = dict.fromkeys(VARIABLES, f"{MODULE}:model") | {
        name: url for name in (*VARIABLES, *ADDRESSES) if "URL" in name or "API_BASE" in name or "PROXY" in name
    }
    variables |= {"SUT": "historian:canary"}
    variables |= {name: str(stranger.outside) for name in ("EVAL_SET", "LOG_DIR", "OUTPUT_DIR", "REPOS_DIR")}
    variables |= {name: str(folder / "canary") for name in ENVIRONMENT} | {"PATH": f"{folder / 'bin'}:/usr/bin:/bin"}
    variables |= {"LD_PRELOAD": str(folder / "evil.so"), "PYTHONPATH": str(folder), "EVALS_YES": "1"}
    (folder / ".env").write_text("".join(f"{name}={value}\n" for name, value in variables.items()))
    for name in ("config", "state", ".config", ".local/state"):
        (folder / name / "evals").mkdir(parents=True)
        (folder / name / "evals" / "evals.toml").write_text(f'base-url = "{url}"\n[diff]\nyes = true\n')


def _configuration(stranger: Stranger, url: str) -> str:
    """Every option of every command that needs trust, set to what does harm if it counts."""
    shared: list[str] = []
    tables: list[str] = []
    for path, command in commands_of(get_command(app)):
        lines = {
            long_names(option)[0]: json.dumps(value)
            for option in dict.fromkeys(options_of(command).values())
            if (value := _harmful(option, stranger, url)) is not None and "trust" not in path
        }
        # TOML has no table of a key that is a value, so what is also the name of a command is set for all commands.
        below = command.commands if isinstance(command, TyperGroup) else {}
        shared += [f"{name} = {value}" for name, value in lines.items() if name in below]
        own = [f"{name} = {value}" for name, value in lines.items() if name not in below]
        tables.append("\n".join((f"[{table_of(path)}]", *own)))
    return "\n\n".join(("\n".join(shared), *tables)) + "\n"


def _harmful(option: TyperOption, stranger: Stranger, url: str) -> object:
    """A value that does harm if it counts; None for an option that needs no trust."""
    names = set(long_names(option))
    if names & LIMITS:
        return 1e6
    if not (names & OPTIONS.keys() or option.type_descriptor.is_path):
        return None
    if option.is_flag:
        return True
    value = _harmful_text(names, stranger, url)
    return [value] if option.multiple else value


def _harmful_text(names: set[str], stranger: Stranger, url: str) -> str:
    imported = {"parser": "parser", "chains": "chain", "diff-apply": "algorithm", "metric": "metric", "wire": "wire"}
    texts = {
        "base-url": url,
        "host": "0.0.0.0",  # noqa: S104 - what must not be listened on
        **dict.fromkeys(("model-ids", "sut"), f"{MODULE}:model/x"),
        "order": f"llm:{MODULE}:model/x",
        "prices": str(stranger.outside / "prices.json"),
        "prompts": str(stranger.outside / "prompt.md"),
        "module-env": "LD_PRELOAD=evil.so",
        **{name: f"{MODULE}:{thing}" for name, thing in imported.items()},
        "agent-limits": "usd=1e6",
        "edit-tool": f"exec:{stranger.folder / 'canary'}",
        **dict.fromkeys(("command", "external", "install", "lsp", "python"), str(stranger.folder / "canary")),
    }
    found = next((text for name, text in texts.items() if name in names), None)
    return found or str(stranger.outside / f"{min(names)}.made")


def _make_repository(stranger: Stranger) -> None:
    """The folder is a repository, too, whose configuration names programs for all that git does."""
    folder, canary = stranger.folder, str(stranger.folder / "canary")
    git(folder, "init", "--quiet", "--initial-branch=main")
    for number, text in enumerate(("def f(a):\n    return a\n", "def f(a, b):\n    return a + b\n")):
        (folder / "code.py").write_text(text)
        (folder / ".gitattributes").write_text("*.py filter=evil diff=evil\n")
        git(folder, "add", "code.py", ".gitattributes")
        git(folder, "commit", "--quiet", "--message", f"change {number}")
    for key in (
        *("core.fsmonitor", "core.pager", "core.sshCommand", "core.editor", "core.askPass", "diff.external"),
        *("diff.evil.textconv", "diff.evil.command", "filter.evil.clean", "filter.evil.smudge", "gpg.program"),
    ):
        git(folder, "config", key, canary)
    hooks = folder / ".git" / "hooks"
    git(folder, "config", "core.hooksPath", str(hooks))
    for name in ("post-checkout", "pre-commit", "post-index-change", "reference-transaction"):
        shutil.copy(canary, hooks / name)
