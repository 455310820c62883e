"""Commits in which modules are taken in other ways than by an import of names."""

from tests.runner.suites.nextedit.order.order_case import OrderCase, plain

MODULES: list[OrderCase] = [
    plain(
        "a function is exported by another name",
        {
            "a.js": """
  function inner() {}
+ function outer() { inner(); }

- export { inner };
+ export { inner, outer as wrap };
""",
            "b.js": """
- import { inner } from './a.js';
+ import { inner, wrap } from './a.js';

  inner();
+ wrap();
""",
        },
        (0, 1),
        (2, 3),
    ),
    plain(
        "a default export gets a name on the way",
        {
            "chip.js": """
+ export default class Chip {
+   render() { return 'chip'; }
+ }
""",
            "index.js": """
  export { default as Button } from './button.js';
+ export { default as Chip } from './chip.js';
""",
        },
        (0, 1),
    ),
    plain(
        "a module is passed on as a whole",
        {
            "src/index.ts": """
  export * as text from "./text";
+ export * as math from "./math";
""",
            "src/math.ts": """
+ export const half = (n: number) => n / 2;
""",
        },
        (0, 1),
    ),
    plain(
        "a module is imported where it is needed",
        {
            "a.js": """
- export function heavy(x) {}
+ export function heavy(x, y) {}
""",
            "b.js": """
  button.onclick = () => {
-   import('./a.js').then(({ heavy }) => heavy(1));
+   import('./a.js').then(({ heavy }) => heavy(1, 2));
  };
""",
        },
        (0, 1),
    ),
    plain(
        "a module is one function, the old way",
        {
            "a.ts": """
- function greet(name: string) {}
+ function greet(name: string, polite: boolean) {}
  export = greet;
""",
            "b.ts": """
  import greet = require("./a");

- greet("x");
+ greet("x", true);
""",
        },
        (0, 1),
    ),
    plain(
        "a function of a namespace",
        {
            "a.ts": """
  export namespace Geo {
-   export function dist(a: P, b: P) {}
+   export function dist(a: P, b: P, round = false) {}
  }
""",
            "b.ts": """
  import { Geo } from "./a";

- const d = Geo.dist(p, q);
+ const d = Geo.dist(p, q, true);
""",
        },
        (0, 1),
    ),
    plain(
        "a module is a class",
        {
            "a.js": """
  module.exports = class Shape {
-   area() { return 0; }
+   area(unit) { return unit; }
  };
""",
            "b.js": """
  const Shape = require('./a');

  const s = new Shape();
- s.area();
+ s.area('m');
""",
        },
        (0, 1),
    ),
    plain(
        "a module is required in a call",
        {
            "app.js": """
  const app = require('express')();

  app.use('/users', require('./routes/users'));
+ app.use('/tags', require('./routes/tags'));
""",
            "routes/tags.js": """
+ const router = require('express').Router();
+ router.get('/', list);
+ module.exports = router;
""",
        },
        (0, 1),
    ),
    plain(
        "a module is imported by a function",
        {
            "src/pages/Help.jsx": """
+ export default function Help() {
+   return <h1>Help</h1>;
+ }
""",
            "src/routes.jsx": """
  import { lazy } from 'react';

  export const pages = {
    home: lazy(() => import('./pages/Home')),
+   help: lazy(() => import('./pages/Help')),
  };
""",
        },
        (0, 1),
    ),
    plain(
        "a module is imported for what it does",
        {
            "src/main.ts": """
+ import "./polyfill";
  import { start } from "./start";

  start();
""",
            "src/polyfill.ts": """
+ if (!Array.prototype.at) {
+   Array.prototype.at = function (i) { return this[i]; };
+ }
""",
        },
        (0, 1),
    ),
    plain(
        "a package is imported for what it does",
        {
            "drivers/pg/pg.go": """
+ package pg
+
+ func init() {
+     open("pg")
+ }
""",
            "main.go": """
  package main

  import (
      _ "example.com/drivers/lite"
+     _ "example.com/drivers/pg"
  )

  func main() {
-     _ = run()
+     _ = run("pg")
  }
""",
        },
        (0, 1),
        (1, 2),
    ),
    plain(
        "a member of a module that is required on the spot",
        {
            "lib/id.js": """
  exports.old = () => 1;
+ exports.next = () => 2;
""",
            "lib/use.js": """
  function make() {
-   return require('./id').old();
+   return require('./id').next();
  }
""",
        },
        (0, 1),
    ),
]
