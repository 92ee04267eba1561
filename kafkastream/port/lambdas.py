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
from kafkastream.port.resolving import class_name_of, named_class
from kafkastream.port.translation import Body, Value, translate_expression, translate_statement, translates

__all__ = ["function_type"]

_PYTHON_FUNCTIONS: Final = {
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
def _translate_lambda(node: Lambda, body: Body) -> Value:
    types, collects, hint = body.expected, body.collects, body.hint
    only = _only_expression(node.body) if not collects else None
    if only is not None:
        inner = body.nested()
        parameters = _declare_parameters(node, inner, types)
        value = translate_expression(only, inner)
        if not inner.hoisted and not _contains_yield(value.code):
            return Value(ast.Lambda(_build_arguments(parameters), value.code), function_type(value.type))
    return _hoist_lambda(node, body, types, collects=collects, hint=hint)


@translates(Reference)
def _translate_reference(node: Reference, body: Body) -> Value:
    target = node.target
    if isinstance(target, Type):
        return _reference_to_type(target, node, body)
    if isinstance(target, This):
        return _reference_to_own_method(node, body)
    java = named_class(target, body)
    if java is None:
        return _reference_to_object_method(translate_expression(target, body), node, body)
    return _reference_to_class_method(java, node, body, body.expected)


def _contains_yield(tree: ast.expr) -> bool:
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(tree))


def _only_expression(body: Expression | Block) -> Expression | None:
    if isinstance(body, Expression):
        return body
    statements = [statement for statement in body.statements if not isinstance(statement, Comment)]
    only_statement = statements[0] if len(statements) == len(body.statements) == 1 else None
    return only_statement.value if isinstance(only_statement, Return) else None


def _declare_parameters(node: Lambda, inner: Body, types: Sequence[Type]) -> list[str]:
    parameters = []
    for index, parameter in enumerate(node.parameters):
        kind = parameter.type if parameter.type != UNKNOWN else types[index] if index < len(types) else UNKNOWN
        parameters.append(inner.declare(parameter.name, kind))
    return parameters


def _build_arguments(names: Sequence[str], kinds: Sequence[ast.expr | None] = ()) -> ast.arguments:
    annotated = [*kinds, *[None] * (len(names) - len(kinds))]
    arguments = [ast.arg(python, kind) for python, kind in zip(names, annotated, strict=True)]
    return ast.arguments([], arguments, None, [], [], None, [])


def _hoist_lambda(node: Lambda, body: Body, types: Sequence[Type], *, collects: bool, hint: str) -> Value:
    """Translate a lambda to a function that is defined before the statement, and return its name."""
    inner = body.nested(result=UNKNOWN)
    if collects:
        inner.collectors = {*body.collectors, node.parameters[-1].name}
    parameters = _declare_parameters(node, inner, types)
    names = parameters[:-1] if collects else parameters
    block = node.body if isinstance(node.body, Block) else _as_block(node.body, collects=collects)
    statements = list(translate_statement(block, inner))
    wanted_name = f"{hint}_{names[0]}" if names else hint
    function = body.unique(wanted_name)
    kinds: list[ast.expr | None] = [
        body.annotation(_declared_type(inner, parameter.name)) for parameter in node.parameters[: len(names)]
    ]
    body.hoisted.append(_build_function(function, _build_arguments(names, kinds), statements, body))
    return Value(name(function), function_type(UNKNOWN))


def _declared_type(inner: Body, java: str) -> Type:
    variable = inner.find(java)
    return variable.type if variable is not None else UNKNOWN


def _as_block(node: Expression, *, collects: bool) -> Block:
    line: dict[str, Any] = {"line": node.line, "last": node.last}
    if collects:
        return Block((Evaluate(node, **line),), **line)
    return Block((Return(node, **line),), **line)


def _build_function(python: str, arguments: ast.arguments, statements: list[ast.stmt], body: Body) -> ast.stmt:
    result = "Iterator[Any]" if is_yielding(statements) else "Any"
    if not any(isinstance(node, ast.Return) for part in statements for node in ast.walk(part)) and result == "Any":
        result = "None"
    return ast.FunctionDef(python, arguments, statements or [ast.Pass()], [], code(result), lineno=0)


def _reference_to_type(target: Type, node: Reference, body: Body) -> Value:
    if node.name == "new" and not target.dimensions:
        return _reference_to_constructor(target.name, body)
    if node.name == "new":
        return Value(name("list"), function_type(target))
    raise Untranslated(f"{target.name}::{node.name} has no translation")


def _reference_to_constructor(java: str, body: Body) -> Value:
    plain = {"ArrayList": "list", "HashMap": "dict", "HashSet": "set", "ObjectMapper": "dict", "LinkedHashMap": "dict"}
    plain |= {"Path": "str", "URI": "str", "File": "str"}
    if java in plain:
        return Value(name(plain[java]), function_type(Type(java)))
    return Value(class_name_of(java, body), function_type(Type(java)))


def _reference_to_own_method(node: Reference, body: Body) -> Value:
    if body.owner is None:
        raise Untranslated("there is no object whose method this is")
    declaration = body.index.find_method(Type(body.owner.declaration.name), node.name)
    result = declaration[1].type if declaration is not None else UNKNOWN
    return Value(attribute(name("self"), snake_case(node.name)), function_type(result))


def _reference_to_object_method(target: Value, node: Reference, body: Body) -> Value:
    declaration = body.index.find_method(target.type, node.name)
    result = declaration[1].type if declaration is not None else UNKNOWN
    return Value(attribute(target.code, snake_case(node.name)), function_type(result))


def _reference_to_class_method(java: str, node: Reference, body: Body, types: Sequence[Type]) -> Value:
    if node.name == "new":
        return _reference_to_constructor(java, body)
    native = _PYTHON_FUNCTIONS.get(f"{java}.{node.name}")
    if native is not None:
        result = METHODS.get(java, {}).get(f"{node.name}/0", ("", "?"))[1]
        kind = {"int": "int", "float": "double", "len": "int"}.get(native, result)
        return Value(code(native), function_type(Type(kind)))
    info = body.index.classes.get(java)
    if info is not None and any(method.is_static for method in info.methods_named(node.name)):
        method = info.methods_named(node.name)[0]
        python = snake_case(node.name)
        tree = name(python_name(node.name)) if info.role == "main" else attribute(name(info.python), python)
        return Value(tree, function_type(method.type))
    return _lambda_calling_method(java, node, body, types)


def _lambda_calling_method(java: str, node: Reference, body: Body, types: Sequence[Type]) -> Value:
    """``Event::getUser``: a lambda that calls the method on its first argument."""
    if (
        java not in body.index.classes
        and java not in METHODS
        and table_name(Type(java)) not in METHODS
        and api_class(java) is None
    ):
        raise Untranslated(f"{java} has no counterpart")
    kind = types[0] if types and types[0].name == java else Type(java)
    declaration = body.index.find_method(kind, node.name)
    count = len(declaration[1].parameters) if declaration is not None else max(len(types) - 1, 0)
    inner = body.nested()
    first = re.sub(r"\W", "", java[:1].lower() + java[1:])
    names = [first, *(f"other{index or ''}" for index in range(count))]
    python = [inner.declare(java_name, kind if not index else UNKNOWN) for index, java_name in enumerate(names)]
    method_call = Call(Name(first), node.name, tuple(map(Name, names[1:])), line=node.line)
    value = translate_expression(method_call, inner)
    return Value(ast.Lambda(_build_arguments(python), value.code), function_type(value.type))
