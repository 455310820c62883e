"""JavaScript commits in which edits are related, a second sheaf."""

from tests.runner.suites.nextedit.order.order_case import OrderCase, plain

RELATED: list[OrderCase] = [
    plain(
        "require property access",
        {
            "lib/k.js": """
- module.exports.open = function (p) {};
+ module.exports.openFile = function (p) {};
""",
            "lib/l.js": """
- const open = require('./k').open;
+ const openFile = require('./k').openFile;

  function main() {
-   open('x');
+   openFile('x');
  }
""",
        },
        (0, 1),
        (0, 2),
        (1, 2),
    ),
    plain(
        "re-export all",
        {
            "src/all.js": """
  export * from './m.js';
+ export * from './n.js';
""",
            "src/n.js": """
+ export const n = 14;
""",
        },
        (0, 1),
    ),
    plain(
        "dynamic import",
        {
            "src/heavy.js": """
- export function crunch(x) {
+ export function crunch(x, depth) {
    return x;
  }
""",
            "src/lazy.js": """
  export async function lazy(x) {
    const { crunch } = await import('./heavy.js');
-   return crunch(x);
+   return crunch(x, 3);
  }
""",
        },
        (0, 1),
    ),
    plain(
        "module.exports object property changes",
        {
            "lib/a.js": """
  module.exports = {
    one() { return 1; },
-   two() { return 2; },
+   double() { return 2; },
  };
""",
            "lib/b.js": """
  const a = require('./a');

- console.log(a.two());
+ console.log(a.double());
""",
        },
        (0, 1),
    ),
    plain(
        "renamed require destructuring",
        {
            "lib/c.js": """
- exports.parse = (s) => s;
+ exports.parse = (s, strict) => s;
""",
            "lib/d.js": """
  const { parse: read } = require('./c');

- module.exports = (s) => read(s);
+ module.exports = (s) => read(s, true);
""",
        },
        (0, 1),
    ),
    plain(
        "class field and getter",
        {
            "src/player.js": """
  export class Player {
    #score = 0;
+   get score() { return this.#score; }
  }
""",
            "src/hud.js": """
  export function draw(player) {
-   text('?');
+   text(player.score);
  }
""",
        },
        (0, 1),
    ),
    plain(
        "class extends and super",
        {
            "src/animal.js": """
  export class Animal {
-   speak() { return ''; }
+   speak(volume) { return ''; }
  }
""",
            "src/dog.js": """
  import { Animal } from './animal.js';

  export class Dog extends Animal {
-   speak() { return 'wuff'; }
+   speak(volume) { return 'wuff'.repeat(volume); }
  }
""",
        },
        (0, 1),
    ),
    plain(
        "event emitter string key",
        {
            "src/bus.js": """
  export function save(bus) {
    store();
+   bus.emit('saved');
  }
""",
            "src/toast.js": """
  export function listen(bus) {
+   bus.on('saved', () => toast('ok'));
  }
""",
        },
        (0, 1),
    ),
    plain(
        "default export object",
        {
            "src/routes.js": """
  export default {
    home: '/',
+   about: '/about',
  };
""",
            "src/nav.js": """
  import routes from './routes.js';

  export const links = [
    routes.home,
+   routes.about,
  ];
""",
        },
        (0, 1),
    ),
    plain(
        "new file required",
        {
            "lib/retry.js": """
+ module.exports = async function retry(fn, n) {
+   while (n-- > 0) {
+     try { return await fn(); } catch (e) { last = e; }
+   }
+ };
""",
            "lib/http.js": """
  const net = require('net');
+ const retry = require('./retry');

  exports.get = (url) => {
-   return fetch(url);
+   return retry(() => fetch(url), 3);
  };
""",
        },
        (0, 1),
        (0, 2),
        (1, 2),
    ),
]
