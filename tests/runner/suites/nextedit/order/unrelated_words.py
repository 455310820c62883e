"""Commits whose edits have words in common and nothing else, but for the last."""

from tests.runner.suites.nextedit.order.order_case import OrderCase, plain

WORDS: list[OrderCase] = [
    plain(
        "a comment tells of another file's function",
        {
            "src/cart.ts": """
  export function addItem(item: Item) {}
+
+ export function calculateTotal(items: Item[]) {
+   return items.reduce((sum, item) => sum + item.price, 0);
+ }
""",
            "src/report.ts": """
  export function report(rows: Row[]) {
+   // The same rounding as in calculateTotal.
    return rows.map(round);
  }
""",
        },
    ),
    plain(
        "a message tells of another file's function",
        {
            "a.py": """
  def load_config(path):
-     return parse(path)
+     return parse(path) or {}
+
+
+ def save_config(path, config):
+     write(path, config)
""",
            "b.py": """
  def fail(reason):
-     raise SystemExit(reason)
+     raise SystemExit(f"cannot go on: {reason}; call save_config first")
""",
        },
    ),
    plain(
        "a comment and a log tell of another file's method",
        {
            "a/A.java": """
  package a;

  public class A {
+     public void refreshCache() {
+         cache.clear();
+     }
  }
""",
            "b/B.java": """
  package b;

  class B {
      void go() {
+         // Do not use refreshCache here
-         log.info("go");
+         log.info("refreshCache is not needed");
      }
  }
""",
        },
    ),
    plain(
        "a comment tells of another package's function",
        {
            "a/a.go": """
  package a

+ func ParseHeader(s string) Header {
+     return Header{s}
+ }
""",
            "b/b.go": """
  package b

- // Body of a message.
+ // Body of a message, without what ParseHeader takes.
  type Body string
""",
        },
    ),
    plain(
        "parameters of one name",
        {
            "a.py": """
  def a(path):
+     check(path)
      return 1
""",
            "b.py": """
  def b(path, mode):
-     return mode
+     return mode + len(path)
""",
        },
    ),
    plain(
        "parameters of one name in scripts",
        {
            "a.js": """
  export function send(to, body) {
+   log('sending', to);
    return post(body);
  }
""",
            "b.js": """
  export function copy(from, to) {
+   if (exists(to)) throw new Error('exists');
    return cp(from);
  }
""",
        },
    ),
    plain(
        "parameters of one name in packages",
        {
            "a/a.go": """
  package a

  func Send(to string, body string) error {
+     log.Println("sending", to)
      return post(body)
  }
""",
            "b/b.go": """
  package b

  func Copy(from, to string) error {
+     if exists(to) {
+         return ErrExists
+     }
      return cp(from)
  }
""",
        },
    ),
    plain(
        "functions of one name from two modules",
        {
            "a.js": """
  const { render } = require('./a-view');

  module.exports = function a(x) {
-   return x;
+   return render(x);
  };
""",
            "b.js": """
  const { render } = require('../vendor/markdown');

  module.exports = function b(text, opts) {
-   return text;
+   return render(text, opts.flavour);
  };
""",
        },
    ),
    plain(
        "types of one name from two packages",
        {
            "a/a.go": """
  package a

  import "example.com/x/user"

- func A(id int) {
+ func A(id int, c user.Config) {
  }
""",
            "b/b.go": """
  package b

  import "example.com/x/mail"

- func B() {
+ func B(c mail.Config) error {
+     return nil
  }
""",
        },
    ),
    plain(
        "a docstring tells of its function's parameter",
        {
            "a.py": """
  def f(rows, max_rows=3):
-     '''Take rows.'''
+     '''Take rows, at most max_rows.'''
      x = 1
      y = 2
-     return rows
+     return rows[:max_rows]
""",
            "b.py": """
- a = 1
+ a = 2
""",
        },
        (0, 1),
    ),
]
