"""Reading of expressions and types."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from kafkastream.port.grammar import child, children, declaration, expression, named, place, reads, statement, text_of
from kafkastream.port.java_nodes import (
    ArrayValues,
    Assign,
    Binary,
    Block,
    Call,
    Cast,
    ClassOf,
    Expression,
    FieldAccess,
    Index,
    InstanceOf,
    Lambda,
    Literal,
    Name,
    New,
    NewArray,
    Parameter,
    Reference,
    Ternary,
    This,
    Type,
    Unary,
    Unread,
    Update,
)
from kafkastream.port.reading_text import block_text, unescaped

if TYPE_CHECKING:
    from tree_sitter import Node as Tree

__all__ = ["expressions_of", "parameters_of", "type_of"]

_TYPES: Final = frozenset({
    "type_identifier", "scoped_type_identifier", "generic_type", "array_type", "integral_type",
    "floating_point_type", "boolean_type", "void_type", "annotated_type",
})  # fmt: skip


def type_of(tree: Tree | None) -> Type:
    """Read a type."""
    if tree is None:
        return Type("?")
    if tree.type == "array_type":
        element = type_of(child(tree, "element"))
        return Type(element.name, element.arguments, element.dimensions + text_of(child(tree, "dimensions")).count("["))
    if tree.type == "generic_type":
        base, *rest = named(tree)
        raw = type_of(base)
        return Type(raw.name, tuple(type_of(one) for part in rest for one in named(part)), 0, raw.owner)
    if tree.type == "scoped_type_identifier":
        parts = [part for part in re.sub(r"<.*?>", "", text_of(tree)).split(".") if part[:1].isupper()]
        return Type(parts[-1] if parts else "?", owner=parts[-2] if len(parts) > 1 else "")
    if tree.type in ("wildcard", "annotated_type"):
        bounds = [one for one in named(tree) if one.type in _TYPES]
        return type_of(bounds[-1]) if bounds else Type("?")
    return Type(text_of(tree))


def expressions_of(tree: Tree | None) -> tuple[Expression, ...]:
    """Read arguments."""
    return tuple(map(expression, named(tree)))


def parameters_of(tree: Tree | None) -> tuple[Parameter, ...]:
    """Read parameters of a method or a lambda."""
    if tree is None:
        return ()
    if tree.type == "identifier":
        return (Parameter(text_of(tree), Type("?"), **place(tree)),)
    return tuple(_parameter(one) for one in named(tree) if one.type != "receiver_parameter")


def _parameter(tree: Tree) -> Parameter:
    if tree.type == "identifier":
        return Parameter(text_of(tree), Type("?"), **place(tree))
    if tree.type == "spread_parameter":
        kind = next(one for one in named(tree) if one.type in _TYPES)
        declared = next(one for one in named(tree) if one.type == "variable_declarator")
        return Parameter(text_of(child(declared, "name")), type_of(kind), is_variadic=True, **place(tree))
    kind_read = type_of(child(tree, "type"))
    kind_read = kind_read if kind_read.name != "var" else Type("?")
    extra = text_of(child(tree, "dimensions")).count("[")
    whole = Type(kind_read.name, kind_read.arguments, kind_read.dimensions + extra, kind_read.owner)
    return Parameter(text_of(child(tree, "name")), whole, **place(tree))


@reads("identifier", "type_identifier", "scoped_type_identifier")
def _name(tree: Tree) -> Expression:
    return Name(text_of(tree), **place(tree))


@reads("this")
def _this(tree: Tree) -> Expression:
    return This(**place(tree))


@reads("super")
def _super(tree: Tree) -> Expression:
    return This(is_super=True, **place(tree))


@reads("true", "false")
def _boolean(tree: Tree) -> Expression:
    return Literal("boolean", text_of(tree) == "true", **place(tree))


@reads("null_literal")
def _null(tree: Tree) -> Expression:
    return Literal("null", None, **place(tree))


@reads("decimal_integer_literal", "hex_integer_literal", "binary_integer_literal", "octal_integer_literal")
def _integer(tree: Tree) -> Expression:
    text = text_of(tree).rstrip("lL")
    kind = "long" if text_of(tree)[-1] in "lL" else "int"
    if tree.type == "octal_integer_literal":
        text = f"0o{text[1:].lstrip('_')}"
    return Literal(kind, ast.literal_eval(text), **place(tree))


@reads("decimal_floating_point_literal")
def _floating(tree: Tree) -> Expression:
    text = text_of(tree)
    kind = "float" if text[-1] in "fF" else "double"
    return Literal(kind, float(text.rstrip("fFdD").replace("_", "")), **place(tree))


@reads("string_literal")
def _string(tree: Tree) -> Expression:
    text = text_of(tree)
    value = block_text(text) if text.startswith('"""') else unescaped(text[1:-1])
    return Literal("String", value, **place(tree))


@reads("character_literal")
def _character(tree: Tree) -> Expression:
    return Literal("char", unescaped(text_of(tree)[1:-1]), **place(tree))


@reads("class_literal")
def _class_literal(tree: Tree) -> Expression:
    return ClassOf(type_of(named(tree)[0]), **place(tree))


@reads("parenthesized_expression")
def _parenthesized(tree: Tree) -> Expression:
    return expression(named(tree)[0])


@reads("field_access")
def _field_access(tree: Tree) -> Expression:
    return FieldAccess(expression(child(tree, "object")), text_of(child(tree, "field")), **place(tree))


@reads("array_access")
def _array_access(tree: Tree) -> Expression:
    return Index(expression(child(tree, "array")), expression(child(tree, "index")), **place(tree))


@reads("method_invocation")
def _call(tree: Tree) -> Expression:
    target = child(tree, "object")
    name = child(tree, "name")
    return Call(
        expression(target) if target is not None else None,
        text_of(name),
        expressions_of(child(tree, "arguments")),
        tuple(map(type_of, named(child(tree, "type_arguments")))),
        **place(name),
    )


@reads("object_creation_expression")
def _creation(tree: Tree) -> Expression:
    bodies = [one for one in named(tree) if one.type == "class_body"]
    created = type_of(child(tree, "type"))
    body = declaration(bodies[0]) if bodies else None
    return New(created, expressions_of(child(tree, "arguments")), body, **place(tree))


@reads("array_creation_expression")
def _array_creation(tree: Tree) -> Expression:
    sizes = [one for one in children(tree, "dimensions") if one.type == "dimensions_expr"]
    value = child(tree, "value")
    return NewArray(
        type_of(child(tree, "type")),
        tuple(expression(named(size)[0]) for size in sizes),
        expressions_of(value) if value is not None else None,
        **place(tree),
    )


@reads("array_initializer")
def _array_values(tree: Tree) -> Expression:
    return ArrayValues(expressions_of(tree), **place(tree))


@reads("lambda_expression")
def _lambda(tree: Tree) -> Expression:
    body = child(tree, "body")
    is_block = body is not None and body.type == "block"
    read = statement(body) if is_block else expression(body)
    assert isinstance(read, Block | Expression)
    return Lambda(parameters_of(child(tree, "parameters")), read, **place(tree))


@reads("method_reference")
def _reference(tree: Tree) -> Expression:
    parts = named(tree)
    name = text_of(tree).rpartition("::")[2].strip()
    target = type_of(parts[0]) if parts[0].type in ("generic_type", "array_type") else expression(parts[0])
    return Reference(target, name, **place(tree))


@reads("binary_expression")
def _binary(tree: Tree) -> Expression:
    left, right = expression(child(tree, "left")), expression(child(tree, "right"))
    return Binary(text_of(child(tree, "operator")), left, right, **place(tree))


@reads("unary_expression")
def _unary(tree: Tree) -> Expression:
    return Unary(text_of(child(tree, "operator")), expression(child(tree, "operand")), **place(tree))


@reads("update_expression")
def _update(tree: Tree) -> Expression:
    operator = "++" if "++" in (tree.children[0].type, tree.children[-1].type) else "--"
    return Update(operator, expression(named(tree)[0]), **place(tree))


@reads("assignment_expression")
def _assignment(tree: Tree) -> Expression:
    left, right = expression(child(tree, "left")), expression(child(tree, "right"))
    return Assign(left, text_of(child(tree, "operator")), right, **place(tree))


@reads("ternary_expression")
def _ternary(tree: Tree) -> Expression:
    parts = (child(tree, field) for field in ("condition", "consequence", "alternative"))
    condition, then, otherwise = map(expression, parts)
    return Ternary(condition, then, otherwise, **place(tree))


@reads("cast_expression")
def _cast(tree: Tree) -> Expression:
    return Cast(type_of(child(tree, "type")), expression(child(tree, "value")), **place(tree))


@reads("instanceof_expression")
def _instance_of(tree: Tree) -> Expression:
    kind, name = child(tree, "right"), child(tree, "name")
    if kind is None:
        return Unread(text_of(tree), **place(tree))
    value = expression(child(tree, "left"))
    return InstanceOf(value, type_of(kind), text_of(name) if name is not None else None, **place(tree))
