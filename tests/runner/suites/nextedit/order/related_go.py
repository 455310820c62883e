"""Go commits in which edits are related, as an outsider would write them."""

from tests.runner.suites.nextedit.order.order_case import OrderCase, plain

RELATED: list[OrderCase] = [
    plain(
        "a renamed struct is used by its package",
        {
            "api/user.go": """
  package api

- type Account struct {
+ type Profile struct {
      Name string
  }
""",
            "cmd/main.go": """
  package main

  import "example.org/app/api"

  func main() {
-     show(api.Account{Name: "x"})
+     show(api.Profile{Name: "x"})
  }
""",
        },
        (0, 1),
    ),
    plain(
        "locals of one name in two functions",
        {
            "a/a.go": """
  package a

  func Sum(xs []int) int {
      total := 0
+     count := len(xs)
      for _, x := range xs {
          total += x
      }
+     log(count)
      return total
  }
""",
            "b/b.go": """
  package b

  func Lines(path string) int {
+     count := strings.Count(path, "/")
      open(path)
+     report(path, count)
      return 3
  }
""",
        },
        (0, 1),
        (2, 3),
    ),
    plain(
        "a signature and its two callers",
        {
            "db/db.go": """
  package db

- func Connect(url string) *Conn {
+ func Connect(url string, retries int) *Conn {
      return dial(url)
  }
""",
            "main.go": """
  package main

  import "example.org/m/db"

  func serve() {
-     c := db.Connect(env("URL"))
+     c := db.Connect(env("URL"), 3)
      c.Ping()
  }

  func migrate() {
      lock()
-     conn := db.Connect("local")
+     conn := db.Connect("local", 0)
      conn.Exec(schema)
  }
""",
        },
        (0, 1),
        (0, 2),
    ),
    plain(
        "a variable of the package in another file",
        {
            "svc/config.go": """
  package svc

+ var defaultTimeout = 30
+
  type Config struct{}
""",
            "svc/server.go": """
  package svc

  func Start() {
-     listen(10)
+     listen(defaultTimeout)
  }
""",
        },
        (0, 1),
    ),
    plain(
        "a method of an interface is called",
        {
            "store/iface.go": """
  package store

  type Store interface {
      Get(k string) string
+     Delete(k string) error
  }
""",
            "web/handler.go": """
  package web

  func (h *Handler) remove(k string) {
      log.Println(k)
+     h.store.Delete(k)
  }
""",
        },
        (0, 1),
    ),
    plain(
        "an alias, its import and its use",
        {
            "ids/ids.go": """
  package ids

+ type UserID = string
+
  func New() string { return "" }
""",
            "users/users.go": """
  package users

  import (
      "fmt"
+     "example.org/x/ids"
  )

- func Find(id string) User {
+ func Find(id ids.UserID) User {
      return table[id]
  }
""",
        },
        (0, 2),
        (1, 2),
    ),
    plain(
        "a field goes with its use",
        {
            "m/m.go": """
  package m

  type Base struct {
      ID int
-     Legacy bool
  }
""",
            "m/use.go": """
  package m

  func Show(b Base) string {
-     if b.Legacy {
-         return "old"
-     }
      return fmt.Sprint(b.ID)
  }
""",
        },
        (0, 1),
    ),
    plain(
        "an error of a package is returned",
        {
            "errs/errs.go": """
  package errs

+ var ErrGone = errors.New("gone")
""",
            "client/client.go": """
  package client

  import "example.org/errs"

  func Fetch() error {
      if code == 410 {
-         return nil
+         return errs.ErrGone
      }
      return nil
  }
""",
        },
        (0, 1),
    ),
]
