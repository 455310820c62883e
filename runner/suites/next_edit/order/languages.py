"""What opens scopes, defines, imports and uses names in each language, as tree-sitter queries.

Captures, all on name nodes but for the scopes and the helpers:

- `scope.function`, `scope.class`, `scope.block`: nodes that open a scope;
- `define.function`, `define.class`: bound in the scope around the declaration;
- `define.variable`, `define.parameter`: bound in the scope that holds the name;
- `define.field`: a member of the class around, or of the type named by `owner`;
- `define.export`: bound in the file, whatever the scope;
- `define.constructor`: defines the class around once more;
- `import.name` from `import.module`, with `import.original` where it is renamed; `import.package`: a whole module;
- `use.member`, with its `receiver`; `use.keyword`: an argument given by name to `callee`.

Every other identifier is a use of what its scopes bind.
"""

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal, cast

if TYPE_CHECKING:
    from tree_sitter import Query
    from tree_sitter_language_pack import SupportedLanguage

_PYTHON = """
(function_definition) @scope.function
(lambda) @scope.function
(class_definition) @scope.class
[(list_comprehension) (set_comprehension) (dictionary_comprehension) (generator_expression)] @scope.block
(function_definition name: (identifier) @define.function)
(class_definition name: (identifier) @define.class)
(function_definition name: (identifier) @define.constructor (#any-of? @define.constructor "__init__" "__new__"))
(parameters (identifier) @define.parameter)
(lambda_parameters (identifier) @define.parameter)
(default_parameter name: (identifier) @define.parameter)
(typed_parameter . (identifier) @define.parameter)
(typed_parameter . (_ (identifier) @define.parameter))
(typed_default_parameter name: (identifier) @define.parameter)
(parameters (list_splat_pattern (identifier) @define.parameter))
(parameters (dictionary_splat_pattern (identifier) @define.parameter))
(assignment left: (identifier) @define.variable)
(assignment left: [(pattern_list (identifier) @define.variable) (tuple_pattern (identifier) @define.variable)])
(assignment left: (attribute object: (identifier) @receiver attribute: (identifier) @define.field)
  (#any-of? @receiver "self" "cls"))
(for_statement left: (identifier) @define.variable)
(for_statement left: [(pattern_list (identifier) @define.variable) (tuple_pattern (identifier) @define.variable)])
(for_in_clause left: (identifier) @define.variable)
(for_in_clause left: [(pattern_list (identifier) @define.variable) (tuple_pattern (identifier) @define.variable)])
(named_expression name: (identifier) @define.variable)
(as_pattern_target (identifier) @define.variable)
(import_from_statement module_name: (_) @import.module name: (dotted_name (identifier) @import.name))
(import_from_statement module_name: (_) @import.module
  name: (aliased_import name: (dotted_name (identifier) @import.original) alias: (identifier) @import.name))
(import_statement name: (dotted_name . (identifier) @import.package) @import.module)
(import_statement name: (aliased_import name: (dotted_name) @import.module alias: (identifier) @import.package))
"""
_PYTHON_USES = """
(attribute object: (_) @receiver attribute: (identifier) @use.member)
(call function: (_) @callee arguments: (argument_list (keyword_argument name: (identifier) @use.keyword)))
"""

_SCRIPT = """
[(function_declaration) (generator_function_declaration) (function_expression) (arrow_function)
 (method_definition)] @scope.function
[(class_declaration) (class)] @scope.class
[(statement_block) (for_statement) (for_in_statement) (catch_clause)] @scope.block
(function_declaration name: (identifier) @define.function)
(generator_function_declaration name: (identifier) @define.function)
(function_expression name: (identifier) @define.parameter)
(class_declaration name: (_) @define.class)
(variable_declarator name: (identifier) @define.variable)
(object_pattern (shorthand_property_identifier_pattern) @define.variable)
(object_assignment_pattern left: (shorthand_property_identifier_pattern) @define.variable)
(pair_pattern value: (identifier) @define.variable)
(array_pattern (identifier) @define.variable)
(rest_pattern (identifier) @define.variable)
(arrow_function parameter: (identifier) @define.parameter)
(for_in_statement left: (identifier) @define.variable)
(catch_clause parameter: (identifier) @define.parameter)
(method_definition name: (_) @define.field)
(method_definition name: (_) @define.constructor (#eq? @define.constructor "constructor"))
(assignment_expression left: (member_expression object: (this) @receiver property: (_) @define.field))
(assignment_expression left: (member_expression
  object: (member_expression object: (_) @owner property: (property_identifier) @_prototype)
  property: (_) @define.field) (#eq? @_prototype "prototype"))
(assignment_expression left: (member_expression object: (_) @_exports property: (_) @define.export)
  (#any-of? @_exports "exports" "module.exports"))
(import_statement (import_clause (named_imports (import_specifier !alias name: (identifier) @import.name)))
  source: (string) @import.module)
(import_statement (import_clause (named_imports (import_specifier
  name: (identifier) @import.original alias: (identifier) @import.name))) source: (string) @import.module)
(import_statement (import_clause (identifier) @import.name) source: (string) @import.module)
(import_statement (import_clause (namespace_import (identifier) @import.package)) source: (string) @import.module)
(variable_declarator name: (identifier) @import.package
  value: (call_expression function: (identifier) @_require arguments: (arguments (string) @import.module))
  (#eq? @_require "require"))
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @import.name)
  value: (call_expression function: (identifier) @_require arguments: (arguments (string) @import.module))
  (#eq? @_require "require"))
"""
_SCRIPT_USES = """
(pair_pattern key: (property_identifier) @use.member)
(member_expression object: (_) @receiver property: (_) @use.member)
(pair key: (property_identifier) @use.member)
"""

_JAVASCRIPT = """
(formal_parameters (identifier) @define.parameter)
(formal_parameters (assignment_pattern left: (identifier) @define.parameter))
(field_definition property: (_) @define.field)
"""
_JAVASCRIPT_USES = """
(jsx_attribute (property_identifier) @use.member)
"""

_TYPESCRIPT = """
[(interface_declaration) (abstract_class_declaration) (enum_declaration)] @scope.class
(interface_declaration name: (_) @define.class)
(abstract_class_declaration name: (_) @define.class)
(type_alias_declaration name: (_) @define.class)
(enum_declaration name: (_) @define.class)
(internal_module name: (identifier) @define.class)
(type_parameter name: (type_identifier) @define.parameter)
(required_parameter pattern: (identifier) @define.parameter)
(optional_parameter pattern: (identifier) @define.parameter)
(required_parameter (accessibility_modifier) pattern: (identifier) @define.field)
(public_field_definition name: (_) @define.field)
(property_signature name: (_) @define.field)
(method_signature name: (_) @define.field)
(abstract_method_signature name: (_) @define.field)
(enum_body name: (property_identifier) @define.field)
(enum_assignment name: (property_identifier) @define.field)
"""

_GO = """
[(function_declaration) (method_declaration) (func_literal)] @scope.function
(type_spec) @scope.class
[(block) (if_statement) (for_statement) (expression_switch_statement) (type_switch_statement)
 (expression_case) (type_case) (communication_case)] @scope.block
(function_declaration name: (identifier) @define.function)
(method_declaration receiver: (parameter_list (parameter_declaration type: (_) @owner))
  name: (field_identifier) @define.field)
(type_spec name: (type_identifier) @define.class)
(type_alias name: (type_identifier) @define.class)
(const_spec name: (identifier) @define.variable)
(var_spec name: (identifier) @define.variable)
(short_var_declaration left: (expression_list (identifier) @define.variable))
(range_clause left: (expression_list (identifier) @define.variable))
(type_switch_statement alias: (expression_list (identifier) @define.variable))
(parameter_declaration name: (identifier) @define.parameter)
(variadic_parameter_declaration name: (identifier) @define.parameter)
(field_declaration name: (field_identifier) @define.field)
(method_elem name: (field_identifier) @define.field)
(import_spec !name path: (_ (interpreted_string_literal_content) @import.package) @import.module)
(import_spec name: (package_identifier) @import.package path: (_) @import.module)
"""
_GO_USES = """
(selector_expression operand: (_) @receiver field: (field_identifier) @use.member)
(qualified_type package: (package_identifier) @receiver name: (type_identifier) @use.member)
(keyed_element . (literal_element (identifier) @use.member))
"""

_JAVA = """
[(class_declaration) (interface_declaration) (enum_declaration) (record_declaration)
 (annotation_type_declaration)] @scope.class
[(method_declaration) (constructor_declaration) (lambda_expression)] @scope.function
[(block) (for_statement) (enhanced_for_statement) (try_with_resources_statement) (catch_clause)] @scope.block
(class_declaration name: (identifier) @define.class)
(interface_declaration name: (identifier) @define.class)
(enum_declaration name: (identifier) @define.class)
(record_declaration name: (identifier) @define.class)
(annotation_type_declaration name: (identifier) @define.class)
(method_declaration name: (identifier) @define.field)
(constructor_declaration name: (identifier) @define.constructor)
(field_declaration declarator: (variable_declarator name: (identifier) @define.field))
(constant_declaration declarator: (variable_declarator name: (identifier) @define.field))
(enum_constant name: (identifier) @define.field)
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @define.field)))
(local_variable_declaration declarator: (variable_declarator name: (identifier) @define.variable))
(enhanced_for_statement name: (identifier) @define.variable)
(resource name: (identifier) @define.variable)
(formal_parameter name: (identifier) @define.parameter)
(spread_parameter (variable_declarator name: (identifier) @define.parameter))
(catch_formal_parameter name: (identifier) @define.parameter)
(lambda_expression parameters: (identifier) @define.parameter)
(inferred_parameters (identifier) @define.parameter)
(type_parameter (type_identifier) @define.parameter)
(import_declaration (scoped_identifier scope: (_) @import.module name: (identifier) @import.name))
"""
_JAVA_USES = """
(method_invocation object: (_) @receiver name: (identifier) @use.member)
(field_access object: (_) @receiver field: (identifier) @use.member)
(method_reference . (_) @receiver (identifier) @use.member)
"""


_NAMES = """
[(identifier) %s] @use
"""


@dataclass(frozen=True, slots=True)
class Language:
    """A language's queries, and how its names are found.

    `definitions` is asked of the whole file, `uses` of edited lines. `shares_folder`: files of one folder see each
    other's names. `bare_members`: a method names its class's members without a receiver. `this`: the names by which a
    method speaks of its own object.
    """

    name: str
    definitions: str
    uses: str
    shares_folder: bool = False
    bare_members: bool = False
    this: frozenset[str] = frozenset({"this"})


_SCRIPT_NAMES = "(shorthand_property_identifier)"
_TYPED_NAMES = f"{_SCRIPT_NAMES} (type_identifier)"
LANGUAGES = {
    language.name: language
    for language in (
        Language("python", _PYTHON, _PYTHON_USES + _NAMES % "", this=frozenset({"self", "cls"})),
        Language("javascript", _SCRIPT + _JAVASCRIPT, _SCRIPT_USES + _JAVASCRIPT_USES + _NAMES % _SCRIPT_NAMES),
        Language("typescript", _SCRIPT + _TYPESCRIPT, _SCRIPT_USES + _NAMES % _TYPED_NAMES),
        Language("tsx", _SCRIPT + _TYPESCRIPT, _SCRIPT_USES + _JAVASCRIPT_USES + _NAMES % _TYPED_NAMES),
        Language("go", _GO, _GO_USES + _NAMES % "(type_identifier)", shares_folder=True, this=frozenset()),
        Language("java", _JAVA, _JAVA_USES + _NAMES % "(type_identifier)", shares_folder=True, bare_members=True),
    )
}


def language_named(name: str | None) -> Language | None:
    """The language with this name, if its names are understood."""
    return LANGUAGES.get(name or "")


@cache
def compiled(name: str, part: Literal["definitions", "uses"]) -> "Query":
    """A query of the language with this name, compiled once."""
    from tree_sitter import Query
    from tree_sitter_language_pack import get_language

    return Query(get_language(cast("SupportedLanguage", name)), getattr(LANGUAGES[name], part))
