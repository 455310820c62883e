"""How names are bound and used in Python."""

from runner.suites.nextedit.order.languages.language import Language, names, prose

_DEFINITIONS = """
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
(typed_parameter . (identifier) @typed type: (type) @type)
(typed_default_parameter name: (identifier) @typed type: (type) @type)
(assignment left: (identifier) @typed type: (type) @type)
(assignment left: (attribute object: (identifier) @receiver attribute: (identifier) @typed) type: (type) @type)
(assignment left: (identifier) @typed right: (call function: (_) @made))
(assignment left: (attribute attribute: (identifier) @typed) right: (call function: (_) @made))
(function_definition name: (identifier) @typed return_type: (type) @type)
(named_expression name: (identifier) @define.variable)
(as_pattern_target (identifier) @define.variable)
(import_from_statement module_name: (_) @import.module name: (dotted_name (identifier) @import.name))
(import_from_statement module_name: (_) @import.module
  name: (aliased_import name: (dotted_name (identifier) @import.original) alias: (identifier) @import.name))
(class_definition name: (identifier) @heir superclasses: (argument_list [
  (identifier) @ancestor (attribute attribute: (identifier) @ancestor)]))
(import_statement name: (dotted_name . (identifier) @import.package) @import.module)
(import_statement name: (aliased_import name: (dotted_name) @import.module alias: (identifier) @import.package))
"""

_USES = """
(call function: (attribute object: (call function: (identifier) @use.super) attribute: (identifier) @_init)
  (#eq? @use.super "super") (#eq? @_init "__init__"))
(attribute object: (_) @receiver attribute: (identifier) @use.member)
(function_definition name: (_) @documented body: (block . (expression_statement (string (string_content) @use.doc))))
(class_definition body: (block . (expression_statement (string (string_content) @use.doc))
  (function_definition name: (_) @documented (#eq? @documented "__init__"))))
(call function: (_) @callee arguments: (argument_list) @use.arguments)
(call function: (_) @callee arguments: (argument_list (keyword_argument name: (identifier) @use.keyword)))
"""


PYTHON = Language(
    name="python",
    definitions=_DEFINITIONS,
    uses=_USES + names(),
    prose=prose("comment", "string_content"),
    this=frozenset({"self", "cls"}),
)
