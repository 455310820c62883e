"""TypeScript commits about files that hand on names, objects with members, and renames."""

from tests.runner.suites.nextedit.order.order_case import OrderCase, plain

FURTHER: list[OrderCase] = [
    plain(
        "a factory decides the type of a receiver",
        {
            "src/pool.ts": """
  export class Pool {
-   release(id: string): void {
+   release(id: string, broken: boolean): void {
      this.free.add(id);
    }
  }

  export class Lock {
-   release(id: string): void {
+   release(id: string, owner: Owner, at: Date): void {
      this.held = undefined;
    }
  }

  export function createPool(): Pool {
    return new Pool();
  }
""",
            "src/use.ts": """
  import { createPool } from "./pool";

  const pool = createPool();

  export function done(id: string) {
-   pool.release(id);
+   pool.release(id, false);
  }
""",
        },
        (0, 2),
    ),
    plain(
        "a barrel passes on what nobody changed",
        {
            "src/app.ts": """
- import { Button } from "./ui";
+ import { Button, Tooltip } from "./ui";

  export const app = () => [
    new Button("ok"),
+   new Tooltip("press to go on"),
  ];
""",
            "src/ui/index.ts": """
  export { Button } from "./button";
+ export { Tooltip } from "./tooltip";
""",
        },
        (0, 1),
        (0, 2),
        (1, 2),
    ),
    plain(
        "an export list grows for an importer",
        {
            "src/geometry.ts": """
  function area(r: number) {
    return 3.14 * r * r;
  }

  function circumference(r: number) {
    return 6.28 * r;
  }

- export { area };
+ export { area, circumference };
""",
            "src/wheel.ts": """
- import { area } from "./geometry";
+ import { area, circumference } from "./geometry";

  export class Wheel {
    constructor(private r: number) {}

    turn() {
-     return area(this.r);
+     return circumference(this.r);
    }
  }
""",
        },
        (0, 1),
        (0, 2),
        (1, 2),
    ),
    plain(
        "a hook's result is destructured",
        {
            "src/UserList.tsx": """
  import { useUsers } from "./useUsers";

  export function UserList() {
-   const { users } = useUsers();
+   const { users, loading } = useUsers();

+   if (loading) return <Spinner />;
    return <ul>{users.map((user) => <li key={user.id}>{user.name}</li>)}</ul>;
  }
""",
            "src/useUsers.ts": """
  export function useUsers() {
    const [users, setUsers] = useState<User[]>([]);
+   const [loading, setLoading] = useState(true);

    useEffect(() => {
-     fetchUsers().then(setUsers);
+     fetchUsers().then(setUsers).finally(() => setLoading(false));
    }, []);

-   return { users };
+   return { users, loading };
  }
""",
        },
        (0, 1),
        (0, 4),
        (2, 3),
        (2, 4),
    ),
    plain(
        "a module, a type and a field have one name",
        {
            "src/clock.ts": """
+ export interface Clock {
+   now(): Date;
+ }
""",
            "src/tokens.ts": """
  import { sign } from "./crypto";
+ import { Clock } from "./clock";

  export class Tokens {
-   constructor(private secret: string) {}
+   constructor(private secret: string, private clock: Clock) {}

    issue(user: string) {
-     return sign({ user, at: new Date() }, this.secret);
+     return sign({ user, at: this.clock.now() }, this.secret);
    }
  }
""",
        },
        (0, 1),
        (0, 2),
        (0, 3),
        (1, 2),
        (2, 3),
    ),
    plain(
        "a method is renamed in interface, implementation and caller",
        {
            "a/store.ts": """
  export interface Store {
-   put(key: string, data: Blob): void;
+   save(key: string, data: Blob): void;
  }

  export class DiskStore implements Store {
-   put(key: string, data: Blob): void {
+   save(key: string, data: Blob): void {
      write(key, data);
    }
  }
""",
            "b/upload.ts": """
  import { Store } from "../a/store";

  export class Upload {
    constructor(private store: Store) {}

    accept(form: Form): void {
-     this.store.put(form.name, form.blob);
+     this.store.save(form.name, form.blob);
    }
  }
""",
        },
        (0, 1),
        (0, 2),
        (1, 2),
    ),
    plain(
        "a variable is renamed with its uses",
        {
            "a/x.ts": """
- export const conf = load();
+ export const settings = load();

- export function reset() { conf.clear(); }
+ export function reset() { settings.clear(); }
""",
            "a/y.ts": """
- import { conf } from "./x";
+ import { settings } from "./x";

- if (conf.debug) log(conf.level, conf.file);
+ if (settings.debug) log(settings.level, settings.file);
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
        "an object's new key is used",
        {
            "src/events.ts": """
  export const EVENTS = {
    open: 'open',
+   pause: 'pause',
    close: 'close',
  } as const;

  export const help = ['pause', 'pause'];
""",
            "src/player.ts": """
  import { EVENTS } from './events';

  export class Player {
    toggle() {
+     this.emit(EVENTS.pause);
      this.playing = !this.playing;
    }

    pause() {}
  }
""",
        },
        (0, 1),
    ),
    plain(
        "a map's method has the name of one of ours",
        {
            "src/memo.ts": """
  const seen = new Map<string, number>();

  export function memo(key: string): number {
    const value = compute(key);
+   seen.set(key, value);
    return value;
  }
""",
            "src/registry.ts": """
  export class Registry {
-   set(name: string, factory: Factory): void {
+   set(name: string, factory: Factory, eager = false): void {
      this.all.push({ name, factory });
    }
  }
""",
        },
    ),
    plain(
        "a type of a library has the name of ours",
        {
            "src/a/options.ts": """
- export interface Options { deep: boolean }
+ export interface Options { deep: boolean; strict: boolean }
""",
            "src/b/run.ts": """
  import { Options } from "commander";

- export function run(name: string) {
+ export function run(name: string, options: Options) {
    start(name);
  }
""",
        },
    ),
    plain(
        "a function that is exported by default under its name",
        {
            "src/job.ts": """
  import log from "./logger";

  export async function job() {
-   log("started");
+   log("started", "debug");
    await work();
-   log("done");
+   log("done", "debug");
  }
""",
            "src/logger.ts": """
- const log = (msg: string) => console.log(msg);
+ const log = (msg: string, level = "info") => console.log(level, msg);

  export default log;
""",
        },
        (0, 1),
        (0, 2),
        (1, 2),
    ),
    plain(
        "an exported object decides the type of a receiver",
        {
            "src/bus.ts": """
  class Bus {
-   send(topic: string) {}
+   send(topic: string, payload: unknown) {}
  }

  class Radio {
-   send(noise: number) {}
+   send(noise: number, volume: number, band = 1) { this.on = true; }
  }

  export const bus = new Bus();
  export const radio = new Radio();
""",
            "src/p.ts": """
  import { bus } from "./bus";

- export const p = () => bus.send("p");
+ export const p = () => bus.send("p", {});
""",
        },
        (0, 2),
    ),
    plain(
        "two components have a handler each",
        {
            "src/A.tsx": """
  export function A() {
+   const handleClick = () => go("/a");
-   return <button>a</button>;
+   return <button onClick={handleClick}>a</button>;
  }
""",
            "src/B.tsx": """
  export function B({ items }: BProps) {
+   const handleClick = (id: string) => items.remove(id);
    return items.map((i) => (
-     <li key={i.id}>{i.text}</li>
+     <li key={i.id} onClick={() => handleClick(i.id)}>{i.text}</li>
    ));
  }
""",
        },
        (1, 2),
    ),
    plain(
        "an element's style has the name of a field of ours",
        {
            "src/a.ts": """
  export interface Point { x: number; y: number }
+ export interface Size { width: number; height: number }
""",
            "src/b.ts": """
  export function css(el: HTMLElement, w: number) {
-   el.style.width = w + "px";
+   el.style.width = Math.round(w) + "px";
  }
""",
        },
    ),
    plain(
        "a library's function has the name of a method of ours",
        {
            "src/a.ts": """
  import axios from "axios";

  export async function a(x: string) {
-   return x;
+   return axios.get(x);
  }
""",
            "src/api.ts": """
  export class Api {
-   get(path: string) {
+   get(path: string, retry = false) {
      return call(path);
    }
  }
""",
        },
    ),
]
