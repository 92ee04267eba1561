"""Translation of classes: data becomes attrs classes, functions derive from kafkastream's, enumerations from ``Enum``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import attrs

from kafkastream.port.conversions import converted
from kafkastream.port.data_classes import data_class
from kafkastream.port.java_nodes import (
    Assign,
    Call,
    Field,
    FieldAccess,
    LocalClass,
    Method,
    Name,
    Type,
    nodes_in,
)
from kafkastream.port.java_types import default_of
from kafkastream.port.marks import Untranslated, remark_of
from kafkastream.port.methods import api_base, docstring, method_of, uses_runtime_context
from kafkastream.port.names import EXCEPTIONS
from kafkastream.port.program_index import ClassInfo, anonymous_info
from kafkastream.port.python_trees import Blank, Remark, assign, attribute, code, constant, evaluate, name
from kafkastream.port.resolving import api_name
from kafkastream.port.translation import Body, Value, expression, translates

__all__ = ["class_of", "constant_of"]

_IGNORED_BASES: Final = frozenset(
    {
        "Serializable",
        "Object",
        "Cloneable",
        "Comparable",
        "Runnable",
        "AutoCloseable",
        "Closeable",
        "ResultTypeQueryable",
        "GlobalJobParameters",
    }
)
_IGNORED_FIELDS: Final = frozenset({"serialVersionUID"})
_DROPPED: Final = frozenset({"getProducedType", "main"})


@translates(LocalClass)
def _local_class(node: LocalClass, body: Body) -> Sequence[ast.stmt]:
    java = node.declaration.name
    if java not in body.index.classes:
        body.index.add(anonymous_info(attrs.evolve(node.declaration, path=body.path), body.index))
    return class_of(body.index.classes[java], body)


def class_of(info: ClassInfo, body: Body) -> list[ast.stmt]:
    """Translate a class, with the comments before it."""
    inner = body.nested(owner=info, path=info.declaration.path or body.path, is_static=False, collectors=set())
    return _ROLES[info.role](info, inner)


def _bases(info: ClassInfo, body: Body) -> tuple[list[ast.expr], list[ast.stmt]]:
    """Return the classes that a class extends, and marks for those that have no counterpart."""
    declared = info.declaration
    bases: list[ast.expr] = []
    marks: list[ast.stmt] = []
    for one in (declared.superclass, *declared.interfaces):
        if one is None or one.name in _IGNORED_BASES:
            continue
        try:
            bases.append(_base(one, body))
        except Untranslated as reason:
            mark = body.program.mark(body.path, declared.line, declared.line, str(reason))
            marks.append(remark_of(mark, body.path.rpartition("/")[2]))
    return bases, marks


def _base(kind: Type, body: Body) -> ast.expr:
    own = body.index.classes.get(kind.name)
    if own is not None:
        return name(own.python)
    if kind.name in EXCEPTIONS:
        return name(EXCEPTIONS[kind.name])
    return api_name(kind.name)


def _plain_class(info: ClassInfo, body: Body) -> list[ast.stmt]:
    bases, marks = _bases(info, body)
    declared = info.declaration
    is_abstract = "abstract" in declared.modifiers or declared.kind == "interface"
    if is_abstract and not bases:
        bases.append(name("ABC"))
    members: list[ast.stmt] = [*docstring(declared.comment), *_fields(info, body)]
    constructor = _constructor(info, body)
    members += [constructor] if constructor is not None else []
    if uses_runtime_context(info) and not info.methods_named("open") and api_base(info) is not None:
        members.append(_context_keeper())
    members += methods_of(info, body)
    return [*marks, ast.ClassDef(info.python, bases, [], members or [ast.Pass()], [])]


def _context_keeper() -> ast.stmt:
    arguments = ast.arguments(
        [], [ast.arg("self"), ast.arg("runtime_context", name("RuntimeContext"))], None, [], [], None, []
    )
    keep = assign(code("self.runtime_context"), name("runtime_context"))
    return ast.FunctionDef("open", arguments, [keep], [], name("None"), lineno=0)


def methods_of(info: ClassInfo, body: Body) -> list[ast.stmt]:
    """Translate the methods of a class, without those that only read or set a field of data."""
    made: list[ast.stmt] = []
    for method in info.declaration.methods:
        if method.name in ("<init>", "<clinit>") or method.name in info.getters or method.name in info.setters:
            continue
        if info.role == "data" and method.name in ("equals", "hashCode"):
            continue
        if method.name in _DROPPED or (method.name == "isEndOfStream" and api_base(info) is not None):
            continue
        tree = _method(method, info, body)
        is_empty = isinstance(tree, ast.FunctionDef) and all(isinstance(one, ast.Pass) for one in tree.body)
        if not (is_empty and method.name in ("open", "close")):
            made.append(tree)
    return made


def _method(method: Method, info: ClassInfo, body: Body) -> ast.stmt:
    tree = method_of(method, body).tree
    assert isinstance(tree, ast.FunctionDef)
    is_abstract = method.body is None
    if is_abstract:
        tree.decorator_list.append(name("abstractmethod"))
        tree.body = [*docstring(method.comment)] or [ast.Expr(name("..."))]
    return tree


# Fields


def _fields(info: ClassInfo, body: Body) -> list[ast.stmt]:
    """Return the constants of a class, and its fields with plain defaults."""
    made: list[ast.stmt] = []
    for field in info.declaration.fields:
        if field.name in _IGNORED_FIELDS or field.type.name in ("ObjectMapper", "JsonMapper"):
            continue
        if field.is_static:
            made += constant_of(field, info, body)
        else:
            made.append(_declaration(field, info, body))
    return made


def constant_of(field: Field, info: ClassInfo, body: Body) -> list[ast.stmt]:
    """Translate a field of a class or, of the main class, a constant of the module."""
    inner = body.nested(is_static=True)
    python = info.field_name(field.name)
    comment: list[ast.stmt] = list(_comment_above(field))
    try:
        value = expression(field.value, inner) if field.value is not None else Value(default_of(field.type), field.type)
    except Untranslated as reason:
        mark = body.program.mark(body.path, field.line, field.last, str(reason))
        remark = remark_of(mark, body.path.rpartition("/")[2])
        return [remark, Blank()] if info.role == "main" else [remark]
    if inner.hoisted and info.role != "main":
        return [*comment, *inner.hoisted, assign(name(python), value.code)]
    tree = converted(value, field.type)
    is_tag = isinstance(tree, ast.Call) and ast.unparse(tree.func) == "OutputTag" and len(tree.args) == 1
    if is_tag or isinstance(tree, ast.List | ast.Dict) or ast.unparse(tree) in ("set()", "None"):
        annotation = body.annotation(field.type)
        if ast.unparse(tree) == "None":
            annotation = code("a | None", a=annotation)
        return [*comment, *inner.hoisted, ast.AnnAssign(name(python), annotation, tree, 1)]
    return [*comment, *inner.hoisted, assign(name(python), tree)]


def _comment_above(field: Field) -> list[ast.stmt]:
    lines = (
        [line for line in field.comment.lines if line and not line.startswith("@")] if field.comment is not None else []
    )
    return [Remark(lines)] if lines else []


def _declaration(field: Field, info: ClassInfo, body: Body) -> ast.stmt:
    """Return the annotation of a field; its value where it is a constant and no constructor or ``open`` sets it."""
    python = name(info.field_name(field.name))
    annotation = body.annotation(field.type)
    if field.value is None and _is_set_at_start(field, info):
        return ast.AnnAssign(python, annotation, None, 1)
    if field.value is None:
        default = default_of(field.type)
        optional = code("a | None", a=annotation) if ast.unparse(default) == "None" else annotation
        return ast.AnnAssign(python, optional, default, 1)
    return ast.AnnAssign(python, annotation, None, 1)


def _is_set_at_start(field: Field, info: ClassInfo) -> bool:
    starts = [one for one in info.declaration.methods if one.name in ("<init>", "open", "setup")]
    return any(_sets(method, field.name) for method in starts)


def _sets(method: Method, field: str) -> bool:
    for node in nodes_in(method.body):
        if isinstance(node, Assign):
            target = node.target
            if (isinstance(target, Name) and target.text == field) or (
                isinstance(target, FieldAccess) and target.name == field
            ):
                return True
    return False


def _constructor(info: ClassInfo, body: Body) -> ast.stmt | None:
    """Return ``__init__``: values of fields, and the statements of the constructor with the most parameters."""
    declared = info.declaration
    constructors = sorted(info.methods_named("<init>"), key=lambda one: -len(one.parameters))
    chosen = constructors[0] if constructors else None
    valued = [
        one
        for one in declared.fields
        if not one.is_static and one.value is not None and one.name not in _IGNORED_FIELDS
    ]
    starts = [one for one in valued if one.type.name not in ("ObjectMapper", "JsonMapper")]
    made = [each for one in starts for each in _initial(one, info, body)]
    if chosen is None and not made:
        return None
    method = chosen or Method("<init>", Type("void"))
    tree = method_of(method, body).tree
    assert isinstance(tree, ast.FunctionDef)
    place = len(docstring(method.comment))
    rest = [one for one in tree.body[place:] if not isinstance(one, ast.Pass)]
    tree.body = [*tree.body[:place], *_super_first(rest, made)]
    if info.role == "data" and method.parameters and any(not one.parameters for one in constructors):
        _without_arguments(tree, place)
    for other in constructors[1:]:
        tree.body = [*_overload(other, body), *tree.body]
    return tree if [one for one in tree.body if not isinstance(one, ast.Pass)] else None


def _without_arguments(tree: ast.FunctionDef, place: int) -> None:
    """Let a constructor be called without arguments, too, as where Java has a second one that does nothing."""
    parameters = [one.arg for one in tree.args.args[1:]]
    tree.args.defaults = [constant(None) for _ in parameters]
    for one in tree.args.args[1:]:
        one.annotation = code("a | None", a=one.annotation) if one.annotation and len(parameters) == 1 else name("Any")
    missing: list[ast.expr] = [ast.Compare(name(one), [ast.Is()], [constant(None)]) for one in parameters]
    test = missing[0] if len(missing) == 1 else ast.BoolOp(ast.And(), missing)
    tree.body[place:place] = [evaluate(code("self.__attrs_init__()")), ast.If(test, [ast.Return(None)], [])]


def _super_first(rest: list[ast.stmt], made: list[ast.stmt]) -> list[ast.stmt]:
    is_super = (
        bool(rest) and "super().__init__" in ast.unparse(rest[0]) if rest and isinstance(rest[0], ast.Expr) else False
    )
    return [rest[0], *made, *rest[1:]] if is_super else [*made, *rest]


def _overload(other: Method, body: Body) -> list[ast.stmt]:
    """Mark a further constructor, unless it only calls another one."""
    calls = [one for one in nodes_in(other.body) if isinstance(one, Call) and one.name == "<init>"]
    if not other.parameters and not calls and (other.body is None or not other.body.statements):
        return []
    mark = body.program.mark(
        body.path, other.line, other.last, "a class of Python has one constructor: give its parameters defaults"
    )
    return [remark_of(mark, body.path.rpartition("/")[2])]


def _initial(field: Field, info: ClassInfo, body: Body) -> list[ast.stmt]:
    inner = body.nested()
    target = attribute(name("self"), info.field_name(field.name))
    try:
        value = expression(field.value, inner) if field.value is not None else Value(constant(None))
    except Untranslated as reason:
        mark = body.program.mark(body.path, field.line, field.last, str(reason))
        return [remark_of(mark, body.path.rpartition("/")[2])]
    return [*inner.hoisted, assign(target, converted(value, field.type))]


# Enumerations and exceptions


def _enumeration(info: ClassInfo, body: Body) -> list[ast.stmt]:
    declared = info.declaration
    members: list[ast.stmt] = list(docstring(declared.comment))
    for one in declared.constants:
        values = [expression(each, body.nested(is_static=True)).code for each in one.arguments]
        value = ast.Tuple(values, ast.Load()) if len(values) > 1 else values[0] if values else constant(one.name)
        members.append(assign(name(one.name), value))
    constructor = _constructor(info, body) if info.methods_named("<init>") else None
    members += [constructor] if constructor is not None else []
    if any(one.has_body for one in declared.constants):
        line = declared.line
        mark = body.program.mark(body.path, line, line, "constants of this enumeration have methods of their own")
        members.append(remark_of(mark, body.path.rpartition("/")[2]))
    for field in declared.fields:
        if field.is_static and field.name not in _IGNORED_FIELDS:
            mark = body.program.mark(
                body.path, field.line, field.last, "an enumeration of Python has only its constants"
            )
            members.append(remark_of(mark, body.path.rpartition("/")[2]))
    if not info.methods_named("toString"):
        members.append(_name_as_text())
    members += methods_of(info, body)
    return [ast.ClassDef(info.python, [code("enum.Enum")], [], members, [])]


def _name_as_text() -> ast.stmt:
    arguments = ast.arguments([], [ast.arg("self")], None, [], [], None, [])
    return ast.FunctionDef("__str__", arguments, [ast.Return(code("self.name"))], [], name("str"), lineno=0)


def _exception(info: ClassInfo, body: Body) -> list[ast.stmt]:
    bases, marks = _bases(info, body)
    members = [*docstring(info.declaration.comment)]
    if info.declaration.fields or [one for one in info.declaration.methods if one.name != "<init>"]:
        members += _fields(info, body)
        constructor = _constructor(info, body)
        members += [constructor] if constructor is not None else []
        members += methods_of(info, body)
    return [*marks, ast.ClassDef(info.python, bases or [name("Exception")], [], members or [ast.Pass()], [])]


def _data(info: ClassInfo, body: Body) -> list[ast.stmt]:
    bases, marks = _bases(info, body)
    statics = [one for one in info.declaration.fields if one.is_static and one.name not in _IGNORED_FIELDS]
    kept = [one for one in statics if one.type.name not in ("ObjectMapper", "JsonMapper")]
    constants = [each for one in kept for each in constant_of(one, info, body)]
    return [*marks, *data_class(info, body, bases, constants, methods_of(info, body), _constructor)]


_ROLES: Final[Mapping[str, Callable[[ClassInfo, Body], list[ast.stmt]]]] = {
    "data": _data,
    "enum": _enumeration,
    "exception": _exception,
    "function": _plain_class,
    "interface": _plain_class,
    "main": _plain_class,
    "plain": _plain_class,
}
