"""Java commits in which edits are related, as an outsider would write them."""

from tests.runner.suites.nextedit.order.order_case import OrderCase, plain

RELATED: list[OrderCase] = [
    plain(
        "static call",
        {
            "src/main/java/app/util/Text.java": """
  package app.util;

  public final class Text {
+     public static String shorten(String s, int max) {
+         return s.substring(0, max);
+     }
  }
""",
            "src/main/java/app/web/Page.java": """
  package app.web;

  import app.util.Text;

  class Page {
      String title(String t) {
-         return t;
+         return Text.shorten(t, 40);
      }
  }
""",
        },
        (0, 1),
    ),
    plain(
        "interface method and implementation",
        {
            "src/p/Shape.java": """
  package p;

  interface Shape {
      double area();
+     double perimeter();
  }
""",
            "src/p/Square.java": """
  package p;

  class Square implements Shape {
      public double area() { return s * s; }
+
+     @Override
+     public double perimeter() { return 4 * s; }
  }
""",
        },
        (0, 1),
    ),
    plain(
        "class renamed with import",
        {
            "src/m/Acct.java": """
  package m;

- public class Acct {
+ public class Account {
      int id;
  }
""",
            "src/n/Use.java": """
  package n;

- import m.Acct;
+ import m.Account;

  class Use {
-     Acct owner;
+     Account owner;
  }
""",
        },
        (0, 1),
        (0, 2),
        (1, 2),
    ),
    plain(
        "constant used statically imported",
        {
            "src/c/Limits.java": """
  package c;

  public class Limits {
+     public static final int MAX_ROWS = 500;
  }
""",
            "src/d/Query.java": """
  package d;

+ import static c.Limits.MAX_ROWS;
+
  class Query {
      int limit() {
-         return 100;
+         return MAX_ROWS;
      }
  }
""",
        },
        (0, 1),
        (0, 2),
        (1, 2),
    ),
    plain(
        "enum value via class name",
        {
            "src/e/Color.java": """
  package e;

  public enum Color {
      RED,
+     TEAL,
      BLUE
  }
""",
            "src/f/Paint.java": """
  package f;

  import e.Color;

  class Paint {
-     Color base = Color.RED;
+     Color base = Color.TEAL;
  }
""",
        },
        (0, 1),
    ),
    plain(
        "record component",
        {
            "src/r/Point.java": """
  package r;

- public record Point(int x, int y) {}
+ public record Point(int x, int y, int z) {}
""",
            "src/s/Draw.java": """
  package s;

  import r.Point;

  class Draw {
      void at(Point p) {
-         plot(p.x(), p.y());
+         plot(p.x(), p.y(), p.z());
      }
  }
""",
        },
        (0, 1),
    ),
    plain(
        "constructor with new arg",
        {
            "src/k/Cache.java": """
  package k;

  public class Cache {
-     public Cache() {
+     public Cache(int capacity) {
          init();
      }
  }
""",
            "src/l/App.java": """
  package l;

  import k.Cache;

  class App {
      void start() {
-         cache = new Cache();
+         cache = new Cache(100);
      }
  }
""",
        },
        (0, 1),
    ),
    plain(
        "superclass method renamed and overridden",
        {
            "src/t/Base.java": """
  package t;

  abstract class Base {
-     abstract void work();
+     abstract void perform();
  }
""",
            "src/t/Impl.java": """
  package t;

  class Impl extends Base {
      @Override
-     void work() {
+     void perform() {
          go();
      }
  }
""",
        },
        (0, 1),
    ),
    plain(
        "method ref",
        {
            "src/aa/Rules.java": """
  package aa;

  public class Rules {
-     public static boolean ok(String s) { return true; }
+     public static boolean valid(String s) { return true; }
  }
""",
            "src/bb/Filter.java": """
  package bb;

  import aa.Rules;

  class Filter {
      Stream<String> keep(Stream<String> in) {
-         return in.filter(Rules::ok);
+         return in.filter(Rules::valid);
      }
  }
""",
        },
        (0, 1),
    ),
]
