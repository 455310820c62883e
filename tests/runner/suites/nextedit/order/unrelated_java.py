"""Java commits whose edits have names or words in common by chance, and nothing else."""

from tests.runner.suites.nextedit.order.order_case import OrderCase, plain

UNRELATED: list[OrderCase] = [
    plain(
        "locals same name unrelated",
        {
            "src/a/A.java": """
  package a;

  class A {
      void run() {
+         int index = find();
+         use(index);
          done();
      }
  }
""",
            "src/b/B.java": """
  package b;

  class B {
      String pick(String[] all) {
          prepare(all);
+         int index = all.length - 1;
          return all[0];
      }
  }
""",
        },
    ),
    plain(
        "same method name different classes not related",
        {
            "src/x/Reader.java": """
  package x;

  class Reader {
-     void close() {
+     void close() throws IOException {
          in.close();
      }
  }
""",
            "src/y/Window.java": """
  package y;

  class Window {
      void dispose() {
-         hide();
+         frame.hide();
          flush();
      }

+     void close() {
+         dispose();
+     }
  }
""",
        },
    ),
    plain(
        "comment and string words",
        {
            "src/g/G.java": """
  package g;

  class G {
+     // retries with exponential backoff
      void go() {}
  }
""",
            "src/h/H.java": """
  package h;

  class H {
      String help() {
-         return "help";
+         return "exponential backoff is not supported";
      }
  }
""",
        },
    ),
    plain(
        "unrelated edits",
        {
            "src/u/U.java": """
  package u;

  class U {
      int twice(int n) {
-         return n + n;
+         return n * 2;
      }
  }
""",
            "src/v/V.java": """
  package v;

  class V {
      boolean empty(String text) {
-         return text.length() == 0;
+         return text.isEmpty();
      }
  }
""",
        },
    ),
    plain(
        "generic type parameter T in both",
        {
            "src/w/Box.java": """
  package w;

- class Box {
-     Object value;
+ class Box<T> {
+     T value;
  }
""",
            "src/w2/Pair.java": """
  package w2;

- class Pair {
-     Object left, right;
+ class Pair<T> {
+     T left, right;
  }
""",
        },
    ),
    plain(
        "same library call unrelated",
        {
            "src/a/A.java": """
  package a;

  import java.util.Objects;

  class A {
      A(String name) {
-         this.name = name;
+         this.name = Objects.requireNonNull(name);
      }
  }
""",
            "src/b/B.java": """
  package b;

  import java.util.Objects;

  class B {
      boolean same(Object o) {
-         return o == key;
+         return Objects.equals(o, key);
      }
  }
""",
        },
    ),
    plain(
        "same private field in two classes",
        {
            "src/a/Car.java": """
  package a;

  class Car {
      private int speed;
+     private String label;
  }
""",
            "src/b/Jar.java": """
  package b;

  class Jar {
      private int litres;
+     private final CharSequence label = "";
  }
""",
        },
    ),
    plain(
        "toString in two unrelated classes",
        {
            "src/a/P.java": """
  package a;

  class P {
+     @Override
+     public String toString() {
+         return "P" + x;
+     }
  }
""",
            "src/b/Q.java": """
  package b;

  class Q {
      int total;

+     @Override
+     public String toString() {
+         StringBuilder out = new StringBuilder();
+         for (Item item : items) out.append(item).append(',');
+         return out.toString();
+     }
  }
""",
        },
    ),
    plain(
        "for each variable item in both",
        {
            "src/l/L.java": """
  package l;

  class L {
      void all() {
+         for (String item : items) show(item);
      }
  }
""",
            "src/m/M.java": """
  package m;

  class M {
      int sum = 0;
      void add(List<Integer> numbers) {
+         for (Integer item : numbers) { sum += item; }
          done = true;
      }
  }
""",
        },
    ),
    plain(
        "two tests with the same local and unrelated typo",
        {
            "src/t/ATest.java": """
  package t;

  class ATest {
      void one() {
-         String expected = "a";
+         String expected = "aa";
      }
  }
""",
            "src/t/BTest.java": """
  package t;

  class BTest {
      void two() {
          run();
-         int expected = 3;
+         int expected = compute(4);
      }
  }
""",
        },
    ),
]
