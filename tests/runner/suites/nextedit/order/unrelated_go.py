"""Go commits whose edits have names or words in common by chance, and nothing else."""

from tests.runner.suites.nextedit.order.order_case import OrderCase, plain

UNRELATED: list[OrderCase] = [
    plain(
        "methods of one name on two types",
        {
            "cat/cat.go": """
  package cat

  type Cat struct{}

+ func (c *Cat) Reset() {
+     c.naps = 0
+ }
""",
            "dog/dog.go": """
  package dog

  type Dog struct{ walks int }

+ func (d *Dog) Reset() {
+     d.walks, d.barks = 9, nil
+     go d.howl()
+ }
""",
        },
    ),
    plain(
        "a word in a comment and in a string",
        {
            "x/x.go": """
  package x

  // Parse reads input.
+ // It is tolerant of whitespace quirks.
  func Parse(s string) {}
""",
            "y/y.go": """
  package y

  func Usage() string {
-     return "usage"
+     return "usage: whitespace quirks"
  }
""",
        },
    ),
    plain(
        "constants of one name in two packages",
        {
            "a/limits.go": """
  package a

- const Max = 10
+ const Max = 20
""",
            "b/limits.go": """
  package b

- const Max = 7 * other
+ const Max = 70 * other
""",
        },
    ),
    plain(
        "two edits without a common name",
        {
            "one/one.go": """
  package one

  func Area(w, h int) int {
-     return w + h
+     return w * h
  }
""",
            "two/two.go": """
  package two

  import "os"

  func Home() string {
-     return os.Getenv("HOME")
+     return os.Getenv("XDG_HOME")
  }
""",
        },
    ),
    plain(
        "the same error variable twice",
        {
            "p/p.go": """
  package p

  func A() error {
-     doit()
-     return nil
+     err := doit()
+     return err
  }
""",
            "q/q.go": """
  package q

  func B(n int) {
      step(n)
+     err := other(n, 5)
+     if err != nil { panic(err) }
  }
""",
        },
    ),
    plain(
        "same library function in unrelated edits",
        {
            "a/a.go": """
  package a

  import "os"

  func Home() string {
-     return "/"
+     return os.Getenv("HOME")
  }
""",
            "b/b.go": """
  package b

  import "os"

  func Port(s *Server) {
      s.stop()
+     s.port = os.Getenv("PORT")
      s.start()
  }
""",
        },
    ),
    plain(
        "same struct name in two packages",
        {
            "a/conf.go": """
  package a

  type Config struct {
      Host string
+     Port int
  }
""",
            "b/conf.go": """
  package b

  type Config struct {
      Depth int
  }

  func (c Config) Valid() bool {
-     return c.Depth > 0
+     return c.Depth >= 1
  }
""",
        },
    ),
    plain(
        "same field in structs of two packages",
        {
            "a/conf.go": """
  package a

  type Config struct {
      Host string
+     Retries int
  }
""",
            "b/job.go": """
  package b

  type Job struct {
      Name string
+     Retries uint8 `json:"retries"`
  }
""",
        },
    ),
    plain(
        "goroutine removal and waitgroup, unrelated typo",
        {
            "pool/pool.go": """
  package pool

- // Pool runs taks.
+ // Pool runs tasks.
  type Pool struct{}
""",
            "queue/queue.go": """
  package queue

  func Push(x int) {
-     items = append(items, x)
+     items = append([]int{x}, items...)
  }
""",
        },
    ),
    plain(
        "method receiver renamed only",
        {
            "geo/p.go": """
  package geo

- func (p Point) Norm() float64 {
-     return math.Hypot(p.X, p.Y)
+ func (pt Point) Norm() float64 {
+     return math.Hypot(pt.X, pt.Y)
  }
""",
            "ui/w.go": """
  package ui

  func (w *Window) Paint() {
-     w.clear()
+     w.clear(white)
  }
""",
        },
    ),
    plain(
        "i loops",
        {
            "a/l.go": """
  package a

  func A(n int) {
+     for i := 0; i < n; i++ {
+         step(i)
+     }
  }
""",
            "b/l.go": """
  package b

  func B(words []string) string {
      out := ""
-     for _, w := range words { out += w }
+     for i, w := range words { out += w + sep(i) }
      return out
  }
""",
        },
    ),
]
