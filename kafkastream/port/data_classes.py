"""Translation of classes that hold data to attrs classes."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from typing import final

import attrs

from kafkastream.port.conversions import convert
from kafkastream.port.expressions import f_string_parts
from kafkastream.port.java_nodes import Assign, Call, Evaluate, Field, FieldAccess, Method, Name, This, nodes_in
from kafkastream.port.java_types import default_of
from kafkastream.port.marks import Untranslated, remark_of
from kafkastream.port.methods import docstring
from kafkastream.port.program_index import ClassInfo
from kafkastream.port.python_trees import attribute, call, code, constant, join_strings, name
from kafkastream.port.translation import Body, Value, translate_expression

__all__ = ["translate_data_class"]

_ADD_EMPTY_CONSTRUCTOR = ("NoArgsConstructor", "Data", "Builder", "Getter", "Setter")
_REQUIRED_PROPERTY = re.compile(
    r"@JsonProperty\([^)]*\brequired\s*=\s*true[^)]*\)\s*(?:final\s+)?[\w<>\[\],.? ]*?(\w+)\s*[,)]"
)
_EQUALITY = frozenset({"equals", "hashCode", "compareTo"})


@final
@attrs.frozen
class _Construction:
    """How objects of a data class are constructed.

    Args:
        order: Fields in the order of ``__init__``'s parameters.
        has_defaults: Whether the class has a constructor without arguments.
        required: Names of the fields without a default.
        unsupported: Constructors that attrs cannot express; each becomes a mark.
        custom: Constructor that does more than set fields, and replaces the one of attrs.
    """

    order: tuple[Field, ...]
    has_defaults: bool
    required: frozenset[str]
    unsupported: tuple[Method, ...]
    custom: Method | None


def translate_data_class(
    info: ClassInfo,
    body: Body,
    bases: Sequence[ast.expr],
    constants: Sequence[ast.stmt],
    methods: Sequence[ast.stmt],
    constructor: Callable[[ClassInfo, Body], ast.stmt | None],
) -> list[ast.stmt]:
    """Return an attrs class.

    Args:
        info: Class.
        body: Body with the class as its owner.
        bases: Classes that it extends.
        constants: Fields of the class itself.
        methods: Methods, of which those of equality are replaced.
        constructor: Translates a constructor that does more than set the attributes.
    """
    construction = _require_json_properties(_analyze_constructors(info), info, body)
    members: list[ast.stmt] = list(docstring(info.declaration.comment))
    members += [_class_variable(tree, body, info) for tree in constants]
    members += _translate_attributes(construction, info, body)
    for unsupported in construction.unsupported:
        mark = body.program.mark(
            body.path,
            unsupported.line,
            unsupported.last,
            "a class of Python has one constructor: this one needs a function",
        )
        members.append(remark_of(mark, body.path.rpartition("/")[2]))
    if construction.custom is not None:
        init = constructor(info, body)
        members += [init] if init is not None else []
    members += _str_method(info, body)
    members += [
        method
        for method in methods
        if not (isinstance(method, ast.FunctionDef) and method.name in ("equals", "hash_code"))
    ]
    if info.methods_named("compareTo"):
        members.append(_less_than_method())
    return [ast.ClassDef(info.python, list(bases), [], members or [ast.Pass()], [_attrs_decorator(info, construction)])]


def _class_variable(tree: ast.stmt, body: Body, info: ClassInfo) -> ast.stmt:
    """Annotate a constant as ``ClassVar``: attrs would make an attribute of it."""
    if isinstance(tree, ast.AnnAssign):
        return ast.AnnAssign(tree.target, code("ClassVar[a]", a=tree.annotation), tree.value, 1)
    return tree


def _attrs_decorator(info: ClassInfo, construction: _Construction) -> ast.expr:
    """Return the attrs decorator. As in Java, objects compare by identity unless the class defines ``equals``."""
    declared = info.declaration
    if declared.kind == "record":
        return code("attrs.frozen")
    keywords: dict[str, ast.expr] = {}
    if declared.annotated("Data", "EqualsAndHashCode", "Value") or info.methods_named("equals"):
        keywords["unsafe_hash"] = constant(True)
    else:
        keywords["eq"] = constant(False)
    if construction.custom is not None:
        keywords["init"] = constant(False)
    return call(code("attrs.define"), **keywords)


def _analyze_constructors(info: ClassInfo) -> _Construction:
    fields = [field for field in info.fields.values() if not field.is_static and field.type.name != "ObjectMapper"]
    declared = info.declaration
    if declared.kind == "record":
        return _Construction(
            tuple(fields), has_defaults=False, required=frozenset(info.fields), unsupported=(), custom=None
        )
    constructors = info.methods_named("<init>")
    plain = {
        id(constructor): assigned
        for constructor in constructors
        if (assigned := _assigned_fields(constructor, info)) is not None
    }
    others = [
        constructor
        for constructor in constructors
        if id(constructor) not in plain and not _calls_other_constructor(constructor)
    ]
    if others or any(_calls_other_constructor(constructor) for constructor in constructors):
        longest = max(constructors, key=lambda constructor: len(constructor.parameters))
        if id(longest) not in plain:
            return _Construction(tuple(fields), has_defaults=True, required=frozenset(), unsupported=(), custom=longest)
    primary = max(plain.values(), key=len, default=())
    order = [info.fields[field_name] for field_name in primary] + [
        field for field in fields if field.name not in primary
    ]
    has_empty = (
        not constructors
        or any(not fields_set for fields_set in plain.values())
        or declared.annotated(*_ADD_EMPTY_CONSTRUCTOR)
    )
    marked = [
        constructor
        for constructor in constructors
        if id(constructor) not in plain or plain[id(constructor)] != primary[: len(plain[id(constructor)])]
    ]
    required = frozenset() if has_empty and not declared.annotated("AllArgsConstructor") else frozenset(primary)
    return _Construction(
        tuple(order),
        has_defaults=has_empty,
        required=required if not has_empty else frozenset(),
        unsupported=tuple(marked),
        custom=None,
    )


def _require_json_properties(construction: _Construction, info: ClassInfo, body: Body) -> _Construction:
    """Remove the defaults of fields with ``@JsonProperty(required = true)``, unless the program calls the empty constructor."""
    constructors = [constructor for constructor in info.methods_named("<init>") if constructor.parameters]
    lines = body.program.lines.get(body.path, [])
    empty = f"new {info.declaration.name}()"
    if not constructors or any(empty in line for file_lines in body.program.lines.values() for line in file_lines):
        return construction
    longest = max(constructors, key=lambda constructor: len(constructor.parameters))
    text = " ".join(lines[longest.line - 1 : longest.last])
    fields = dict(
        zip((parameter.name for parameter in longest.parameters), _assigned_fields(longest, info) or (), strict=False)
    )
    required = {fields.get(parameter) for parameter in _REQUIRED_PROPERTY.findall(text)}
    return attrs.evolve(
        construction, required=construction.required | {field_name for field_name in required if field_name is not None}
    )


def _calls_other_constructor(method: Method) -> bool:
    return any(
        isinstance(node, Call) and node.name == "<init>" and isinstance(node.target, This) and not node.target.is_super
        for node in nodes_in(method.body)
    )


def _assigned_fields(method: Method, info: ClassInfo) -> tuple[str, ...] | None:
    """Return the fields that a constructor sets, in the order of its parameters; None if it does more than that."""
    fields_by_parameter: dict[str, str] = {}
    for statement in method.body.statements if method.body is not None else ():
        if (
            isinstance(statement, Evaluate)
            and isinstance(statement.expression, Call)
            and statement.expression.name == "<init>"
            and not statement.expression.arguments
        ):
            continue
        assignment = statement.expression if isinstance(statement, Evaluate) else None
        if not isinstance(assignment, Assign) or assignment.operator != "=" or not isinstance(assignment.value, Name):
            return None
        field = (
            assignment.target.name
            if isinstance(assignment.target, FieldAccess)
            else assignment.target.text
            if isinstance(assignment.target, Name)
            else ""
        )
        if field not in info.fields:
            return None
        fields_by_parameter[assignment.value.text] = field
    parameters = [parameter.name for parameter in method.parameters]
    return (
        tuple(fields_by_parameter[parameter] for parameter in parameters)
        if set(fields_by_parameter) == set(parameters)
        else None
    )


def _translate_attributes(construction: _Construction, info: ClassInfo, body: Body) -> Iterator[ast.stmt]:
    compared = _compared_fields(info)
    for field in construction.order:
        keywords = _attrs_field_arguments(field, construction, body)
        if compared is not None and field.name not in compared:
            keywords["eq"] = constant(False)
        annotation = body.annotation(field.type)
        value = _attribute_value(keywords)
        yield ast.AnnAssign(name(info.field_name(field.name)), annotation, value, 1)


def _attribute_value(keywords: dict[str, ast.expr]) -> ast.expr | None:
    if not keywords:
        return None
    default = keywords.get("default")
    if default is not None and len(keywords) == 1 and ast.unparse(default) != "None":
        return default
    return call(code("attrs.field"), **keywords)


def _attrs_field_arguments(field: Field, construction: _Construction, body: Body) -> dict[str, ast.expr]:
    if field.name in construction.required:
        return {}
    if field.value is None:
        return {"default": default_of(field.type)}
    try:
        value = translate_expression(field.value, body.nested(is_static=True))
    except Untranslated as reason:
        body.program.mark(body.path, field.line, field.last, str(reason))
        return {"default": constant(None)}
    tree = convert(value, field.type)
    if isinstance(tree, ast.Constant):
        return {"default": tree}
    empty = {"[]": "list", "{}": "dict", "set()": "set"}.get(ast.unparse(tree))
    factory: ast.expr = name(empty) if empty else ast.Lambda(ast.arguments([], [], None, [], [], None, []), tree)
    return {"factory": factory}


def _compared_fields(info: ClassInfo) -> set[str] | None:
    """Return the fields that ``equals`` compares; None if the class has none."""
    methods = info.methods_named("equals")
    if not methods:
        return None
    names = {node.text for node in nodes_in(methods[0].body) if isinstance(node, Name)}
    names |= {node.name for node in nodes_in(methods[0].body) if isinstance(node, FieldAccess)}
    called = {node.name for node in nodes_in(methods[0].body) if isinstance(node, Call)}
    names |= {field for getter, field in info.getters.items() if getter in called}
    return names & set(info.fields)


def _str_method(info: ClassInfo, body: Body) -> list[ast.stmt]:
    """Return ``__str__`` with the text of Lombok's or a record's ``toString``: the class and its fields."""
    declared = info.declaration
    if info.methods_named("toString") or not (
        declared.annotated("Data", "ToString", "Value") or declared.kind == "record"
    ):
        return []
    start, end = ("[", "]") if declared.kind == "record" else ("(", ")")
    parts: list[ast.expr] = [constant(_shown_name(info, body) + start)]
    for index, field in enumerate(field for field in info.fields.values() if not field.is_static):
        parts.append(constant(f"{', ' if index else ''}{field.name}="))
        value = Value(attribute(name("self"), info.field_name(field.name)), field.type)
        parts.extend(f_string_parts(value, body))
    arguments = ast.arguments([], [ast.arg("self")], None, [], [], None, [])
    text = ast.Return(join_strings([*parts, constant(end)]))
    return [ast.FunctionDef("__str__", arguments, [text], [], name("str"), lineno=0)]


def _shown_name(info: ClassInfo, body: Body) -> str:
    """Return the class name that ``toString`` prints: Lombok prints outer classes too, a record only its own name."""
    shown, declared = info.declaration.name, info.declaration
    while declared.kind != "record" and declared.owner in body.index.classes:
        declared = body.index.classes[declared.owner].declaration
        shown = f"{declared.name}.{shown}"
    return shown


def _less_than_method() -> ast.stmt:
    arguments = ast.arguments([], [ast.arg("self"), ast.arg("other", name("Any"))], None, [], [], None, [])
    result = ast.Return(code("self.compare_to(other) < 0"))
    return ast.FunctionDef("__lt__", arguments, [result], [], name("bool"), lineno=0)
