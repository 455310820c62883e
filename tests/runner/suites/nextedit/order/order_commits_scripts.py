"""TypeScript and JavaScript commits whose related edits are known."""

from tests.runner.suites.nextedit.order.order_case import (
    CLONE,
    DEFINES,
    IMPORTS,
    MOVE,
    NEIGHBOUR,
    RARE_NAME,
    OrderCase,
)

TYPESCRIPT = [
    OrderCase(
        "an interface gets a property that is made and read",
        {
            "src/session.ts": """
  export interface Session {
    user: string;
+   expires: number;
  }

  export function begin(user: string): Session {
-   return { user };
+   return { user, expires: Date.now() + 3600 };
  }
""",
            "src/view.ts": """
  import { Session } from "./session";

  export function render(session: Session): string {
-   return session.user;
+   return `${session.user} until ${session.expires}`;
  }
""",
        },
        {(0, 1): DEFINES, (0, 2): DEFINES, (1, 2): RARE_NAME},
    ),
    OrderCase(
        "an exported function, its import and its call",
        {
            "src/index.ts": """
  import { load } from "./load";
+ import { slugify } from "./text/slug";

  const title = load();
- console.log(title.toLowerCase());
+ console.log(slugify(title));
""",
            "src/text/slug.ts": """
+ export function slugify(title: string): string {
+   return title.toLowerCase().replace(/\\W+/g, "-");
+ }
""",
        },
        {(0, 1): IMPORTS, (0, 2): DEFINES, (1, 2): DEFINES},
    ),
    OrderCase(
        "an enum member and the case that handles it",
        {
            "src/kinds.ts": """
  export enum Kind {
    Circle,
    Square,
+   Triangle,
  }
""",
            "src/area.ts": """
  import { Kind } from "./kinds";

  export function corners(kind: Kind): number {
    switch (kind) {
      case Kind.Circle:
        return 0;
+     case Kind.Triangle:
+       return 3;
      default:
        return 4;
    }
  }
""",
        },
        {(0, 1): DEFINES},
    ),
    OrderCase(
        "a class takes a logger and a caller hands it one",
        {
            "src/queue.ts": """
  export class Queue {
-   constructor(private readonly size: number) {}
+   constructor(private readonly size: number, private readonly logger: Logger) {}

    push(item: string): void {
+     this.logger.info(item);
      this.items.push(item);
    }
  }
""",
            "src/run.ts": """
  import { Queue } from "./queue";

- const queue = new Queue(10);
+ const queue = new Queue(10, console);
""",
        },
        {(0, 1): DEFINES, (0, 2): DEFINES},
    ),
    OrderCase(
        "two stores reset in the same words",
        {
            "src/stores/cart.ts": """
  export class CartStore {
    clear(): void {
+     this.loading = false;
+     this.failure = undefined;
      this.items = [];
    }
  }
""",
            "src/stores/user.ts": """
  export class UserStore {
    leave(): void {
+     this.loading = false;
+     this.failure = undefined;
      this.user = null;
    }
  }

- // nothing hear yet
+ // nothing here yet
""",
        },
        {(0, 1): CLONE},
    ),
    OrderCase(
        "a type alias narrows a parameter in two files",
        {
            "src/levels.ts": """
+ export type Level = "low" | "high";
+
- export function weigh(level: string): number {
+ export function weigh(level: Level): number {
    return level === "high" ? 2 : 1;
  }
""",
            "src/panel.ts": """
- import { weigh } from "./levels";
+ import { Level, weigh } from "./levels";

- export const paint = (level: string): number => weigh(level) * 10;
+ export const paint = (level: Level): number => weigh(level) * 10;
""",
        },
        {(0, 1): DEFINES, (0, 2): DEFINES, (1, 2): IMPORTS},
    ),
]

JAVASCRIPT = [
    OrderCase(
        "a function is exported, required and called",
        {
            "lib/dates.js": """
  const day = 86400000;

+ function addDays(date, count) {
+   return new Date(date.getTime() + count * day);
+ }

- module.exports = { day };
+ module.exports = { addDays, day };
""",
            "lib/trial.js": """
- const { day } = require('./dates');
+ const { addDays } = require('./dates');

  function trialEnd(start) {
-   return new Date(start.getTime() + 14 * day);
+   return addDays(start, 14);
  }
""",
        },
        {(0, 1): DEFINES, (0, 2): DEFINES, (0, 3): DEFINES, (2, 3): IMPORTS},
    ),
    OrderCase(
        "an option is destructured and given",
        {
            "src/client.js": """
- export function request(url, { method = 'GET' }) {
+ export function request(url, { method = 'GET', retries = 0 }) {
    const options = { method };
-   return fetch(url, options);
+   return again(() => fetch(url, options), retries);
  }
""",
            "src/main.js": """
  import { request } from './client.js';

  export function start() {
-   return request('/start', { method: 'POST' });
+   return request('/start', { method: 'POST', retries: 3 });
  }
""",
        },
        {(0, 1): DEFINES, (0, 2): DEFINES, (1, 2): RARE_NAME},
    ),
    OrderCase(
        "a method and the handler that calls it",
        {
            "src/list.js": """
  export class List {
    add(item) {
      this.items.push(item);
    }
+
+   remove(item) {
+     this.items.splice(this.items.indexOf(item), 1);
+   }
  }
""",
            "src/page.js": """
  export function bind(list, button) {
    button.add.onclick = () => list.add('x');
+   button.less.onclick = () => list.remove('x');
  }
""",
        },
        {(0, 1): DEFINES},
    ),
    OrderCase(
        "a default import changes its name in two uses",
        {
            "src/math.js": """
- export default function avg(values) {
+ export default function mean(values) {
    return values.reduce((a, b) => a + b, 0) / values.length;
  }
""",
            "src/stats.js": """
- import avg from './math';
+ import mean from './math';

  export const summary = (values) => ({
-   centre: avg(values),
+   centre: mean(values),
    size: values.length,
  });
""",
        },
        {(0, 1): DEFINES, (0, 2): DEFINES, (1, 2): IMPORTS},
    ),
    OrderCase(
        "two tests gain the same line, a third file's typo does not matter",
        {
            "test/read.test.js": """
  describe('read', () => {
+   afterEach(() => restoreClock());
    it('reads', () => {});
  });
""",
            "test/write.test.js": """
- // Tests of writting.
+ // Tests of writing.
  describe('write', () => {
    const target = open();
+   afterEach(() => restoreClock());
    it('writes', () => {});
  });
""",
        },
        {(0, 2): CLONE},
    ),
    OrderCase(
        "a constant moves into a file of its own",
        {
            "src/app.js": """
+ import { ROUTES } from './routes';
  import { start } from './start';

- const ROUTES = ['/home', '/about', '/contact'];
-
  start(ROUTES);
""",
            "src/routes.js": """
+ export const ROUTES = ['/home', '/about', '/contact'];
""",
        },
        {(0, 1): NEIGHBOUR, (0, 2): DEFINES, (1, 2): MOVE},
    ),
]
