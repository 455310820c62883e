"""How names are bound and used in JavaScript and TypeScript."""

from runner.suites.nextedit.order.languages.language import Language, names, prose

_SCRIPT = """
[(function_declaration) (generator_function_declaration) (function_expression) (arrow_function)
 (method_definition)] @scope.function
[(class_declaration) (class)] @scope.class
[(statement_block) (for_statement) (for_in_statement) (catch_clause)] @scope.block
(return_statement (object [(shorthand_property_identifier) @define.part (pair key: (_) @define.part)]))
(arrow_function body: (parenthesized_expression
  (object [(shorthand_property_identifier) @define.part (pair key: (_) @define.part)])))
(variable_declarator name: (identifier) @owner
  value: (object [(shorthand_property_identifier) @define.part (pair key: (_) @define.part)]))
(variable_declarator name: (identifier) @owner value: (call_expression function: (_) @_freeze arguments: (arguments
  (object [(shorthand_property_identifier) @define.part (pair key: (_) @define.part)])))
  (#eq? @_freeze "Object.freeze"))
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
(variable_declarator name: (identifier) @typed value: (new_expression constructor: (identifier) @made))
(variable_declarator name: (identifier) @typed value: [
  (call_expression function: (_) @made) (await_expression (call_expression function: (_) @made))])
(assignment_expression left: (member_expression object: (this) property: (_) @typed)
  right: (new_expression constructor: (identifier) @made))
(arrow_function parameter: (identifier) @define.parameter)
(for_in_statement left: (identifier) @define.variable)
(catch_clause parameter: (identifier) @define.parameter)
(method_definition name: (_) @define.field)
(method_definition name: (_) @define.constructor (#eq? @define.constructor "constructor"))
(assignment_expression left: (member_expression object: (this) property: (_) @define.own))
(assignment_expression left: (member_expression
  object: (member_expression object: (_) @owner property: (property_identifier) @_prototype)
  property: (_) @define.field) (#eq? @_prototype "prototype"))
(assignment_expression left: (member_expression object: (_) @_exports property: (_) @define.export)
  (#any-of? @_exports "exports" "module.exports"))
(import_statement (import_clause (named_imports (import_specifier !alias name: (identifier) @import.name)))
  source: (string) @import.module)
(import_statement (import_clause (named_imports (import_specifier
  name: (identifier) @import.original alias: (identifier) @import.name))) source: (string) @import.module)
(import_statement (import_clause (identifier) @import.default) source: (string) @import.module)
(export_statement (export_clause (export_specifier !alias name: (identifier) @import.name))
  source: (string) @import.module)
(export_statement (export_clause (export_specifier
  name: (identifier) @import.original alias: (identifier) @import.name)) source: (string) @import.module)
(export_statement "*" @import.package source: (string) @import.module)
(export_statement (namespace_export (identifier) @import.package) source: (string) @import.module)
(call_expression function: (member_expression
    object: (call_expression function: (import) arguments: (arguments (string) @import.module)))
  arguments: (arguments (arrow_function parameter: (identifier) @import.package)))
(export_statement "default" @define.default)
(export_statement "default" @define.default value: (identifier) @define.original)
(export_statement "default" @typed value: (new_expression constructor: (identifier) @made))
(export_statement value: (object [
  (pair key: (property_identifier) @define.export) (method_definition name: (property_identifier) @define.export)]))
(assignment_expression left: (member_expression object: (identifier) @_module property: (_) @_exports)
  right: (object [
    (pair key: (property_identifier) @define.export) (method_definition name: (property_identifier) @define.export)])
  (#eq? @_module "module") (#eq? @_exports "exports"))
(assignment_expression left: (member_expression object: (identifier) @_module property: (_) @define.default)
  (#eq? @_module "module") (#eq? @define.default "exports"))
(assignment_expression left: (member_expression object: (identifier) @_module property: (_) @define.default)
  right: (identifier) @define.original (#eq? @_module "module") (#eq? @define.default "exports"))
(assignment_expression left: (member_expression object: (identifier) @_module property: (_) @typed)
  right: (new_expression constructor: (identifier) @made) (#eq? @_module "module") (#eq? @typed "exports"))
(import_statement (import_clause (namespace_import (identifier) @import.package)) source: (string) @import.module)
(variable_declarator name: (identifier) @import.package
  value: (call_expression function: (identifier) @_require arguments: (arguments (string) @import.module))
  (#eq? @_require "require"))
(variable_declarator name: (object_pattern [(shorthand_property_identifier_pattern) @import.name
    (pair_pattern key: (property_identifier) @import.original value: (identifier) @import.name)])
  value: (call_expression function: (identifier) @_require arguments: (arguments (string) @import.module))
  (#eq? @_require "require"))
(variable_declarator name: (identifier) @import.name
  value: (member_expression
    object: (call_expression function: (identifier) @_require arguments: (arguments (string) @import.module))
    property: (property_identifier) @import.original)
  (#eq? @_require "require"))
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @import.name)
  value: (await_expression (call_expression function: (import) arguments: (arguments (string) @import.module))))
"""

# A module that is taken where no name is bound to it.
_TAKEN = """
(call_expression function: [(import) (identifier)] @_require
  arguments: (arguments (string (string_fragment) @use.module)))
"""
_MODULES = f"""
(import_statement . source: (string (string_fragment) @use.module))
([(arguments {_TAKEN}) (array {_TAKEN}) (arrow_function body: {_TAKEN}) (expression_statement {_TAKEN})
  (pair value: {_TAKEN}) (return_statement {_TAKEN})] (#any-of? @_require "import" "require"))
"""
_SCRIPT_USES = """
((comment) @use.doc . [
  (function_declaration name: (_) @documented) (method_definition name: (_) @documented)
  (export_statement declaration: (function_declaration name: (_) @documented))])
(export_statement (export_clause (export_specifier name: (identifier) @use.export)) !source)
(export_statement value: (object (shorthand_property_identifier) @use.export))
(assignment_expression left: (member_expression object: (identifier) @_module property: (_) @_exports)
  right: (object (shorthand_property_identifier) @use.export)
  (#eq? @_module "module") (#eq? @_exports "exports"))
(call_expression function: (super) @use.super)
(call_expression function: (_) @callee arguments: (arguments) @use.arguments)
(new_expression constructor: (_) @callee arguments: (arguments) @use.arguments)
(object_pattern (shorthand_property_identifier_pattern) @use.part)
(object_pattern (object_assignment_pattern left: (shorthand_property_identifier_pattern) @use.part))
(pair_pattern key: (property_identifier) @use.member)
(variable_declarator name: (object_pattern [
    (shorthand_property_identifier_pattern) @use.part
    (object_assignment_pattern left: (shorthand_property_identifier_pattern) @use.part)
    (pair_pattern key: (property_identifier) @use.member)])
  value: [(identifier) @receiver (member_expression) @receiver (call_expression function: (_) @receiver)
    (await_expression (call_expression function: (_) @receiver))])
(member_expression object: (_) @receiver property: (_) @use.member)
(pair key: (property_identifier) @use.key)
"""

_JAVASCRIPT = """
(call_expression function: (member_expression
    object: (call_expression function: (import) arguments: (arguments (string) @import.module)))
  arguments: (arguments (arrow_function parameters: (formal_parameters [
    (identifier) @import.package (object_pattern (shorthand_property_identifier_pattern) @import.name)]))))
(formal_parameters (identifier) @define.parameter)
(formal_parameters (assignment_pattern left: (identifier) @define.parameter))
(field_definition property: (_) @define.field)
(field_definition property: (_) @typed value: (new_expression constructor: (identifier) @made))
(class_declaration name: (_) @heir (class_heritage (identifier) @ancestor))
"""

_JAVASCRIPT_USES = """
((jsx_opening_element name: (identifier) @_tag attribute: (jsx_attribute (property_identifier) @use.member)) @receiver
  (#match? @_tag "^[a-z]"))
((jsx_self_closing_element name: (identifier) @_tag attribute: (jsx_attribute (property_identifier) @use.member))
  @receiver (#match? @_tag "^[a-z]"))
(jsx_attribute (property_identifier) @use.member)
"""

_TYPESCRIPT = """
(call_expression function: (member_expression
    object: (call_expression function: (import) arguments: (arguments (string) @import.module)))
  arguments: (arguments (arrow_function parameters: (formal_parameters (required_parameter pattern: [
    (identifier) @import.package (object_pattern (shorthand_property_identifier_pattern) @import.name)])))))
(import_require_clause (identifier) @import.package source: (string) @import.module)
(export_statement "=" @define.default (identifier) @define.original)
(internal_module name: (identifier) @owner body: (statement_block (export_statement declaration: [
  (_ name: (_) @define.part) (lexical_declaration (variable_declarator name: (identifier) @define.part))])))
(variable_declarator name: (identifier) @owner value: [(as_expression . (object
    [(shorthand_property_identifier) @define.part (pair key: (_) @define.part)]))
  (satisfies_expression . (object [(shorthand_property_identifier) @define.part (pair key: (_) @define.part)]))])
[(interface_declaration) (abstract_class_declaration) (enum_declaration) (type_alias_declaration)] @scope.class
(class_declaration name: (_) @heir (class_heritage [
  (extends_clause value: (identifier) @ancestor)
  (implements_clause [(type_identifier) @ancestor (generic_type name: (type_identifier) @ancestor)])]))
(interface_declaration name: (_) @heir (extends_type_clause [
  (type_identifier) @ancestor (generic_type name: (type_identifier) @ancestor)]))
(interface_declaration name: (_) @define.class)
(abstract_class_declaration name: (_) @define.class)
(type_alias_declaration name: (_) @define.class)
(enum_declaration name: (_) @define.class)
(internal_module name: (identifier) @define.class)
(type_parameter name: (type_identifier) @define.type)
(required_parameter pattern: (identifier) @define.parameter)
(optional_parameter pattern: (identifier) @define.parameter)
(required_parameter (accessibility_modifier) pattern: (identifier) @define.field)
(public_field_definition name: (_) @define.field)
(required_parameter pattern: (identifier) @typed type: (type_annotation (_) @type))
(optional_parameter pattern: (identifier) @typed type: (type_annotation (_) @type))
(variable_declarator name: (identifier) @typed type: (type_annotation (_) @type))
(public_field_definition name: (_) @typed type: (type_annotation (_) @type))
(public_field_definition name: (_) @typed value: (new_expression constructor: (identifier) @made))
(property_signature name: (_) @typed type: (type_annotation (_) @type))
(function_declaration name: (identifier) @typed return_type: (type_annotation (_) @type))
(method_definition name: (_) @typed return_type: (type_annotation (_) @type))
(method_signature name: (_) @typed return_type: (type_annotation (_) @type))
(abstract_method_signature name: (_) @typed return_type: (type_annotation (_) @type))
(variable_declarator name: (identifier) @typed
  value: (arrow_function return_type: (type_annotation (_) @type)))
(property_signature name: (_) @define.field)
(method_signature name: (_) @define.field)
(abstract_method_signature name: (_) @define.field)
(enum_body name: (property_identifier) @define.field)
(enum_assignment name: (property_identifier) @define.field)
"""


_OBJECTS = """
Array Boolean Buffer Date Intl JSON Map Math Number Object Promise Proxy Reflect RegExp Set String Symbol console crypto
document globalThis history localStorage location navigator performance process sessionStorage window
"""
_PROSE = prose("comment", "string_fragment", "jsx_text")
_SHORTHAND = "shorthand_property_identifier"
_TYPED = names(_SHORTHAND, "type_identifier")
_UNTYPED = names(_SHORTHAND)


def _language(name: str, definitions: str, uses: str) -> Language:
    return Language(
        name, _SCRIPT + definitions, _SCRIPT_USES + _MODULES + uses, _PROSE, objects=frozenset(_OBJECTS.split())
    )


JAVASCRIPT = _language("javascript", _JAVASCRIPT, _JAVASCRIPT_USES + _UNTYPED)
TYPESCRIPT = _language("typescript", _TYPESCRIPT, _TYPED)
TSX = _language("tsx", _TYPESCRIPT, _JAVASCRIPT_USES + _TYPED)
