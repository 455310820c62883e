"""Go commits with receivers of many kinds, related edits and others."""

from tests.runner.suites.nextedit.order.order_case import OrderCase, plain

MIXED: list[OrderCase] = [
    plain(
        "go func moved param order with multiple returns",
        {
            "repo/repo.go": """
  package repo

- func Load(id int) (*Item, error) {
+ func Load(ctx context.Context, id int) (*Item, bool, error) {
      return nil, nil
  }
""",
            "api/get.go": """
  package api

  import "example.org/repo"

  func get(w http.ResponseWriter, r *http.Request) {
-     item, err := repo.Load(id(r))
+     item, ok, err := repo.Load(r.Context(), id(r))
      write(w, item, err)
  }
""",
        },
        (0, 1),
    ),
    plain(
        "go method value on field",
        {
            "cache/lru.go": """
  package cache

  type LRU struct{ size int }

- func (l *LRU) Len() int { return l.size }
+ func (l *LRU) Count() int { return l.size }
""",
            "stats/stats.go": """
  package stats

  import "example.org/cache"

  type Stats struct {
      lru *cache.LRU
  }

  func (s *Stats) Report() int {
-     return s.lru.Len()
+     return s.lru.Count()
  }
""",
        },
        (0, 1),
    ),
    plain(
        "go two types same method, typed use",
        {
            "a/types.go": """
  package a

  type Cat struct{}

- func (c *Cat) Feed() {}
+ func (c *Cat) Feed(n int) {}

  type Dog struct{}

- func (d *Dog) Feed() { d.bowl = nil }
+ func (d *Dog) Feed(food string, when time.Time) { d.bowl = append(d.bowl, food) }
""",
            "b/use.go": """
  package b

  import "example.org/a"

  func Morning(cat *a.Cat) {
-     cat.Feed()
+     cat.Feed(2)
  }
""",
        },
        (0, 2),
    ),
    plain(
        "go embedded struct promoted",
        {
            "m/base.go": """
  package m

  type Base struct {
-     Ident int
+     ID int
  }
""",
            "m/user.go": """
  package m

  type User struct {
      Base
      Name string
  }

  func (u User) Key() string {
-     return key(u.Ident)
+     return key(u.ID)
  }
""",
        },
        (0, 1),
    ),
    plain(
        "go channel types unrelated to each other",
        {
            "p/p.go": """
  package p

  func produce(out chan<- int) {
-     out <- 1
+     for n := range 10 { out <- n }
  }
""",
            "q/q.go": """
  package q

  func drain(in <-chan string) {
-     <-in
+     for s := range in { fmt.Println(s) }
  }
""",
        },
    ),
    plain(
        "go build tag and comment unrelated",
        {
            "w/w_linux.go": """
+ //go:build linux
+
  package w
""",
            "x/x.go": """
  package x

- var version = "1.0"
+ var version = "1.1"
""",
        },
    ),
    plain(
        "go string key shared config",
        {
            "cfg/cfg.go": """
  package cfg

  func init() {
+     viper.SetDefault("server.port", 80)
  }
""",
            "srv/srv.go": """
  package srv

  func port() int {
-     return 80
+     return viper.GetInt("server.port")
  }
""",
        },
        (0, 1),
    ),
    plain(
        "go global in main package files",
        {
            "main.go": """
  package main

+ var verbose bool
+
  func main() {
+     flag.BoolVar(&verbose, "v", false, "talk")
      run()
  }
""",
            "run.go": """
  package main

  func run() {
+     if verbose { log.Println("running") }
  }
""",
        },
        (0, 1),
        (0, 2),
        (1, 2),
    ),
]
