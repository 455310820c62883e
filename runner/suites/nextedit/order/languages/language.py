"""What opens scopes, defines, imports and uses names in each language, as tree-sitter queries.

Captures, all on name nodes but for the scopes and the helpers:

- `scope.function`, `scope.class`, `scope.block`: nodes that open a scope;
- `define.function`, `define.class`: bound in the scope around the declaration;
- `define.variable`, `define.parameter`, `define.type` (a parameter that stands for a type): bound in the scope that
  holds the name;
- `define.field`: a member of the class around, or of the type named by `owner`; `define.own`: or of what the function
  around makes;
- `define.export`: bound in the file, whatever the scope;
- `define.default`: what the file exports without a name, with `define.original` if it has one in the file;
- `define.constructor`: defines the class around once more;
- `import.name` from `import.module`, with `import.original` where it is renamed; `import.default`: the one without a
  name; `import.package`: a whole module; `import.all`: all that it holds, by its own names;
- `package`: what the file declares to be a part of, where that and not the folder decides who sees its names;
- `heir` of `ancestor`: classes by name; `interface`: a type that others have without saying so;
- `typed` of `type`, or `made` of a class: what is known of a variable's or a field's type;
- `use.export`: hands what it names to other files; `use.module`: a module that no name is bound to;
- `use.super`: makes the part of the ancestor; `use.part`: a member that a pattern takes while it binds its name;
- `use.member`, with its `receiver`; `use.key`: a member that an object is made with; `use.keyword`: an argument that
  is given by name to `callee`; `use.arguments`: all that are given to `callee`, a member if it has a `receiver`;
  `use.doc`: what documents the function, or the class with the constructor, whose name is `documented`.

Every other identifier is a use of what its scopes bind.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Language:
    """A language's queries, and how its names are found.

    - `definitions` is asked of the whole file; `uses`, and `prose` (comments, and what strings say), of edited lines.
    - `shares_folder`: files of one folder see each other's names.
    - `bare_members`: a method names its class's members without a receiver.
    - `this`: the names by which a method speaks of its own object.
    - `objects`: those of its own names whose members are its own too.
    - `known`: names of the language's own; None where every plain name that a file does not bind is one.
    """

    name: str
    definitions: str
    uses: str
    prose: str
    shares_folder: bool = False
    bare_members: bool = False
    this: frozenset[str] = frozenset({"this"})
    known: frozenset[str] | None = None
    objects: frozenset[str] = frozenset()


def names(*kinds: str) -> str:
    """The query by which every identifier, and every node of these kinds, is a use."""
    return f"[(identifier) {' '.join(f'({kind})' for kind in kinds)}] @use"


def prose(*kinds: str) -> str:
    """The query for nodes of these kinds, whose words name nothing."""
    return f"[{' '.join(f'({kind})' for kind in kinds)}] @prose"
