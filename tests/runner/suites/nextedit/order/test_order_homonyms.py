"""Names that stand in two edits: which of them may mean the same, and which words are no names at all."""

import pytest

from runner.suites.nextedit.order.homonyms import Homonyms
from runner.suites.nextedit.order.symbols import mentions_by_version, mentions_in, overridden, related
from tests.nextedit import commit_of


def apart(path: str, one: tuple[str, str], two: tuple[str, str], word: str) -> bool:
    """Whether a word means two things in the edits of two files, each given before and after."""
    stem, _, ending = path.partition(".")
    commit = commit_of({f"a/{stem}.{ending}": one, f"b/{stem}.{ending}": two})
    assert len(commit.edits) == 2
    return Homonyms(mentions_by_version(commit)).apart(0, 1, word)


class TestHomonyms:
    @pytest.mark.parametrize(
        "path, one, two, word",
        [
            pytest.param(
                "m.py",
                ("def f():\n    pass\n", "def f():\n    count = 1\n"),
                ("def g():\n    pass\n", "def g():\n    count = []\n"),
                "count",
                id="locals-of-two-functions",
            ),
            pytest.param(
                "m.py",
                ("import os\nx = 1\n", "import os\nx = os.sep\n"),
                ("import os\ny = 1\n", "import os\ny = os.sep\n"),
                "sep",
                id="members-of-foreign-modules",
            ),
            pytest.param(
                "m.py",
                ("class A:\n    pass\n", "class A:\n    def run(self): pass\n"),
                ("class B:\n    pass\n", "class B:\n    def run(self): return 1\n"),
                "run",
                id="methods-of-two-classes",
            ),
            pytest.param(
                "m.js", ("f();\n", "setTimeout(f);\n"), ("g();\n", "g(setTimeout);\n"), "setTimeout", id="globals"
            ),
            pytest.param(
                "M.java",
                ("class M {\n\n void f() {} }\n", "class M {\n@Override\n void f() {} }\n"),
                ("class M {\n\n int g() {} }\n", "class M {\n@Override\n int g() {} }\n"),
                "Override",
                id="names-of-the-language",
            ),
            pytest.param(
                "m.py",
                ("def f():\n    count = 1\n", "def f():\n    pass\n"),
                ("def g():\n    pass\n", "def g():\n    count = []\n"),
                "count",
                id="a-local-that-goes-and-one-that-comes-elsewhere",
            ),
            pytest.param(
                "m.py",
                ("def f():\n    pass\n", "def f(deep):\n    pass\n"),
                ("def g():\n    pass\n", "def g(deep):\n    pass\n"),
                "deep",
                id="parameters",
            ),
        ],
    )
    def test_names_alike_by_chance_are_told_apart(
        self, path: str, one: tuple[str, str], two: tuple[str, str], word: str
    ) -> None:
        assert apart(path, one, two, word)

    @pytest.mark.parametrize(
        "path, one, two, word",
        [
            pytest.param(
                "m.py", ("x.a()\n", "x.go()\n"), ("y.a()\n", "y.go()\n"), "go", id="members-of-who-knows-what"
            ),
            pytest.param("m.txt", ("a\n", "shared\n"), ("b\n", "shared thing\n"), "shared", id="another-language"),
            pytest.param(
                "m.go",
                ("package p\n", "package p\nvar x = helper()\n"),
                ("package q\n", "package q\nvar y = helper()\n"),
                "helper",
                id="what-an-untouched-file-may-define",
            ),
            pytest.param(
                "m.py", ("limit = 1\n", "pass\n"), ("x\n", "from m import limit\n"), "limit", id="what-has-moved"
            ),
        ],
    )
    def test_names_that_may_mean_the_same_are_not(
        self, path: str, one: tuple[str, str], two: tuple[str, str], word: str
    ) -> None:
        assert not apart(path, one, two, word)


class TestProse:
    @pytest.mark.parametrize(
        "path, line, words, missing",
        [
            ("a.py", "x = 1  # the quick fox reads max_rows", {"x", "max_rows"}, {"quick", "fox"}),
            ("a.py", "x = 'two words'", {"x"}, {"two", "words"}),
            ("a.py", "x = 'key'", {"key"}, set()),
            ("a.py", "x = f'many words {name} here'", {"name"}, {"many"}),
            ("a.js", "f(`many words ${name}`); // trailing remark", {"f", "name"}, {"many", "remark"}),
            ("a.ts", "const a: T = 'a b'; /* some remark by useState */", {"T", "useState"}, {"remark"}),
            ("a.go", 'var x = "a sentence" + `raw text`', {"x"}, {"sentence", "raw"}),
            ("A.java", 'class A { String s = "a sentence"; } // done', {"s"}, {"sentence", "done"}),
        ],
    )
    def test_sentences_name_nothing(self, path: str, line: str, words: set[str], missing: set[str]) -> None:
        found = mentions_in(commit_of({path: ("\n", line + "\n")}), "after").words[0].names

        assert words <= found
        assert not missing & found

    def test_a_language_that_is_not_understood_has_no_prose(self) -> None:
        assert not mentions_in(commit_of({"a.txt": ("a\n", "b\n")}), "after").words


class TestOverriding:
    @pytest.mark.parametrize(
        "path, base, heir",
        [
            ("m.py", "class A:\n    def go(self): pass\n", "class B(A):\n    def go(self): return 1\n"),
            ("M.java", "class A { void go() {} }\n", "class B extends A { void go() { x(); } }\n"),
            ("m.ts", "interface A { go(): void }\n", "class B implements A { go() { return 1 } }\n"),
            ("m.js", "class A { go() {} }\n", "class B extends A { go() { return 1 } }\n"),
            ("m.go", "package p\ntype A interface { Go() }\n", "package q\nfunc (b B) Go() { x() }\n"),
        ],
    )
    def test_a_member_is_related_to_what_overrides_it(self, path: str, base: str, heir: str) -> None:
        stem, _, ending = path.partition(".")
        commit = commit_of({f"a/{stem}.{ending}": (None, base), f"b/{stem}.{ending}": (None, heir)})

        pairs = {(source.edit, target.edit) for source, target in overridden(mentions_in(commit, "after"))}

        assert pairs == {(0, 1)}


class TestTypes:
    @pytest.mark.parametrize(
        "path, classes, use",
        [
            ("m.py", "class Cat:\n    {}\n\n\nclass Dog:\n    {}\n", "def f(one: Cat):\n    one.{}()\n"),
            ("m.ts", "class Cat {{ {} }}\nx\nclass Dog {{ {} }}\n", "function f(one: Cat) {{\n one.{}(); }}\n"),
            ("m.js", "class Cat {{ {} }}\nx\nclass Dog {{ {} }}\n", "const one = new Cat();\none.{}();\n"),
            (
                "M.java",
                "class Cat {{ void {} }}\nclass X {{}}\nclass Dog {{ void {} }}\n",
                "class F {{ void f(Cat one) {{\n one.{}(); }} }}\n",
            ),
            (
                "m.go",
                "package p\nfunc (c Cat) {}\nvar x = 1\nfunc (d Dog) {}\n",
                "package q\nfunc f(one *p.Cat) {{\n one.{}() }}\n",
            ),
        ],
    )
    def test_a_receiver_of_known_type_decides_between_members_of_one_name(
        self, path: str, classes: str, use: str
    ) -> None:
        member = "def {}(self): pass" if path.endswith(".py") else "{}() {{}}"
        stem, _, ending = path.partition(".")
        texts = [classes.format(member.format(name), member.format(name)) for name in ("old", "fresh")]
        commit = commit_of(
            {
                f"a/{stem}.{ending}": (texts[0], texts[1]),
                f"b/{stem}.{ending}": (use.format("old"), use.format("fresh")),
            }
        )

        found = {
            (source.edit, target.edit)
            for mentions in mentions_by_version(commit)
            for source, target in related(mentions.mentions)
        }

        assert (0, 2) in found
        assert (1, 2) not in found
