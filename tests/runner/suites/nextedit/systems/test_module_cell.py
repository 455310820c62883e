"""What modules of somebody else's can do to us: nothing but fail, each at its own cost."""

import asyncio
import os
import socket
import textwrap
import time
from itertools import count
from pathlib import Path
from tempfile import gettempdir

import pytest

import runner
from runner.execution.isolation import GROUP_ONLY, Isolation, strongest
from runner.execution.workspace import files_of, scratch
from runner.suites.nextedit.commit_replay import replay_commit
from runner.suites.nextedit.editor import Mishap
from runner.suites.nextedit.orders import ORDERS
from runner.suites.nextedit.replay_plan import ReplayPlan
from runner.suites.nextedit.steps import CommitReplay
from runner.suites.nextedit.systems.child_process import ChildLimits
from runner.suites.nextedit.systems.historian_module import HistorianModule
from runner.suites.nextedit.systems.module_cell import (
    ModuleSettings,
    cell_of,
    environment_in,
    harmless,
    with_network,
)
from tests.nextedit import commit_of

STRONGEST = strongest()
COMMIT = commit_of(
    {
        "a.py": ("old = 1\nx = 0\nprint(old)\n", "new = 1\nx = 0\nprint(new)\n"),
        "b.py": ("from a import old\n", "from a import new\n"),
    },
    message="Rename old to new",
)
PLAN = ReplayPlan(ORDERS["none"], seed=1)
LIMITS = ChildLimits(question_s=20.0, farewell_s=5.0)

in_a_cell = pytest.mark.skipif(not STRONGEST.whole, reason="no namespaces are permitted here")
every_isolation = pytest.mark.parametrize(
    "isolation",
    [pytest.param(STRONGEST, id="cell", marks=in_a_cell), pytest.param(GROUP_ONLY, id="group")],
)


def module(folder: Path, source: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "main.py").write_text(textwrap.dedent(source))
    return folder / "main.py"


def recommending(body: str) -> str:
    """A module that does something at every recommendation, and nothing else."""
    lines = textwrap.indent(textwrap.dedent(body), " " * 8)
    return (
        "import os, shutil, subprocess, sys, time, pathlib\n"
        "def main(payload):\n"
        "    tree = payload.get('repo_dir')\n"
        f"    if payload['status'] == 'suggestion(location+content)':\n{lines}\n"
    )


def there(path: Path) -> bool:
    return path.exists()


def commands() -> bytes:
    """The command lines of everything that runs."""
    return b"\n".join(path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists())


async def replayed(
    path: Path, isolation: Isolation = STRONGEST, limits: ChildLimits = LIMITS, **settings: object
) -> CommitReplay:
    chosen = ModuleSettings(path, limits=limits, isolation=isolation, **settings)  # type: ignore[arg-type]
    with scratch(files_of({touched.path: touched.before or "" for touched in COMMIT.files}), "tool") as workspace:
        editor = HistorianModule(chosen, COMMIT)
        return await replay_commit(COMMIT, editor, PLAN, count().__next__, workspace)


def reasons(replay: CommitReplay) -> list[Mishap]:
    return [trouble.reason for step in replay.steps for trouble in step.troubles]


def messages(replay: CommitReplay) -> str:
    return "\n".join(trouble.message for step in replay.steps for trouble in step.troubles)


class TestWriting:
    @in_a_cell
    @pytest.mark.parametrize(
        "place", ["{outside}/stolen", "{temporary}/stolen-{pid}", "{home}/stolen-{pid}", "/stolen-{pid}"]
    )
    async def test_what_it_writes_elsewhere_is_refused_and_costs_its_question(self, tmp_path: Path, place: str) -> None:
        target = Path(place.format(outside=tmp_path, pid=os.getpid(), home=Path.home(), temporary=gettempdir()))

        replay = await replayed(module(tmp_path / "module", recommending(f"open({str(target)!r}, 'w').write('x')")))

        assert not there(target)
        assert reasons(replay) == [Mishap.CRASHED] * 2
        assert "Read-only file system" in messages(replay)

    @in_a_cell
    async def test_it_cannot_change_itself(self, tmp_path: Path) -> None:
        path = module(tmp_path / "module", recommending("open(__file__, 'a').write('# changed')"))

        await replayed(path)

        assert "# changed" not in path.read_text().splitlines()

    @every_isolation
    @pytest.mark.parametrize("through", ["its-folder", "a-linked-folder", "a-linked-file"])
    async def test_beside_itself_it_may_write_and_what_it_writes_stays(
        self, tmp_path: Path, isolation: Isolation, through: str
    ) -> None:
        body = "open(os.path.join(os.path.dirname(__file__), 'mine.log'), 'a').write(tree + '\\n')"
        path = module(tmp_path / "its-folder", recommending(body))
        (tmp_path / "a-linked-folder").symlink_to(path.parent)
        (tmp_path / "a-linked-file").mkdir()
        (tmp_path / "a-linked-file" / "main.py").symlink_to(path)

        replays = [await replayed(tmp_path / through / "main.py", isolation) for _ in range(2)]

        assert [reasons(replay) for replay in replays] == [[], []]
        assert len((path.parent / "mine.log").read_text().splitlines()) == 4
        assert sorted(each.name for each in path.parent.iterdir()) == ["main.py", "mine.log"]

    @in_a_cell
    async def test_beside_the_link_to_it_it_may_write_too(self, tmp_path: Path) -> None:
        linked = tmp_path / "linked"
        linked.mkdir()
        body = f"open({str(linked / 'log')!r}, 'a').write('x')\nopen(__file__, 'a')"
        (linked / "main.py").symlink_to(module(tmp_path / "module", recommending(body)))

        replay = await replayed(linked / "main.py")

        assert (linked / "log").read_text() == "xx"
        assert "Read-only file system" in messages(replay)

    def test_a_folder_with_the_trees_or_with_this_program_is_not_its_own(self, tmp_path: Path) -> None:
        tree = tmp_path / "evals-1" / "tree"
        program = Path(runner.__file__).resolve().parents[1]
        shared, ours, around = (
            cell_of(tree, ModuleSettings(folder / "main.py")) for folder in (tmp_path, program, program.parent)
        )

        assert (shared.writable, ours.writable) == ((), ())
        # Whoever has this repository in the folder of temporary files has the trees in it, too.
        assert around.writable == (() if tree.is_relative_to(program.parent) else (program.parent,))
        assert not around.writable or set(around.guarded) >= {program.parent / "main.py", program}
        assert cell_of(tree, ModuleSettings(Path())).writable == ()

    @every_isolation
    async def test_beside_the_tree_it_may_write_and_all_of_it_is_gone_afterwards(
        self, tmp_path: Path, isolation: Isolation
    ) -> None:
        body = """
            import tempfile
            shutil.copytree(tree, tree + '_clone')
            pathlib.Path(os.path.expanduser('~/note')).write_text(tempfile.mkdtemp())
            shutil.rmtree(tree + '_clone')
            raise SystemExit(os.path.dirname(tree))
        """

        replay = await replayed(module(tmp_path, recommending(body)), isolation)

        beside = Path(messages(replay).splitlines()[-1].removeprefix("SystemExit: "))
        assert beside.name.startswith("evals-")
        assert not there(beside)

    @every_isolation
    @pytest.mark.parametrize(
        "body",
        [
            pytest.param("shutil.rmtree(tree)", id="removed"),
            pytest.param("shutil.rmtree(tree); os.symlink('{outside}', tree)", id="a-link-elsewhere"),
            pytest.param("shutil.rmtree(tree); open(tree, 'w').write('x')", id="a-file"),
            pytest.param("[f.unlink() for f in pathlib.Path(tree).iterdir()]", id="emptied"),
        ],
    )
    async def test_a_tree_that_it_destroys_is_there_again_at_the_next_question(
        self, tmp_path: Path, isolation: Isolation, body: str
    ) -> None:
        outside = tmp_path / "outside"
        outside.mkdir()
        (outside / "precious").write_text("kept")
        seen = "names = sorted(os.listdir(tree))\n"
        destroyed = body.format(outside=outside)
        answer = "\nreturn {'a.py': [['x\\n'] * len(names), {'before': ['?'], 'after': [repr(names)]}]}"

        replay = await replayed(module(tmp_path / "module", recommending(seen + destroyed + answer)), isolation)

        listed = {suggestion.after for step in replay.steps for suggestion in step.suggestions}
        assert listed == {("['a.py', 'b.py']",)}
        assert (outside / "precious").read_text() == "kept"


class TestRunningWild:
    @in_a_cell
    async def test_what_it_leaves_running_in_a_session_of_its_own_ends_with_it(self, tmp_path: Path) -> None:
        seconds = f"{60 + os.getpid() / 1e7:.7f}"
        body = f"subprocess.Popen(['sleep', '{seconds}'], start_new_session=True)\nreturn {{}}"

        await replayed(module(tmp_path, recommending(body)))

        assert seconds.encode() not in commands()

    @every_isolation
    @pytest.mark.wide
    async def test_an_endless_loop_is_asked_three_times_and_then_no_more(
        self, tmp_path: Path, isolation: Isolation
    ) -> None:
        path = module(tmp_path, "def main(payload):\n    while 'sugg' in payload['status']:\n        pass\n")
        started = time.monotonic()

        replay = await replayed(path, isolation, ChildLimits(question_s=0.5, farewell_s=2.0))

        assert reasons(replay) == [Mishap.TIMEOUT] * 4
        assert messages(replay).splitlines()[-1] == "not asked: 3 times in a row it had no answer in time"
        assert time.monotonic() - started < 50

    @every_isolation
    async def test_an_endless_answer_is_none(self, tmp_path: Path, isolation: Isolation) -> None:
        replay = await replayed(module(tmp_path, recommending("return {'a.py': [['x' * (65 << 20)]]}")), isolation)

        assert reasons(replay) == [Mishap.CRASHED] * 2
        assert "is no answer" in messages(replay)

    async def test_what_it_prints_goes_nowhere_and_has_an_end(self, tmp_path: Path) -> None:
        body = "os.write(1, b'\\xff' * 100)\nprint('{}')\nsys.stdout.flush()\nwhile True: print('y' * 65536)"

        replay = await replayed(module(tmp_path, recommending(body)), limits=ChildLimits(file_bytes=1 << 20))

        assert set(reasons(replay)) == {Mishap.CRASHED}
        assert "File too large" in messages(replay)

    async def test_memory_has_a_bound(self, tmp_path: Path) -> None:
        limits = ChildLimits(memory_bytes=512 << 20)

        replay = await replayed(module(tmp_path, recommending("bytearray(1 << 30)")), limits=limits)

        assert "MemoryError" in messages(replay)


class TestBeginningAndEnd:
    async def test_a_beginning_that_fails_is_told_and_the_questions_are_asked_all_the_same(
        self, tmp_path: Path
    ) -> None:
        path = module(
            tmp_path,
            """
            def main(payload):
                if payload["status"] == "init":
                    raise RuntimeError("no key")
                return {}
            """,
        )

        replay = await replayed(path)

        assert [trouble.question for trouble in replay.troubles] == ["setup"]
        assert "no key" in replay.troubles[0].message
        assert reasons(replay) == []

    @every_isolation
    @pytest.mark.parametrize(
        "body", ["return None", "raise ValueError", "return 7", "os.chdir(tree); shutil.rmtree(tree)"]
    )
    async def test_the_end_is_told_whatever_happened(self, tmp_path: Path, isolation: Isolation, body: str) -> None:
        logged = "    open(os.environ['LOG_DIR'] + '/told', 'a').write(payload['status'] + '\\n')\n"
        path = module(tmp_path / "module", recommending(body).replace("    tree =", f"{logged}    tree =", 1))

        await replayed(path, isolation, log_dir=tmp_path / "logs")

        told = (tmp_path / "logs" / "told").read_text().splitlines()
        assert (told[0], told[-1], told.count("end")) == ("init", "end", 1)


class TestLogs:
    @every_isolation
    async def test_what_it_appends_stays_whatever_commit_it_was_asked_about(
        self, tmp_path: Path, isolation: Isolation
    ) -> None:
        body = "open(os.environ['LOG_DIR'] + '/steps.jsonl', 'a').write('{}\\n')"
        path = module(tmp_path / "module", recommending(body))
        logs = tmp_path / "new" / "logs"

        replays = await asyncio.gather(*(replayed(path, isolation, log_dir=logs) for _ in range(3)))

        assert [reasons(replay) for replay in replays] == [[]] * 3
        assert (logs / "steps.jsonl").read_text() == "{}\n" * 6

    @in_a_cell
    async def test_beside_the_folder_of_its_logs_it_may_not_write(self, tmp_path: Path) -> None:
        path = module(tmp_path / "module", recommending("open(os.environ['LOG_DIR'] + '/../out', 'w')"))

        replay = await replayed(path, log_dir=tmp_path / "logs")

        assert "Read-only file system" in messages(replay)
        assert not there(tmp_path / "out")


class TestAnswers:
    @pytest.mark.parametrize(
        "answer, reason",
        [
            pytest.param("None", None, id="none"),
            pytest.param("[]", None, id="nothing"),
            pytest.param("'text'", Mishap.NONSENSE, id="a-text"),
            pytest.param("{'a.py': None}", Mishap.NONSENSE, id="no-windows"),
            pytest.param("{'a.py': [None]}", Mishap.NONSENSE, id="no-window"),
            pytest.param("{'a.py': [{'before': ['x'], 'after': None}]}", Mishap.NONSENSE, id="no-lines"),
            pytest.param("{'a.py': [{'before': [1], 'after': []}]}", Mishap.NONSENSE, id="no-texts"),
            pytest.param("{'a.py': [['x\\n'] * 999, {'before': ['y\\n'], 'after': []}]}", Mishap.NONSENSE, id="beyond"),
            pytest.param("{'a.py': [{'before': ['other\\n'], 'after': []}]}", Mishap.NONSENSE, id="other-lines"),
            pytest.param(
                "{'no.py': [{'before': ['x\\n'], 'after': []}]}", None, id="a-file-that-the-commit-does-not-touch"
            ),
            pytest.param("{'/etc/passwd': [{'before': [], 'after': ['x']}]}", Mishap.OUTSIDE, id="absolute"),
            pytest.param("{'../up.py': [{'before': [], 'after': ['x']}]}", Mishap.OUTSIDE, id="above"),
            pytest.param("{'': [{'before': [], 'after': ['x']}]}", Mishap.OUTSIDE, id="no-name"),
            pytest.param("{3: [[]]}", None, id="a-number-for-a-name"),
            pytest.param("{'a.py': [{'before': [], 'after': ['\\ud800\\U0001f600']}]}", None, id="half-a-character"),
            pytest.param(
                "{'a.py': [{'before': [], 'after': ['x'], 'confidence': float('nan')}]}", None, id="no-number"
            ),
            pytest.param("{'a.py': [{'before': [], 'after': ['x'], 'confidence': 10 ** 400}]}", None, id="a-giant"),
            pytest.param("(lambda: (yield))()", Mishap.CRASHED, id="a-generator"),
        ],
    )
    async def test_whatever_it_answers_is_an_answer_or_has_a_reason(
        self, tmp_path: Path, answer: str, reason: Mishap | None
    ) -> None:
        replay = await replayed(module(tmp_path, recommending(f"return {answer}")), GROUP_ONLY)

        assert sorted(replay.order) == [0, 1, 2]
        assert set(reasons(replay)) == ({reason} if reason else set())


class TestNetwork:
    @in_a_cell
    @pytest.mark.parametrize("allowed", [False, True])
    async def test_it_has_a_network_only_where_that_is_allowed(self, tmp_path: Path, *, allowed: bool) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            body = f"import socket; socket.create_connection(('127.0.0.1', {server.getsockname()[1]}), 5).close()"
            isolation = with_network(STRONGEST) if allowed else STRONGEST

            replay = await replayed(module(tmp_path, recommending(body)), isolation)

        assert ("refused" in messages(replay)) is not allowed
        assert ("no-network" in isolation.means) is not allowed


class TestVariables:
    @pytest.mark.parametrize(
        "name, value, seen",
        [
            pytest.param("EDITOR", "vi", True, id="plain"),
            pytest.param("OPENAI_API_KEY", "sk-1", False, id="key"),
            pytest.param("GITHUB_TOKEN", "t", False, id="token"),
            pytest.param("db_password", "p", False, id="small-letters"),
            pytest.param("SSH_AUTH_SOCK", "/run/agent", False, id="agent"),
            pytest.param("DATABASE_URL", "postgres://me:secret@host/db", False, id="address-with-a-password"),
            pytest.param("OPENAI_BASE_URL", "http://localhost:8000/v1", True, id="address"),
        ],
    )
    def test_secrets_are_kept_back_unless_they_are_named(self, name: str, value: str, *, seen: bool) -> None:
        assert (name in harmless({name: value})) is seen
        assert harmless({name: value}, [name]) == {name: value}

    def test_home_temporary_files_and_logs_are_beside_the_tree(self, tmp_path: Path) -> None:
        (tmp_path / "tree").mkdir()
        settings = ModuleSettings(Path(), env={"HOME": "/root", "LOG_DIR": "/var/log", "PATH": "/opt/bin"})

        found = environment_in(tmp_path / "tree", settings)

        assert found["PATH"] == "/opt/bin"
        assert [Path(found[name]).parent for name in ("HOME", "TMPDIR", "LOG_DIR")] == [tmp_path] * 3

    @in_a_cell
    async def test_what_is_hidden_is_not_there_for_it(self, tmp_path: Path) -> None:
        (tmp_path / "answers").mkdir()
        (tmp_path / "answers" / "commit.json").write_text("{}")
        body = f"raise ValueError(os.listdir({str(tmp_path / 'answers')!r}))"

        replay = await replayed(module(tmp_path / "module", recommending(body)), hidden=(tmp_path / "answers",))

        assert messages(replay).splitlines()[-1] == "ValueError: []"
