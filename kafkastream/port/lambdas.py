"""Translation of lambdas and method references: to lambdas of Python, or to functions that are defined before the statement."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Any, Final

from kafkastream.port.java_nodes import (
    Block,
    Call,
    Comment,
    Evaluate,
    Expression,
    Lambda,
    Name,
    Reference,
    Return,
    This,
    Type,
)
from kafkastream.port.java_types import UNKNOWN
from kafkastream.port.library import METHODS
from kafkastream.port.library_calls import table_name
from kafkastream.port.marks import Untranslated
from kafkastream.port.names import api_class, python_name, snake_case
from kafkastream.port.python_trees import attribute, code, is_yielding, name
from kafkastream.port.resolving import class_name_of, is_class
from kafkastream.port.translation import Body, Value, expression, statement, translates

__all__ = ["function_type"]

_NATIVE: Final = {
    "String.toLowerCase": "str.lower",
    "String.toUpperCase": "str.upper",
    "String.trim": "str.strip",
    "String.length": "len",
    "String.valueOf": "java_text",
    "Object.toString": "java_text",
    "Integer.parseInt": "int",
    "Integer.sum": "operator.add",
    "Long.sum": "operator.add",
    "Double.sum": "operator.add",
    "Integer.valueOf": "int",
    "Long.parseLong": "int",
    "Long.valueOf": "int",
    "Double.parseDouble": "float",
    "Float.parseFloat": "float",
    "Double.valueOf": "float",
    "System.out": "print",
    "Math.max": "max",
    "Math.min": "min",
    "List.size": "len",
}


def function_type(result: Type) -> Type:
    """Return the type of a function, by what it returns."""
    return Type("Function", (result,))


@translates(Lambda)
def _lambda(node: Lambda, body: Body) -> Value:
    types, collects, hint = body.expected, body.collects, body.hint
    only = _only_expression(node.body) if not collects else None
    if only is not None:
        inner = body.nested()
        parameters = _declare(node, inner, types)
        value = expression(only, inner)
        if not inner.hoisted and not _is_statement(value.code):
            return Value(ast.Lambda(_arguments(parameters), value.code), function_type(value.type))
    return _hoisted(node, body, types, collects=collects, hint=hint)


@translates(Reference)
def _reference(node: Reference, body: Body) -> Value:
    target = node.target
    if isinstance(target, Type):
        return _of_type(target, node, body)
    if isinstance(target, This):
        return _of_this(node, body)
    java = is_class(target, body)
    if java is None:
        return _of_object(expression(target, body), node, body)
    return _of_class(java, node, body, body.expected)


def _is_statement(tree: ast.expr) -> bool:
    return any(isinstance(one, ast.Yield | ast.YieldFrom) for one in ast.walk(tree))


def _only_expression(body: Expression | Block) -> Expression | None:
    if isinstance(body, Expression):
        return body
    statements = [one for one in body.statements if not isinstance(one, Comment)]
    found = statements[0] if len(statements) == len(body.statements) == 1 else None
    return found.value if isinstance(found, Return) else None


def _declare(node: Lambda, inner: Body, types: Sequence[Type]) -> list[str]:
    parameters = []
    for place, one in enumerate(node.parameters):
        kind = one.type if one.type != UNKNOWN else types[place] if place < len(types) else UNKNOWN
        parameters.append(inner.declare(one.name, kind))
    return parameters


def _arguments(names: Sequence[str], kinds: Sequence[ast.expr | None] = ()) -> ast.arguments:
    annotated = [*kinds, *[None] * (len(names) - len(kinds))]
    made = [ast.arg(one, kind) for one, kind in zip(names, annotated, strict=True)]
    return ast.arguments([], made, None, [], [], None, [])


def _hoisted(node: Lambda, body: Body, types: Sequence[Type], *, collects: bool, hint: str) -> Value:
    """Translate a lambda to a function that is defined before the statement, and return its name."""
    inner = body.nested(result=UNKNOWN)
    if collects:
        inner.collectors = {*body.collectors, node.parameters[-1].name}
    parameters = _declare(node, inner, types)
    kept = parameters[:-1] if collects else parameters
    block = node.body if isinstance(node.body, Block) else _as_block(node.body, collects=collects)
    statements = list(statement(block, inner))
    wished = f"{hint}_{kept[0]}" if kept else hint
    function = body.unique(wished)
    kinds: list[ast.expr | None] = [body.annotation(_declared(inner, one.name)) for one in node.parameters[: len(kept)]]
    body.hoisted.append(_function(function, _arguments(kept, kinds), statements, body))
    return Value(name(function), function_type(UNKNOWN))


def _declared(inner: Body, java: str) -> Type:
    found = inner.find(java)
    return found.type if found is not None else UNKNOWN


def _as_block(node: Expression, *, collects: bool) -> Block:
    line: dict[str, Any] = {"line": node.line, "last": node.last}
    if collects:
        return Block((Evaluate(node, **line),), **line)
    return Block((Return(node, **line),), **line)


def _function(python: str, arguments: ast.arguments, statements: list[ast.stmt], body: Body) -> ast.stmt:
    result = "Iterator[Any]" if is_yielding(statements) else "Any"
    if not any(isinstance(one, ast.Return) for part in statements for one in ast.walk(part)) and result == "Any":
        result = "None"
    return ast.FunctionDef(python, arguments, statements or [ast.Pass()], [], code(result), lineno=0)


def _of_type(target: Type, node: Reference, body: Body) -> Value:
    if node.name == "new" and not target.dimensions:
        return _constructor(target.name, body)
    if node.name == "new":
        return Value(name("list"), function_type(target))
    raise Untranslated(f"{target.name}::{node.name} has no translation")


def _constructor(java: str, body: Body) -> Value:
    plain = {"ArrayList": "list", "HashMap": "dict", "HashSet": "set", "ObjectMapper": "dict", "LinkedHashMap": "dict"}
    plain |= {"Path": "str", "URI": "str", "File": "str"}
    if java in plain:
        return Value(name(plain[java]), function_type(Type(java)))
    return Value(class_name_of(java, body), function_type(Type(java)))


def _of_this(node: Reference, body: Body) -> Value:
    if body.owner is None:
        raise Untranslated("there is no object whose method this is")
    found = body.index.find_method(Type(body.owner.declaration.name), node.name)
    result = found[1].type if found is not None else UNKNOWN
    return Value(attribute(name("self"), snake_case(node.name)), function_type(result))


def _of_object(target: Value, node: Reference, body: Body) -> Value:
    found = body.index.find_method(target.type, node.name)
    result = found[1].type if found is not None else UNKNOWN
    return Value(attribute(target.code, snake_case(node.name)), function_type(result))


def _of_class(java: str, node: Reference, body: Body, types: Sequence[Type]) -> Value:
    if node.name == "new":
        return _constructor(java, body)
    native = _NATIVE.get(f"{java}.{node.name}")
    if native is not None:
        result = METHODS.get(java, {}).get(f"{node.name}/0", ("", "?"))[1]
        kind = {"int": "int", "float": "double", "len": "int"}.get(native, result)
        return Value(code(native), function_type(Type(kind)))
    info = body.index.classes.get(java)
    if info is not None and any(one.is_static for one in info.methods_named(node.name)):
        method = info.methods_named(node.name)[0]
        python = snake_case(node.name)
        tree = name(python_name(node.name)) if info.role == "main" else attribute(name(info.python), python)
        return Value(tree, function_type(method.type))
    return _of_instance_method(java, node, body, types)


def _of_instance_method(java: str, node: Reference, body: Body, types: Sequence[Type]) -> Value:
    """``Event::getUser``: a lambda that calls the method on its first argument."""
    if (
        java not in body.index.classes
        and java not in METHODS
        and table_name(Type(java)) not in METHODS
        and api_class(java) is None
    ):
        raise Untranslated(f"{java} has no counterpart")
    kind = types[0] if types and types[0].name == java else Type(java)
    found = body.index.find_method(kind, node.name)
    count = len(found[1].parameters) if found is not None else max(len(types) - 1, 0)
    inner = body.nested()
    first = re.sub(r"\W", "", java[:1].lower() + java[1:])
    names = [first, *(f"other{place or ''}" for place in range(count))]
    python = [inner.declare(one, kind if not place else UNKNOWN) for place, one in enumerate(names)]
    made = Call(Name(first), node.name, tuple(map(Name, names[1:])), line=node.line)
    value = expression(made, inner)
    return Value(ast.Lambda(_arguments(python), value.code), function_type(value.type))
