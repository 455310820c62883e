"""Language servers as plug-ins of the order: what they know of symbols inside edited lines."""

from runner.suites.nextedit.order.servers.choice import Server, chosen_servers
from runner.suites.nextedit.order.servers.serving import Servers

__all__ = ["Server", "Servers", "chosen_servers"]
