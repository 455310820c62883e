"""How far a command can be isolated on this machine: what works is found out by trying it, not by asking.

With user namespaces, or as root: a process and IPC namespace of its own, all file systems but some folders read-only,
the kernel's settings too, some places not to be seen at all, no devices but harmless ones, an empty shared memory, a
loopback and no other network, no capabilities, and a bound on the number of processes, by a pids cgroup for root (which
no other bound binds) and by the user limit of the namespace for others. All of it is done by `unshare` and `setpriv` of
util-linux.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from runner.console import say
from runner.errors import InputError
from runner.execution import cgroups, stale_dirs
from runner.execution.shown_parts import without_all
from runner.execution.weakness import NO_SOCKETS, ONE_PORT, SIGNALS_HELD, warning

# Programs, not loaded here: they need ctypes, and most who ask for cells have namespaces.
LANDLOCK = Path(__file__).with_name("landlock.py").resolve()
SYSTEM_CALLS = Path(__file__).with_name("system_calls.py").resolve()
_KEEPER = Path(__file__).with_name("keeper.py").resolve()
_SHARED = ("pid-namespace", "read-only-outside", "no-network", "no-capabilities")
_UNSHARE = ("--pid", "--fork", "--kill-child", "--mount-proc", "--mount", "--net", "--ipc")

# In the namespaces, as their root. The shell stays as the first process, which signals from within cannot kill.
# Flags that a mount has must be given again: in a user namespace they may not be dropped. A read-only mount keeps
# nobody from writing to a device or to the kernel's settings, for which root needs no capability: so the settings are
# mounted again, and there are new devices, of which those that compute are the old ones. Those are reached by the
# working folder while new ones cover them. Our own programs are looked for in the usual places; the command gets the
# environment that its caller chose.
_ISOLATE = r"""
folder=$1; processes=$2; privileged=$3; writable=$4; guarded=$5; covered=$6; hidden=$7; visible=$8; shift 8
given=$PATH; PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
here=$(pwd -P)
line="
"
cover() {
  if [ -d "$1" ]; then mount -t tmpfs -o size=64k,mode=755,nosuid,nodev,noexec tmpfs "$1" || exit 125
  elif [ -e "$1" ]; then mount --bind /dev/null "$1" || exit 125; fi
}
rooms=$line
while [ "$writable" -gt 0 ]; do
  mount --rbind "$1" "$1" || exit 125
  rooms=$rooms$1$line; writable=$((writable - 1)); shift
done
while [ "$guarded" -gt 0 ]; do
  mount --rbind "$1" "$1" || exit 125
  guarded=$((guarded - 1)); shift
done
mount --bind "$folder" "$folder" && cd "$folder" || exit 125
while [ "$covered" -gt 0 ]; do cover "$1"; covered=$((covered - 1)); shift; done
# What is to be seen in hidden places is kept where nobody looks until these are covered; the rest passes first.
kept=0
if [ "$visible" -gt 0 ]; then
  mount -t tmpfs -o size=16m tmpfs /sys || exit 125
  while [ "$kept" -lt "$visible" ]; do
    if [ -d "$1" ]; then mkdir "/sys/$kept"; else : > "/sys/$kept"; fi
    printf '%s' "$1" > "/sys/$kept.name" && mount --rbind "$1" "/sys/$kept" || exit 125
    kept=$((kept + 1)); shift
  done
fi
while [ "$hidden" -gt 0 ]; do
  cover "$1"
  case $folder in "$1"/*) mkdir -p "$folder" && mount -c --bind . "$folder" && cd "$folder" || exit 125;; esac
  hidden=$((hidden - 1)); shift
done
number=0
while [ "$number" -lt "$kept" ]; do
  place=$(cat "/sys/$number.name") || exit 125
  if [ -d "/sys/$number" ]; then mkdir -p "$place"
  elif [ ! -e "$place" ]; then mkdir -p "${place%/*}" && : > "$place"; fi || exit 125
  mount -c --rbind "/sys/$number" "$place" || exit 125
  number=$((number + 1))
done
if [ "$kept" -gt 0 ]; then umount -l /sys || exit 125; fi
cd /dev && mount -t tmpfs -o size=64k,mode=755,nosuid,noexec tmpfs /dev || exit 125
for node in null zero full random urandom tty kfd nvidia* dri dxg; do
  if [ -d "./$node" ]; then mkdir "/dev/$node"; elif [ -e "./$node" ]; then : > "/dev/$node"; else continue; fi
  mount -c --rbind "./$node" "/dev/$node" || exit 125
done
ln -s /proc/self/fd /dev/fd; ln -s fd/0 /dev/stdin; ln -s fd/1 /dev/stdout; ln -s fd/2 /dev/stderr
mkdir /dev/pts /dev/shm
mount -t devpts -o newinstance,ptmxmode=666,nosuid,noexec devpts /dev/pts 2>/dev/null && ln -s pts/ptmx /dev/ptmx
mount -t tmpfs -o size=64m,nosuid,nodev tmpfs /dev/shm || exit 125
printf '%s' "$folder$rooms" | while read -r place; do
  case $place in /dev/shm/*) mkdir -p "$place" && mount -c --rbind ".${place#/dev}" "$place" || exit 125;; esac
done || exit 125
mount -o remount,bind,ro,nosuid,noexec /dev || exit 125
cd "$here" || exit 125
while read -r _ place _ options _; do
  case $place in *\\*) place=$(printf '%b' "$place");; esac
  case $place in
    "$folder"|"$folder"/*|/proc|/proc/*|/sys|/sys/*|/dev|/dev/shm) continue;;
    /dev/shm/*) ;;
    /dev/*) continue;;
  esac
  case $rooms in *"$line$place$line"*) continue;; esac
  case ,$options, in *,ro,*) continue;; esac
  flags=remount,bind,ro
  for flag in nosuid nodev noexec noatime nodiratime relatime; do
    case ,$options, in *,$flag,*) flags=$flags,$flag;; esac
  done
  # What another mount covers is not there, or is a plain folder of that one.
  mount -o "$flags" "$place" 2>/dev/null || ! mount --make-private "$place" 2>/dev/null ||
    mount -o "$flags" "$place" || exit 125
done < /proc/self/mounts
mount -t sysfs -o ro,nosuid,nodev,noexec sysfs /sys 2>/dev/null || mount -t tmpfs -o ro tmpfs /sys || exit 125
mount -o remount,bind,ro,nosuid,nodev,noexec /proc || exit 125
ip link set lo up 2>/dev/null
[ "$processes" = 0 ] || ulimit -u "$processes" 2>/dev/null || ulimit -p "$processes" || exit 125
priv=$(command -v setpriv) || exit 125
PATH=$given
if [ "$privileged" = 1 ]; then "$@"; exit $?; fi
"$priv" --bounding-set=-all --inh-caps=-all --no-new-privs -- "$@"
code=$?
exit $code
"""

# Sixteen short sleepers where eight processes are allowed: the shell ends before the last one where a bound holds.
# Whether something was written outside is seen there: in shared memory of its own a command writes where it likes.
_PROBE = """
echo a > in || exit 1
(echo b > ../out) 2>/dev/null
(for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do sleep 1 & done; echo c > unbound) 2>/dev/null
exit 0
"""

_JOIN = 'echo 0 > "$1" && shift && exec "$@"'


@dataclass(frozen=True, slots=True)
class Isolation:
    """What shuts a command in, apart from its limits.

    - `means`: their names, for the record; `("process-group",)` where nothing more is permitted.
    - `enter`: the words that lead into the namespaces; empty without.
    - `cgroup`, `memory_cgroup`: the folders in which a group with a bound on processes, or on memory, can be made.
    - `bounded`: whether the number of processes is bounded.
    - `landlock`: the words that start Landlock, and what goes with it, in the place of namespaces; empty without.
    """

    means: tuple[str, ...]
    enter: tuple[str, ...] = ()
    cgroup: Path | None = None
    memory_cgroup: Path | None = None
    bounded: bool = True
    landlock: tuple[str, ...] = ()

    @property
    def contained(self) -> bool:
        """Return whether everything that a command starts is sure to end with it."""
        return bool(self.enter)

    @property
    def whole(self) -> bool:
        """Return whether everything that a command starts is bounded in number and sure to end with it."""
        return self.contained and self.bounded


GROUP_ONLY = Isolation(("process-group",))


@dataclass(frozen=True, slots=True)
class Weak:
    """Whether tests may run where they cannot be isolated (--weak-sandbox), and whether --yes confirms that."""

    allowed: bool = False
    confirmed: bool = False


NOT_WEAK = Weak()


@dataclass(frozen=True, slots=True)
class Cell:
    """A folder that a command may write in, and how the command is isolated there.

    - `processes`: the maximum number at once, threads included.
    - `writable`: further folders that it may write in; they exist.
    - `guarded`: paths in one of those that may not be written; each exists, and none is a `writable` folder itself.
    - `hidden`: what is not to be seen; `visible`: what is to be seen within it; `covered`: what is not, even there.
    - `memory_bytes`: the maximum for all processes together, where cgroups can limit it; None for no limit.
    """

    folder: Path
    isolation: Isolation = GROUP_ONLY
    processes: int = 128
    hidden: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    guarded: tuple[Path, ...] = ()
    memory_bytes: int | None = None
    visible: tuple[Path, ...] = ()
    covered: tuple[Path, ...] = ()


def strongest() -> Isolation:
    """Return the strongest isolation that works here, found by running a command in it."""
    for isolation in _candidates():
        if _works(isolation):
            return isolation
    return GROUP_ONLY


def permitted(weak: Weak = NOT_WEAK, who: str = "tests", *, network: bool = False) -> Isolation:
    """Return the strongest isolation for untrusted code; where it is incomplete, warn of what that permits.

    With `network`, for agents: where it cannot have a network of its own, the code may use this machine's, or a port of
    it (`one-port`), once `one_port` has begun.
    Raises InputError where it is incomplete, unless that is allowed and, for root, confirmed.
    """
    isolation = strongest()
    if isolation.whole:
        return isolation
    if not weak.allowed:
        raise InputError(
            "this machine permits no namespaces with a bound on processes; see docs/sandbox.md, use another, or give "
            "--weak-sandbox"
        )
    root = os.geteuid() == 0
    if root and not weak.confirmed:
        raise InputError(f"--weak-sandbox: {who} would run as root without a sandbox; give --yes, or use another user")
    isolation = next(filter(_keeps_in, _incomplete(network=network)), GROUP_ONLY)
    user, whose = ("root", "root's") if root else ("you", "your")
    say(warning(isolation.means, user, whose, who, network=network))
    return isolation


def _candidates() -> Iterator[Isolation]:
    if os.geteuid() != 0:
        yield from (Isolation((*_SHARED, "user-namespace"), enter) for enter in _entrances())
        return
    cgroups.sweep()
    cgroup = cgroups.first_with(cgroups.PROCESSES)
    if cgroup is not None:
        memory = cgroups.first_with(cgroups.MEMORY)
        means = (*_SHARED, *([] if memory is None else ["memory-cgroup"]), "pids-cgroup")
        yield from (Isolation(means, enter, cgroup, memory) for enter in _entrances())


def _incomplete(*, network: bool) -> Iterator[Isolation]:
    """Yield what keeps a command in, but bounds no number of processes; the stronger first."""
    yield from (Isolation((*_SHARED, "unbounded-processes"), enter, bounded=False) for enter in _entrances())
    # They need ctypes, as the programs do.
    from runner.execution import landlock

    program, version = (sys.executable, "-I", "-S"), landlock.version()
    held = (SIGNALS_HELD,) if network and version >= landlock.SIGNALS_VERSION else ()
    means, words = ("process-group", "landlock-writes", "no-capabilities", *held), (*program, str(LANDLOCK))
    filtered, calls = (*means, "filtered-calls"), (*program, str(SYSTEM_CALLS))
    if network and version >= landlock.PORTS_VERSION:
        yield Isolation((*filtered, ONE_PORT), landlock=(*calls, "tcp", *words))
    if network:
        yield Isolation(filtered, landlock=(*calls, "network", *words))
    else:
        yield Isolation((*filtered, NO_SOCKETS), landlock=(*calls, "no-network", *words))
    yield Isolation(means, landlock=words)


def _entrances() -> Iterator[tuple[str, ...]]:
    """Yield the words that lead into namespaces: for root without a user namespace first, then with one."""
    unshare, setpriv = shutil.which("unshare"), shutil.which("setpriv")
    if unshare is None or setpriv is None:
        return
    # A namespace would outlive us if we were killed; so it is set to die when its starter does.
    enter = (setpriv, "--pdeathsig", "KILL", *_hearing(), unshare)
    if os.geteuid() == 0:
        yield (*enter, *_UNSHARE)
    yield (*enter, "--user", "--map-root-user", *_UNSHARE)


def _hearing() -> tuple[str, ...]:
    """Return the words that restore the signals that we ignore, as under `nohup`; none where `env` has no option."""
    env = shutil.which("env")
    words = ("" if env is None else env, "--default-signal")
    try:
        done = subprocess.run((*words, "true"), stdin=subprocess.DEVNULL, capture_output=True, check=False)  # noqa: S603 - our own words
    except OSError:
        return ()
    return words if done.returncode == 0 else ()


def _works(isolation: Isolation) -> bool:
    """Return whether a command in the cell writes inside, cannot write outside, and cannot start more than it may."""
    return _probed(isolation) == {"in"}


def _keeps_in(isolation: Isolation) -> bool:
    """Return whether a command in the cell writes inside and cannot write outside."""
    written = _probed(isolation)
    return "in" in written and "out" not in written


def _probed(isolation: Isolation) -> set[str]:
    """Return which files a command in a cell could write; none where it could not be run."""
    with tempfile.TemporaryDirectory(prefix=stale_dirs.prefix("probe")) as outside:
        inside = Path(outside) / "cell"
        inside.mkdir()
        try:
            with entered(Cell(inside, isolation, processes=8), ("/bin/sh", "-c", _PROBE)) as command:
                done = subprocess.run(  # noqa: S603 - our own words
                    command, cwd=inside, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=10
                )
        except (OSError, subprocess.TimeoutExpired):
            return set()
        places = (inside / "in", Path(outside) / "out", inside / "unbound")
        return {place.name for place in places if place.exists()} if done.returncode == 0 else set()


@contextmanager
def entered(cell: Cell, command: Sequence[str], *, privileged: bool = False) -> Iterator[list[str]]:
    """Yield the words that run a command in the cell; what was made for it is removed afterwards.

    The caller waits for their end, or kills them, within the context. A `privileged` command keeps what it needs
    to make cells within the cell, and could get out: it is none that is not trusted. Raises OSError where no group can
    be made.
    """
    isolation = cell.isolation
    if not isolation.enter:
        yield [*_confined(cell), *command]
        return
    bound = 0 if os.geteuid() == 0 else cell.processes
    rooms = (cell.writable, cell.guarded, cell.covered, cell.hidden, cell.visible)
    writable, guarded, covered, hidden, visible = places = [[str(path.resolve()) for path in paths] for paths in rooms]
    numbers = map(str, (bound, int(privileged), *map(len, places)))
    isolated = ["/bin/sh", "-c", _ISOLATE, "sh", str(cell.folder.resolve()), *numbers]
    isolated += [*writable, *guarded, *covered, *visible, *hidden, *command]
    words = [*isolation.enter, *isolated]
    with ExitStack() as groups:
        for place, bounds in _bounds(cell).items():
            group = groups.enter_context(cgroups.group(place, bounds))
            words = ["/bin/sh", "-c", _JOIN, "sh", str(group / "cgroup.procs"), *words]
        yield words


def kept(words: Sequence[str]) -> list[str]:
    """Return the words that run a command which no namespace holds, and end all that it started when it ends."""
    return [sys.executable, "-I", "-S", str(_KEEPER), str(os.getpid()), *words]


def _confined(cell: Cell) -> list[str]:
    """Return the words that keep a command from writing elsewhere, and reading what is hidden, without namespaces."""
    if not cell.isolation.landlock:
        return []
    groups = ((cell.folder, *cell.writable), cell.hidden, without_all(cell.visible, cell.covered))
    places = [[str(path.resolve()) for path in group] for group in groups]
    return [*cell.isolation.landlock, *(str(len(group)) for group in places), *chain.from_iterable(places)]


def _bounds(cell: Cell) -> dict[Path, dict[str, str]]:
    """Return the bounds of all its processes together, by the folders in which there are groups with them."""
    isolation, bounds = cell.isolation, defaultdict[Path, dict[str, str]](dict)
    if isolation.cgroup is not None:
        bounds[isolation.cgroup][cgroups.PROCESSES] = str(cell.processes)
    if isolation.memory_cgroup is not None and cell.memory_bytes is not None:
        bounds[isolation.memory_cgroup][cgroups.MEMORY] = str(cell.memory_bytes)
    return bounds


def first_processes(pid: int) -> tuple[int, ...]:
    """Return the first process of a cell, given the process that entered it: the kernel ends all others with it."""
    try:
        return tuple(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))
    except OSError:
        return ()
