"""How names are bound and used in Java."""

from runner.suites.nextedit.order.languages.language import Language, names, prose

_DEFINITIONS = """
[(class_declaration) (interface_declaration) (enum_declaration) (record_declaration)
 (annotation_type_declaration)] @scope.class
[(method_declaration) (constructor_declaration) (lambda_expression)] @scope.function
[(block) (for_statement) (enhanced_for_statement) (try_with_resources_statement) (catch_clause)] @scope.block
(package_declaration [(scoped_identifier) (identifier)] @package)
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
(field_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @typed))
(local_variable_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @typed)
  (#not-eq? @type "var"))
(local_variable_declaration type: (_) @_var declarator: (variable_declarator name: (identifier) @typed
  value: (object_creation_expression type: (_) @type)) (#eq? @_var "var"))
(local_variable_declaration type: (_) @_var declarator: (variable_declarator name: (identifier) @typed
  value: (method_invocation) @made) (#eq? @_var "var"))
(method_declaration type: (_) @type name: (identifier) @typed)
(formal_parameter type: (_) @type name: (identifier) @typed)
(enhanced_for_statement type: (_) @type name: (identifier) @typed (#not-eq? @type "var"))
(resource type: (_) @type name: (identifier) @typed)
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @define.field)))
(local_variable_declaration declarator: (variable_declarator name: (identifier) @define.variable))
(enhanced_for_statement name: (identifier) @define.variable)
(resource name: (identifier) @define.variable)
(formal_parameter name: (identifier) @define.parameter)
(spread_parameter (variable_declarator name: (identifier) @define.parameter))
(catch_formal_parameter name: (identifier) @define.parameter)
(lambda_expression parameters: (identifier) @define.parameter)
(inferred_parameters (identifier) @define.parameter)
(type_parameter (type_identifier) @define.type)
(class_declaration name: (_) @heir superclass: (superclass [
  (type_identifier) @ancestor (generic_type (type_identifier) @ancestor)]))
(class_declaration name: (_) @heir interfaces: (super_interfaces (type_list [
  (type_identifier) @ancestor (generic_type (type_identifier) @ancestor)])))
(interface_declaration name: (_) @heir (extends_interfaces (type_list [
  (type_identifier) @ancestor (generic_type (type_identifier) @ancestor)])))
(object_creation_expression type: (_) @ancestor (class_body))
(import_declaration "static" (_) @import.module (asterisk) @import.all)
(import_declaration (scoped_identifier scope: (_) @import.module name: (identifier) @import.name))
"""

_USES = """
((block_comment) @use.doc . [
  (method_declaration name: (_) @documented) (constructor_declaration name: (_) @documented)])
(scoped_type_identifier (_) @receiver (type_identifier) @use.member)
(switch_expression condition: (parenthesized_expression (_) @receiver)
  body: (_ (_ (switch_label (identifier) @use))))
(explicit_constructor_invocation constructor: (super) @use.super)
(method_invocation object: (_) @receiver name: (identifier) @use.member)
(method_invocation object: (_)? @receiver name: (identifier) @callee arguments: (argument_list) @use.arguments)
(object_creation_expression type: (_) @callee arguments: (argument_list) @use.arguments)
(field_access object: (_) @receiver field: (identifier) @use.member)
(method_reference . (_) @receiver (identifier) @use.member)
"""

_KNOWN = """
ArrayList Arrays AutoCloseable Boolean Byte CharSequence Character Class Collection Collections Comparable Deprecated
Double Enum Error Exception Float FunctionalInterface HashMap HashSet IllegalArgumentException IllegalStateException
IOException Integer Iterable Iterator List Long Map Math NullPointerException Number Object Objects Optional Override
Record Runnable RuntimeException SafeVarargs Set Short Stream String StringBuilder SuppressWarnings System Thread
Throwable Void toString equals hashCode
"""


JAVA = Language(
    name="java",
    definitions=_DEFINITIONS,
    uses=_USES + names("type_identifier"),
    prose=prose("line_comment", "block_comment", "string_fragment", "multiline_string_fragment"),
    shares_folder=True,
    bare_members=True,
    known=frozenset(_KNOWN.split()),
    objects=frozenset(_KNOWN.split()),
)
