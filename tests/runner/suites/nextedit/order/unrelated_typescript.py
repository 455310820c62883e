"""TypeScript commits whose edits have names or words in common by chance, and nothing else."""

from tests.runner.suites.nextedit.order.order_case import OrderCase, plain

UNRELATED: list[OrderCase] = [
    plain(
        "comments strings",
        {
            "src/c.ts": """
+ // handles unicode normalization
  export const c = 1;
""",
            "src/d.ts": """
  export function usage() {
-   return "usage";
+   return "unicode normalization";
  }
""",
        },
    ),
    plain(
        "same method unrelated classes",
        {
            "src/e.ts": """
  export class Timer {
+   stop(): void {
+     clearInterval(this.handle);
+   }
  }
""",
            "src/f.ts": """
  export class Engine {
+   stop(): void {
+     this.fuel = 0;
+     this.emit("halt", Date.now());
+   }
  }
""",
        },
    ),
    plain(
        "unrelated edits",
        {
            "src/g.ts": """
  export const area = (w: number, h: number) =>
-   w + h;
+   w * h;
""",
            "src/h.ts": """
  export function home(): string {
-   return process.env.HOME ?? "/";
+   return process.env.HOME ?? "/root";
  }
""",
        },
    ),
    plain(
        "generic T in both",
        {
            "src/i.ts": """
- export function first(xs: any[]) {
+ export function first<T>(xs: T[]): T {
    return xs[0];
  }
""",
            "src/j.ts": """
- export const wrap = (x: any) => [x];
+ export const wrap = <T>(x: T) => [x];
""",
        },
    ),
    plain(
        "same library function",
        {
            "src/a.ts": """
  export function area(r: number) {
-   return 3 * r * r;
+   return Math.PI * r * r;
  }
""",
            "src/b.ts": """
  export function clamp(x: number) {
-   return x > 1 ? 1 : x;
+   return Math.min(1, x);
  }
""",
        },
    ),
    plain(
        "inline types with the same prop",
        {
            "src/a.tsx": """
- export function Header({ title }: { title: string }) {
+ export function Header({ title, width }: { title: string; width: number }) {
    return title;
  }
""",
            "src/b.ts": """
- export function box(opts: { height: number }) {
+ export function box(opts: { height: number; width: string }) {
    return opts.height;
  }
""",
        },
    ),
    plain(
        "generic constraint & keyof with unrelated edits",
        {
            "src/k.ts": """
- export function pick(o: any, k: string) {
+ export function pick<T, K extends keyof T>(o: T, k: K) {
    return o[k];
  }
""",
            "src/l.ts": """
  export const KEYS = ["a"];
- export const size = KEYS.length;
+ export const size = KEYS.length + 1;
""",
        },
    ),
    plain(
        "callback param names in both",
        {
            "src/m.ts": """
  export const evens = (xs: number[]) =>
-   xs;
+   xs.filter((item) => item % 2 === 0);
""",
            "src/n.ts": """
  export const names = (users: User[]) =>
-   users;
+   users.map((item) => item.name);
""",
        },
    ),
    plain(
        "declared const same name in two files",
        {
            "src/o.ts": """
- const LIMIT = 5;
+ const LIMIT = 6;
  export const o = () => LIMIT;
""",
            "src/p.ts": """
- const LIMIT = "x".length;
+ const LIMIT = "xyz".length + 1;
  export const p = () => LIMIT * 2;
""",
        },
    ),
]
