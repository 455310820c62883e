"""TypeScript and JavaScript commits with receivers of many kinds, related edits and others."""

from tests.runner.suites.nextedit.order.order_case import OrderCase, plain

MIXED: list[OrderCase] = [
    plain(
        "ts typed receiver two classes",
        {
            "src/pets.ts": """
  export class Cat {
-   feed(): void {}
+   feed(n: number): void {}
  }

  export class Dog {
-   feed(): void { this.bowl = []; }
+   feed(food: string, when: Date): void { this.bowl.push(food); }
  }
""",
            "src/morning.ts": """
  import { Cat } from "./pets";

  export function morning(cat: Cat) {
-   cat.feed();
+   cat.feed(2);
  }
""",
        },
        (0, 1),
    ),
    plain(
        "ts array push not own push",
        {
            "src/stack.ts": """
  export class Stack {
-   push(item: string) {
+   push(item: string, weight: number) {
      this.items.push(item);
    }
  }
""",
            "src/words.ts": """
  export function words(out: string[]) {
+   out.push("x");
    return out.length;
  }
""",
        },
    ),
    plain(
        "ts discriminated union",
        {
            "src/events.ts": """
  export type Event =
    | { kind: "open" }
+   | { kind: "resize"; width: number }
    | { kind: "close" };
""",
            "src/reduce.ts": """
  import type { Event } from "./events";

  export function reduce(event: Event) {
    switch (event.kind) {
      case "open":
        return 1;
+     case "resize":
+       return event.width;
    }
  }
""",
        },
        (0, 1),
    ),
    plain(
        "ts export list and default",
        {
            "src/api.ts": """
  function getUser() {}
+ function getTeam() {}

- export { getUser };
+ export { getUser, getTeam };
""",
            "src/page.ts": """
- import { getUser } from "./api";
+ import { getTeam, getUser } from "./api";

  export async function page() {
+   const team = await getTeam();
    return getUser();
  }
""",
        },
        (0, 1),
        (0, 2),
        (0, 3),
        (2, 3),
    ),
    plain(
        "ts hooks unrelated same state names",
        {
            "src/A.tsx": """
  export function A() {
+   const [open, setOpen] = useState(false);
    return <p />;
  }
""",
            "src/B.tsx": """
  export function B() {
    const ref = useRef(null);
+   const [open, setOpen] = useState("none");
    return <q ref={ref} />;
  }
""",
        },
        (0, 1),
    ),
    plain(
        "ts private methods same name",
        {
            "src/x.ts": """
  export class X {
-   private parse(s: string) { return s; }
+   private parse(s: string) { return s.trim(); }
  }
""",
            "src/y.ts": """
  export class Y {
-   private parse(n: number) { return n; }
+   private parse(n: number) { return n | 0; }
  }
""",
        },
    ),
    plain(
        "ts injected service",
        {
            "src/mail.service.ts": """
  export class MailService {
-   send(to: string) {}
+   send(to: string, subject: string) {}
  }
""",
            "src/signup.ts": """
  import { MailService } from "./mail.service";

  export class Signup {
    constructor(private readonly mail: MailService) {}

    run(user: User) {
-     this.mail.send(user.email);
+     this.mail.send(user.email, "Welcome");
    }
  }
""",
        },
        (0, 1),
    ),
    plain(
        "ts declare module & interface merging unrelated comments",
        {
            "src/r.ts": """
- /** Returns the lenght. */
+ /** Returns the length. */
  export const r = (s: string) => s.length;
""",
            "src/s.ts": """
  export const s = (xs: number[]) => {
-   return xs.length;
+   return xs.length + 1;
  };
""",
        },
    ),
    plain(
        "js made receiver",
        {
            "lib/pets.js": """
  class Cat {
-   feed() {}
+   feed(n) {}
  }

  class Dog {
-   feed() { this.bowl = []; }
+   feed(food, when) { this.bowl.push(food, when); }
  }

  module.exports = { Cat, Dog };
""",
            "lib/morning.js": """
  const { Cat } = require('./pets');

  const cat = new Cat();
- cat.feed();
+ cat.feed(2);
""",
        },
        (0, 1),
    ),
    plain(
        "js exports assigned later",
        {
            "lib/x.js": """
  function one() {}
+ function two() {}

  exports.one = one;
+ exports.two = two;
""",
            "lib/y.js": """
- const { one } = require('./x');
+ const { one, two } = require('./x');

- module.exports = () => one();
+ module.exports = () => one() + two();
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
        "js redux action constant",
        {
            "src/types.js": """
  export const ADD = 'ADD';
+ export const REMOVE = 'REMOVE';
""",
            "src/reducer.js": """
- import { ADD } from './types';
+ import { ADD, REMOVE } from './types';

  export default function reducer(state, action) {
    switch (action.type) {
      case ADD: return [...state, action.item];
+     case REMOVE: return state.filter((item) => item !== action.item);
      default: return state;
    }
  }
""",
        },
        (0, 1),
        (0, 2),
        (1, 2),
    ),
    plain(
        "js unrelated same param cb",
        {
            "src/m.js": """
  export function m(cb) {
-   cb();
+   cb(null);
  }
""",
            "src/n.js": """
  export function n(list, cb) {
-   list.forEach(cb);
+   list.map(cb).forEach(noop);
  }
""",
        },
    ),
    plain(
        "js a global of scripts without imports",
        {
            "public/util.js": """
- function fmt(n) { return n + '%'; }
+ function formatPercent(n) { return n + '%'; }
""",
            "public/page.js": """
  function show(n) {
-   label.text(fmt(n));
+   label.text(formatPercent(n));
  }
""",
        },
        (0, 1),
    ),
    plain(
        "js array method vs class method",
        {
            "src/tree.js": """
  export class Tree {
-   map(fn) { return fn(this); }
+   map(fn, depth) { return fn(this, depth); }
  }
""",
            "src/nums.js": """
  export const squares = () => {
-   return [1, 2, 3];
+   return [1, 2, 3].map((n) => n * n);
  };
""",
        },
    ),
    plain(
        "js two unrelated edits each in a file plus related import",
        {
            "src/a.js": """
  import { helper } from './b.js';

  export const a = () => {
-   return helper(1);
+   return helper(1, 'x');
  };
+
+ export const later = Date.now();
""",
            "src/b.js": """
- export function helper(n) {
+ export function helper(n, tag) {
    return n;
  }

- const unused = 1;
+ const spare = 2;
""",
        },
        (0, 2),
    ),
]
