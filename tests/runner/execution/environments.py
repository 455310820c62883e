"""Environments in which a machine permits less than it does to root: the words that start a program in each."""

import sys
from dataclasses import dataclass
from pathlib import Path

from runner.execution.isolation import SYSTEM_CALLS

Words = tuple[str, ...]
ROOT = Path(__file__).parents[3]
# A number that no user has, as far as anyone knows.
FREE = "54321"
_READ_ONLY = (
    "grep -o '/sys/fs/cgroup[^ ]*' /proc/mounts | while read -r place; do mount -o remount,bind,ro $place; done; "
    'exec "$@"'
)
_NO_NAMESPACES = (
    "echo 0 > /proc/sys/user/max_user_namespaces; "
    'exec setpriv --bounding-set=-all --inh-caps=-all --ambient-caps=-all "$@"'
)
# Places in the home of root are lent to all, in a namespace of mounts where something else covers that home.
_LEND = """
cover=$1; count=$2; shift 2; number=0; stage=$(mktemp -d)
mount -t tmpfs -o mode=755 tmpfs "$stage"
for place in "$@"; do
  [ "$number" -lt "$count" ] || break
  mkdir "$stage/$number" && mount --rbind "$place" "$stage/$number"; number=$((number + 1))
done
mount -t tmpfs -o mode=755 tmpfs "$cover"; number=0
while [ "$number" -lt "$count" ]; do
  mkdir -p "$1" && mount --rbind "$stage/$number" "$1"; number=$((number + 1)); shift
done
umount -l "$stage"; rmdir "$stage"; cd . && exec "$@"
"""

# The places in /proc and /sys that Docker and Podman mask or show read-only, as far as this kernel has them.
_MASK = """
for place in /proc/acpi /proc/scsi /sys/firmware /proc/kcore /proc/keys /proc/latency_stats /proc/timer_list; do
  if [ -d "$place" ]; then mount -t tmpfs -o ro tmpfs "$place"; elif [ -e "$place" ]; then
  mount --bind /dev/null "$place"; fi
done
for place in /proc/bus /proc/fs /proc/irq /proc/sys /proc/sysrq-trigger; do
  mount --bind "$place" "$place" && mount -o remount,bind,ro "$place"
done
"""
# The capabilities that Docker leaves to root.
_LEFT = (
    "-all,+chown,+dac_override,+fsetid,+fowner,+mknod,+net_raw,+setgid,+setuid,+setfcap,+setpcap,+net_bind_service,"
    "+sys_chroot,+kill,+audit_write"
)


def container(*, user: bool = False, filtered: bool = True, masked: bool = True, read_only: bool = True) -> Words:
    """Words that start a program nearly as Docker does: its capabilities, calls, masked places, read-only cgroups.

    Not AppArmor or SELinux, nor namespaces of its own. The filter is ours, which refuses of those calls that concern
    cells the same as Docker's.
    """
    script = (_MASK if masked else "") + (_READ_ONLY if read_only else 'exec "$@"')
    given_up = ("setpriv", f"--bounding-set={_LEFT}", "--inh-caps=-all")
    calls = (sys.executable, "-I", "-S", str(SYSTEM_CALLS), "network")
    return (
        *(_lent() if user else ()),
        *("unshare", "--mount", "sh", "-c", script, "sh"),
        *(_plain() if user else given_up),
        *(calls if filtered else ()),
    )


def _lent() -> Words:
    """Words that let everybody use the interpreter and this tree; none where they may."""
    places = {str(Path(place).resolve()): None for place in (sys.base_prefix, sys.prefix, ROOT)}
    shut = [folder for place in places for folder in Path(place).parents if not folder.stat().st_mode & 1]
    if not shut:
        return ()
    cover = min(shut, key=lambda folder: len(folder.parts))
    return ("unshare", "--mount", "sh", "-c", _LEND, "sh", str(cover), str(len(places)), *places)


def _plain() -> Words:
    """Words that make a process one of a user who is not root, with no groups and a home that does not exist."""
    return ("env", "HOME=/nonexistent", "setpriv", "--reuid", FREE, "--regid", FREE, "--clear-groups")


def _without_namespaces(mapped: str) -> Words:
    return ("unshare", "--user", mapped, "--keep-caps", "sh", "-c", _NO_NAMESPACES, "sh")


@dataclass(frozen=True, slots=True)
class Permitting:
    """What starts a program in an environment, the means of isolation that is special there, whether they are whole."""

    words: Words
    means: str
    whole: bool


def environments() -> dict[str, Permitting]:
    """Environments by the names of the columns in docs/sandbox.md."""
    without_admin = ("setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin")
    read_only = ("unshare", "--mount", "sh", "-c", _READ_ONLY, "sh")
    return {
        "root": Permitting((), "pids-cgroup", whole=True),
        "root without CAP_SYS_ADMIN": Permitting(without_admin, "pids-cgroup", whole=True),
        "plain user": Permitting((*_lent(), *_plain()), "user-namespace", whole=True),
        "read-only cgroups": Permitting(read_only, "unbounded-processes", whole=False),
        "root, no namespaces": Permitting(_without_namespaces("--map-root-user"), "landlock-writes", whole=False),
        "plain user, no namespaces": Permitting(
            (*_lent(), *_plain(), *_without_namespaces("--map-current-user")), "landlock-writes", whole=False
        ),
        "no isolation": Permitting((), "process-group", whole=False),
    }
