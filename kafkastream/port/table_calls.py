"""Translation of the Table API's expressions, and of streams of objects that become tables."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from typing import Final

from kafkastream.port.java_nodes import Call, Type
from kafkastream.port.java_types import type_information
from kafkastream.port.library_calls import translate_argument, translate_arguments
from kafkastream.port.marks import Untranslated
from kafkastream.port.names import IMPORTS, snake_case
from kafkastream.port.python_trees import attribute, call, code, constant, name
from kafkastream.port.translation import Body, Value
from kafkastream.table.expression import Expression

__all__ = ["expression_method", "table_expression", "table_of_stream"]

_EXPRESSION: Final = Type("Expression")
_OPERATORS: Final[Mapping[str, str]] = {
    "and": "a & b",
    "dividedBy": "a / b",
    "isEqual": "a == b",
    "isGreater": "a > b",
    "isGreaterOrEqual": "a >= b",
    "isLess": "a < b",
    "isLessOrEqual": "a <= b",
    "isNotEqual": "a != b",
    "minus": "a - b",
    "mod": "a % b",
    "or": "a | b",
    "plus": "a + b",
    "times": "a * b",
}


def table_expression(node: Call, body: Body) -> Value | None:
    """Translate ``$("name")`` and the other functions that make expressions."""
    python = {"$": "col"}.get(node.name, snake_case(node.name))
    if IMPORTS.get(python) != "kafkastream.table.expressions":
        raise Untranslated(f"Expressions.{node.name} has no counterpart")
    return Value(call(python, *(argument.code for argument in translate_arguments(node, body))), _EXPRESSION)


def expression_method(node: Call, receiver: Value, body: Body) -> Value:
    """Translate a method of an expression: an operator, a property or a method of Python."""
    values = [argument.code for argument in translate_arguments(node, body)]
    operator = _OPERATORS.get(node.name)
    if operator is not None and len(values) == 1:
        return Value(code(operator, a=receiver.code, b=values[0]), _EXPRESSION)
    python = {"as": "alias"}.get(node.name, snake_case(node.name))
    attribute_of_class = inspect.getattr_static(Expression, python, None)
    if attribute_of_class is None:
        raise Untranslated(f"kafkastream's Expression has no {python}")
    member_tree = attribute(receiver.code, python)
    return Value(member_tree if isinstance(attribute_of_class, property) else call(member_tree, *values), _EXPRESSION)


def table_of_stream(node: Call, receiver: Value, body: Body) -> Value:
    """Convert a stream to a table. Objects become rows whose columns are in alphabetical order, as for Flink's POJOs."""
    values = [translate_argument(argument, body) for argument in node.arguments]
    trees = [
        _map_to_rows(value, body) if value.type.name in ("DataStream", "KeyedStream") else value.code
        for value in values
    ]
    tree = call(attribute(receiver.code, snake_case(node.name)), *trees)
    return Value(tree, Type("Table") if node.name.startswith("from") else Type("void"))


def _map_to_rows(stream: Value, body: Body) -> ast.expr:
    info = body.index.classes.get(stream.type.argument(0).name)
    if info is None or info.role != "data":
        return stream.code
    fields = sorted((field for field in info.fields.values() if not field.is_static), key=lambda field: field.name)
    kinds = [type_information(field.type) for field in fields]
    if any(ast.unparse(kind) == "Types.PICKLED_BYTE_ARRAY()" for kind in kinds):
        raise Untranslated(f"a field of {info.declaration.name} has a type that Python's type information lacks")
    names = ast.List([constant(field.name) for field in fields], ast.Load())
    row = call("Row", *(attribute(name("value"), info.field_name(field.name)) for field in fields))
    parameters = ast.arguments([], [ast.arg("value")], None, [], [], None, [])
    output = call(code("Types.ROW_NAMED"), names, ast.List(kinds, ast.Load()))
    return call(attribute(stream.code, "map"), ast.Lambda(parameters, row), output_type=output)
