"""JavaScript commits whose edits have names or words in common by chance, and nothing else."""

from tests.runner.suites.nextedit.order.order_case import OrderCase, plain

UNRELATED: list[OrderCase] = [
    plain(
        "comment words",
        {
            "c.js": """
+ // uses quadratic probing
  var c = 1;
""",
            "d.js": """
  var d = [
-   'linear',
+   'quadratic probing',
  ];
""",
        },
    ),
    plain(
        "unrelated methods same name",
        {
            "e.js": """
  class E {
+   init() {
+     this.e = 1;
+   }
  }
""",
            "f.js": """
  class F {
    start() {}
+   init() {
+     return fetch('/f').then((r) => r.json());
+   }
  }
""",
        },
    ),
    plain(
        "unrelated",
        {
            "g.js": """
  exports.half = (n) => {
-   return n * 0.5;
+   return n / 2;
  };
""",
            "h.js": """
  exports.greet = (who) => {
-   return 'hi ' + who;
+   return `hi ${who}`;
  };
""",
        },
    ),
    plain(
        "event names unrelated callback param",
        {
            "i.js": """
  on('a', (event) => {
+   event.preventDefault();
    go();
  });
""",
            "j.js": """
  function track(event) {
-   send(event.id);
+   send(event.id, event.time);
  }
""",
        },
    ),
    plain(
        "same global function",
        {
            "a.js": """
  function a(ms) {
-   go();
+   setTimeout(go, ms);
  }
""",
            "b.js": """
  const b = () => {
    lock();
+   setTimeout(unlock, 1000);
  };
""",
        },
    ),
    plain(
        "unrelated same-name consts",
        {
            "e.js": """
- const url = '/a';
+ const url = '/a/b';
  get(url);
""",
            "f.js": """
  function f(host) {
-   const url = host;
+   const url = new URL(host);
    return url;
  }
""",
        },
    ),
    plain(
        "unrelated callbacks with err",
        {
            "g.js": """
  fs.readFile('x', (err, data) => {
+   if (err) throw err;
    use(data);
  });
""",
            "h.js": """
  db.query('select 1', (err, rows) => {
    log(rows);
+   done(err, rows);
  });
""",
        },
    ),
    plain(
        "object literal keys alike by chance",
        {
            "i.js": """
  exports.style = {
    color: 'red',
+   width: 10,
  };
""",
            "j.js": """
  exports.request = {
    url: '/',
+   timeout: 5,
  };
""",
        },
    ),
]
