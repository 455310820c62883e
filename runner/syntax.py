"""Syntax trees of source files, by tree-sitter: which language a path is in, and whether a text parses.

Languages have the names that tree-sitter-language-pack gives them. Common ones have a package of their own each; the
pack, an extra, has all others. A grammar is loaded when it is first used.
"""

from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, get_args

from runner.nesting import nests_too_deep

if TYPE_CHECKING:
    from tree_sitter import Language, Query, Tree

_COMMENTS = ("comment", "line_comment", "block_comment", "multiline_comment")

_BY_NAME = {
    ".bashrc": "bash",
    ".gitattributes": "gitattributes",
    ".gitignore": "gitignore",
    ".profile": "bash",
    ".zshrc": "bash",
    "build": "starlark",
    "build.bazel": "starlark",
    "cmakelists.txt": "cmake",
    "containerfile": "dockerfile",
    "dockerfile": "dockerfile",
    "gemfile": "ruby",
    "gnumakefile": "make",
    "go.mod": "gomod",
    "go.sum": "gosum",
    "jenkinsfile": "groovy",
    "makefile": "make",
    "rakefile": "ruby",
    "requirements.txt": "requirements",
}
_BY_SUFFIX = {
    suffix: language
    for language, suffixes in {
        "bash": "sh bash zsh",
        "c": "c h",
        "clojure": "clj cljs cljc",
        "cmake": "cmake",
        "cpp": "cc cpp cxx c++ hh hpp hxx inl ipp",
        "csharp": "cs",
        "css": "css",
        "cuda": "cu cuh",
        "dart": "dart",
        "elixir": "ex exs",
        "elm": "elm",
        "erlang": "erl hrl",
        "fish": "fish",
        "fortran": "f90 f95 f03 f08",
        "fsharp": "fs fsx",
        "go": "go",
        "graphql": "graphql gql",
        "groovy": "groovy gradle",
        "haskell": "hs",
        "hcl": "hcl tf tfvars",
        "html": "html htm",
        "ini": "ini cfg",
        "java": "java",
        "javascript": "js jsx mjs cjs",
        "json": "json jsonc geojson ipynb webmanifest",
        "julia": "jl",
        "kotlin": "kt kts",
        "latex": "tex sty",
        "lua": "lua",
        "make": "mk",
        "markdown": "md markdown mdx",
        "nim": "nim",
        "nix": "nix",
        "objc": "m mm",
        "ocaml": "ml",
        "ocaml_interface": "mli",
        "perl": "pl pm",
        "php": "php",
        "powershell": "ps1 psm1",
        "prisma": "prisma",
        "properties": "properties",
        "proto": "proto",
        "python": "py pyi pyw",
        "r": "r",
        "rst": "rst",
        "ruby": "rb rake gemspec",
        "rust": "rs",
        "scala": "scala sc sbt",
        "scss": "scss",
        "solidity": "sol",
        "sql": "sql",
        "starlark": "bzl star",
        "svelte": "svelte",
        "swift": "swift",
        "toml": "toml",
        "tsx": "tsx",
        "typescript": "ts mts cts",
        "verilog": "v sv",
        "vhdl": "vhd vhdl",
        "vue": "vue",
        "xml": "xml xsd xsl svg plist",
        "yaml": "yaml yml",
        "zig": "zig",
    }.items()
    for suffix in suffixes.split()
}
# Languages whose grammar is a package of its own, and a dependency: its module, and the function that returns it.
_PACKAGES = {
    "c": ("tree_sitter_c", "language"),
    "go": ("tree_sitter_go", "language"),
    "java": ("tree_sitter_java", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "json": ("tree_sitter_json", "language"),
    "markdown": ("tree_sitter_markdown", "language"),
    "python": ("tree_sitter_python", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "yaml": ("tree_sitter_yaml", "language"),
}
LANGUAGES = frozenset((*_BY_NAME.values(), *_BY_SUFFIX.values()))


def language_of(path: str) -> str | None:
    """Return the language of a file by its name, else by its extension, whatever their case; None when unknown."""
    name = PurePosixPath(path.replace("\\", "/")).name.lower()
    return _BY_NAME.get(name) or _BY_SUFFIX.get(name.rpartition(".")[2] if "." in name else "")


def has_grammar(language: str) -> bool:
    """Return whether texts in a language can be parsed."""
    return grammar(language) is not None


def parses(text: str, language: str) -> bool | None:
    """Return whether a text has no syntax errors; None when the language has no grammar, or the text nests too deep.

    The grammars are lenient: what a compiler would refuse for other reasons than its syntax parses, and so does
    nearly every Markdown text.
    """
    source = _encoded(text)
    if not has_grammar(language) or nests_too_deep(source, language):
        return None
    # has_error is true of ERROR and of MISSING nodes, anywhere below.
    return not parse(source, language).root_node.has_error


def parse(text: str | bytes, language: str) -> "Tree":
    """Return the syntax tree; positions are in bytes of UTF-8. Raises LookupError when the language has no grammar.

    Half a surrogate pair, which UTF-8 cannot hold, is read as a question mark. A text that nests too deep to be
    parsed has the tree of an empty text: nothing is known of its syntax.
    """
    return _tree(_encoded(text), language)


def _encoded(text: str | bytes) -> bytes:
    return text.encode(errors="replace") if isinstance(text, str) else text


@lru_cache(2)
def _tree(source: bytes, language: str) -> "Tree":
    """Return the tree of a text; the last ones are cached, because several questions about a text follow each other."""
    from tree_sitter import Parser

    known = grammar(language)
    if known is None:
        raise LookupError(f"no grammar for {language!r}")
    return Parser(known).parse(b"" if nests_too_deep(source, language) else source)


def comments(tree: "Tree", language: str) -> list[tuple[int, int]]:
    """Return where a tree's comments start and end, in bytes; an outer comment comes before those within it."""
    query = _comment_query(language)
    if query is None:
        return []
    from tree_sitter import QueryCursor

    nodes = QueryCursor(query).captures(tree.root_node).get("comment", [])
    return sorted(((node.start_byte, node.end_byte) for node in nodes), key=lambda place: (place[0], -place[1]))


@cache
def _comment_query(language: str) -> "Query | None":
    """Return what finds all comments, by the names that the grammar has for them; None where it has none."""
    from tree_sitter import Query

    known = grammar(language)
    kinds = [kind for kind in _COMMENTS if known and known.id_for_node_kind(kind, True) is not None]  # noqa: FBT003 - tree-sitter's own: a named kind
    return Query(known, " ".join(f"({kind}) @comment" for kind in kinds)) if known and kinds else None


@cache
def grammar(language: str) -> "Language | None":
    """Return the grammar of a language, from its own package or from the pack of all; None where it has none here."""
    from tree_sitter import Language

    if language in _PACKAGES:
        module, name = _PACKAGES[language]
        return Language(getattr(import_module(module), name)())
    return _packed(language)


def has_pack() -> bool:
    """Return whether the pack of grammars is installed."""
    return find_spec("tree_sitter_language_pack") is not None


def _packed(language: str) -> "Language | None":
    """Return the grammar of a language from the pack, an extra; the pack's of a language in `_PACKAGES` is not used."""
    try:
        from tree_sitter_language_pack import SupportedLanguage, get_language
    except ImportError:
        return None
    return next((get_language(name) for name in get_args(SupportedLanguage) if name == language), None)
