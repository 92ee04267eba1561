"""Translation of classes: data becomes attrs classes, functions derive from kafkastream's, enumerations from ``Enum``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import attrs

from kafkastream.port.conversions import convert
from kafkastream.port.data_classes import translate_data_class
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
from kafkastream.port.methods import api_base, docstring, translate_method, uses_runtime_context
from kafkastream.port.names import EXCEPTIONS
from kafkastream.port.program_index import ClassInfo, anonymous_info
from kafkastream.port.python_trees import Blank, Remark, assign, attribute, code, constant, evaluate, name
from kafkastream.port.resolving import api_class_name
from kafkastream.port.translation import Body, Value, translate_expression, translates

__all__ = ["translate_class", "translate_constant"]

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
_DROPPED_METHODS: Final = frozenset({"getProducedType", "main"})


@translates(LocalClass)
def _translate_local_class(node: LocalClass, body: Body) -> Sequence[ast.stmt]:
    java = node.declaration.name
    if java not in body.index.classes:
        body.index.add(anonymous_info(attrs.evolve(node.declaration, path=body.path), body.index))
    return translate_class(body.index.classes[java], body)


def translate_class(info: ClassInfo, body: Body) -> list[ast.stmt]:
    """Translate a class, with the comments before it."""
    inner = body.nested(owner=info, path=info.declaration.path or body.path, is_static=False, collectors=set())
    return _TRANSLATORS[info.role](info, inner)


def _translate_bases(info: ClassInfo, body: Body) -> tuple[list[ast.expr], list[ast.stmt]]:
    """Return the classes that a class extends, and marks for those that have no counterpart."""
    declared = info.declaration
    bases: list[ast.expr] = []
    marks: list[ast.stmt] = []
    for base_type in (declared.superclass, *declared.interfaces):
        if base_type is None or base_type.name in _IGNORED_BASES:
            continue
        try:
            bases.append(_translate_base(base_type, body))
        except Untranslated as reason:
            mark = body.program.mark(body.path, declared.line, declared.line, str(reason))
            marks.append(remark_of(mark, body.path.rpartition("/")[2]))
    return bases, marks


def _translate_base(kind: Type, body: Body) -> ast.expr:
    info = body.index.classes.get(kind.name)
    if info is not None:
        return name(info.python)
    if kind.name in EXCEPTIONS:
        return name(EXCEPTIONS[kind.name])
    return api_class_name(kind.name)


def _translate_plain_class(info: ClassInfo, body: Body) -> list[ast.stmt]:
    bases, marks = _translate_bases(info, body)
    declared = info.declaration
    is_abstract = "abstract" in declared.modifiers or declared.kind == "interface"
    if is_abstract and not bases:
        bases.append(name("ABC"))
    members: list[ast.stmt] = [*docstring(declared.comment), *_translate_fields(info, body)]
    constructor = _translate_constructor(info, body)
    members += [constructor] if constructor is not None else []
    if uses_runtime_context(info) and not info.methods_named("open") and api_base(info) is not None:
        members.append(_open_that_keeps_context())
    members += translate_methods(info, body)
    return [*marks, ast.ClassDef(info.python, bases, [], members or [ast.Pass()], [])]


def _open_that_keeps_context() -> ast.stmt:
    arguments = ast.arguments(
        [], [ast.arg("self"), ast.arg("runtime_context", name("RuntimeContext"))], None, [], [], None, []
    )
    keep = assign(code("self.runtime_context"), name("runtime_context"))
    return ast.FunctionDef("open", arguments, [keep], [], name("None"), lineno=0)


def translate_methods(info: ClassInfo, body: Body) -> list[ast.stmt]:
    """Translate the methods of a class, without those that only read or set a field of data."""
    trees: list[ast.stmt] = []
    for method in info.declaration.methods:
        if method.name in ("<init>", "<clinit>") or method.name in info.getters or method.name in info.setters:
            continue
        if info.role == "data" and method.name in ("equals", "hashCode"):
            continue
        if method.name in _DROPPED_METHODS or (method.name == "isEndOfStream" and api_base(info) is not None):
            continue
        tree = _translate_class_method(method, info, body)
        is_empty = isinstance(tree, ast.FunctionDef) and all(isinstance(statement, ast.Pass) for statement in tree.body)
        if not (is_empty and method.name in ("open", "close")):
            trees.append(tree)
    return trees


def _translate_class_method(method: Method, info: ClassInfo, body: Body) -> ast.stmt:
    tree = translate_method(method, body).tree
    assert isinstance(tree, ast.FunctionDef)
    is_abstract = method.body is None
    if is_abstract:
        tree.decorator_list.append(name("abstractmethod"))
        tree.body = [*docstring(method.comment)] or [ast.Expr(name("..."))]
    return tree


# Fields


def _translate_fields(info: ClassInfo, body: Body) -> list[ast.stmt]:
    """Return the constants of a class, and its fields with plain defaults."""
    statements: list[ast.stmt] = []
    for field in info.declaration.fields:
        if field.name in _IGNORED_FIELDS or field.type.name in ("ObjectMapper", "JsonMapper"):
            continue
        if field.is_static:
            statements += translate_constant(field, info, body)
        else:
            statements.append(_declare_field(field, info, body))
    return statements


def translate_constant(field: Field, info: ClassInfo, body: Body) -> list[ast.stmt]:
    """Translate a field of a class or, of the main class, a constant of the module."""
    inner = body.nested(is_static=True)
    python = info.field_name(field.name)
    comment: list[ast.stmt] = list(_comment_above(field))
    try:
        value = (
            translate_expression(field.value, inner)
            if field.value is not None
            else Value(default_of(field.type), field.type)
        )
    except Untranslated as reason:
        mark = body.program.mark(body.path, field.line, field.last, str(reason))
        remark = remark_of(mark, body.path.rpartition("/")[2])
        return [remark, Blank()] if info.role == "main" else [remark]
    if inner.hoisted and info.role != "main":
        return [*comment, *inner.hoisted, assign(name(python), value.code)]
    tree = convert(value, field.type)
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


def _declare_field(field: Field, info: ClassInfo, body: Body) -> ast.stmt:
    """Return the annotated declaration of a field, with Java's default value unless a constructor or ``open`` sets it."""
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
    start_methods = [method for method in info.declaration.methods if method.name in ("<init>", "open", "setup")]
    return any(_assigns_field(method, field.name) for method in start_methods)


def _assigns_field(method: Method, field: str) -> bool:
    for node in nodes_in(method.body):
        if isinstance(node, Assign):
            target = node.target
            if (isinstance(target, Name) and target.text == field) or (
                isinstance(target, FieldAccess) and target.name == field
            ):
                return True
    return False


def _translate_constructor(info: ClassInfo, body: Body) -> ast.stmt | None:
    """Return ``__init__``: field initializers, then the body of the constructor with the most parameters."""
    declared = info.declaration
    constructors = sorted(info.methods_named("<init>"), key=lambda constructor: -len(constructor.parameters))
    longest = constructors[0] if constructors else None
    fields_with_values = [
        field
        for field in declared.fields
        if not field.is_static and field.value is not None and field.name not in _IGNORED_FIELDS
    ]
    initialized = [field for field in fields_with_values if field.type.name not in ("ObjectMapper", "JsonMapper")]
    initializers = [statement for field in initialized for statement in _initialize_field(field, info, body)]
    if longest is None and not initializers:
        return None
    method = longest or Method("<init>", Type("void"))
    tree = translate_method(method, body).tree
    assert isinstance(tree, ast.FunctionDef)
    docstring_length = len(docstring(method.comment))
    rest = [statement for statement in tree.body[docstring_length:] if not isinstance(statement, ast.Pass)]
    tree.body = [*tree.body[:docstring_length], *_insert_after_super(rest, initializers)]
    if info.role == "data" and method.parameters and any(not constructor.parameters for constructor in constructors):
        _allow_no_arguments(tree, docstring_length)
    for other in constructors[1:]:
        tree.body = [*_mark_overload(other, body), *tree.body]
    return tree if [statement for statement in tree.body if not isinstance(statement, ast.Pass)] else None


def _allow_no_arguments(tree: ast.FunctionDef, position: int) -> None:
    """Give all parameters defaults, for a Java class that has a second, empty constructor."""
    parameters = [argument.arg for argument in tree.args.args[1:]]
    tree.args.defaults = [constant(None) for _ in parameters]
    for argument in tree.args.args[1:]:
        argument.annotation = (
            code("a | None", a=argument.annotation) if argument.annotation and len(parameters) == 1 else name("Any")
        )
    missing: list[ast.expr] = [ast.Compare(name(parameter), [ast.Is()], [constant(None)]) for parameter in parameters]
    test = missing[0] if len(missing) == 1 else ast.BoolOp(ast.And(), missing)
    tree.body[position:position] = [evaluate(code("self.__attrs_init__()")), ast.If(test, [ast.Return(None)], [])]


def _insert_after_super(statements: list[ast.stmt], initializers: list[ast.stmt]) -> list[ast.stmt]:
    is_super = (
        bool(statements) and "super().__init__" in ast.unparse(statements[0])
        if statements and isinstance(statements[0], ast.Expr)
        else False
    )
    return [statements[0], *initializers, *statements[1:]] if is_super else [*initializers, *statements]


def _mark_overload(overload: Method, body: Body) -> list[ast.stmt]:
    """Mark a further constructor, unless it only calls another one."""
    calls = [node for node in nodes_in(overload.body) if isinstance(node, Call) and node.name == "<init>"]
    if not overload.parameters and not calls and (overload.body is None or not overload.body.statements):
        return []
    mark = body.program.mark(
        body.path, overload.line, overload.last, "a class of Python has one constructor: give its parameters defaults"
    )
    return [remark_of(mark, body.path.rpartition("/")[2])]


def _initialize_field(field: Field, info: ClassInfo, body: Body) -> list[ast.stmt]:
    inner = body.nested()
    target = attribute(name("self"), info.field_name(field.name))
    try:
        value = translate_expression(field.value, inner) if field.value is not None else Value(constant(None))
    except Untranslated as reason:
        mark = body.program.mark(body.path, field.line, field.last, str(reason))
        return [remark_of(mark, body.path.rpartition("/")[2])]
    return [*inner.hoisted, assign(target, convert(value, field.type))]


# Enumerations and exceptions


def _translate_enum(info: ClassInfo, body: Body) -> list[ast.stmt]:
    declared = info.declaration
    members: list[ast.stmt] = list(docstring(declared.comment))
    for enum_constant in declared.constants:
        values = [
            translate_expression(argument, body.nested(is_static=True)).code for argument in enum_constant.arguments
        ]
        value = (
            ast.Tuple(values, ast.Load()) if len(values) > 1 else values[0] if values else constant(enum_constant.name)
        )
        members.append(assign(name(enum_constant.name), value))
    constructor = _translate_constructor(info, body) if info.methods_named("<init>") else None
    members += [constructor] if constructor is not None else []
    if any(enum_constant.has_body for enum_constant in declared.constants):
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
        members.append(_str_method())
    members += translate_methods(info, body)
    return [ast.ClassDef(info.python, [code("enum.Enum")], [], members, [])]


def _str_method() -> ast.stmt:
    arguments = ast.arguments([], [ast.arg("self")], None, [], [], None, [])
    return ast.FunctionDef("__str__", arguments, [ast.Return(code("self.name"))], [], name("str"), lineno=0)


def _translate_exception(info: ClassInfo, body: Body) -> list[ast.stmt]:
    bases, marks = _translate_bases(info, body)
    members = [*docstring(info.declaration.comment)]
    if info.declaration.fields or [method for method in info.declaration.methods if method.name != "<init>"]:
        members += _translate_fields(info, body)
        constructor = _translate_constructor(info, body)
        members += [constructor] if constructor is not None else []
        members += translate_methods(info, body)
    return [*marks, ast.ClassDef(info.python, bases or [name("Exception")], [], members or [ast.Pass()], [])]


def _translate_data(info: ClassInfo, body: Body) -> list[ast.stmt]:
    bases, marks = _translate_bases(info, body)
    statics = [field for field in info.declaration.fields if field.is_static and field.name not in _IGNORED_FIELDS]
    fields = [static for static in statics if static.type.name not in ("ObjectMapper", "JsonMapper")]
    constants = [statement for field in fields for statement in translate_constant(field, info, body)]
    return [
        *marks,
        *translate_data_class(info, body, bases, constants, translate_methods(info, body), _translate_constructor),
    ]


_TRANSLATORS: Final[Mapping[str, Callable[[ClassInfo, Body], list[ast.stmt]]]] = {
    "data": _translate_data,
    "enum": _translate_enum,
    "exception": _translate_exception,
    "function": _translate_plain_class,
    "interface": _translate_plain_class,
    "main": _translate_plain_class,
    "plain": _translate_plain_class,
}
