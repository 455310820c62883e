"""JavaScript commits in which edits are related, as an outsider would write them."""

from tests.runner.suites.nextedit.order.order_case import OrderCase, plain

RELATED: list[OrderCase] = [
    plain(
        "module.exports fn & require destructure rename",
        {
            "lib/slug.js": """
- function slug(s) {
+ function slugify(s) {
    return s.toLowerCase();
  }

- module.exports = { slug };
+ module.exports = { slugify };
""",
            "lib/post.js": """
- const { slug } = require('./slug');
+ const { slugify } = require('./slug');

  exports.url = (post) => {
-   return '/' + slug(post.title);
+   return '/' + slugify(post.title);
  };
""",
        },
        (0, 1),
        (0, 2),
        (0, 3),
        (1, 2),
        (2, 3),
        (1, 3),
    ),
    plain(
        "require whole module",
        {
            "lib/log.js": """
- exports.write = (m) => console.log(m);
+ exports.print = (m) => console.log(m);
""",
            "bin/run.js": """
  const log = require('../lib/log');

- log.write('start');
+ log.print('start');
""",
        },
        (0, 1),
    ),
    plain(
        "module.exports = function",
        {
            "lib/add.js": """
- module.exports = function (a, b) {
-   return a + b;
+ module.exports = function (a, b, c) {
+   return a + b + c;
  };
""",
            "lib/calc.js": """
  const add = require('./add');

  function calc() {
-   return add(1, 2);
+   return add(1, 2, 3);
  }
""",
        },
        (0, 1),
    ),
    plain(
        "same locals",
        {
            "a.js": """
  function a(xs) {
+   const seen = new Set();
    xs.sort();
+   return seen;
  }
""",
            "b.js": """
  function b(text) {
    check(text);
+   let seen = 0;
    done();
  }
""",
        },
        (0, 1),
    ),
    plain(
        "class method rename",
        {
            "src/cart.js": """
  export class Cart {
-   sum() {
+   total() {
      return 1;
    }
  }
""",
            "src/view.js": """
  import { Cart } from './cart.js';

  export const show = (cart) => {
-   print(cart.sum());
+   print(cart.total());
  };
""",
        },
        (0, 1),
    ),
    plain(
        "default import function",
        {
            "src/fmt.js": """
- export default function (d) {
+ export default function (d, locale) {
    return d.toString();
  }
""",
            "src/row.js": """
  import fmt from './fmt';

- export const row = (d) => fmt(d);
+ export const row = (d) => fmt(d, 'de');
""",
        },
        (0, 1),
    ),
    plain(
        "exported const object key used",
        {
            "src/keys.js": """
  export const KEYS = {
    up: 38,
+   down: 40,
  };
""",
            "src/game.js": """
  import { KEYS } from './keys.js';

  export function move(code) {
    if (code === KEYS.up) return -1;
+   if (code === KEYS.down) return 1;
    return 0;
  }
""",
        },
        (0, 1),
    ),
    plain(
        "prototype method",
        {
            "old/q.js": """
  function Queue() {}

+ Queue.prototype.peek = function () {
+   return this.items[0];
+ };
""",
            "old/w.js": """
  function work(queue) {
-   return queue.shift();
+   return queue.peek();
  }
""",
        },
        (0, 1),
    ),
    plain(
        "namespace import",
        {
            "src/geo.js": """
- export function dist(a, b) {
+ export function distance(a, b) {
    return Math.hypot(a.x - b.x);
  }
""",
            "src/map.js": """
  import * as geo from './geo.js';

  export function near(a, b) {
-   return geo.dist(a, b) < 5;
+   return geo.distance(a, b) < 5;
  }
""",
        },
        (0, 1),
    ),
    plain(
        "jsx component prop",
        {
            "src/Icon.jsx": """
- export function Icon({ name }) {
-   return <i className={name} />;
+ export function Icon({ name, size }) {
+   return <i className={name} style={{ width: size }} />;
  }
""",
            "src/Bar.jsx": """
  import { Icon } from './Icon';

  export const Bar = () => (
-   <Icon name="home" />
+   <Icon name="home" size={12} />
  );
""",
        },
        (0, 1),
    ),
]
