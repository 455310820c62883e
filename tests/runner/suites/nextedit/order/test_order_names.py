import pytest

from runner.suites.nextedit.commits import Span
from runner.suites.nextedit.order.languages import language_named
from runner.suites.nextedit.order.modules import imported_files
from runner.suites.nextedit.order.names import FileNames, Role, read_names
from runner.suites.nextedit.order.symbols import mentions_in, related
from tests.nextedit import commit_of

PYTHON = """\
import os.path as paths
from ..base import Model as Base, helper

class User(Base):
    limit = 3

    def __init__(self, name, size=2):
        self.name = name

    def greet(self):
        text = helper(self.name, loud=True)
        return paths.join(text)
"""


def _read(text: str, language: str) -> FileNames:
    known = language_named(language)
    assert known is not None
    return read_names(text, known, [Span(0, 100)])


def _roles(names: FileNames, role: Role) -> list[tuple[str, str]]:
    return [(name.text, name.owner) for name in names.names if name.role == role]


class TestRoles:
    def test_python_fields_belong_to_their_class(self) -> None:
        assert _roles(_read(PYTHON, "python"), Role.FIELD) == [
            ("limit", "User"),
            ("name", "User"),
            ("greet", "User"),
        ]

    def test_imports_keep_their_module_and_the_name_there(self) -> None:
        imports = [each for each in _read(PYTHON, "python").names if each.role == Role.IMPORT]

        assert [(each.text, each.module, each.original) for each in imports] == [
            ("paths", "os.path", ""),
            ("Base", "..base", "Model"),
            ("helper", "..base", "helper"),
        ]

    def test_members_know_their_receiver_and_keywords_their_function(self) -> None:
        names = _read(PYTHON, "python")

        assert _roles(names, Role.MEMBER) == [("name", "self"), ("join", "paths")]
        assert _roles(names, Role.KEYWORD) == [("loud", "helper")]

    def test_a_constructor_defines_its_class_again(self) -> None:
        rows = [each.row for each in _read(PYTHON, "python").names if each.text == "User" and each.role == Role.DEFINE]

        assert rows == [3, 6]

    @pytest.mark.parametrize(
        "language, text, fields",
        [
            ("go", "type T struct { A, B int }\nfunc (t *T) M() {}\n", [("A", "T"), ("B", "T"), ("M", "T")]),
            (
                "java",
                "class A { int x; void f() {} enum E { ONE } }",
                [("x", "A"), ("f", "A"), ("E", "A"), ("ONE", "E")],
            ),
            ("typescript", "interface I { a: string; m(): void }", [("a", "I"), ("m", "I")]),
            ("typescript", "class K { constructor(private g: number) {} }", [("g", "K")]),
            ("javascript", "class A { p = 1; m() { this.q = 2 } }", [("p", "A"), ("m", "A"), ("q", "A")]),
        ],
    )
    def test_fields_are_found_in_every_language(self, language: str, text: str, fields: list[tuple[str, str]]) -> None:
        assert _roles(_read(text, language), Role.FIELD) == fields

    def test_what_does_not_parse_gives_what_can_be_told(self) -> None:
        assert _roles(_read("def f(:\n  x = = 1\n", "python"), Role.DEFINE) == [("x", "")]

    def test_uses_are_read_in_edited_rows_only(self) -> None:
        language = language_named("python")
        assert language is not None

        names = read_names("a = 1\nb = a\nc = a\n", language, [Span(1, 2)])

        assert [(each.text, each.row) for each in names.names if each.role == Role.USE] == [("a", 1)]


class TestScopes:
    @pytest.mark.parametrize(
        "language, text, row, bound_row",
        [
            pytest.param("python", "x = 1\ndef f(x):\n    return x\n", 2, 1, id="a-parameter-hides-a-global"),
            pytest.param(
                "python", "x = 1\nclass A:\n    x = 2\n    def f(self):\n        return x\n", 4, 0, id="no-class"
            ),
            pytest.param("python", "x = 1\ny = [x for x in z]\nx\n", 2, 0, id="a-comprehension-is-a-scope"),
            pytest.param("javascript", "let x = 1;\n{ let x = 2; }\nf(x);\n", 2, 0, id="a-block-is-a-scope"),
            pytest.param(
                "go", "package a\nvar x = 1\nfunc f() {\n\tif x := 2; true {\n\t\tg(x)\n\t}\n}\n", 4, 3, id="if"
            ),
            pytest.param(
                "java", "class A {\n int x;\n int f() {\n  return x;\n }\n}\n", 3, 1, id="fields-are-bare-in-java"
            ),
        ],
    )
    def test_a_name_means_the_nearest_binding(self, language: str, text: str, row: int, bound_row: int) -> None:
        names = _read(text, language)
        (use,) = [each for each in names.names if each.row == row and each.text == "x" and each.role == Role.USE]

        binding = names.binding(use.text, use.scope)

        assert binding is not None
        assert binding.row == bound_row


@pytest.mark.parametrize(
    "language, module, importer, paths",
    [
        ("python", "tool.text", "app/main.py", ["src/tool/text.py"]),
        ("python", "tool", "app/main.py", ["tool/__init__.py"]),
        ("python", ".text", "tool/main.py", ["tool/text.py"]),
        ("python", "..text", "tool/sub/main.py", ["tool/text.py"]),
        ("python", ".", "tool/main.py", ["tool/__init__.py"]),
        ("go", "example.org/x/store", "main.go", ["store/a.go", "store/b.go"]),
        ("java", "a.b", "src/c/D.java", ["src/a/b/C.java"]),
        ("typescript", "./text", "src/main.ts", ["src/text.ts"]),
        ("typescript", "../lib", "src/main.ts", ["lib/index.ts"]),
        ("javascript", "src/text", "test/main.js", ["app/src/text.js"]),
    ],
)
def test_an_import_finds_the_files_it_speaks_of(language: str, module: str, importer: str, paths: list[str]) -> None:
    known = language_named(language)
    assert known is not None

    assert (
        list(imported_files(module, importer, known, [*paths, "other/thing.py", "other/thing.go", importer])) == paths
    )


class TestRelations:
    def test_a_use_of_something_not_edited_relates_nothing(self) -> None:
        before = "import os\n\na = 1\nx = 0\nb = 2\n"

        commit = commit_of({"a.py": (before, "import os\n\na = os.sep\nx = 0\nb = os.sep\n")})

        assert list(related(mentions_in(commit, "after").mentions)) == []

    def test_a_keyword_argument_finds_its_parameter_in_another_file(self) -> None:
        commit = commit_of(
            {
                "a.py": ("def load(path):\n    pass\n", "def load(path, strict=False):\n    pass\n"),
                "b.py": ("from a import load\n\nload('x')\n", "from a import load\n\nload('x', strict=True)\n"),
            }
        )

        pairs = related(mentions_in(commit, "after").mentions)
        texts = {(source.name.text, source.edit, target.edit) for source, target in pairs}

        assert {("strict", 0, 1), ("load", 0, 1)} <= texts

    @pytest.mark.parametrize(
        "files",
        [
            pytest.param(
                {
                    "core.ts": "export function {0}() {{}}\n",
                    "lib/index.ts": "export {{ {0} }} from '../core';\n",
                    "use.ts": "import {{ {0} }} from './lib';\n\nconst keep = 1;\n\n{0}();\n",
                },
                id="typescript-by-name",
            ),
            pytest.param(
                {
                    "core.js": "export function {0}() {{}}\n",
                    "lib/index.js": "export {{ {0} }} from '../core';\n",
                    "use.js": "import * as lib from './lib';\n\nlib.{0}();\n",
                },
                id="javascript-as-a-member",
            ),
            pytest.param(
                {
                    "tool/__init__.py": "from tool.core import {0}\n",
                    "tool/core.py": "def {0}():\n    pass\n",
                    "use.py": "from tool import {0}\n\nkeep = 1\n\n{0}()\n",
                },
                id="python",
            ),
        ],
    )
    def test_a_name_that_another_file_passes_on_is_what_it_got(self, files: dict[str, str]) -> None:
        commit = commit_of({path: (text.format("total"), text.format("tally")) for path, text in files.items()})
        definition = next(edit.idx for edit in commit.edits if "core" in edit.path)
        last = commit.edits[-1].idx

        pairs = {(source.edit, target.edit) for source, target in related(mentions_in(commit, "after").mentions)}

        assert (definition, last) in pairs

    def test_files_that_pass_a_name_round_in_a_circle_define_nothing(self) -> None:
        commit = commit_of(
            {
                "a.py": ("from b import x\n", "from b import y\n"),
                "b.py": ("from a import x\n", "from a import y\n"),
                "c.py": ("from a import x\n", "from a import y\n"),
            }
        )

        assert list(related(mentions_in(commit, "after").mentions)) == []

    @pytest.mark.parametrize(
        "path, text",
        [
            ("{}.py", "import {0}\n\ndefault = {0}.make()\n\n{0}.default.{1}()\n"),
            ("{}.js", "import it from './{0}';\n\nexport default it;\n\nconst one = it();\none.next.{1}();\n"),
            (
                "{}.js",
                "const it = require('./{0}');\n\nlet node = node.on();\nmodule.exports = new it.A();\n\nnode.{1}();\n",
            ),
        ],
    )
    def test_things_that_are_made_of_each_other_are_of_no_type(self, path: str, text: str) -> None:
        commit = commit_of(
            {
                path.format(one): (text.format(two, "go"), text.format(two, "run"))
                for one, two in (("a", "b"), ("b", "a"))
            }
        )

        assert list(related(mentions_in(commit, "after").mentions)) == []

    def test_a_member_that_many_classes_have_relates_nothing(self) -> None:
        classes = "".join(f"class C{number}:\n    def run(self):\n        pass\n\n" for number in range(5))
        commit = commit_of({"a.py": (None, classes), "b.py": (None, "def f(x):\n    x.run()\n")})

        assert list(related(mentions_in(commit, "after").mentions)) == []
