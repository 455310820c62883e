"""Java commits with receivers of many kinds, related edits and others."""

from tests.runner.suites.nextedit.order.order_case import OrderCase, plain

MIXED: list[OrderCase] = [
    plain(
        "java typed receiver two classes",
        {
            "src/a/Feeders.java": """
  package a;

  class Cat {
-     void feed() {}
+     void feed(int n) {}
  }

  class Dog {
-     void feed() { bowl.clear(); }
+     void feed(String food, Instant when) { bowl.add(food); }
  }
""",
            "src/b/Morning.java": """
  package b;

  import a.Cat;

  class Morning {
      void go(Cat cat) {
-         cat.feed();
+         cat.feed(2);
      }
  }
""",
        },
        (0, 2),
    ),
    plain(
        "java field type and getter chain",
        {
            "src/m/Address.java": """
  package m;

  public class Address {
-     public String getZip() { return zip; }
+     public String getPostcode() { return zip; }
  }
""",
            "src/m/Person.java": """
  package m;

  public class Person {
      private Address address;

      String label() {
-         return address.getZip();
+         return address.getPostcode();
      }
  }
""",
        },
        (0, 1),
    ),
    plain(
        "java list add not own add",
        {
            "src/c/Cart.java": """
  package c;

  public class Cart {
-     public void add(Item item) {
+     public void add(Item item, int count) {
          items.put(item, 1);
      }
  }
""",
            "src/d/Names.java": """
  package d;

  import java.util.List;

  class Names {
      void collect(List<String> names) {
+         names.add("x");
          done();
      }
  }
""",
        },
    ),
    plain(
        "java checked exception",
        {
            "src/e/Loader.java": """
  package e;

  public class Loader {
-     public String load(String path) {
+     public String load(String path) throws LoadException {
          return read(path);
      }
  }
""",
            "src/f/App.java": """
  package f;

  import e.Loader;

  class App {
      void start(Loader loader) {
-         show(loader.load("a"));
+         try {
+             show(loader.load("a"));
+         } catch (LoadException e) {
+             fail(e);
+         }
      }
  }
""",
        },
        (0, 1),
    ),
    plain(
        "java the same annotation twice",
        {
            "src/g/One.java": """
  package g;

+ @Deprecated
  class One {
      int a;
  }
""",
            "src/h/Two.java": """
  package h;

  class Two {
-     void old() {}
+     @Deprecated void old() { fresh(); }
  }
""",
        },
    ),
    plain(
        "java unrelated local in lambda",
        {
            "src/i/I.java": """
  package i;

  class I {
      void f(List<Integer> xs) {
+         xs.forEach(value -> print(value));
          done();
      }
  }
""",
            "src/j/J.java": """
  package j;

  class J {
      int g(Map<String, Integer> m) {
          check();
+         int value = m.get("k");
          return 0;
      }
  }
""",
        },
    ),
    plain(
        "java string constant inlined",
        {
            "src/k/Keys.java": """
  package k;

  interface Keys {
      String USER = "user";
+     String TENANT = "tenant";
  }
""",
            "src/l/Filter.java": """
  package l;

  import k.Keys;

  class Filter {
      void put(Map<String, String> m) {
          m.put(Keys.USER, name);
+         m.put(Keys.TENANT, tenant());
      }
  }
""",
        },
        (0, 1),
    ),
    plain(
        "java sealed / switch on new subtype",
        {
            "src/n/Shape.java": """
  package n;

- sealed interface Shape permits Circle, Square {}
+ sealed interface Shape permits Circle, Square, Star {}

  record Circle(double r) implements Shape {}
+ record Star(int points) implements Shape {}
""",
            "src/n/Area.java": """
  package n;

  class Area {
      double of(Shape s) {
          return switch (s) {
              case Circle c -> c.r();
+             case Star star -> star.points();
              default -> 0;
          };
      }
  }
""",
        },
        (0, 1),
        (0, 2),
        (1, 2),
    ),
]
