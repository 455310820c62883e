"""TypeScript commits in which edits are related, a second sheaf."""

from tests.runner.suites.nextedit.order.order_case import OrderCase, plain

RELATED: list[OrderCase] = [
    plain(
        "static member",
        {
            "src/reg.ts": """
  export class Registry {
-   static instance = new Registry();
+   static shared = new Registry();
  }
""",
            "src/use.ts": """
  import { Registry } from "./reg";

- Registry.instance.load();
+ Registry.shared.load();
""",
        },
        (0, 1),
    ),
    plain(
        "destructured param vs other",
        {
            "src/card.tsx": """
- export function Card({ title }: { title: string }) {
-   return <h1>{title}</h1>;
+ export function Card({ title, badge }: { title: string; badge: number }) {
+   return <h1>{title} {badge}</h1>;
  }
""",
            "src/grid.tsx": """
  import { Card } from "./card";

  export const Grid = () => (
-   <Card title="a" />
+   <Card title="a" badge={3} />
  );
""",
        },
        (0, 1),
    ),
    plain(
        "same import from a library",
        {
            "src/a.tsx": """
- import { useState } from "react";
+ import { useMemo, useState } from "react";

  export function A() {
+   const rows = useMemo(() => load(), []);
    return null;
  }
""",
            "src/b.tsx": """
- import { useRef } from "react";
+ import { useEffect, useRef } from "react";

  export function B() {
+   useEffect(() => focus(), []);
    return null;
  }
""",
        },
        (0, 1),
        (2, 3),
    ),
    plain(
        "interface extends",
        {
            "src/base.ts": """
  export interface Entity {
    id: string;
+   createdAt: Date;
  }
""",
            "src/user.ts": """
  import { Entity } from "./base";

  export interface User extends Entity {
    name: string;
  }

- export const make = (name: string): User => ({ id: "1", name });
+ export const make = (name: string): User => ({ id: "1", name, createdAt: new Date() });
""",
        },
        (0, 1),
    ),
    plain(
        "class implements",
        {
            "src/store.ts": """
  export interface Store {
    get(key: string): string;
+   clear(): void;
  }
""",
            "src/memory.ts": """
  import { Store } from "./store";

  export class Memory implements Store {
    get(key: string) { return this.map[key]; }
+   clear() { this.map = {}; }
  }
""",
        },
        (0, 1),
    ),
    plain(
        "type guard",
        {
            "src/guards.ts": """
+ export function isError(x: unknown): x is Error {
+   return x instanceof Error;
+ }
""",
            "src/report.ts": """
+ import { isError } from "./guards";
  export function report(x: unknown) {
-   console.error(x);
+   console.error(isError(x) ? x.message : x);
  }
""",
        },
        (0, 1),
        (0, 2),
        (1, 2),
    ),
    plain(
        "path alias",
        {
            "src/lib/money.ts": """
- export const round = (x: number) => Math.round(x);
+ export const roundCents = (x: number) => Math.round(x * 100) / 100;
""",
            "src/cart.ts": """
- import { round } from "@/lib/money";
+ import { roundCents } from "@/lib/money";

- export const total = (xs: number[]) => round(xs.length);
+ export const total = (xs: number[]) => roundCents(xs.length);
""",
        },
        (0, 1),
        (0, 2),
        (1, 2),
    ),
    plain(
        "js ext import of ts file",
        {
            "src/util.ts": """
- export function pad(s: string) { return s; }
+ export function pad(s: string, n: number) { return s; }
""",
            "src/cli.ts": """
  import { pad } from "./util.js";

- console.log(pad("x"));
+ console.log(pad("x", 3));
""",
        },
        (0, 1),
    ),
    plain(
        "const enum member and string enum",
        {
            "src/role.ts": """
  export enum Role {
    Admin = "admin",
+   Guest = "guest",
  }
""",
            "src/acl.ts": """
  import { Role } from "./role";

  export const rights: Record<Role, string[]> = {
    [Role.Admin]: ["all"],
+   [Role.Guest]: [],
  };
""",
        },
        (0, 1),
    ),
    plain(
        "props type alias in other file",
        {
            "src/props.ts": """
  export type CardProps = {
    title: string;
+   footer?: string;
  };
""",
            "src/card.tsx": """
  import type { CardProps } from "./props";

- export const Card = ({ title }: CardProps) => <h1>{title}</h1>;
+ export const Card = ({ title, footer }: CardProps) => <h1>{title}{footer}</h1>;
""",
        },
        (0, 1),
    ),
]
