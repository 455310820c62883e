"""How names are bound and used in Go."""

from runner.suites.nextedit.order.languages.language import Language, names, prose

_DEFINITIONS = """
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
(parameter_declaration name: (identifier) @typed type: (_) @type)
(var_spec name: (identifier) @typed type: (_) @type)
(short_var_declaration left: (expression_list . (identifier) @typed .) right: (expression_list . [
  (composite_literal type: (_) @type) (unary_expression operand: (composite_literal type: (_) @type))] .))
(short_var_declaration left: (expression_list . (identifier) @typed)
  right: (expression_list . (call_expression function: (_) @made) .))
(field_declaration name: (field_identifier) @typed type: (_) @type)
(function_declaration name: (identifier) @typed result: [
  (parameter_list . (parameter_declaration type: (_) @type)) (_) @type])
(method_declaration name: (field_identifier) @typed result: [
  (parameter_list . (parameter_declaration type: (_) @type)) (_) @type])
(variadic_parameter_declaration name: (identifier) @define.parameter)
(field_declaration name: (field_identifier) @define.field)
(method_elem name: (field_identifier) @define.field)
(type_spec name: (_) @interface type: (interface_type))
(type_spec name: (_) @heir type: (struct_type (field_declaration_list (field_declaration !name type: (_) @ancestor))))
(import_spec !name path: (_ (interpreted_string_literal_content) @import.package) @import.module)
(import_spec name: (package_identifier) @import.package path: (_) @import.module)
"""

_USES = """
(import_spec name: [(blank_identifier) (dot)] path: (_ (interpreted_string_literal_content) @use.module))
(selector_expression operand: (_) @receiver field: (field_identifier) @use.member)
(qualified_type package: (package_identifier) @receiver name: (type_identifier) @use.member)
(call_expression function: (_) @callee arguments: (argument_list) @use.arguments)
(keyed_element . (literal_element (identifier) @use.key))
"""

_KNOWN = """
append bool byte cap clear close comparable complex copy delete error false float32 float64 int16 int32 int64 int8
iota len make max min new nil panic print println real recover rune string true uint uint16 uint32 uint64 uint8
uintptr any int
"""


GO = Language(
    name="go",
    definitions=_DEFINITIONS,
    uses=_USES + names("type_identifier"),
    prose=prose("comment", "interpreted_string_literal_content", "raw_string_literal_content"),
    shares_folder=True,
    this=frozenset(),
    known=frozenset(_KNOWN.split()),
)
