"""Translation of methods: parameters, annotations, docstrings, and generators for methods with a ``Collector``."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Final, final

import attrs

from kafkastream.port.flink_types import api_type
from kafkastream.port.java_nodes import Block, Call, Comment, Method, Name, Parameter, This, Type, nodes_in
from kafkastream.port.java_types import UNKNOWN, VOID
from kafkastream.port.names import JAVA_NAMES, api_class, python_name, snake_case
from kafkastream.port.program_index import ClassInfo
from kafkastream.port.python_trees import Remark, code, constant, evaluate, is_yielding, item, name
from kafkastream.port.statements import translate_statements
from kafkastream.port.translation import Body

__all__ = [
    "TranslatedFunction",
    "api_base",
    "docstring",
    "signature_body",
    "translate_function",
    "translate_method",
    "uses_runtime_context",
]

_OPEN_PARAMETERS: Final = frozenset({"OpenContext", "Configuration"})
_SPECIAL_NAMES: Final = {
    "toString": "__str__",
    "<init>": "__init__",
    "iterator": "__iter__",
    "equals": "__eq__",
    "hashCode": "__hash__",
    "extractAscendingTimestamp": "extract_timestamp",
}
_TAG: Final = re.compile(r"\{@\w+\s+([^}]*)\}")


@final
@attrs.frozen
class TranslatedFunction:
    """Translated function, and the module-level variables that it assigns."""

    tree: ast.stmt
    assigned_globals: frozenset[str]


def api_base(info: ClassInfo | None) -> Type | None:
    """Return the class of Flink's API that a class extends."""
    if info is None:
        return None
    declared = info.declaration
    for base in (declared.superclass, *declared.interfaces):
        if base is not None and api_class(JAVA_NAMES.get(base.name, base.name)) is not None:
            return Type(JAVA_NAMES.get(base.name, base.name), base.arguments)
    return None


def docstring(comment: Comment | None) -> list[ast.stmt]:
    """Return the docstring that a Javadoc becomes: its description, without tags and markup."""
    if comment is None:
        return []
    lines: list[str] = []
    for line in comment.lines:
        if line.startswith(("@", "----", "****")):
            break
        lines.append(
            re.sub(r"</?[a-zA-Z]+/?>", "", _TAG.sub(r"\1", line)).replace("&lt;", "<").replace("&gt;", ">").strip()
        )
    text = re.sub(r"\{@\w+\s+([^}]*)\}", r"\1", "\n".join(lines).strip())
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text)]
    description = "\n\n".join(paragraph for paragraph in paragraphs if paragraph)
    return [evaluate(constant(description))] if description else []


def signature_body(method: Method, body: Body) -> Body:
    """Return the body of a method, with its parameters declared."""
    is_static = method.is_static
    inner = body.nested(result=method.type, is_static=is_static, runtime=None, collectors=set(body.collectors))
    inner.used_globals = set()
    inner.assigned_globals = set()
    base = api_base(body.owner)
    for parameter in method.parameters:
        kind = parameter.type
        if kind.name == "Collector":
            inner.collectors.add(parameter.name)
        if kind.name.endswith("Context") and kind.name not in ("RuntimeContext", "OpenContext"):
            kind = attrs.evolve(kind, owner=kind.owner or (base.name if base is not None else ""))
        dimensions = kind.dimensions + parameter.is_variadic
        inner.declare(parameter.name, attrs.evolve(kind, dimensions=dimensions))
    return inner


def translate_method(method: Method, body: Body) -> TranslatedFunction:
    """Translate a method of a class."""
    inner = signature_body(method, body)
    info = body.owner
    assert info is not None
    is_open = method.name == "open" and api_base(info) is not None and len(method.parameters) == 1
    if is_open and method.parameters[0].type.name in _OPEN_PARAMETERS:
        return _translate_open(method, inner)
    python = _SPECIAL_NAMES.get(method.name, info.method_name(method))
    parameters = ["self"] if not method.is_static else []
    statements = _translate_body(method, inner)
    tree = _define_function(python, parameters, method, inner, statements)
    if method.is_static:
        tree.decorator_list.append(name("staticmethod"))
    return TranslatedFunction(tree, frozenset(inner.assigned_globals))


def _translate_open(method: Method, inner: Body) -> TranslatedFunction:
    inner.runtime = "runtime_context"
    inner.declare(method.parameters[0].name, Type("OpenContext"))
    statements = _translate_body(method, inner)
    if inner.owner is not None and uses_runtime_context(inner.owner):
        statements.insert(0, ast.Assign([code("self.runtime_context")], name("runtime_context"), lineno=0))
    arguments = ast.arguments(
        [], [ast.arg("self"), ast.arg("runtime_context", name("RuntimeContext"))], None, [], [], None, []
    )
    body = [*docstring(method.comment), *statements] or [ast.Pass()]
    return TranslatedFunction(
        ast.FunctionDef("open", arguments, body, [], name("None"), lineno=0), frozenset(inner.assigned_globals)
    )


def uses_runtime_context(info: ClassInfo) -> bool:
    """Return whether a method other than ``open`` asks for the runtime context."""
    return any(
        isinstance(node, Call)
        and node.name == "getRuntimeContext"
        and (node.target is None or isinstance(node.target, This))
        for method in info.declaration.methods
        if method.name != "open"
        for node in nodes_in(method.body)
    )


def translate_function(method: Method, body: Body) -> TranslatedFunction:
    """Translate a static method of the main class to a function of the module."""
    inner = signature_body(method, body)
    statements = _translate_body(method, inner)
    info = body.owner
    method_name = info.method_name(method) if info is not None else method.name
    python = (
        "main"
        if method.name == "main"
        else method_name
        if method_name != snake_case(method.name)
        else python_name(method.name)
    )
    tree = _define_function(python, [], method, inner, statements)
    assigned = frozenset(inner.assigned_globals)
    if assigned:
        position = len(tree.body) - len(statements)
        tree.body.insert(position, ast.Global(sorted(assigned)))
    return TranslatedFunction(tree, assigned)


def _translate_body(method: Method, inner: Body) -> list[ast.stmt]:
    block = method.body or Block(())
    return translate_statements(block.statements, inner)


def _define_function(
    python: str, first: Sequence[str], method: Method, inner: Body, statements: list[ast.stmt]
) -> ast.FunctionDef:
    parameters = [parameter for parameter in method.parameters if parameter.type.name != "Collector"]
    if python == "main" and method.is_static and not _reads_parameters(parameters, statements, inner):
        parameters = []
    variadic = [parameter for parameter in parameters if parameter.is_variadic]
    arguments_ = [ast.arg(python) for python in first]
    if python == "extract_timestamp" and len(parameters) == 1:
        parameters = [*parameters, Parameter("recordTimestamp", Type("long"))]
    arguments_ += [_annotated_argument(parameter, inner) for parameter in parameters if not parameter.is_variadic]
    arguments = ast.arguments(
        [], arguments_, _variadic_argument(variadic[0], inner) if variadic else None, [], [], None, []
    )
    body = [*docstring(method.comment), *statements]
    if not [statement for statement in body if not isinstance(statement, Remark)]:
        body.append(ast.Pass())
    return ast.FunctionDef(python, arguments, body, [], _result_annotation(method, inner, statements), lineno=0)


def _reads_parameters(parameters: Sequence[Parameter], statements: list[ast.stmt], inner: Body) -> bool:
    names = {inner.declare(parameter.name, parameter.type) for parameter in parameters}
    return any(isinstance(node, ast.Name) and node.id in names for part in statements for node in ast.walk(part))


def _annotated_argument(parameter: Parameter, inner: Body) -> ast.arg:
    variable = inner.find(parameter.name)
    kind = variable.type if variable is not None else parameter.type
    return ast.arg(python_name(parameter.name), _parameter_annotation(kind, inner))


def _variadic_argument(parameter: Parameter, inner: Body) -> ast.arg:
    return ast.arg(python_name(parameter.name), _parameter_annotation(parameter.type, inner))


def _parameter_annotation(kind: Type, inner: Body) -> ast.expr:
    python_type = api_type(kind)
    owner = JAVA_NAMES.get(kind.owner, kind.owner)
    if python_type.name == "Context" and api_class(owner) is not None and hasattr(api_class(owner), kind.name):
        return code(f"{owner}.{kind.name}")
    if re.fullmatch(r"[A-Z]\d?|OUT|IN|KEY", kind.name) or (
        python_type.name == "Context" and kind.name != "RuntimeContext"
    ):
        return name("Any")
    return inner.annotation(kind)


def _result_annotation(method: Method, inner: Body, statements: list[ast.stmt]) -> ast.expr:
    if is_yielding(statements):
        collectors = [parameter.type for parameter in method.parameters if parameter.type.name == "Collector"]
        element = collectors[0].argument(0) if collectors else UNKNOWN
        has_tags = any(
            isinstance(node, ast.Yield) and isinstance(node.value, ast.Tuple)
            for part in statements
            for node in ast.walk(part)
        )
        tree = (
            _parameter_annotation(element, inner)
            if not has_tags or (element.name.startswith("Tuple") and not _has_side_outputs(method))
            else name("Any")
        )
        return item(name("Iterator"), tree)
    if method.name == "toString":
        return name("str")
    return _parameter_annotation(method.type, inner) if method.type != VOID else name("None")


def _has_side_outputs(method: Method) -> bool:
    """Return whether a method has side outputs."""
    return any(
        isinstance(node, Call) and node.name == "output" and isinstance(node.target, Name)
        for node in nodes_in(method.body)
    )
