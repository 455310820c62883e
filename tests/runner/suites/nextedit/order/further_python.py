"""Python commits: packages that pass on names, renames through heirs, receivers made by functions."""

from tests.runner.suites.nextedit.order.order_case import OrderCase, plain

FURTHER: list[OrderCase] = [
    plain(
        "a method is renamed in a class and its heir",
        {
            "jobs/base.py": """
  class Job:
-     def execute(self):
+     def run(self):
          raise NotImplementedError

      def start(self):
-         self.execute()
+         self.run()
""",
            "jobs/mail.py": """
  from jobs.base import Job


  class MailJob(Job):
-     def execute(self):
+     def run(self):
          send()
""",
        },
        (0, 1),
        (0, 2),
        (1, 2),
    ),
    plain(
        "a method is renamed in two classes with their callers",
        {
            "a/shapes.py": """
  class Shape:
-     def size(self):
+     def area(self):
          return 0


  class Disc(Shape):
-     def size(self):
+     def area(self):
          return 3 * self.r
""",
            "b/paint.py": """
  from a.shapes import Disc, Shape


  def cover(shape: Shape):
-     return shape.size() / 9
+     return shape.area() / 9


  def dot():
      disc = Disc()
-     fill(disc.size())
+     fill(disc.area())
""",
        },
        (0, 1),
        (0, 2),
        (0, 3),
        (1, 2),
        (1, 3),
        (2, 3),
    ),
    plain(
        "a factory decides the type of a receiver",
        {
            "net/conn.py": """
  class Socket:
-     def close(self):
+     def close(self, linger=0):
          self.fd.shut()


  class Pipe:
-     def close(self):
+     def close(self, drain=False, reason=None):
          self.ends.clear()


  def connect(host: str) -> Socket:
      return Socket()
""",
            "net/ping.py": """
  from net.conn import connect


  def ping(host):
      sock = connect(host)
-     sock.close()
+     sock.close(linger=3)
""",
        },
        (0, 2),
    ),
    plain(
        "a package passes on what nobody changed",
        {
            "pkg/__init__.py": """
  from pkg.core import load
+ from pkg.extra import dump

- __all__ = ["load"]
+ __all__ = ["dump", "load"]
""",
            "tool/cli.py": """
- from pkg import load
+ from pkg import dump, load


  def main(path):
      data = load(path)
+     dump(data, path)
""",
        },
        (0, 1),
        (0, 2),
        (0, 3),
        (2, 3),
    ),
    plain(
        "a module is renamed in two importers",
        {
            "app/a.py": """
- from app.utils import parse_date
+ from app.helpers import parse_date

  day = parse_date("1")
""",
            "app/b.py": """
  import os
- from app.utils import x, slugify_all
+ from app.helpers import x, slugify_all

  y = x + os.sep
""",
        },
        (0, 1),
    ),
    plain(
        "a dataclass gets a field that is read and given",
        {
            "shop/models.py": """
  from dataclasses import dataclass


  @dataclass
  class Item:
      name: str
      price: int
+     weight: float = 0.0
""",
            "shop/shipping.py": """
  from shop.models import Item


  def cost(items: list[Item]) -> int:
-     return 5 * len(items)
+     return round(sum(item.weight for item in items) * 2)


  def sample() -> Item:
-     return Item("book", 20)
+     return Item("book", 20, weight=0.4)
""",
        },
        (0, 1),
        (0, 2),
        (1, 2),
    ),
    plain(
        "a keyword argument by way of the module",
        {
            "lib/client.py": """
- def request(method, url, timeout=None):
+ def request(method, url, timeout=None, verify=True):
      return send(method, url, timeout)
""",
            "lib/sync.py": """
  from lib import client


  def pull(url):
-     return client.request("GET", url).json()
+     return client.request("GET", url, verify=False).json()
""",
        },
        (0, 1),
    ),
    plain(
        "a local and a method of one name",
        {
            "a/x.py": """
  def x(items):
-     return len(items)
+     count = 0
+     for item in items:
+         count += item.size
+     return count
""",
            "b/y.py": """
  class Y:
      def count(self):
          return 1

-     def reset(self, items):
+     def reset(self, items, hard=False):
          self.items = items
""",
        },
    ),
]
