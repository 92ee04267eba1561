"""Translation of operators, literals, casts and arrays."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Final

from kafkastream.port.java_nodes import (
    ArrayValues,
    Assign,
    Binary,
    Cast,
    ClassOf,
    Index,
    InstanceOf,
    Literal,
    Name,
    NewArray,
    Ternary,
    This,
    Type,
    Unary,
    Unread,
    Update,
)
from kafkastream.port.java_types import (
    BOOLEAN,
    CHAR,
    DOUBLE,
    INT,
    LONG,
    STRING,
    UNKNOWN,
    boxed,
    default_of,
    is_floating,
    is_text,
    is_whole,
    type_information,
)
from kafkastream.port.marks import Untranslated
from kafkastream.port.python_trees import call, code, constant, item, join_strings, name
from kafkastream.port.resolving import class_name_of
from kafkastream.port.translation import Body, Value, Variable, translate_expression, translates

__all__ = ["binary_result", "f_string_parts"]

_ARITHMETIC: Final[Mapping[str, type[ast.operator]]] = {
    "+": ast.Add,
    "-": ast.Sub,
    "*": ast.Mult,
    "/": ast.Div,
    "%": ast.Mod,
    "&": ast.BitAnd,
    "|": ast.BitOr,
    "^": ast.BitXor,
    "<<": ast.LShift,
    ">>": ast.RShift,
}
_COMPARISONS: Final[Mapping[str, type[ast.cmpop]]] = {
    "==": ast.Eq,
    "!=": ast.NotEq,
    "<": ast.Lt,
    "<=": ast.LtE,
    ">": ast.Gt,
    ">=": ast.GtE,
}
_PYTHON_CLASSES: Final[Mapping[str, str]] = {
    "Boolean": "bool",
    "Double": "float",
    "Float": "float",
    "Integer": "int",
    "List": "list",
    "Long": "int",
    "Map": "dict",
    "Number": "(int, float)",
    "Set": "set",
    "String": "str",
}


@translates(Literal)
def _translate_literal(node: Literal, body: Body) -> Value:
    return Value(constant(node.value), Type(node.kind))


@translates(This)
def _translate_this(node: This, body: Body) -> Value:
    if node.is_super or body.owner is None or body.is_static:
        raise Untranslated("super and outer objects are known only where their methods are called")
    return Value(name("self"), Type(body.owner.declaration.name))


@translates(Unread)
def _translate_unread(node: Unread, body: Body) -> Value:
    raise Untranslated("this is not read")


@translates(Unary)
def _translate_unary(node: Unary, body: Body) -> Value:
    operand = translate_expression(node.operand, body)
    if node.operator == "!":
        return Value(_negate(operand.code), BOOLEAN)
    signs = {"-": ast.USub(), "+": ast.UAdd(), "~": ast.Invert()}
    return Value(ast.UnaryOp(signs[node.operator], operand.code), operand.type)


def _negate(tree: ast.expr) -> ast.expr:
    """Negate an expression; a comparison gets the opposite operator, such as ``is not``."""
    opposites = {
        ast.Is: ast.IsNot(),
        ast.IsNot: ast.Is(),
        ast.In: ast.NotIn(),
        ast.Eq: ast.NotEq(),
        ast.NotEq: ast.Eq(),
    }
    if isinstance(tree, ast.Compare) and len(tree.ops) == 1 and type(tree.ops[0]) in opposites:
        return ast.Compare(tree.left, [opposites[type(tree.ops[0])]], tree.comparators)
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not):
        return tree.operand if isinstance(tree.operand, ast.Compare) else call("bool", tree.operand)
    return ast.UnaryOp(ast.Not(), tree)


@translates(Binary)
def _translate_binary(node: Binary, body: Body) -> Value:
    if node.operator in ("&&", "||"):
        return _boolean_operation(node, body)
    left, right = translate_expression(node.left, body), translate_expression(node.right, body)
    if node.operator in _COMPARISONS:
        return Value(_compare(node, left, right), BOOLEAN)
    return binary_result(node.operator, left, right, body)


def _boolean_operation(node: Binary, body: Body) -> Value:
    operator: ast.boolop = ast.And() if node.operator == "&&" else ast.Or()
    left, right = translate_expression(node.left, body).code, translate_expression(node.right, body).code
    same = isinstance(left, ast.BoolOp) and isinstance(left.op, type(operator))
    values = [*left.values, right] if same and isinstance(left, ast.BoolOp) else [left, right]
    return Value(ast.BoolOp(operator, values), BOOLEAN)


def _compare(node: Binary, left: Value, right: Value) -> ast.expr:
    for operand, other in ((node.right, left), (node.left, right)):
        if isinstance(operand, Literal) and operand.kind == "null":
            word: ast.cmpop = ast.Is() if node.operator == "==" else ast.IsNot()
            return ast.Compare(other.code, [word], [constant(None)])
    is_zero = isinstance(node.right, Literal) and node.right.value == 0
    if is_zero and isinstance(node.left, Binary) and node.left.operator == "%" and node.operator in ("==", "!="):
        left = Value(_plain_remainder(left.code), left.type)
    return ast.Compare(left.code, [_COMPARISONS[node.operator]()], [right.code])


def _plain_remainder(tree: ast.expr) -> ast.expr:
    """Return a Java remainder that is only compared with 0 as Python's ``%``, which differs in sign alone."""
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id == "java_remainder":
        return ast.BinOp(tree.args[0], ast.Mod(), tree.args[1])
    return tree


def binary_result(operator: str, left: Value, right: Value, body: Body) -> Value:
    """Return the result of a binary operator on numbers or strings.

    Raises:
        Untranslated: The operator has no counterpart.
    """
    if operator == "+" and (is_text(left.type) or is_text(right.type)):
        return Value(join_strings([*f_string_parts(left, body), *f_string_parts(right, body)]), STRING)
    if operator == ">>>" and is_whole(left.type):
        mask = "0xFFFFFFFFFFFFFFFF" if boxed(left.type) == LONG else "0xFFFFFFFF"
        return Value(code(f"(a & {mask}) >> b", a=left.code, b=right.code), left.type)
    if operator not in _ARITHMETIC:
        raise Untranslated(f"Python has no operator {operator}")
    if CHAR in (boxed(left.type), boxed(right.type)):
        raise Untranslated("Python's characters are texts, with which it does not compute")
    kind = _wider_type(left.type, right.type)
    if operator == "/" and is_whole(kind):
        return Value(call("java_quotient", left.code, right.code), kind)
    if operator == "%":
        return Value(call("java_remainder", left.code, right.code), kind)
    if operator == "/" and kind == UNKNOWN and not is_floating(left.type) and not is_floating(right.type):
        raise Untranslated("the types of this division are not known: whole numbers are divided by java_quotient")
    return Value(ast.BinOp(left.code, _ARITHMETIC[operator](), right.code), kind)


def _wider_type(left: Type, right: Type) -> Type:
    left, right = boxed(left), boxed(right)
    if is_floating(left) or is_floating(right):
        return DOUBLE
    if is_whole(left) and is_whole(right):
        return LONG if LONG in (left, right) else INT
    if left == right:
        return left
    return UNKNOWN


def f_string_parts(value: Value, body: Body) -> Sequence[ast.expr]:
    """Return the f-string parts for a value that Java concatenates to a string."""
    tree = value.code
    if isinstance(tree, ast.JoinedStr):
        return tree.values
    if isinstance(tree, ast.Constant) and isinstance(tree.value, str):
        return [tree]
    if isinstance(tree, ast.Constant) and isinstance(tree.value, int) and not isinstance(tree.value, bool):
        return [constant(str(tree.value))]
    kind = boxed(value.type)
    is_element = isinstance(tree, ast.Subscript) and isinstance(tree.slice, ast.Constant)  # Flink's tuples have no null
    is_number = is_whole(kind) and (value.type == kind or is_element)
    if is_number or value.type == CHAR or value.type.name == "StringBuilder" or _is_text(tree):
        return [ast.FormattedValue(tree, -1)]
    if value.type.name not in ("OffsetDateTime", "ZonedDateTime"):
        return [ast.FormattedValue(call("java_text", tree), -1)]
    # Jackson turns times into those of its own zone: ADJUST_DATES_TO_CONTEXT_TIME_ZONE
    # https://github.com/FasterXML/jackson-databind/wiki/Deserialization-Features
    is_read = isinstance(tree, ast.Attribute) and body.program.reads_json
    zone = [constant("UTC" if value.type.name == "ZonedDateTime" else "Z")] if is_read else []
    return [ast.FormattedValue(call("java_zoned_text", tree, *zone), -1)]


def _is_text(tree: ast.expr) -> bool:
    """Return whether an expression is certainly a string, never None: a string method, or a function that returns one."""
    if not isinstance(tree, ast.Call):
        return isinstance(tree, ast.JoinedStr)
    if isinstance(tree.func, ast.Attribute):
        return tree.func.attr in ("decode", "join", "lower", "replace", "strftime", "strip", "upper")
    texts = ("java_replace_all", "java_text", "java_zoned_text", "repr", "str")
    return isinstance(tree.func, ast.Name) and tree.func.id in texts


@translates(Ternary)
def _translate_ternary(node: Ternary, body: Body) -> Value:
    condition = translate_expression(node.condition, body)
    then, otherwise = translate_expression(node.then, body), translate_expression(node.otherwise, body)
    kind = then.type if then.type.name not in ("null", "?") else otherwise.type
    return Value(ast.IfExp(condition.code, then.code, otherwise.code), kind)


@translates(Cast)
def _translate_cast(node: Cast, body: Body) -> Value:
    value = translate_expression(node.value, body)
    target, source = boxed(node.type), boxed(value.type)
    is_primitive = node.type == target
    if is_primitive and is_whole(target) and (is_floating(source) or source == UNKNOWN):
        return Value(call("int", value.code), target)
    if is_whole(target) and source == CHAR:
        return Value(call("ord", value.code), target)
    if target == CHAR and is_whole(source):
        return Value(call("chr", value.code), target)
    if is_primitive and is_floating(target) and not is_floating(source):
        return Value(call("float", value.code), target)
    return Value(value.code, node.type)


@translates(InstanceOf)
def _translate_instance_of(node: InstanceOf, body: Body) -> Value:
    value = translate_expression(node.value, body)
    python_class = _PYTHON_CLASSES.get(node.type.name)
    tested = code(python_class) if python_class is not None else class_name_of(node.type.name, body)
    if node.name is not None:
        if not isinstance(value.code, ast.Name):
            raise Untranslated("a pattern tests something that is not a variable")
        body.scope[-1][node.name] = Variable(value.code.id, node.type)
    return Value(call("isinstance", value.code, tested), BOOLEAN)


@translates(ClassOf)
def _translate_class_of(node: ClassOf, body: Body) -> Value:
    kind = Type("Class", (node.type,))
    if node.type.name in body.index.classes:
        return Value(class_name_of(node.type.name, body), kind)
    python_class = _PYTHON_CLASSES.get(node.type.name)
    return Value(code(python_class) if python_class is not None else type_information(node.type), kind)


@translates(NewArray)
def _translate_new_array(node: NewArray, body: Body) -> Value:
    kind = Type(node.type.name, node.type.arguments, max(len(node.sizes), 1), node.type.owner)
    if node.values is not None:
        return Value(ast.List([translate_expression(value, body).code for value in node.values], ast.Load()), kind)
    if len(node.sizes) != 1:
        raise Untranslated("arrays of arrays are lists of lists: make them by a comprehension")
    size = translate_expression(node.sizes[0], body).code
    return Value(ast.BinOp(ast.List([default_of(node.type)], ast.Load()), ast.Mult(), size), kind)


@translates(ArrayValues)
def _translate_array_values(node: ArrayValues, body: Body) -> Value:
    values = [translate_expression(value, body) for value in node.values]
    kind = values[0].type if values else UNKNOWN
    return Value(
        ast.List([value.code for value in values], ast.Load()), Type(kind.name, kind.arguments, kind.dimensions + 1)
    )


@translates(Index)
def _translate_index(node: Index, body: Body) -> Value:
    target, index = translate_expression(node.target, body), translate_expression(node.index, body)
    kind = target.type
    element = Type(kind.name, kind.arguments, max(kind.dimensions - 1, 0), kind.owner)
    return Value(item(target.code, index.code), element)


@translates(Assign)
def _translate_assign(node: Assign, body: Body) -> Value:
    if node.operator != "=" or not isinstance(node.target, Name) or body.find(node.target.text) is None:
        raise Untranslated("Python assigns within an expression only plain variables")
    target, value = translate_expression(node.target, body), translate_expression(node.value, body)
    assert isinstance(target.code, ast.Name)
    return Value(ast.NamedExpr(target.code, value.code), target.type)


@translates(Update)
def _translate_update(node: Update, body: Body) -> Value:
    raise Untranslated(f"Python has no {node.operator} within an expression")
