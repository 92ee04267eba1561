"""Translation of classes that hold data to attrs classes."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from typing import final

import attrs

from kafkastream.port.conversions import converted
from kafkastream.port.expressions import as_text
from kafkastream.port.java_nodes import Assign, Call, Evaluate, Field, FieldAccess, Method, Name, This, nodes_in
from kafkastream.port.java_types import default_of
from kafkastream.port.marks import Untranslated, remark_of
from kafkastream.port.methods import docstring
from kafkastream.port.program_index import ClassInfo
from kafkastream.port.python_trees import attribute, call, code, constant, name, strings_joined
from kafkastream.port.translation import Body, Value, expression

__all__ = ["data_class"]

_NO_ARGUMENTS = ("NoArgsConstructor", "Data", "Builder", "Getter", "Setter")
_REQUIRED = re.compile(r"@JsonProperty\([^)]*\brequired\s*=\s*true[^)]*\)\s*(?:final\s+)?[\w<>\[\],.? ]*?(\w+)\s*[,)]")
_EQUALITY = frozenset({"equals", "hashCode", "compareTo"})


@final
@attrs.frozen
class _Construction:
    """Way in which objects are made: the order of the attributes, and whether each has a default."""

    order: tuple[Field, ...]
    has_defaults: bool
    required: frozenset[str]
    marked: tuple[Method, ...]
    own: Method | None


def data_class(
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
    made = _with_required(_construction(info), info, body)
    members: list[ast.stmt] = list(docstring(info.declaration.comment))
    members += [_constant(one, body, info) for one in constants]
    members += _attributes(made, info, body)
    for one in made.marked:
        mark = body.program.mark(
            body.path, one.line, one.last, "a class of Python has one constructor: this one needs a function"
        )
        members.append(remark_of(mark, body.path.rpartition("/")[2]))
    if made.own is not None:
        own = constructor(info, body)
        members += [own] if own is not None else []
    members += _text(info, body)
    members += [
        one for one in methods if not (isinstance(one, ast.FunctionDef) and one.name in ("equals", "hash_code"))
    ]
    if info.methods_named("compareTo"):
        members.append(_less_than())
    return [ast.ClassDef(info.python, list(bases), [], members or [ast.Pass()], [_decorator(info, made)])]


def _constant(tree: ast.stmt, body: Body, info: ClassInfo) -> ast.stmt:
    """Attrs takes annotated names for attributes, unless they are class variables."""
    if isinstance(tree, ast.AnnAssign):
        return ast.AnnAssign(tree.target, code("ClassVar[a]", a=tree.annotation), tree.value, 1)
    return tree


def _decorator(info: ClassInfo, made: _Construction) -> ast.expr:
    """Objects are equal if Java's are: by identity unless the class says otherwise."""
    declared = info.declaration
    if declared.kind == "record":
        return code("attrs.frozen")
    keywords: dict[str, ast.expr] = {}
    if declared.annotated("Data", "EqualsAndHashCode", "Value") or info.methods_named("equals"):
        keywords["unsafe_hash"] = constant(True)
    else:
        keywords["eq"] = constant(False)
    if made.own is not None:
        keywords["init"] = constant(False)
    return call(code("attrs.define"), **keywords)


def _construction(info: ClassInfo) -> _Construction:
    fields = [one for one in info.fields.values() if not one.is_static and one.type.name != "ObjectMapper"]
    declared = info.declaration
    if declared.kind == "record":
        return _Construction(tuple(fields), has_defaults=False, required=frozenset(info.fields), marked=(), own=None)
    constructors = info.methods_named("<init>")
    plain = {id(one): found for one in constructors if (found := _assigned(one, info)) is not None}
    others = [one for one in constructors if id(one) not in plain and not _delegates(one)]
    if others or any(_delegates(one) for one in constructors):
        longest = max(constructors, key=lambda one: len(one.parameters))
        if id(longest) not in plain:
            return _Construction(tuple(fields), has_defaults=True, required=frozenset(), marked=(), own=longest)
    primary = max(plain.values(), key=len, default=())
    order = [info.fields[one] for one in primary] + [one for one in fields if one.name not in primary]
    has_empty = not constructors or any(not found for found in plain.values()) or declared.annotated(*_NO_ARGUMENTS)
    marked = [one for one in constructors if id(one) not in plain or plain[id(one)] != primary[: len(plain[id(one)])]]
    required = frozenset() if has_empty and not declared.annotated("AllArgsConstructor") else frozenset(primary)
    return _Construction(
        tuple(order),
        has_defaults=has_empty,
        required=required if not has_empty else frozenset(),
        marked=tuple(marked),
        own=None,
    )


def _with_required(made: _Construction, info: ClassInfo, body: Body) -> _Construction:
    """Leave out the defaults of what JSON must have, as ``@JsonProperty(required = true)`` says, if none is needed."""
    constructors = [one for one in info.methods_named("<init>") if one.parameters]
    lines = body.program.lines.get(body.path, [])
    empty = f"new {info.declaration.name}()"
    if not constructors or any(empty in line for one in body.program.lines.values() for line in one):
        return made
    longest = max(constructors, key=lambda one: len(one.parameters))
    text = " ".join(lines[longest.line - 1 : longest.last])
    fields = dict(zip((one.name for one in longest.parameters), _assigned(longest, info) or (), strict=False))
    required = {fields.get(one) for one in _REQUIRED.findall(text)}
    return attrs.evolve(made, required=made.required | {one for one in required if one is not None})


def _delegates(method: Method) -> bool:
    return any(
        isinstance(one, Call) and one.name == "<init>" and isinstance(one.target, This) and not one.target.is_super
        for one in nodes_in(method.body)
    )


def _assigned(method: Method, info: ClassInfo) -> tuple[str, ...] | None:
    """Return the fields in the order of the parameters, if a constructor only sets them."""
    found: dict[str, str] = {}
    for one in method.body.statements if method.body is not None else ():
        if (
            isinstance(one, Evaluate)
            and isinstance(one.expression, Call)
            and one.expression.name == "<init>"
            and not one.expression.arguments
        ):
            continue
        made = one.expression if isinstance(one, Evaluate) else None
        if not isinstance(made, Assign) or made.operator != "=" or not isinstance(made.value, Name):
            return None
        field = (
            made.target.name
            if isinstance(made.target, FieldAccess)
            else made.target.text
            if isinstance(made.target, Name)
            else ""
        )
        if field not in info.fields:
            return None
        found[made.value.text] = field
    parameters = [one.name for one in method.parameters]
    return tuple(found[one] for one in parameters) if set(found) == set(parameters) else None


def _attributes(made: _Construction, info: ClassInfo, body: Body) -> Iterator[ast.stmt]:
    compared = _compared(info)
    for field in made.order:
        keywords = _field_keywords(field, made, body)
        if compared is not None and field.name not in compared:
            keywords["eq"] = constant(False)
        annotation = body.annotation(field.type)
        value = _value(keywords)
        yield ast.AnnAssign(name(info.field_name(field.name)), annotation, value, 1)


def _value(keywords: dict[str, ast.expr]) -> ast.expr | None:
    if not keywords:
        return None
    default = keywords.get("default")
    if default is not None and len(keywords) == 1 and ast.unparse(default) != "None":
        return default
    return call(code("attrs.field"), **keywords)


def _field_keywords(field: Field, made: _Construction, body: Body) -> dict[str, ast.expr]:
    if field.name in made.required:
        return {}
    if field.value is None:
        return {"default": default_of(field.type)}
    try:
        value = expression(field.value, body.nested(is_static=True))
    except Untranslated as reason:
        body.program.mark(body.path, field.line, field.last, str(reason))
        return {"default": constant(None)}
    tree = converted(value, field.type)
    if isinstance(tree, ast.Constant):
        return {"default": tree}
    empty = {"[]": "list", "{}": "dict", "set()": "set"}.get(ast.unparse(tree))
    factory: ast.expr = name(empty) if empty else ast.Lambda(ast.arguments([], [], None, [], [], None, []), tree)
    return {"factory": factory}


def _compared(info: ClassInfo) -> set[str] | None:
    """Return the fields that ``equals`` compares; None if the class has none."""
    methods = info.methods_named("equals")
    if not methods:
        return None
    names = {one.text for one in nodes_in(methods[0].body) if isinstance(one, Name)}
    names |= {one.name for one in nodes_in(methods[0].body) if isinstance(one, FieldAccess)}
    called = {one.name for one in nodes_in(methods[0].body) if isinstance(one, Call)}
    names |= {field for getter, field in info.getters.items() if getter in called}
    return names & set(info.fields)


def _text(info: ClassInfo, body: Body) -> list[ast.stmt]:
    """Lombok and records print a class with its fields."""
    declared = info.declaration
    if info.methods_named("toString") or not (
        declared.annotated("Data", "ToString", "Value") or declared.kind == "record"
    ):
        return []
    start, end = ("[", "]") if declared.kind == "record" else ("(", ")")
    parts: list[ast.expr] = [constant(_shown_name(info, body) + start)]
    for place, field in enumerate(one for one in info.fields.values() if not one.is_static):
        parts.append(constant(f"{', ' if place else ''}{field.name}="))
        value = Value(attribute(name("self"), info.field_name(field.name)), field.type)
        parts.extend(as_text(value, body))
    arguments = ast.arguments([], [ast.arg("self")], None, [], [], None, [])
    text = ast.Return(strings_joined([*parts, constant(end)]))
    return [ast.FunctionDef("__str__", arguments, [text], [], name("str"), lineno=0)]


def _shown_name(info: ClassInfo, body: Body) -> str:
    """Return the name in a text: Lombok's has the classes around, a record's does not."""
    shown, declared = info.declaration.name, info.declaration
    while declared.kind != "record" and declared.owner in body.index.classes:
        declared = body.index.classes[declared.owner].declaration
        shown = f"{declared.name}.{shown}"
    return shown


def _less_than() -> ast.stmt:
    arguments = ast.arguments([], [ast.arg("self"), ast.arg("other", name("Any"))], None, [], [], None, [])
    result = ast.Return(code("self.compare_to(other) < 0"))
    return ast.FunctionDef("__lt__", arguments, [result], [], name("bool"), lineno=0)
