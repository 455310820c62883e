"""Language servers as plug-ins of the order: what they know of symbols inside edited lines."""

from runner.suites.next_edit.order.servers.choice import Server, chosen_servers
from runner.suites.next_edit.order.servers.serving import Servers

__all__ = ["Server", "Servers", "chosen_servers"]
