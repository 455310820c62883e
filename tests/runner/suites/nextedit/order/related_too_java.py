"""Java commits in which edits are related, a second sheaf."""

from tests.runner.suites.nextedit.order.order_case import OrderCase, plain

RELATED: list[OrderCase] = [
    plain(
        "getter on local typed",
        {
            "src/cc/User.java": """
  package cc;

  public class User {
+     private String email;
+
+     public String getEmail() { return email; }
      public String getName() { return name; }
  }
""",
            "src/dd/Mail.java": """
  package dd;

  import cc.User;

  class Mail {
      void send(User user) {
-         to(user.getName());
+         to(user.getEmail());
      }
  }
""",
        },
        (0, 1),
    ),
    plain(
        "annotation",
        {
            "src/ee/Fast.java": """
  package ee;

+ public @interface Fast {
+     int millis();
+ }
""",
            "src/ff/Test.java": """
  package ff;

  import ee.Fast;

  class Test {
+     @Fast(millis = 5)
      void run() {}
  }
""",
        },
        (0, 1),
    ),
    plain(
        "exception class thrown and caught",
        {
            "src/gg/Gone.java": """
  package gg;

+ public class Gone extends RuntimeException {}
""",
            "src/gg/Client.java": """
  package gg;

  class Client {
      void get() {
-         throw new RuntimeException();
+         throw new Gone();
      }
  }
""",
        },
        (0, 1),
    ),
    plain(
        "inner class used",
        {
            "src/c/Tree.java": """
  package c;

  public class Tree {
+     public static class Node {
+         Node left;
+     }
  }
""",
            "src/d/Walk.java": """
  package d;

  import c.Tree;

  class Walk {
-     void walk(Tree tree) {}
+     void walk(Tree.Node from) {}
  }
""",
        },
        (0, 1),
    ),
    plain(
        "enum method",
        {
            "src/e/Level.java": """
  package e;

  public enum Level {
      LOW, HIGH;

+     public boolean isLoud() { return this == HIGH; }
  }
""",
            "src/f/Log.java": """
  package f;

  import e.Level;

  class Log {
      void log(Level level, String m) {
+         if (level.isLoud()) beep();
          print(m);
      }
  }
""",
        },
        (0, 1),
    ),
    plain(
        "super call with new ctor arg",
        {
            "src/g/Shape.java": """
  package g;

  class Shape {
-     Shape() {}
+     Shape(String name) { this.name = name; }
  }
""",
            "src/g/Round.java": """
  package g;

  class Round extends Shape {
      Round() {
-         super();
+         super("round");
      }
  }
""",
        },
        (0, 1),
    ),
    plain(
        "interface default method and lambda user",
        {
            "src/h/Check.java": """
  package h;

  interface Check {
      boolean test(String s);
+     default Check negate() { return s -> !test(s); }
  }
""",
            "src/i/Rules.java": """
  package i;

  import h.Check;

  class Rules {
-     Check blank = s -> s.isEmpty();
+     Check blank = filled().negate();
  }
""",
        },
        (0, 1),
    ),
    plain(
        "package private class of same package, no import",
        {
            "src/k/Clock.java": """
  package k;

  class Clock {
-     long now() { return 0; }
+     long millis() { return 0; }
  }
""",
            "src/k/Job.java": """
  package k;

  class Job {
      Clock clock;
      void run() {
-         start = clock.now();
+         start = clock.millis();
      }
  }
""",
        },
        (0, 1),
    ),
    plain(
        "new class file and factory",
        {
            "src/n/Csv.java": """
+ package n;
+
+ public final class Csv implements Format {
+     public String write(Table table) {
+         return table.join(",");
+     }
+ }
""",
            "src/n/Formats.java": """
  package n;

  class Formats {
      Format of(String name) {
          switch (name) {
+             case "csv": return new Csv();
              default: return new Plain();
          }
      }
  }
""",
        },
        (0, 1),
    ),
    plain(
        "var and builder chain",
        {
            "src/o/Request.java": """
  package o;

  public class Request {
      public static class Builder {
          public Builder url(String u) { return this; }
+         public Builder timeout(int t) { return this; }
      }
  }
""",
            "src/p/Client.java": """
  package p;

  import o.Request;

  class Client {
      Request make() {
          return new Request.Builder()
              .url("x")
+             .timeout(30)
              .build();
      }
  }
""",
        },
        (0, 1),
    ),
]
