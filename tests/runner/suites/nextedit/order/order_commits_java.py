"""Java commits whose related edits are known."""

from tests.runner.suites.nextedit.order.order_case import CLONE, DEFINES, IMPORTS, MOVE, NEIGHBOUR, OrderCase

JAVA = [
    OrderCase(
        "a new method and its callers",
        {
            "src/app/Orders.java": """
  package app;

  public class Orders {
      private final Clock clock;

+     public boolean isOverdue(Order order) {
+         return order.due().isBefore(clock.today());
+     }
+
      public int count() {
          return 0;
      }
  }
""",
            "src/app/Reminder.java": """
  package app;

  public class Reminder {
      private final Orders orders;

      void run(Order order) {
-         send(order);
+         if (orders.isOverdue(order)) {
+             send(order);
+         }
      }
  }
""",
        },
        {(0, 1): DEFINES},
    ),
    OrderCase(
        "a field, its constructor parameter and the class's maker",
        {
            "src/app/Mailer.java": """
  package app;

  public class Mailer {
      private final String host;
+     private final int port;

-     public Mailer(String host) {
+     public Mailer(String host, int port) {
          this.host = host;
+         this.port = port;
      }
  }
""",
            "src/app/Start.java": """
  package app;

  public class Start {
      public static void main(String[] arguments) {
-         new Mailer("localhost").send();
+         new Mailer("localhost", 25).send();
      }
  }
""",
        },
        {(0, 1): NEIGHBOUR, (0, 2): DEFINES, (1, 2): DEFINES, (1, 3): DEFINES},
    ),
    OrderCase(
        "a class is imported and used",
        {
            "src/net/Backoff.java": """
+ package net;
+
+ public class Backoff {
+     public long delay(int attempt) {
+         return 100L << attempt;
+     }
+ }
""",
            "src/work/Worker.java": """
  package work;

  import java.util.List;
+ import net.Backoff;

  public class Worker {
+     private final Backoff backoff = new Backoff();
+
      void retry(int attempt) throws InterruptedException {
-         Thread.sleep(1000);
+         Thread.sleep(backoff.delay(attempt));
      }
  }
""",
        },
        {(0, 1): DEFINES, (0, 2): DEFINES, (0, 3): DEFINES, (1, 2): IMPORTS, (2, 3): DEFINES},
    ),
    OrderCase(
        "an enum constant in two switches",
        {
            "src/game/Board.java": """
  package game;

  class Board {
      int cost(Terrain terrain) {
          switch (terrain) {
              case GRASS: return 1;
+             case SWAMP: return 4;
              default: return 2;
          }
      }
  }
""",
            "src/game/Terrain.java": """
  package game;

  enum Terrain {
      GRASS,
+     SWAMP,
      ROCK
  }
""",
        },
        {(0, 1): DEFINES},
    ),
    OrderCase(
        "two tests get the same annotation, a message is mended",
        {
            "src/test/ParserTest.java": """
  package test;

  class ParserTest {
+     @Timeout(seconds = 5)
      void parsesNothing() {
          assertEmpty(parse(""));
      }
  }
""",
            "src/test/PrinterTest.java": """
  package test;

  class PrinterTest {
+     @Timeout(seconds = 5)
      void printsNothing() {
-         assertBlank(print(), "it printted");
+         assertBlank(print(), "it printed");
      }
  }
""",
        },
        {(0, 1): CLONE},
    ),
    OrderCase(
        "a local variable is renamed, a parameter elsewhere is not it",
        {
            "src/shop/Cart.java": """
  package shop;

  class Cart {
      int total(List<Item> items) {
-         int s = 0;
+         int sum = 0;
          for (Item item : items) {
-             s += item.price();
+             sum += item.price();
          }
-         return s;
+         return sum;
      }
  }
""",
            "src/shop/Stock.java": """
  package shop;

  class Stock {
-     int left(int amount) {
-         return amount;
+     int left(int amount, int reserved) {
+         return amount - reserved;
      }
  }
""",
        },
        {(0, 1): DEFINES, (0, 2): DEFINES, (1, 2): NEIGHBOUR},
    ),
    OrderCase(
        "a helper moves between classes of a package",
        {
            "src/io/Files.java": """
  package io;

  class Files {
+     static String extension(String name) {
+         return name.substring(name.lastIndexOf('.') + 1);
+     }
  }
""",
            "src/io/Uploads.java": """
  package io;

  class Uploads {
-     static String extension(String name) {
-         return name.substring(name.lastIndexOf('.') + 1);
-     }

      boolean accepts(String name) {
-         return TYPES.contains(extension(name));
+         return TYPES.contains(Files.extension(name));
      }
  }
""",
        },
        {(0, 1): MOVE, (0, 2): DEFINES, (1, 2): DEFINES},
    ),
]
