"""Java commits about what a name without a receiver may mean, and receivers made by methods."""

from tests.runner.suites.nextedit.order.order_case import OrderCase, plain

FURTHER: list[OrderCase] = [
    plain(
        "a factory decides the type of a receiver",
        {
            "src/a/Copy.java": """
  package a;

  class Copy {
      void run() {
          var source = Streams.source();
-         source.open("in");
+         source.open("in", true);
      }
  }
""",
            "src/a/Streams.java": """
  package a;

  public class Streams {
      static Source source() { return new Source(); }
      static Sink sink() { return new Sink(); }
  }

  class Source {
-     void open(String name) {
+     void open(String name, boolean lazy) {
          connect(name);
      }
  }

  class Sink {
-     void open(String name) {
+     void open(String name, int size, Charset charset) {
          buffer = make(size);
      }
  }
""",
        },
        (0, 1),
    ),
    plain(
        "a private field of one class is none of the other's",
        {
            "src/l/One.java": """
  package l;

  public class One {
+     private static final Logger LOG = LoggerFactory.getLogger(One.class);
+
      void go() {
          run();
      }
  }
""",
            "src/n/Two.java": """
  package n;

  public class Two {
      void stop() {
-         LOG.info("stop");
+         LOG.debug("stopping {} now", name);
      }
  }
""",
        },
    ),
    plain(
        "a switch is about one of two enums",
        {
            "src/k/Kinds.java": """
  package k;

  enum Fruit {
      APPLE,
+     ORANGE,
  }

  enum Paint {
      BLUE,
+     ORANGE, GREY,
  }
""",
            "src/k/Mix.java": """
  package k;

  class Mix {
      int mix(Paint paint) {
          switch (paint) {
              case BLUE:
                  return 1;
+             case ORANGE:
+                 return 2;
          }
          return 0;
      }
  }
""",
        },
        (1, 2),
    ),
    plain(
        "a constant is imported with all others",
        {
            "src/k/Keys.java": """
  package k;

  public final class Keys {
-     public static final String USR = "user";
+     public static final String USER = "user";
  }
""",
            "src/web/Filter.java": """
  package web;

  import static k.Keys.*;

  public class Filter {
      void apply(Request request) {
-         request.set(USR, current());
+         request.set(USER, current());
+         USER.USER.USER.USER();
      }
  }
""",
        },
        (0, 1),
    ),
    plain(
        "a class without a name calls what it inherits",
        {
            "src/k/Task.java": """
  package k;

  public abstract class Task {
-     protected void note(String s) {}
+     protected void note(String s, int level) {}
  }
""",
            "src/web/Start.java": """
  package web;

  import k.Task;

  public class Start {
      Task task() {
          return new Task() {
              public void run() {
-                 note("run");
+                 note("run", 1);
              }
          };
      }
  }
""",
        },
        (0, 1),
    ),
    plain(
        "a method is renamed in interface, implementation and caller",
        {
            "a/Store.java": """
  package a;

  public interface Store {
-     void put(String key, byte[] data);
+     void save(String key, byte[] data);
  }

  class DiskStore implements Store {
      @Override
-     public void put(String key, byte[] data) {
+     public void save(String key, byte[] data) {
          Files.write(path(key), data);
      }
  }
""",
            "b/Upload.java": """
  package b;

  import a.Store;

  public class Upload {
      private final Store store;

      void accept(Form form) {
-         store.put(form.name(), form.bytes());
+         store.save(form.name(), form.bytes());
      }
  }
""",
        },
        (0, 1),
        (0, 2),
        (1, 2),
    ),
    plain(
        "a nested exception is thrown and expected",
        {
            "src/main/java/bank/Account.java": """
  package bank;

  public class Account {
      private long balance;

      public void withdraw(long cents) {
+         if (cents > balance) {
+             throw new InsufficientFundsException(cents);
+         }
          balance -= cents;
      }
+
+     public static class InsufficientFundsException extends RuntimeException {
+         InsufficientFundsException(long cents) {
+             super("short of " + cents);
+         }
+     }
  }
""",
            "src/test/java/bank/AccountTest.java": """
  package bank;

  class AccountTest {
      @Test
      void opens() {
          assertEquals(0, new Account().balance());
      }
+
+     @Test
+     void refusesOverdraft() {
+         assertThrows(Account.InsufficientFundsException.class, () -> new Account().withdraw(1));
+     }
  }
""",
        },
        (0, 1),
        (1, 2),
    ),
    plain(
        "a nested enum is handed to a method",
        {
            "src/q/Dao.java": """
  package q;

  public class Dao {
      Query newest() {
-         return new Query().sort("created");
+         return new Query().sort("created", Query.Order.DESC);
      }
  }
""",
            "src/q/Query.java": """
  package q;

  public class Query {
+     public enum Order { ASC, DESC }
+
      private String table;

-     public Query sort(String column) {
+     public Query sort(String column, Order order) {
          return this;
      }
  }
""",
        },
        (0, 1),
        (0, 2),
        (1, 2),
    ),
    plain(
        "a list's method has the name of one of ours",
        {
            "src/m/Cart.java": """
  package m;

  public class Cart {
-     public void add(Item item) {
+     public void add(Item item, int count) {
          items.put(item, count);
      }
  }
""",
            "src/m/History.java": """
  package m;

  public class History {
      private final Deque<String> lines = new ArrayDeque<>();

      public void note(String line) {
+         lines.add(line);
          trim();
      }
  }
""",
        },
    ),
]
