"""Translation of expressions that are statements: assignments, increments, and methods that change an object."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from kafkastream.port.conversions import converted
from kafkastream.port.expressions import as_text, binary_result
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
from kafkastream.port.library_calls import argument, formatted, sort_key
from kafkastream.port.library_statics import STATEMENTS
from kafkastream.port.marks import Untranslated
from kafkastream.port.python_trees import assign, attribute, call, code, constant, evaluate, item, name, strings_joined
from kafkastream.port.resolving import is_class
from kafkastream.port.switch_values import assigning
from kafkastream.port.translation import Body, Value, expression, statement

__all__ = ["effect"]

_LEVELS: Final = frozenset({"trace", "debug", "info", "warn", "error", "warning", "severe", "fine"})
_GROUPS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("ArrayList", "LinkedList", "Collection", "Queue", "Deque", "ArrayDeque", "Vector"), "List"),
    **dict.fromkeys(("HashSet", "LinkedHashSet", "SortedSet"), "Set"),
    **dict.fromkeys(("HashMap", "LinkedHashMap", "ConcurrentHashMap", "Properties", "ConcurrentMap"), "Map"),
    **dict.fromkeys(("ObjectNode", "ArrayNode", "JSONObject"), "JsonNode"),
    "AtomicLong": "AtomicInteger",
    "StringBuffer": "StringBuilder",
}


def effect(node: Expression, body: Body) -> Sequence[ast.stmt] | None:
    """Translate an expression that is a statement; None where it is any expression.

    Raises:
        Untranslated: It has no translation.
    """
    if isinstance(node, Assign):
        return _assignment(node, body)
    if isinstance(node, Update):
        target = expression(node.target, body)
        _note_global(target.code, body)
        operator: ast.operator = ast.Add() if node.operator == "++" else ast.Sub()
        return [ast.AugAssign(_stored(target.code), operator, constant(1))]
    return _call_effect(node, body) if isinstance(node, Call) else None


def _stored(tree: ast.expr) -> ast.Name | ast.Attribute | ast.Subscript:
    if not isinstance(tree, ast.Name | ast.Attribute | ast.Subscript):
        raise Untranslated("this cannot be assigned in Python")
    return tree


def _note_global(tree: ast.expr, body: Body) -> None:
    if isinstance(tree, ast.Name) and tree.id in body.used_globals:
        body.assigned_globals.add(tree.id)


# Assignments


def _assignment(node: Assign, body: Body) -> Sequence[ast.stmt]:
    if isinstance(node.value, SwitchValue):
        return statement(assigning(node.value, node.target), body)
    if isinstance(node.value, Assign):
        inner = effect(node.value, body)
        return [*(inner or ()), *_assignment(Assign(node.target, node.operator, node.value.target), body)]
    target = expression(node.target, body)
    if target.type.name in ("ObjectMapper", "JsonMapper"):
        return []
    value = expression(node.value, body)
    if isinstance(node.target, Name) and target.type == UNKNOWN:
        body.retype(node.target.text, value.type)
    _note_global(target.code, body)
    field = _tuple_field(node.target, body)
    if field is not None:
        made = value if node.operator == "=" else binary_result(node.operator.removesuffix("="), target, value, body)
        return [_with_tuple_field(*field, made)]
    if node.operator != "=":
        return _compound(node.operator.removesuffix("="), target, value, body)
    return [assign(_stored(target.code), converted(value, target.type))]


def _compound(operator: str, target: Value, value: Value, body: Body) -> Sequence[ast.stmt]:
    stored = _stored(target.code)
    if is_text(target.type) and operator == "+":
        return [ast.AugAssign(stored, ast.Add(), strings_joined(as_text(value, body)))]
    made = binary_result(operator, target, value, body).code
    if isinstance(made, ast.BinOp):
        if isinstance(stored, ast.Subscript) and is_tuple(target.type):
            return [assign(stored, made)]
        return [ast.AugAssign(stored, made.op, value.code)]
    return [assign(stored, made)]


def _tuple_field(node: Expression, body: Body) -> tuple[Value, int] | None:
    """Return the tuple and the position, where a field such as ``f0`` is assigned."""
    if not isinstance(node, FieldAccess) or not re.fullmatch(r"f\d+", node.name):
        return None
    holder = expression(node.target, body)
    return (holder, int(node.name[1:])) if is_tuple(holder.type) else None


def _with_tuple_field(holder: Value, place: int, value: Value) -> ast.stmt:
    """Tuples do not change in Python: assign another one."""
    count = int(holder.type.name[5:])
    parts = [value.code if one == place else item(holder.code, constant(one)) for one in range(count)]
    return assign(_stored(holder.code), ast.Tuple(parts, ast.Load()))


# Calls


def _call_effect(node: Call, body: Body) -> Sequence[ast.stmt] | None:
    printed = _printed(node, body)
    if printed is not None:
        return printed
    if node.target is None or isinstance(node.target, This):
        return _own_setter(node, body)
    owner = is_class(node.target, body)
    if owner is not None:
        return _static_effect(owner, node, body)
    if node.name == "append":
        return _appended(node, body)
    if isinstance(node.target, Name) and node.target.text in body.collectors:
        return None
    receiver = expression(node.target, body)
    return _object_effect(node, receiver, body)


def _own_setter(node: Call, body: Body) -> Sequence[ast.stmt] | None:
    info = body.owner
    if info is None or body.is_static:
        return None
    field = body.index.accessor(Type(info.declaration.name), node.name, len(node.arguments))
    if field is None or len(node.arguments) != 1:
        return None
    return [assign(attribute(name("self"), field), expression(node.arguments[0], body).code)]


def _printed(node: Call, body: Body) -> Sequence[ast.stmt] | None:
    target = node.target
    if not (isinstance(target, FieldAccess) and isinstance(target.target, Name) and target.target.text == "System"):
        return None
    error = [ast.keyword("file", code("sys.stderr"))] if target.name == "err" else []
    if node.name in ("printf", "format"):
        text: list[ast.expr] = [formatted(node.arguments[0], node.arguments[1:], body)]
        if not _without_newline(text):
            error.append(ast.keyword("end", constant("")))
    else:
        text = [strings_joined(as_text(expression(one, body), body)) for one in node.arguments]
        text = [_bare(one) for one in text]
        error += [ast.keyword("end", constant(""))] if node.name == "print" else []
    return [evaluate(ast.Call(name("print"), text, error))]


def _without_newline(texts: list[ast.expr]) -> bool:
    """Remove the newline at the end of a text, which ``print`` adds; return whether there was one."""
    text = texts[0]
    last = text.values[-1] if isinstance(text, ast.JoinedStr) else text
    if not isinstance(last, ast.Constant) or not str(last.value).endswith("\n"):
        return False
    kept = constant(str(last.value)[:-1])
    texts[0] = ast.JoinedStr([*text.values[:-1], kept]) if isinstance(text, ast.JoinedStr) else kept
    return True


def _bare(tree: ast.expr) -> ast.expr:
    """An f-string of a single value is the value, where ``print`` makes a text of it."""
    if isinstance(tree, ast.JoinedStr) and len(tree.values) == 1 and isinstance(tree.values[0], ast.FormattedValue):
        return tree.values[0].value if tree.values[0].format_spec is None else tree
    return tree


def _static_effect(owner: str, node: Call, body: Body) -> Sequence[ast.stmt] | None:
    if owner == "Preconditions" and node.name in ("checkArgument", "checkState", "checkNotNull"):
        return _checked(node, body)
    template = STATEMENTS.get(f"{owner}.{node.name}/{len(node.arguments)}")
    if template is None:
        return None
    if owner == "Collections" and node.name == "sort" and len(node.arguments) == 2:
        return [_sorted(expression(node.arguments[0], body), node.arguments[1], body)]
    return _filled(template[0], None, [argument(one, body) for one in node.arguments])


def _checked(node: Call, body: Body) -> Sequence[ast.stmt]:
    """A check raises where its condition is not met."""
    first, *rest = node.arguments
    value = expression(first, body).code
    failed = code("a is None", a=value) if node.name == "checkNotNull" else ast.UnaryOp(ast.Not(), value)
    kind = {"checkArgument": "ValueError", "checkState": "RuntimeError"}.get(node.name, "TypeError")
    message = [expression(rest[0], body).code] if len(rest) == 1 else []
    return [ast.If(failed, [ast.Raise(call(kind, *message), None)], [])]


def _filled(template: str, receiver: Value | None, arguments: Sequence[Value]) -> Sequence[ast.stmt]:
    parts = dict(zip("bcde", (one.code for one in arguments), strict=False))
    if receiver is not None:
        parts["a"] = receiver.code
    for sign in (" += ", " = "):
        if sign in template:
            target, _, value = template.partition(sign)
            made = code(value, **parts)
            stored = _stored(code(target, **parts))
            return [ast.AugAssign(stored, ast.Add(), made) if sign == " += " else assign(stored, made)]
    return [evaluate(code(template, **parts))]


def _object_effect(node: Call, receiver: Value, body: Body) -> Sequence[ast.stmt] | None:
    kind = receiver.type
    if kind.name == "Logger" or (kind.name == "?" and node.name in _LEVELS and _is_logger(receiver.code)):
        return _logged(node, receiver, body)
    group = _GROUPS.get(kind.name, kind.name)
    rule = _RULES.get(f"{group}.{node.name}") or _RULES.get(node.name)
    if rule is not None:
        made = rule(node, receiver, body)
        if made is not None:
            return made
    field = body.index.accessor(kind, node.name, len(node.arguments)) if len(node.arguments) == 1 else None
    if field is not None:
        value = expression(node.arguments[0], body)
        return [assign(attribute(receiver.code, field), converted(value, _field_type(kind, field, body)))]
    template = STATEMENTS.get(f"{group}.{node.name}/{len(node.arguments)}")
    if template is None and kind.name.endswith("Exception"):
        template = STATEMENTS.get(f"Exception.{node.name}/{len(node.arguments)}")
    if template is None:
        return None
    return _filled(template[0], receiver, [argument(one, body) for one in node.arguments])


def _is_logger(tree: ast.expr) -> bool:
    return isinstance(tree, ast.Name | ast.Attribute) and ast.unparse(tree).lower().rpartition(".")[2] in (
        "log",
        "logger",
    )


def _field_type(kind: Type, field: str, body: Body) -> Type:
    info = body.index.classes.get(kind.name)
    for one in body.index.supers(info) if info is not None else ():
        if field in one.fields:
            return one.fields[field].type
    return UNKNOWN


def _logged(node: Call, receiver: Value, body: Body) -> Sequence[ast.stmt]:
    """SLF4J's ``{}`` becomes ``%s``."""
    level = {"warn": "warning", "trace": "debug", "severe": "error", "fine": "debug"}.get(node.name, node.name)
    values = [expression(one, body) for one in node.arguments]
    if not values:
        raise Untranslated("a logger without a message")
    first, *rest = values
    keywords: list[ast.keyword] = []
    if rest and rest[-1].type.name.endswith(("Exception", "Throwable")):
        keywords.append(ast.keyword("exc_info", rest.pop().code))
    text = first.code
    if isinstance(text, ast.Constant) and isinstance(text.value, str):
        text = constant(text.value.replace("%", "%%" if rest else "%").replace("{}", "%s"))
    return [evaluate(ast.Call(attribute(receiver.code, level), [text, *(one.code for one in rest)], keywords))]


def _appended(node: Call, body: Body) -> Sequence[ast.stmt] | None:
    """Calls of ``append`` on a ``StringBuilder`` add texts to a text."""
    added: list[Expression] = []
    target: Expression = node
    while isinstance(target, Call) and target.name == "append" and target.target is not None:
        added[:0] = target.arguments[:1]
        target = target.target
    if not isinstance(target, Name | FieldAccess) or is_class(target, body) is not None:
        return None
    builder = expression(target, body)
    if builder.type.name not in ("StringBuilder", "StringBuffer"):
        return None
    parts = [part for one in added for part in as_text(expression(one, body), body)]
    return [ast.AugAssign(_stored(builder.code), ast.Add(), strings_joined(parts))]


def _for_each(node: Call, receiver: Value, body: Body) -> Sequence[ast.stmt] | None:
    """``forEach`` is a loop."""
    (function,) = node.arguments
    values = receiver.code
    kinds: tuple[Type, ...] = (receiver.type.argument(0),)
    if receiver.type.name in ("Map", "HashMap", "LinkedHashMap", "ConcurrentHashMap", "Properties"):
        values, kinds = call(attribute(values, "items")), receiver.type.arguments
    if isinstance(function, Reference):
        return _for_each_of_reference(function, values, kinds, body)
    if not isinstance(function, Lambda):
        return None
    with body.block():
        targets: list[ast.expr] = []
        for place, one in enumerate(function.parameters):
            targets.append(name(body.declare(one.name, kinds[place] if place < len(kinds) else UNKNOWN)))
        block = function.body if isinstance(function.body, Block) else Block((_as_statement(function.body),))
        made = list(statement(block, body))
    target = targets[0] if len(targets) == 1 else ast.Tuple(targets, ast.Store())
    return [ast.For(target, values, made or [ast.Pass()], [], lineno=0)]


def _as_statement(node: Expression) -> Statement:
    return Evaluate(node, line=node.line, last=node.last)


def _for_each_of_reference(node: Reference, values: ast.expr, kinds: Sequence[Type], body: Body) -> Sequence[ast.stmt]:
    if isinstance(node.target, Name) and node.target.text in body.collectors:
        return [evaluate(ast.YieldFrom(values))]
    if isinstance(node.target, FieldAccess) and node.name in ("println", "print"):
        return [ast.For(name("one"), values, [evaluate(call("print", name("one")))], [], lineno=0)]
    function = argument(node, body, kinds)
    return [ast.For(name("one"), values, [evaluate(call(function.code, name("one")))], [], lineno=0)]


def _if_present(node: Call, receiver: Value, body: Body) -> Sequence[ast.stmt] | None:
    (function,) = node.arguments
    test = code("a is not None", a=receiver.code)
    if isinstance(function, Lambda):
        with body.block():
            target = body.declare(function.parameters[0].name, receiver.type.argument(0))
            block = function.body if isinstance(function.body, Block) else Block((_as_statement(function.body),))
            made = [assign(name(target), receiver.code), *statement(block, body)]
        return [ast.If(test, made, [])]
    called = call(argument(function, body).code, receiver.code)
    return [ast.If(test, [evaluate(called)], [])]


def _sorted(values: Value, comparator: Expression, body: Body) -> ast.stmt:
    if isinstance(comparator, Literal):
        return evaluate(call(attribute(values.code, "sort")))
    keywords = sort_key(comparator, values.type.argument(0), body)
    return evaluate(ast.Call(attribute(values.code, "sort"), [], keywords))


def _sort(node: Call, receiver: Value, body: Body) -> Sequence[ast.stmt] | None:
    return [_sorted(receiver, node.arguments[0], body)]


def _removed(node: Call, receiver: Value, body: Body) -> Sequence[ast.stmt] | None:
    """Java's lists remove by position or by value, as the argument's type says."""
    value = expression(node.arguments[0], body)
    if value.type.name == "int":
        return [ast.Delete([item(receiver.code, value.code)])]
    return [evaluate(call(attribute(receiver.code, "remove"), value.code))]


def _merged(node: Call, receiver: Value, body: Body) -> Sequence[ast.stmt] | None:
    key, value, function = node.arguments
    where, given = expression(key, body).code, expression(value, body).code
    combine = argument(function, body, (receiver.type.argument(1),) * 2).code
    combined = ast.Call(combine, [item(receiver.code, where), given], [])
    if isinstance(function, Reference) and function.name == "sum":
        return [assign(item(receiver.code, where), code("a.get(b, 0) + c", a=receiver.code, b=where, c=given))]
    choice = ast.IfExp(combined, code("b in a", a=receiver.code, b=where), given)
    return [assign(item(receiver.code, where), choice)]


def _tuple_set(node: Call, receiver: Value, body: Body) -> Sequence[ast.stmt] | None:
    if not is_tuple(receiver.type):
        return None
    value, place = (expression(one, body) for one in node.arguments)
    if not isinstance(place.code, ast.Constant):
        raise Untranslated("tuples do not change in Python")
    return [_with_tuple_field(receiver, int(str(place.code.value)), value)]


_RULES: Final[Mapping[str, Callable[[Call, Value, Body], Sequence[ast.stmt] | None]]] = {
    "List.remove": _removed,
    "List.sort": _sort,
    "Map.merge": _merged,
    "forEach": _for_each,
    "ifPresent": _if_present,
    "setField": _tuple_set,
}
