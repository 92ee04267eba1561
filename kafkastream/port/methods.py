"""Translation of methods: their parameters, annotations and docstrings, and elements that are yielded."""

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
from kafkastream.port.statements import translated
from kafkastream.port.translation import Body

__all__ = ["Made", "api_base", "docstring", "function_of", "method_of", "signature_body", "uses_runtime_context"]

_SKIPPED: Final = frozenset({"OpenContext", "Configuration"})
_SPECIAL: Final = {
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
class Made:
    """Function of Python, and the variables of the module that it assigns."""

    tree: ast.stmt
    assigned: frozenset[str]


def api_base(info: ClassInfo | None) -> Type | None:
    """Return the class of Flink's API that a class extends."""
    if info is None:
        return None
    declared = info.declaration
    for one in (declared.superclass, *declared.interfaces):
        if one is not None and api_class(JAVA_NAMES.get(one.name, one.name)) is not None:
            return Type(JAVA_NAMES.get(one.name, one.name), one.arguments)
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
    whole = "\n\n".join(one for one in paragraphs if one)
    return [evaluate(constant(whole))] if whole else []


def signature_body(method: Method, body: Body) -> Body:
    """Return the body of a method, with its parameters declared."""
    is_static = method.is_static
    inner = body.nested(result=method.type, is_static=is_static, runtime=None, collectors=set(body.collectors))
    inner.used_globals = set()
    inner.assigned_globals = set()
    base = api_base(body.owner)
    for one in method.parameters:
        kind = one.type
        if kind.name == "Collector":
            inner.collectors.add(one.name)
        if kind.name.endswith("Context") and kind.name not in ("RuntimeContext", "OpenContext"):
            kind = attrs.evolve(kind, owner=kind.owner or (base.name if base is not None else ""))
        dimensions = kind.dimensions + one.is_variadic
        inner.declare(one.name, attrs.evolve(kind, dimensions=dimensions))
    return inner


def method_of(method: Method, body: Body) -> Made:
    """Translate a method of a class."""
    inner = signature_body(method, body)
    info = body.owner
    assert info is not None
    is_open = method.name == "open" and api_base(info) is not None and len(method.parameters) == 1
    if is_open and method.parameters[0].type.name in _SKIPPED:
        return _open(method, inner)
    python = _SPECIAL.get(method.name, info.method_name(method))
    parameters = ["self"] if not method.is_static else []
    statements = _statements(method, inner)
    tree = _definition(python, parameters, method, inner, statements)
    if method.is_static:
        tree.decorator_list.append(name("staticmethod"))
    return Made(tree, frozenset(inner.assigned_globals))


def _open(method: Method, inner: Body) -> Made:
    inner.runtime = "runtime_context"
    inner.declare(method.parameters[0].name, Type("OpenContext"))
    statements = _statements(method, inner)
    if inner.owner is not None and uses_runtime_context(inner.owner):
        statements.insert(0, ast.Assign([code("self.runtime_context")], name("runtime_context"), lineno=0))
    arguments = ast.arguments(
        [], [ast.arg("self"), ast.arg("runtime_context", name("RuntimeContext"))], None, [], [], None, []
    )
    body = [*docstring(method.comment), *statements] or [ast.Pass()]
    return Made(ast.FunctionDef("open", arguments, body, [], name("None"), lineno=0), frozenset(inner.assigned_globals))


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


def function_of(method: Method, body: Body) -> Made:
    """Translate a static method of the main class to a function of the module."""
    inner = signature_body(method, body)
    statements = _statements(method, inner)
    info = body.owner
    own = info.method_name(method) if info is not None else method.name
    python = "main" if method.name == "main" else own if own != snake_case(method.name) else python_name(method.name)
    tree = _definition(python, [], method, inner, statements)
    assigned = frozenset(inner.assigned_globals)
    if assigned:
        place = len(tree.body) - len(statements)
        tree.body.insert(place, ast.Global(sorted(assigned)))
    return Made(tree, assigned)


def _statements(method: Method, inner: Body) -> list[ast.stmt]:
    block = method.body or Block(())
    return translated(block.statements, inner)


def _definition(
    python: str, first: Sequence[str], method: Method, inner: Body, statements: list[ast.stmt]
) -> ast.FunctionDef:
    kept = [one for one in method.parameters if one.type.name != "Collector"]
    if python == "main" and method.is_static and not _is_read(kept, statements, inner):
        kept = []
    variadic = [one for one in kept if one.is_variadic]
    made = [ast.arg(one) for one in first]
    if python == "extract_timestamp" and len(kept) == 1:
        kept = [*kept, Parameter("recordTimestamp", Type("long"))]
    made += [_argument(one, inner) for one in kept if not one.is_variadic]
    arguments = ast.arguments([], made, _variadic(variadic[0], inner) if variadic else None, [], [], None, [])
    body = [*docstring(method.comment), *statements]
    if not [one for one in body if not isinstance(one, Remark)]:
        body.append(ast.Pass())
    return ast.FunctionDef(python, arguments, body, [], _result(method, inner, statements), lineno=0)


def _is_read(parameters: Sequence[Parameter], statements: list[ast.stmt], inner: Body) -> bool:
    names = {inner.declare(one.name, one.type) for one in parameters}
    return any(isinstance(one, ast.Name) and one.id in names for part in statements for one in ast.walk(part))


def _argument(one: Parameter, inner: Body) -> ast.arg:
    variable = inner.find(one.name)
    kind = variable.type if variable is not None else one.type
    return ast.arg(python_name(one.name), _annotation(kind, inner))


def _variadic(one: Parameter, inner: Body) -> ast.arg:
    return ast.arg(python_name(one.name), _annotation(one.type, inner))


def _annotation(kind: Type, inner: Body) -> ast.expr:
    here = api_type(kind)
    owner = JAVA_NAMES.get(kind.owner, kind.owner)
    if here.name == "Context" and api_class(owner) is not None and hasattr(api_class(owner), kind.name):
        return code(f"{owner}.{kind.name}")
    if re.fullmatch(r"[A-Z]\d?|OUT|IN|KEY", kind.name) or (here.name == "Context" and kind.name != "RuntimeContext"):
        return name("Any")
    return inner.annotation(kind)


def _result(method: Method, inner: Body, statements: list[ast.stmt]) -> ast.expr:
    if is_yielding(statements):
        collectors = [one.type for one in method.parameters if one.type.name == "Collector"]
        element = collectors[0].argument(0) if collectors else UNKNOWN
        has_tags = any(
            isinstance(one, ast.Yield) and isinstance(one.value, ast.Tuple)
            for part in statements
            for one in ast.walk(part)
        )
        tree = (
            _annotation(element, inner)
            if not has_tags or (element.name.startswith("Tuple") and not _outputs(method))
            else name("Any")
        )
        return item(name("Iterator"), tree)
    if method.name == "toString":
        return name("str")
    return _annotation(method.type, inner) if method.type != VOID else name("None")


def _outputs(method: Method) -> bool:
    """Return whether a method has side outputs."""
    return any(
        isinstance(one, Call) and one.name == "output" and isinstance(one.target, Name) for one in nodes_in(method.body)
    )
