"""Commits in many languages whose edits name members alike of things that have nothing to do with each other."""

from tests.runner.suites.nextedit.order.order_case import OrderCase, plain

MEMBERS: list[OrderCase] = [
    plain(
        "two things are closed",
        {
            "a/a.go": """
  package a

  import "os"

  func read(p string) []byte {
      f, err := os.Open(p)
      check(err)
+     defer f.Close()
      return all(f)
  }
""",
            "b/b.go": """
  package b

  import "net"

  func ping(addr string) {
      connection, err := net.Dial("tcp", addr)
      check(err)
      write(connection)
+     if err := connection.Close(); err != nil {
+         panic(err)
+     }
  }
""",
        },
    ),
    plain(
        "two texts are stripped",
        {
            "a/a.py": """
  def a(rows):
      out = []
      for row in rows:
-         out.append(row)
+         out.append(row.strip())
      return out
""",
            "b/b.py": """
  def b(path):
      text = open(path).read()
-     return text
+     return text.strip().split(",")
""",
        },
    ),
    plain(
        "two lists are filtered",
        {
            "a.ts": """
  export const a = (xs: number[]) => {
-   return xs;
+   return xs.filter((x) => x > 0);
  };
""",
            "b.ts": """
  export function b(users: User[]) {
-   return users.length;
+   return users.filter((user) => user.active).length;
  }
""",
        },
    ),
    plain(
        "two streams are filtered",
        {
            "a/A.java": """
  package a;

  import java.util.List;

  class A {
      List<Integer> a(List<Integer> xs) {
-         return xs;
+         return xs.stream().filter(x -> x > 0).toList();
      }
  }
""",
            "b/B.java": """
  package b;

  import java.util.List;

  class B {
      long b(List<User> users) {
-         return users.size();
+         return users.stream().filter(User::active).count();
      }
  }
""",
        },
    ),
    plain(
        "two things have a scale",
        {
            "a.js": """
  export function a(box) {
-   return box.w;
+   return box.w * box.scale;
  }
""",
            "b.js": """
  export function b(chart, n) {
+   chart.scale = n;
    chart.draw();
  }
""",
        },
    ),
    plain(
        "two errors are made by one library",
        {
            "a/a.go": """
  package a

  import (
      "fmt"
      "os"
  )

  func Load(path string) (*Config, error) {
      data, err := os.ReadFile(path)
      if err != nil {
-         return nil, err
+         return nil, fmt.Errorf("load config: %w", err)
      }
      return parse(data)
  }
""",
            "b/b.go": """
  package b

  import (
      "fmt"
      "os"
  )

  func Save(c *Config, path string) error {
      data := encode(c)
+     if len(data) == 0 {
+         return fmt.Errorf("empty config %q", path)
+     }
      return os.WriteFile(path, data, 0o644)
  }
""",
        },
    ),
    plain(
        "two classes log",
        {
            "a/A.java": """
  package a;

  import org.slf4j.Logger;
  import org.slf4j.LoggerFactory;

  class A {
      private static final Logger log = LoggerFactory.getLogger(A.class);

      void a() {
+         log.info("starting a");
          start();
      }
  }
""",
            "b/B.java": """
  package b;

  import org.slf4j.Logger;
  import org.slf4j.LoggerFactory;

  class B {
      private static final Logger log = LoggerFactory.getLogger(B.class);

      void b(int n) {
          run(n);
+         log.info("{} runs are over by now", n);
      }
  }
""",
        },
    ),
    plain(
        "two modules log",
        {
            "a/a.py": """
  import logging

  logger = logging.getLogger(__name__)


  def a():
+     logger.info("starting a")
      start()
""",
            "b/b.py": """
  import logging

  logger = logging.getLogger(__name__)


  def b(n):
      run(n)
+     logger.info("%s runs are over by now", n)
""",
        },
    ),
    plain(
        "two services save",
        {
            "a.ts": """
  export class UserService {
    constructor(private repo: UserRepo) {}

    rename(user: User, name: string) {
      user.name = name;
+     this.repo.save(user);
    }
  }
""",
            "b.ts": """
  export class OrderService {
    constructor(private orders: OrderRepo) {}

    close(id: string) {
      const order = this.orders.find(id);
-     order.state = "closed";
+     this.orders.save({ ...order, state: "closed" });
    }
  }
""",
        },
    ),
    plain(
        "two handlers answer",
        {
            "a.js": """
  router.get('/a', (req, res) => {
-   res.send(list());
+   res.json(list());
  });
""",
            "b.js": """
  app.post('/b', async (request, response) => {
    await save(request.body);
-   response.end();
+   response.json({ ok: true });
  });
""",
        },
    ),
    plain(
        "a key of a library and a field of ours",
        {
            "a/a.go": """
  package a

  import "net/http"

  func A() *http.Server {
-     return &http.Server{}
+     return &http.Server{Addr: ":80", Handler: mux()}
  }
""",
            "b/b.go": """
  package b

  type Mail struct{ To, Addr string }

  func B(m Mail) string {
-     return m.To
+     return m.To + "<" + m.Addr + ">"
  }
""",
        },
    ),
    plain(
        "a key and a member of its name",
        {
            "controllers/login.js": """
  const User = require('../models/user');

  exports.login = async (req, res) => {
    const user = await User.findOne({ name: req.body.name });
+   user.lastLogin = new Date();
+   await user.save();
    res.json({ ok: true });
  };
""",
            "models/user.js": """
  const mongoose = require('mongoose');

  const userSchema = new mongoose.Schema({
    name: String,
+   lastLogin: Date,
  });

  module.exports = mongoose.model('User', userSchema);
""",
        },
        (0, 1),
    ),
]
