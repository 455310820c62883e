"""Commits of many kinds in many languages."""

from tests.runner.suites.nextedit.order.order_case import OrderCase, plain

MIXED: list[OrderCase] = [
    plain(
        "a module is a function by both its names",
        {
            "a.js": """
- exports = module.exports = function build(x) {
+ exports = module.exports = function build(x, y) {
    return x;
  };
""",
            "b.js": """
  const make = require('./a');

- make(1);
+ make(1, 2);
""",
        },
        (0, 1),
    ),
    plain(
        "a decorator takes an argument",
        {
            "a.ts": """
- export function Timed() {
+ export function Timed(label: string) {
    return (t: any, k: string) => {};
  }
""",
            "b.ts": """
  import { Timed } from "./a";

  class Job {
-   @Timed()
+   @Timed("job")
    run() {}
  }
""",
        },
        (0, 1),
    ),
    plain(
        "a test of another package calls a method of a generic type",
        {
            "stack/stack.go": """
  package stack

  type Stack[T any] struct{ items []T }

+ func (s *Stack[T]) Peek() (T, bool) {
+     var zero T
+     if len(s.items) == 0 {
+         return zero, false
+     }
+     return s.items[len(s.items)-1], true
+ }
""",
            "stack/stack_test.go": """
  package stack_test

  import (
      "testing"

      "example.com/ds/stack"
  )

  func TestStack(t *testing.T) {
      var s stack.Stack[int]
+     if _, ok := s.Peek(); ok {
+         t.Fatal("not empty")
+     }
  }
""",
        },
        (0, 1),
    ),
    plain(
        "a method stands in a table",
        {
            "ops/ops.go": """
  package ops

  type Calc struct{}

  func (Calc) Add(a, b int) int { return a + b }
+ func (Calc) Sub(a, b int) int { return a - b }
""",
            "ops/table.go": """
  package ops

  var table = map[string]func(Calc, int, int) int{
      "add": Calc.Add,
+     "sub": Calc.Sub,
  }
""",
        },
        (0, 1),
    ),
    plain(
        "a builder gets a step",
        {
            "a/Job.java": """
  package a;

  public class Job {
      private final String name;

      public static class Builder {
          private String name;
+         private int priority;

          public Builder name(String name) {
              this.name = name;
              return this;
          }
+
+         public Builder withPriority(int value) {
+             this.priority = value;
+             return this;
+         }
      }
  }
""",
            "b/Main.java": """
  package b;

  import a.Job;

  class Main {
      Job job() {
-         return new Job.Builder().name("x").build();
+         return new Job.Builder().name("x").withPriority(3).build();
      }
  }
""",
        },
        (0, 1),
        (1, 2),
    ),
    plain(
        "a sealed interface permits another record",
        {
            "a/Event.java": """
  package a;

- public sealed interface Event permits Opened {
+ public sealed interface Event permits Opened, Closed {
  }

  record Opened(String id) implements Event {
  }
+
+ record Closed(String id, String reason) implements Event {
+ }
""",
            "a/Handler.java": """
  package a;

  class Handler {
      String handle(Event event) {
          return switch (event) {
              case Opened o -> "open " + o.id();
+             case Closed c -> "closed " + c.reason();
          };
      }
  }
""",
        },
        (0, 1),
        (0, 2),
        (1, 2),
    ),
    plain(
        "a constant is inherited from an interface",
        {
            "a/Gate.java": """
  package a;

  class Gate implements Paths {
      String next(User user) {
-         return HOME;
+         return user == null ? LOGIN : HOME;
      }
  }
""",
            "a/Paths.java": """
  package a;

  interface Paths {
      String HOME = "/";
+     String LOGIN = "/login";
  }
""",
        },
        (0, 1),
    ),
    plain(
        "a field's type decides, another's does not",
        {
            "a/Car.java": """
  package a;

  class Car {
      private final Engine engine = new Engine();
      private final Radio radio = new Radio();

      void go() {
-         this.engine.start();
+         this.engine.start(true);
+         radio.start();
      }
  }
""",
            "a/Engine.java": """
  package a;

  class Engine {
-     void start() {}
+     void start(boolean cold) {}
  }
""",
        },
        (0, 1),
    ),
    plain(
        "a constant is imported from above",
        {
            "pkg/const.py": """
  A = 1
+ B = 2
""",
            "pkg/sub/use.py": """
- from ..const import A
+ from ..const import A, B

- x = A
+ x = A + B
""",
        },
        (0, 1),
        (0, 2),
        (1, 2),
    ),
    plain(
        "a property is read",
        {
            "shop/cart.py": """
  class Cart:
      def __init__(self):
          self.items = []

+     @property
+     def total(self):
+         return sum(item.price for item in self.items)
+
      def add(self, item):
          self.items.append(item)
""",
            "shop/view.py": """
  from shop.cart import Cart


  def show(cart: Cart) -> str:
-     return f"{len(cart.items)} items"
+     return f"{len(cart.items)} items, {cart.total} EUR"
""",
        },
        (0, 1),
    ),
    plain(
        "a property is renamed where it is taken apart and given",
        {
            "src/App.tsx": """
  import { Modal } from "./Modal";

  export const App = ({ state }: AppProps) => (
    <main>
-     <Modal visible={state.modal} onClose={state.hide} />
+     <Modal open={state.modal} onClose={state.hide} />
    </main>
  );
""",
            "src/Modal.tsx": """
  interface ModalProps {
-   visible: boolean;
+   open: boolean;
    onClose(): void;
  }

- export function Modal({ visible, onClose }: ModalProps) {
-   if (!visible) return null;
+ export function Modal({ open, onClose }: ModalProps) {
+   if (!open) return null;
    return <div onClick={onClose} />;
  }
""",
        },
        (0, 1),
        (0, 2),
        (1, 2),
    ),
    plain(
        "a method has the name of an interface's that its class has not",
        {
            "src/a/Codec.java": """
  package a;

  public interface Codec {
      byte[] encode(Object value);
+
+     Object decode(byte[] data);
  }
""",
            "src/b/Morse.java": """
  package b;

  public class Morse {
+     public String decode(String beeps, int speed) {
+         return table.lookup(beeps, speed);
+     }
+
      public String name() {
          return "morse";
      }
  }
""",
        },
    ),
    plain(
        "two enums have a member of one name",
        {
            "src/a.ts": """
  export enum Mode {
    Auto,
+   Manual,
  }
""",
            "src/b.ts": """
  export enum Gear {
    One,
    Two,
+   Manual,
+   Reverse,
  }
""",
        },
    ),
    plain(
        "two classes have an attribute of one name",
        {
            "a.py": """
  class A:
      def __init__(self):
          self.state = 0

      def go(self):
-         self.state = 1
+         self.state += 1
""",
            "b.py": """
  class B:
      def __init__(self):
          self.state = "new"

      def save(self):
+         self.state = "saved"
          write(self)
""",
        },
    ),
    plain(
        "a parameter has the name of a function elsewhere",
        {
            "src/format.js": """
- export function format(x) { return String(x); }
+ export function format(x) { return `${x}`; }
""",
            "src/table.js": """
  export function table(rows, format) {
-   return rows.map(format);
+   return rows.map((row) => format(row));
  }
""",
        },
    ),
]
