"""TypeScript commits in which edits are related, as an outsider would write them."""

from tests.runner.suites.nextedit.order.order_case import OrderCase, plain

RELATED: list[OrderCase] = [
    plain(
        "exported const",
        {
            "src/config.ts": """
+ export const PAGE_SIZE = 25;
  export const TITLE = "x";
""",
            "src/list.ts": """
- import { TITLE } from "./config";
+ import { PAGE_SIZE, TITLE } from "./config";

  export function page(items: string[]) {
-   return items.slice(0, 10);
+   return items.slice(0, PAGE_SIZE);
  }
""",
        },
        (0, 1),
        (0, 2),
        (1, 2),
    ),
    plain(
        "namespace import",
        {
            "src/math.ts": """
- export function add(a: number, b: number) {
+ export function plus(a: number, b: number) {
    return a + b;
  }
""",
            "src/main.ts": """
  import * as math from "./math";

- console.log(math.add(1, 2));
+ console.log(math.plus(1, 2));
""",
        },
        (0, 1),
    ),
    plain(
        "default export class renamed",
        {
            "src/button.tsx": """
- export default class Btn {
+ export default class Button {
    render() { return null; }
  }
""",
            "src/form.tsx": """
- import Btn from "./button";
+ import Button from "./button";

  export const Form = () => (
    <div>
-     <Btn />
+     <Button />
    </div>
  );
""",
        },
        (0, 1),
        (0, 2),
        (1, 2),
    ),
    plain(
        "locals same name",
        {
            "src/a.ts": """
  export function a(list: number[]) {
+   const result = list.map(double);
    log(list);
+   return result;
  }
""",
            "src/b.ts": """
  export function b(name: string) {
    trim(name);
+   const result = lookup(name, "en");
    return 1;
  }
""",
        },
        (0, 1),
    ),
    plain(
        "interface prop required",
        {
            "src/types.ts": """
  export interface Options {
    verbose?: boolean;
+   color: string;
  }
""",
            "src/run.ts": """
  import type { Options } from "./types";

  export function run(options: Options) {
-   start();
+   start(options.color);
  }
""",
        },
        (0, 1),
    ),
    plain(
        "enum rename",
        {
            "src/status.ts": """
- export enum Status { Open, Done }
+ export enum State { Open, Done }
""",
            "src/task.ts": """
- import { Status } from "./status";
+ import { State } from "./status";

  export class Task {
-   status = Status.Open;
+   status = State.Open;
  }
""",
        },
        (0, 1),
        (0, 2),
        (1, 2),
    ),
    plain(
        "type alias union used",
        {
            "src/theme.ts": """
- export type Theme = "light" | "dark";
+ export type Theme = "light" | "dark" | "sepia";
""",
            "src/page.ts": """
  import { Theme } from "./theme";

  export function background(theme: Theme): string {
    switch (theme) {
+     case "sepia":
+       return "#f4ecd8";
      default:
        return "#fff";
    }
  }
""",
        },
        (0, 1),
    ),
    plain(
        "renamed import",
        {
            "src/net.ts": """
- export async function get(url: string) {
+ export async function get(url: string, retries: number) {
    return fetch(url);
  }
""",
            "src/app.ts": """
  import { get as load } from "./net";

  export const boot = async () => {
-   await load("/boot");
+   await load("/boot", 3);
  };
""",
        },
        (0, 1),
    ),
    plain(
        "abstract method",
        {
            "src/base.ts": """
  export abstract class Job {
-   abstract run(): void;
+   abstract run(signal: AbortSignal): void;
  }
""",
            "src/mail.ts": """
  import { Job } from "./base";

  export class MailJob extends Job {
-   run(): void {
+   run(signal: AbortSignal): void {
      send();
    }
  }
""",
        },
        (0, 1),
    ),
    plain(
        "re-export index",
        {
            "src/index.ts": """
  export { one } from "./one";
+ export { two } from "./two";
""",
            "src/two.ts": """
+ export function two(): number {
+   return 2;
+ }
""",
        },
        (0, 1),
    ),
]
