"""Go commits whose related edits are known."""

from tests.runner.suites.nextedit.order.order_case import (
    CLONE,
    DEFINES,
    IMPORTS,
    MOVE,
    NEIGHBOUR,
    RARE_NAME,
    RENAME,
    OrderCase,
)

GO = [
    OrderCase(
        "a new function and its call in another package",
        {
            "cmd/main.go": """
  package main

  import (
      "fmt"
+     "example.org/tool/store"
  )

  func main() {
      fmt.Println("start")
+     db := store.Open("data")
+     defer db.Close()
  }
""",
            "store/store.go": """
  package store

  type DB struct{ path string }

+ func Open(path string) *DB {
+     return &DB{path: path}
+ }
+
  func (d *DB) Close() error {
      return nil
  }
""",
        },
        {(0, 1): IMPORTS, (1, 2): DEFINES},
    ),
    OrderCase(
        "a field that is set and read",
        {
            "server/config.go": """
  package server

  type Config struct {
      Address string
+     Timeout time.Duration
  }
""",
            "server/server.go": """
  package server

  func New(config Config) *http.Server {
      return &http.Server{
          Addr: config.Address,
+         ReadTimeout: config.Timeout,
      }
  }

  func Default() *http.Server {
-     return New(Config{Address: ":80"})
+     return New(Config{Address: ":80", Timeout: time.Minute})
  }
""",
        },
        {(0, 1): DEFINES, (0, 2): DEFINES, (1, 2): NEIGHBOUR},
    ),
    OrderCase(
        "a method gets a context, its callers pass one",
        {
            "api/handler.go": """
  package api

  func (h *Handler) Get(w http.ResponseWriter, r *http.Request) {
-     user, err := h.users.Find(r.FormValue("id"))
+     user, err := h.users.Find(r.Context(), r.FormValue("id"))
      h.reply(w, user, err)
  }
""",
            "users/users.go": """
  package users

- func (u *Users) Find(id string) (*User, error) {
+ func (u *Users) Find(ctx context.Context, id string) (*User, error) {
      query := "select name from users where id = ?"
-     return u.scan(u.db.QueryRow(query, id))
+     return u.scan(u.db.QueryRowContext(ctx, query, id))
  }
""",
        },
        {(0, 1): DEFINES, (1, 2): DEFINES},
    ),
    OrderCase(
        "a constant of the package takes the place of two literals",
        {
            "limits/limits.go": """
  package limits

+ const MaxBody = 1 << 20
+
  func Allowed(size int) bool {
-     return size < 1048576
+     return size < MaxBody
  }
""",
            "limits/reader.go": """
  package limits

  func Read(r io.Reader) ([]byte, error) {
-     return io.ReadAll(io.LimitReader(r, 1048576))
+     return io.ReadAll(io.LimitReader(r, MaxBody))
  }
""",
        },
        {(0, 1): DEFINES, (0, 2): DEFINES, (1, 2): RENAME},
    ),
    OrderCase(
        "the same guard in two packages, and an unrelated comment",
        {
            "disk/disk.go": """
  package disk

- // Write writs a block.
+ // Write writes a block.
  func Write(block []byte) error {
      prepare()
      align()
+     if len(block) == 0 {
+         return errEmptyBlock
+     }
      return flush(block)
  }
""",
            "tape/tape.go": """
  package tape

  func Append(block []byte) error {
      rewind()
+     if len(block) == 0 {
+         return errEmptyBlock
+     }
      return spool(block)
  }
""",
        },
        {(1, 2): CLONE},
    ),
    OrderCase(
        "a function moves to another package",
        {
            "report/report.go": """
  package report

  import "strings"

- func clean(name string) string {
-     return strings.TrimSpace(strings.ToLower(name))
- }
-
  func Title(name string) string {
-     return "Report: " + clean(name)
+     return "Report: " + text.Clean(name)
  }
""",
            "text/text.go": """
  package text

  import "strings"
+
+ func Clean(name string) string {
+     return strings.TrimSpace(strings.ToLower(name))
+ }
""",
        },
        {(0, 1): DEFINES, (0, 2): MOVE, (1, 2): RARE_NAME},
    ),
    OrderCase(
        "an interface grows and its implementation follows",
        {
            "cache/cache.go": """
  package cache

  type Cache interface {
      Get(key string) (string, bool)
+     Evict(key string)
  }
""",
            "cache/memory.go": """
  package cache

  func (m *Memory) Get(key string) (string, bool) {
      value, ok := m.entries[key]
      return value, ok
  }
+
+ func (m *Memory) Evict(key string) {
+     delete(m.entries, key)
+ }
""",
        },
        {(0, 1): DEFINES},
    ),
]
