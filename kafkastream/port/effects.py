"""Translation of expressions that are statements: assignments, increments, and methods that change an object."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from kafkastream.port.conversions import convert
from kafkastream.port.expressions import binary_result, f_string_parts
from kafkastream.port.java_nodes import (
    Assign,
    Block,
    Call,
    Evaluate,
    Expression,
    FieldAccess,
    Lambda,
    Literal,
    Name,
    Reference,
    Statement,
    SwitchValue,
    This,
    Type,
    Update,
)
from kafkastream.port.java_types import UNKNOWN, is_text, is_tuple
from kafkastream.port.library_calls import format_string, sort_key, translate_argument
from kafkastream.port.library_statics import STATEMENTS
from kafkastream.port.marks import Untranslated
from kafkastream.port.python_trees import assign, attribute, call, code, constant, evaluate, item, join_strings, name
from kafkastream.port.resolving import named_class
from kafkastream.port.switch_values import switch_assigning
from kafkastream.port.translation import Body, Value, translate_expression, translate_statement

__all__ = ["translate_effect"]

_LOG_LEVELS: Final = frozenset({"trace", "debug", "info", "warn", "error", "warning", "severe", "fine"})
_TABLE_NAMES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("ArrayList", "LinkedList", "Collection", "Queue", "Deque", "ArrayDeque", "Vector"), "List"),
    **dict.fromkeys(("HashSet", "LinkedHashSet", "SortedSet"), "Set"),
    **dict.fromkeys(("HashMap", "LinkedHashMap", "ConcurrentHashMap", "Properties", "ConcurrentMap"), "Map"),
    **dict.fromkeys(("ObjectNode", "ArrayNode", "JSONObject"), "JsonNode"),
    "AtomicLong": "AtomicInteger",
    "StringBuffer": "StringBuilder",
}


def translate_effect(node: Expression, body: Body) -> Sequence[ast.stmt] | None:
    """Translate an expression that Python writes as a statement; return None if it is an expression in Python too.

    Raises:
        Untranslated: It has no translation.
    """
    if isinstance(node, Assign):
        return _translate_assignment(node, body)
    if isinstance(node, Update):
        target = translate_expression(node.target, body)
        _note_global(target.code, body)
        operator: ast.operator = ast.Add() if node.operator == "++" else ast.Sub()
        return [ast.AugAssign(_as_target(target.code), operator, constant(1))]
    return _translate_call(node, body) if isinstance(node, Call) else None


def _as_target(tree: ast.expr) -> ast.Name | ast.Attribute | ast.Subscript:
    if not isinstance(tree, ast.Name | ast.Attribute | ast.Subscript):
        raise Untranslated("this cannot be assigned in Python")
    return tree


def _note_global(tree: ast.expr, body: Body) -> None:
    if isinstance(tree, ast.Name) and tree.id in body.used_globals:
        body.assigned_globals.add(tree.id)


# Assignments


def _translate_assignment(node: Assign, body: Body) -> Sequence[ast.stmt]:
    if isinstance(node.value, SwitchValue):
        return translate_statement(switch_assigning(node.value, node.target), body)
    if isinstance(node.value, Assign):
        inner = translate_effect(node.value, body)
        return [*(inner or ()), *_translate_assignment(Assign(node.target, node.operator, node.value.target), body)]
    target = translate_expression(node.target, body)
    if target.type.name in ("ObjectMapper", "JsonMapper"):
        return []
    value = translate_expression(node.value, body)
    if isinstance(node.target, Name) and target.type == UNKNOWN:
        body.retype(node.target.text, value.type)
    _note_global(target.code, body)
    field = _assigned_tuple_field(node.target, body)
    if field is not None:
        result = value if node.operator == "=" else binary_result(node.operator.removesuffix("="), target, value, body)
        return [_replace_tuple_field(*field, result)]
    if node.operator != "=":
        return _translate_compound(node.operator.removesuffix("="), target, value, body)
    return [assign(_as_target(target.code), convert(value, target.type))]


def _translate_compound(operator: str, target: Value, value: Value, body: Body) -> Sequence[ast.stmt]:
    stored = _as_target(target.code)
    if is_text(target.type) and operator == "+":
        return [ast.AugAssign(stored, ast.Add(), join_strings(f_string_parts(value, body)))]
    result = binary_result(operator, target, value, body).code
    if isinstance(result, ast.BinOp):
        if isinstance(stored, ast.Subscript) and is_tuple(target.type):
            return [assign(stored, result)]
        return [ast.AugAssign(stored, result.op, value.code)]
    return [assign(stored, result)]


def _assigned_tuple_field(node: Expression, body: Body) -> tuple[Value, int] | None:
    """Return the tuple and the index if ``f0``, ``f1``, … of a tuple is assigned."""
    if not isinstance(node, FieldAccess) or not re.fullmatch(r"f\d+", node.name):
        return None
    holder = translate_expression(node.target, body)
    return (holder, int(node.name[1:])) if is_tuple(holder.type) else None


def _replace_tuple_field(holder: Value, position: int, value: Value) -> ast.stmt:
    """Assign a new tuple with one changed element: Python's tuples are immutable."""
    count = int(holder.type.name[5:])
    parts = [value.code if index == position else item(holder.code, constant(index)) for index in range(count)]
    return assign(_as_target(holder.code), ast.Tuple(parts, ast.Load()))


# Calls


def _translate_call(node: Call, body: Body) -> Sequence[ast.stmt] | None:
    printed = _translate_print(node, body)
    if printed is not None:
        return printed
    if node.target is None or isinstance(node.target, This):
        return _call_own_setter(node, body)
    owner = named_class(node.target, body)
    if owner is not None:
        return _translate_static_call(owner, node, body)
    if node.name == "append":
        return _translate_append(node, body)
    if isinstance(node.target, Name) and node.target.text in body.collectors:
        return None
    receiver = translate_expression(node.target, body)
    return _translate_object_call(node, receiver, body)


def _call_own_setter(node: Call, body: Body) -> Sequence[ast.stmt] | None:
    info = body.owner
    if info is None or body.is_static:
        return None
    field = body.index.accessor(Type(info.declaration.name), node.name, len(node.arguments))
    if field is None or len(node.arguments) != 1:
        return None
    return [assign(attribute(name("self"), field), translate_expression(node.arguments[0], body).code)]


def _translate_print(node: Call, body: Body) -> Sequence[ast.stmt] | None:
    target = node.target
    if not (isinstance(target, FieldAccess) and isinstance(target.target, Name) and target.target.text == "System"):
        return None
    error = [ast.keyword("file", code("sys.stderr"))] if target.name == "err" else []
    if node.name in ("printf", "format"):
        text: list[ast.expr] = [format_string(node.arguments[0], node.arguments[1:], body)]
        if not _remove_newline(text):
            error.append(ast.keyword("end", constant("")))
    else:
        text = [join_strings(f_string_parts(translate_expression(argument, body), body)) for argument in node.arguments]
        text = [_unwrap_single_value(part) for part in text]
        error += [ast.keyword("end", constant(""))] if node.name == "print" else []
    return [evaluate(ast.Call(name("print"), text, error))]


def _remove_newline(texts: list[ast.expr]) -> bool:
    """Remove the newline at the end of a text, since ``print`` adds one; return whether it ended with one."""
    text = texts[0]
    last = text.values[-1] if isinstance(text, ast.JoinedStr) else text
    if not isinstance(last, ast.Constant) or not str(last.value).endswith("\n"):
        return False
    without_newline = constant(str(last.value)[:-1])
    texts[0] = (
        ast.JoinedStr([*text.values[:-1], without_newline]) if isinstance(text, ast.JoinedStr) else without_newline
    )
    return True


def _unwrap_single_value(tree: ast.expr) -> ast.expr:
    """Replace an f-string of a single value by the value: ``print`` converts it to text anyway."""
    if isinstance(tree, ast.JoinedStr) and len(tree.values) == 1 and isinstance(tree.values[0], ast.FormattedValue):
        return tree.values[0].value if tree.values[0].format_spec is None else tree
    return tree


def _translate_static_call(owner: str, node: Call, body: Body) -> Sequence[ast.stmt] | None:
    if owner == "Preconditions" and node.name in ("checkArgument", "checkState", "checkNotNull"):
        return _translate_precondition(node, body)
    template = STATEMENTS.get(f"{owner}.{node.name}/{len(node.arguments)}")
    if template is None:
        return None
    if owner == "Collections" and node.name == "sort" and len(node.arguments) == 2:
        return [_sort_statement(translate_expression(node.arguments[0], body), node.arguments[1], body)]
    return _fill_statement(template[0], None, [translate_argument(argument, body) for argument in node.arguments])


def _translate_precondition(node: Call, body: Body) -> Sequence[ast.stmt]:
    """Translate Flink's ``Preconditions`` to an ``if`` that raises."""
    first, *rest = node.arguments
    value = translate_expression(first, body).code
    failed = code("a is None", a=value) if node.name == "checkNotNull" else ast.UnaryOp(ast.Not(), value)
    kind = {"checkArgument": "ValueError", "checkState": "RuntimeError"}.get(node.name, "TypeError")
    message = [translate_expression(rest[0], body).code] if len(rest) == 1 else []
    return [ast.If(failed, [ast.Raise(call(kind, *message), None)], [])]


def _fill_statement(template: str, receiver: Value | None, arguments: Sequence[Value]) -> Sequence[ast.stmt]:
    parts = dict(zip("bcde", (argument.code for argument in arguments), strict=False))
    if receiver is not None:
        parts["a"] = receiver.code
    for sign in (" += ", " = "):
        if sign in template:
            target, _, value = template.partition(sign)
            value_tree = code(value, **parts)
            stored = _as_target(code(target, **parts))
            return [ast.AugAssign(stored, ast.Add(), value_tree) if sign == " += " else assign(stored, value_tree)]
    return [evaluate(code(template, **parts))]


def _translate_object_call(node: Call, receiver: Value, body: Body) -> Sequence[ast.stmt] | None:
    kind = receiver.type
    if kind.name == "Logger" or (kind.name == "?" and node.name in _LOG_LEVELS and _is_logger(receiver.code)):
        return _translate_log_call(node, receiver, body)
    group = _TABLE_NAMES.get(kind.name, kind.name)
    rule = _RULES.get(f"{group}.{node.name}") or _RULES.get(node.name)
    if rule is not None:
        statements = rule(node, receiver, body)
        if statements is not None:
            return statements
    field = body.index.accessor(kind, node.name, len(node.arguments)) if len(node.arguments) == 1 else None
    if field is not None:
        value = translate_expression(node.arguments[0], body)
        return [assign(attribute(receiver.code, field), convert(value, _field_type(kind, field, body)))]
    template = STATEMENTS.get(f"{group}.{node.name}/{len(node.arguments)}")
    if template is None and kind.name.endswith("Exception"):
        template = STATEMENTS.get(f"Exception.{node.name}/{len(node.arguments)}")
    if template is None:
        return None
    return _fill_statement(template[0], receiver, [translate_argument(argument, body) for argument in node.arguments])


def _is_logger(tree: ast.expr) -> bool:
    return isinstance(tree, ast.Name | ast.Attribute) and ast.unparse(tree).lower().rpartition(".")[2] in (
        "log",
        "logger",
    )


def _field_type(kind: Type, field: str, body: Body) -> Type:
    info = body.index.classes.get(kind.name)
    for ancestor in body.index.supers(info) if info is not None else ():
        if field in ancestor.fields:
            return ancestor.fields[field].type
    return UNKNOWN


def _translate_log_call(node: Call, receiver: Value, body: Body) -> Sequence[ast.stmt]:
    """Translate a call on a logger; SLF4J's ``{}`` becomes ``%s``."""
    level = {"warn": "warning", "trace": "debug", "severe": "error", "fine": "debug"}.get(node.name, node.name)
    values = [translate_expression(argument, body) for argument in node.arguments]
    if not values:
        raise Untranslated("a logger without a message")
    first, *rest = values
    keywords: list[ast.keyword] = []
    if rest and rest[-1].type.name.endswith(("Exception", "Throwable")):
        keywords.append(ast.keyword("exc_info", rest.pop().code))
    text = first.code
    if isinstance(text, ast.Constant) and isinstance(text.value, str):
        text = constant(text.value.replace("%", "%%" if rest else "%").replace("{}", "%s"))
    return [evaluate(ast.Call(attribute(receiver.code, level), [text, *(value.code for value in rest)], keywords))]


def _translate_append(node: Call, body: Body) -> Sequence[ast.stmt] | None:
    """Translate calls of ``StringBuilder.append`` to ``+=`` on a string."""
    added: list[Expression] = []
    target: Expression = node
    while isinstance(target, Call) and target.name == "append" and target.target is not None:
        added[:0] = target.arguments[:1]
        target = target.target
    if not isinstance(target, Name | FieldAccess) or named_class(target, body) is not None:
        return None
    builder = translate_expression(target, body)
    if builder.type.name not in ("StringBuilder", "StringBuffer"):
        return None
    parts = [part for argument in added for part in f_string_parts(translate_expression(argument, body), body)]
    return [ast.AugAssign(_as_target(builder.code), ast.Add(), join_strings(parts))]


def _translate_for_each(node: Call, receiver: Value, body: Body) -> Sequence[ast.stmt] | None:
    """Translate ``forEach`` to a loop."""
    (function,) = node.arguments
    values = receiver.code
    kinds: tuple[Type, ...] = (receiver.type.argument(0),)
    if receiver.type.name in ("Map", "HashMap", "LinkedHashMap", "ConcurrentHashMap", "Properties"):
        values, kinds = call(attribute(values, "items")), receiver.type.arguments
    if isinstance(function, Reference):
        return _for_each_with_reference(function, values, kinds, body)
    if not isinstance(function, Lambda):
        return None
    with body.block():
        targets: list[ast.expr] = []
        for index, parameter in enumerate(function.parameters):
            targets.append(name(body.declare(parameter.name, kinds[index] if index < len(kinds) else UNKNOWN)))
        block = function.body if isinstance(function.body, Block) else Block((_as_statement(function.body),))
        statements = list(translate_statement(block, body))
    target = targets[0] if len(targets) == 1 else ast.Tuple(targets, ast.Store())
    return [ast.For(target, values, statements or [ast.Pass()], [], lineno=0)]


def _as_statement(node: Expression) -> Statement:
    return Evaluate(node, line=node.line, last=node.last)


def _for_each_with_reference(
    node: Reference, values: ast.expr, kinds: Sequence[Type], body: Body
) -> Sequence[ast.stmt]:
    if isinstance(node.target, Name) and node.target.text in body.collectors:
        return [evaluate(ast.YieldFrom(values))]
    if isinstance(node.target, FieldAccess) and node.name in ("println", "print"):
        return [ast.For(name("one"), values, [evaluate(call("print", name("one")))], [], lineno=0)]
    function = translate_argument(node, body, kinds)
    return [ast.For(name("one"), values, [evaluate(call(function.code, name("one")))], [], lineno=0)]


def _translate_if_present(node: Call, receiver: Value, body: Body) -> Sequence[ast.stmt] | None:
    (function,) = node.arguments
    test = code("a is not None", a=receiver.code)
    if isinstance(function, Lambda):
        with body.block():
            target = body.declare(function.parameters[0].name, receiver.type.argument(0))
            block = function.body if isinstance(function.body, Block) else Block((_as_statement(function.body),))
            statements = [assign(name(target), receiver.code), *translate_statement(block, body)]
        return [ast.If(test, statements, [])]
    called = call(translate_argument(function, body).code, receiver.code)
    return [ast.If(test, [evaluate(called)], [])]


def _sort_statement(values: Value, comparator: Expression, body: Body) -> ast.stmt:
    if isinstance(comparator, Literal):
        return evaluate(call(attribute(values.code, "sort")))
    keywords = sort_key(comparator, values.type.argument(0), body)
    return evaluate(ast.Call(attribute(values.code, "sort"), [], keywords))


def _translate_sort(node: Call, receiver: Value, body: Body) -> Sequence[ast.stmt] | None:
    return [_sort_statement(receiver, node.arguments[0], body)]


def _translate_remove(node: Call, receiver: Value, body: Body) -> Sequence[ast.stmt] | None:
    """Translate ``List.remove``, which removes by index if the argument is an ``int``, else by value."""
    value = translate_expression(node.arguments[0], body)
    if value.type.name == "int":
        return [ast.Delete([item(receiver.code, value.code)])]
    return [evaluate(call(attribute(receiver.code, "remove"), value.code))]


def _translate_merge(node: Call, receiver: Value, body: Body) -> Sequence[ast.stmt] | None:
    key, value, function = node.arguments
    key_tree, value_tree = translate_expression(key, body).code, translate_expression(value, body).code
    combine = translate_argument(function, body, (receiver.type.argument(1),) * 2).code
    combined = ast.Call(combine, [item(receiver.code, key_tree), value_tree], [])
    if isinstance(function, Reference) and function.name == "sum":
        return [
            assign(item(receiver.code, key_tree), code("a.get(b, 0) + c", a=receiver.code, b=key_tree, c=value_tree))
        ]
    choice = ast.IfExp(combined, code("b in a", a=receiver.code, b=key_tree), value_tree)
    return [assign(item(receiver.code, key_tree), choice)]


def _translate_tuple_set(node: Call, receiver: Value, body: Body) -> Sequence[ast.stmt] | None:
    if not is_tuple(receiver.type):
        return None
    value, position = (translate_expression(argument, body) for argument in node.arguments)
    if not isinstance(position.code, ast.Constant):
        raise Untranslated("tuples do not change in Python")
    return [_replace_tuple_field(receiver, int(str(position.code.value)), value)]


_RULES: Final[Mapping[str, Callable[[Call, Value, Body], Sequence[ast.stmt] | None]]] = {
    "List.remove": _translate_remove,
    "List.sort": _translate_sort,
    "Map.merge": _translate_merge,
    "forEach": _translate_for_each,
    "ifPresent": _translate_if_present,
    "setField": _translate_tuple_set,
}
