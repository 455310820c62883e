"""What does not hold in a cell that is not whole, as it is stated to who has permitted it."""

from collections.abc import Collection

NO_SOCKETS = "no-network-sockets"
ONE_PORT = "one-port"
SIGNALS_HELD = "no-signals-outside"

_UNGUARDED = (
    "--weak-sandbox: {who} run without a sandbox, with all permissions of {user}: they can read, change and delete "
    "every file that {user} can, keys and other secrets included, use the network, see and end other processes, start "
    "any number of processes, and leave some running"
)
_UNBOUNDED = (
    "--weak-sandbox: {who} run in namespaces, but nothing bounds how many processes they start: they can slow down or "
    "stop this machine"
)
_WRITES_ONLY = (
    "--weak-sandbox: {who} run under Landlock alone: they can write in their own folders only, and have no "
    "capabilities; but they can read every other file that {user} can, keys and secrets included, change modes and "
    "times of {whose} files, start any number of processes, and leave some running"
)
_AGENTS = (
    "--weak-sandbox: {who} run under Landlock alone: they can write in their own folders only, read their files and "
    "those of the system only, and have no capabilities; but they can list all folders, change modes and times of "
    "{whose} files, see what runs, and start any number of processes"
)
_AND_KILL = ", end others, and leave some running"
_WITH_NETWORK = "; they can use the network too"
_WITH_A_PORT = "; of the network they reach the port of their proxy, on any machine, and sockets of files"


def warning(means: Collection[str], user: str, whose: str, who: str, *, network: bool) -> str:
    """Return the line for a cell of these means. With `network`, for agents, which have a keeper and ask a proxy."""
    return _form(means, network=network).format(who=who, user=user, whose=whose)


def _form(means: Collection[str], *, network: bool) -> str:
    if "pid-namespace" in means:
        return _UNBOUNDED
    if "landlock-writes" not in means:
        return _UNGUARDED
    if not network:
        return _WRITES_ONLY + ("" if NO_SOCKETS in means else _WITH_NETWORK)
    return (
        _AGENTS + ("" if SIGNALS_HELD in means else _AND_KILL) + (_WITH_A_PORT if ONE_PORT in means else _WITH_NETWORK)
    )
