"""Go commits whose receivers are made by functions, and renames through interfaces."""

from tests.runner.suites.nextedit.order.order_case import OrderCase, plain

FURTHER: list[OrderCase] = [
    plain(
        "a constructor decides the type of a receiver",
        {
            "cmd/serve.go": """
  package main

  import "example.com/x/net"

  func serve() {
      srv := net.NewServer(":80")
-     defer srv.Close()
+     defer srv.Close(ctx)
      srv.Run()
  }
""",
            "net/conns.go": """
  package net

  type Server struct{ addr string }

  func NewServer(addr string) *Server { return &Server{addr} }

- func (s *Server) Close() error {
+ func (s *Server) Close(ctx context.Context) error {
      s.listener.Stop()
      return nil
  }

  type Client struct{ addr string }

  func NewClient(addr string) *Client { return &Client{addr} }

- func (c *Client) Close() error {
+ func (c *Client) Close(force bool, wait int) error {
      c.hang(up)
      return nil
  }
""",
        },
        (0, 1),
    ),
    plain(
        "a type and its constructor are renamed",
        {
            "auth/session.go": """
  package auth

  type Session struct {
-     tok *Tok
+     tok *Token
  }

  func Open(raw string) *Session {
-     return &Session{tok: NewTok(raw)}
+     return &Session{tok: NewToken(raw)}
  }
""",
            "auth/token.go": """
  package auth

- type Tok struct {
+ type Token struct {
      raw string
  }

- func NewTok(raw string) *Tok {
-     return &Tok{raw: raw}
+ func NewToken(raw string) *Token {
+     return &Token{raw: raw}
  }

- func (t *Tok) Valid() bool {
+ func (t *Token) Valid() bool {
      return t.raw != ""
  }
""",
        },
        (0, 1),
        (0, 2),
        (0, 3),
        (0, 4),
        (1, 3),
        (2, 3),
        (2, 4),
        (3, 4),
    ),
    plain(
        "a method is renamed in interface, implementation and caller",
        {
            "a/store.go": """
  package a

  type Store interface {
-     Put(key string, data []byte) error
+     Save(key string, data []byte) error
  }

  type disk struct{ dir string }

- func (d *disk) Put(key string, data []byte) error {
+ func (d *disk) Save(key string, data []byte) error {
      return os.WriteFile(d.dir+key, data, 0o600)
  }
""",
            "b/upload.go": """
  package b

  import "example.com/a"

  type Upload struct{ store a.Store }

  func (u Upload) accept(f Form) error {
-     return u.store.Put(f.Name, f.Bytes)
+     return u.store.Save(f.Name, f.Bytes)
  }
""",
        },
        (0, 1),
        (0, 2),
        (1, 2),
    ),
    plain(
        "a package is renamed in two importers",
        {
            "app/a.go": """
  package app

  import (
-     "example.com/x/utils"
+     "example.com/x/helpers"
  )

- var day = utils.Date("1")
+ var day = helpers.Date("1")
""",
            "cmd/b.go": """
  package main

- import "example.com/x/utils"
+ import "example.com/x/helpers"

- func main() { utils.Run() }
+ func main() { helpers.Run() }
""",
        },
        (0, 1),
        (0, 2),
        (2, 3),
    ),
    plain(
        "an embedded struct's field is set",
        {
            "model/base.go": """
  package model

+ type Timestamps struct {
+     CreatedAt int64
+     UpdatedAt int64
+ }
+
  type ID string
""",
            "model/user.go": """
  package model

  type User struct {
+     Timestamps
      ID   ID
      Name string
  }

  func (u *User) Rename(name string, now int64) {
      u.Name = name
+     u.UpdatedAt = now
  }
""",
        },
        (0, 1),
        (0, 2),
    ),
    plain(
        "an option sets a new field",
        {
            "client/client.go": """
  package client

  type Client struct {
      host  string
+     retry int
  }

  func (c *Client) Do(r Request) (Response, error) {
-     return c.send(r)
+     var last error
+     for i := 0; i <= c.retry; i++ {
+         res, err := c.send(r)
+         if err == nil {
+             return res, nil
+         }
+         last = err
+     }
+     return Response{}, last
  }
""",
            "client/options.go": """
  package client

  import "time"

  type Option func(*Client)

  func WithHost(host string) Option {
      return func(c *Client) { c.host = host }
  }
+
+ func WithRetry(times int) Option {
+     return func(c *Client) { c.retry = times }
+ }
""",
        },
        (0, 1),
        (0, 2),
        (1, 2),
    ),
    plain(
        "a new type has a case in a type switch",
        {
            "ast/nodes.go": """
  package ast

  type Number struct{ Value float64 }

+ type Unary struct {
+     Op   byte
+     Expr Node
+ }
+
  type Binary struct {
      Op          byte
      Left, Right Node
  }
""",
            "eval/eval.go": """
  package eval

  import "example.com/calc/ast"

  func Eval(n ast.Node) float64 {
      switch n := n.(type) {
      case *ast.Number:
          return n.Value
+     case *ast.Unary:
+         return -Eval(n.Expr)
      case *ast.Binary:
          return apply(n.Op, Eval(n.Left), Eval(n.Right))
      }
      panic("unknown node")
  }
""",
        },
        (0, 1),
    ),
    plain(
        "a function of another package has the same name",
        {
            "alpha/run.go": """
  package alpha

- func Run(args []string) int {
+ func Run(args []string, env []string) int {
      return len(args)
  }
""",
            "main.go": """
  package main

  import (
      "example.com/x/alpha"
      "example.com/x/beta"
  )

  func main() {
      alpha.Name()
-     beta.Run()
+     beta.Run(true)
  }
""",
        },
    ),
    plain(
        "a new function's name in a comment and a text",
        {
            "db/query.go": """
  package db

+ // Explain prints the plan of a query.
+ func Explain(q string) string {
+     return "EXPLAIN " + q
+ }
+
  func Run(q string) {}
""",
            "ui/help.go": """
  package ui

  func Help() string {
-     return "commands: run"
+     return "commands: run, Explain what you need"
  }

+ // Version: see Explain in the manual.
  func Version() string { return "1" }
""",
        },
    ),
]
