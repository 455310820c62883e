"""Go commits in which edits are related, a second sheaf."""

from tests.runner.suites.nextedit.order.order_case import OrderCase, plain

RELATED: list[OrderCase] = [
    plain(
        "a renamed method is called on a parameter",
        {
            "shape/circle.go": """
  package shape

  type Circle struct{ r float64 }

- func (c Circle) Size() float64 {
+ func (c Circle) Area() float64 {
      return c.r
  }
""",
            "ui/draw.go": """
  package ui

  import "example.org/shape"

  func Draw(c shape.Circle) {
-     plot(c.Size())
+     plot(c.Area())
  }
""",
        },
        (0, 1),
    ),
    plain(
        "a function becomes generic",
        {
            "fn/fn.go": """
  package fn

- func Map(xs []int, f func(int) int) []int {
+ func Map[T any](xs []T, f func(T) T) []T {
      return xs
  }
""",
            "calc/calc.go": """
  package calc

  import "x/fn"

  func Double(xs []int) []int {
-     return fn.Map(xs, twice)
+     return fn.Map[int](xs, twice)
  }
""",
        },
        (0, 1),
    ),
    plain(
        "a function is called by the alias of its package",
        {
            "lib/jsonx/jsonx.go": """
  package jsonx

- func Encode(v any) []byte { return nil }
+ func Marshal(v any) []byte { return nil }
""",
            "srv/srv.go": """
  package srv

  import jx "example.org/lib/jsonx"

  func Send(v any) {
-     write(jx.Encode(v))
+     write(jx.Marshal(v))
  }
""",
        },
        (0, 1),
    ),
    plain(
        "new file with helper and caller elsewhere",
        {
            "internal/hash/hash.go": """
+ package hash
+
+ import "crypto/sha256"
+
+ // Sum returns a digest.
+ func Sum(data []byte) [32]byte {
+     return sha256.Sum256(data)
+ }
""",
            "cmd/tool/main.go": """
  package main

  import (
      "fmt"
+
+     "example.org/tool/internal/hash"
  )

  func main() {
-     fmt.Println("todo")
+     fmt.Println(hash.Sum([]byte("x")))
  }
""",
        },
        (0, 1),
        (0, 2),
        (1, 2),
    ),
    plain(
        "variadic options pattern",
        {
            "opt/opt.go": """
  package opt

  type Option func(*settings)

+ func WithColor(c string) Option {
+     return func(s *settings) { s.color = c }
+ }
""",
            "main/main.go": """
  package main

  import "example.org/opt"

  func main() {
-     run(opt.New())
+     run(opt.New(opt.WithColor("red")))
  }
""",
        },
        (0, 1),
    ),
    plain(
        "const iota enum",
        {
            "lex/token.go": """
  package lex

  const (
      EOF Token = iota
      Ident
+     Arrow
  )
""",
            "parse/parse.go": """
  package parse

  import "example.org/lex"

  func (p *Parser) next() {
      switch p.tok {
      case lex.EOF:
          return
+     case lex.Arrow:
+         p.arrow()
      }
  }
""",
        },
        (0, 1),
    ),
    plain(
        "struct literal with keyed new field",
        {
            "model/item.go": """
  package model

  type Item struct {
      ID   int
+     Tags []string
  }
""",
            "seed/seed.go": """
  package seed

  import "example.org/model"

  var items = []model.Item{
-     {ID: 1},
+     {ID: 1, Tags: []string{"new"}},
  }
""",
        },
        (0, 1),
    ),
    plain(
        "test calls new function",
        {
            "calc/calc.go": """
  package calc

+ func Mul(a, b int) int { return a * b }
""",
            "calc/calc_test.go": """
  package calc

  import "testing"

+ func TestMul(t *testing.T) {
+     if Mul(2, 3) != 6 {
+         t.Fatal("wrong")
+     }
+ }
""",
        },
        (0, 1),
    ),
]
