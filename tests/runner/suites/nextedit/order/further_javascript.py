"""JavaScript commits about files that hand on names, objects with members, and renames."""

from tests.runner.suites.nextedit.order.order_case import OrderCase, plain

FURTHER: list[OrderCase] = [
    plain(
        "what module.exports lists is required",
        {
            "lib/calc.js": """
- const { add } = require('./math');
+ const { add, sub } = require('./math');

  module.exports = function calc(op, a, b) {
-   return add(a, b);
+   return op === '-' ? sub(a, b) : add(a, b);
  };
""",
            "lib/math.js": """
  function add(a, b) { return a + b; }
  function sub(a, b) { return a - b; }
  function use() { return sub(add(1, 2), sub(3, 4)); }

  module.exports = {
    add,
+   sub,
  };
""",
        },
        (0, 1),
        (0, 2),
        (1, 2),
    ),
    plain(
        "an export clause grows for an importer",
        {
            "lib/calc.mjs": """
- import { add } from './math.mjs';
+ import { add, sub } from './math.mjs';

  export default function calc(op, a, b) {
-   return add(a, b);
+   return op === '-' ? sub(a, b) : add(a, b);
  };
""",
            "lib/math.mjs": """
  function add(a, b) { return a + b; }
  function sub(a, b) { return a - b; }
  function use() { return sub(add(1, 2), sub(3, 4)); }

- export { add };
+ export { add, sub };
""",
        },
        (0, 1),
        (0, 2),
        (1, 2),
    ),
    plain(
        "a method is renamed in a class, its heir and a caller",
        {
            "a/list.js": """
  import { View } from './view.js';

  export class List extends View {
-   paint() {
+   render() {
      return this.items.join('');
    }
  }
""",
            "a/view.js": """
  export class View {
-   paint() {
+   render() {
      return '';
    }

    show() {
-     document.body.innerHTML = this.paint();
+     document.body.innerHTML = this.render();
    }
  }
""",
        },
        (0, 1),
        (0, 2),
        (1, 2),
    ),
    plain(
        "a module is renamed in two importers",
        {
            "app/a.js": """
- import { parseDate } from './utils.js';
+ import { parseDate } from './helpers.js';

  export const day = parseDate("1");
""",
            "app/b.js": """
  import os from 'os';
- import x, { slugifyAll } from './utils.js';
+ import x, { slugifyAll } from './helpers.js';

  export const y = x + os.sep;
""",
        },
        (0, 1),
    ),
    plain(
        "a factory's result is destructured",
        {
            "src/app.js": """
  import { makeStore } from './make.js';

- const { get } = makeStore(0);
+ const { get, reset } = makeStore(0);

  button.onclick = () => {
    log('reset reset');
    form.reset();
+   reset();
  };
""",
            "src/make.js": """
  export function makeStore(initial) {
    let state = initial;
    const get = () => state;
+   const reset = () => { state = initial; };

-   return { get };
+   return { get, reset };
  }
""",
        },
        (0, 1),
        (0, 3),
        (2, 3),
    ),
    plain(
        "a factory's result has a method",
        {
            "src/app.js": """
  import { createCounter } from './counter.js';

  const counter = createCounter();
  counter.inc();
+ show(counter.peek());
  peek.peek.peek.peek();
""",
            "src/counter.js": """
  export const createCounter = () => {
    let n = 0;
    const inc = () => { n += 1; };
    const peek = () => n;
-   return { inc };
+   return { inc, peek };
  };
""",
        },
        (0, 1),
    ),
    plain(
        "members of one library",
        {
            "src/x.js": """
+ import fs from 'node:fs';
  import path from 'node:path';

  export function x(file) {
-   return path.basename(file);
+   return fs.readFileSync(path.join('data', file));
  }
""",
            "src/y.js": """
  import path from 'node:path';

  export function y(dir) {
-   return dir + '/out';
+   return path.join(dir, 'out');
  }
""",
        },
        (0, 1),
    ),
    plain(
        "keys alike by chance",
        {
            "src/a.js": """
  export function ok(body) {
-   return { status: 200, body };
+   return { status: 200, body, done: true };
  }
""",
            "src/b.js": """
  export function check(job) {
+   if (job.done) return;
    run(job);
    // done done done
  }
""",
        },
    ),
    plain(
        "a constructor takes options",
        {
            "src/chat.js": """
  import { Socket } from './socket.js';

  export function chat(room) {
-   const socket = new Socket(`/rooms/${room}`);
+   const socket = new Socket(`/rooms/${room}`, { retries: 5 });
    return socket.open();
  }
""",
            "src/socket.js": """
  export class Socket {
-   constructor(url) {
+   constructor(url, options = {}) {
      this.url = url;
+     this.retries = options.retries ?? 3;
    }

    open() {
-     return connect(this.url);
+     return connect(this.url, this.retries);
    }
  }
""",
        },
        (0, 1),
        (0, 2),
        (1, 2),
        (2, 3),
    ),
    plain(
        "a function is listed in module.exports and called as a member",
        {
            "lib/dates.js": """
  function parse(text) {
    return new Date(text);
  }

+ function addDays(date, days) {
+   const next = new Date(date);
+   next.setDate(next.getDate() + days);
+   return next;
+ }
+
  function format(date) {
    return date.toISOString();
  }

  module.exports = {
    parse,
+   addDays,
    format,
  };
""",
            "services/loan.js": """
  const dates = require('../lib/dates');

  class LoanService {
    constructor(repo) {
      this.repo = repo;
    }

    lend(book, member) {
-     return this.repo.insert({ book, member });
+     const due = dates.addDays(new Date(), 21);
+     return this.repo.insert({ book, member, due });
    }
  }

  module.exports = LoanService;
""",
        },
        (0, 1),
        (0, 2),
        (1, 2),
    ),
    plain(
        "a module is an object of a class",
        {
            "src/bus.js": """
  const { EventEmitter } = require('events');

  class Bus extends EventEmitter {
+   publish(topic, payload) {
+     this.emit(topic, { payload, at: Date.now() });
+   }
  }

  module.exports = new Bus();
""",
            "src/orders.js": """
  const bus = require('./bus');

  function place(order) {
    save(order);
+   bus.publish('order.placed', order);
  }
""",
        },
        (0, 1),
    ),
    plain(
        "a module is a function",
        {
            "src/add.js": """
- function add(a, b) {
-   return a + b;
+ function add(...numbers) {
+   return numbers.reduce((a, b) => a + b, 0);
  }

  module.exports = add;
""",
            "src/calc.js": """
  const plus = require('./add');

- console.log(plus(1, plus(2, 3)));
+ console.log(plus(1, 2, 3));
""",
        },
        (0, 1),
    ),
    plain(
        "the console's method has the name of one of ours",
        {
            "src/a.js": """
  export function a(x) {
+   console.log(x);
    return x;
  }
""",
            "src/logger.js": """
  export class Logger {
-   log(text) {
+   log(text, level = 1) {
      this.lines.push(text);
    }
  }
""",
        },
    ),
    plain(
        "two calls of the console",
        {
            "src/a.js": """
  export function a(x) {
+   console.log(x);
    return x;
  }
""",
            "src/c.js": """
  export function c(x) {
    if (!x) {
+     console.log("no x", Date.now());
    }
  }
""",
        },
    ),
]
