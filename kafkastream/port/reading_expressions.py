"""Reading of expressions and types."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from kafkastream.port.grammar import (
    child,
    children,
    line_range,
    named_children,
    read_class_declaration,
    read_expression,
    read_statement,
    reads,
    text_of,
)
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

if TYPE_CHECKING:
    from tree_sitter import Node as Tree

__all__ = ["read_expressions", "read_parameters", "read_type"]

_TYPES: Final = frozenset({
    "type_identifier", "scoped_type_identifier", "generic_type", "array_type", "integral_type",
    "floating_point_type", "boolean_type", "void_type", "annotated_type",
})  # fmt: skip
_ESCAPE: Final = re.compile(r"\\(u+[0-9a-fA-F]{4}|[0-7]{1,3}|\n|.)")
_ESCAPED_CHARACTERS: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "s": " ", "\n": ""}


def read_type(tree: Tree | None) -> Type:
    """Read a type."""
    if tree is None:
        return Type("?")
    if tree.type == "array_type":
        element = read_type(child(tree, "element"))
        return Type(element.name, element.arguments, element.dimensions + text_of(child(tree, "dimensions")).count("["))
    if tree.type == "generic_type":
        base, *rest = named_children(tree)
        raw = read_type(base)
        return Type(
            raw.name, tuple(read_type(argument) for part in rest for argument in named_children(part)), 0, raw.owner
        )
    if tree.type == "scoped_type_identifier":
        parts = [part for part in re.sub(r"<.*?>", "", text_of(tree)).split(".") if part[:1].isupper()]
        return Type(parts[-1] if parts else "?", owner=parts[-2] if len(parts) > 1 else "")
    if tree.type in ("wildcard", "annotated_type"):
        bounds = [bound for bound in named_children(tree) if bound.type in _TYPES]
        return read_type(bounds[-1]) if bounds else Type("?")
    return Type(text_of(tree))


def read_expressions(tree: Tree | None) -> tuple[Expression, ...]:
    """Read arguments."""
    return tuple(map(read_expression, named_children(tree)))


def read_parameters(tree: Tree | None) -> tuple[Parameter, ...]:
    """Read parameters of a method or a lambda."""
    if tree is None:
        return ()
    if tree.type == "identifier":
        return (Parameter(text_of(tree), Type("?"), **line_range(tree)),)
    return tuple(_read_parameter(node) for node in named_children(tree) if node.type != "receiver_parameter")


def _read_parameter(tree: Tree) -> Parameter:
    if tree.type == "identifier":
        return Parameter(text_of(tree), Type("?"), **line_range(tree))
    if tree.type == "spread_parameter":
        kind = next(node for node in named_children(tree) if node.type in _TYPES)
        declared = next(node for node in named_children(tree) if node.type == "variable_declarator")
        return Parameter(text_of(child(declared, "name")), read_type(kind), is_variadic=True, **line_range(tree))
    kind_read = read_type(child(tree, "type"))
    kind_read = kind_read if kind_read.name != "var" else Type("?")
    extra = text_of(child(tree, "dimensions")).count("[")
    whole = Type(kind_read.name, kind_read.arguments, kind_read.dimensions + extra, kind_read.owner)
    return Parameter(text_of(child(tree, "name")), whole, **line_range(tree))


@reads("identifier", "type_identifier", "scoped_type_identifier")
def _read_name(tree: Tree) -> Expression:
    return Name(text_of(tree), **line_range(tree))


@reads("this")
def _read_this(tree: Tree) -> Expression:
    return This(**line_range(tree))


@reads("super")
def _read_super(tree: Tree) -> Expression:
    return This(is_super=True, **line_range(tree))


@reads("true", "false")
def _read_boolean(tree: Tree) -> Expression:
    return Literal("boolean", text_of(tree) == "true", **line_range(tree))


@reads("null_literal")
def _read_null(tree: Tree) -> Expression:
    return Literal("null", None, **line_range(tree))


@reads("decimal_integer_literal", "hex_integer_literal", "binary_integer_literal", "octal_integer_literal")
def _read_integer(tree: Tree) -> Expression:
    text = text_of(tree).rstrip("lL")
    kind = "long" if text_of(tree)[-1] in "lL" else "int"
    if tree.type == "octal_integer_literal":
        text = f"0o{text[1:].lstrip('_')}"
    return Literal(kind, ast.literal_eval(text), **line_range(tree))


@reads("decimal_floating_point_literal")
def _read_floating(tree: Tree) -> Expression:
    text = text_of(tree)
    kind = "float" if text[-1] in "fF" else "double"
    return Literal(kind, float(text.rstrip("fFdD").replace("_", "")), **line_range(tree))


@reads("string_literal")
def _read_string(tree: Tree) -> Expression:
    text = text_of(tree)
    value = read_text_block(text) if text.startswith('"""') else unescape(text[1:-1])
    return Literal("String", value, **line_range(tree))


@reads("character_literal")
def _read_character(tree: Tree) -> Expression:
    return Literal("char", unescape(text_of(tree)[1:-1]), **line_range(tree))


def unescape(text: str) -> str:
    r"""Return the text that a literal means.

    Example:
        >>> unescape(r"a\tb\u0041\101")
        'a\tbAA'
    """
    return _ESCAPE.sub(_decode_escape, text)


def _decode_escape(match: re.Match[str]) -> str:
    escaped = match[1]
    if escaped[0] == "u":
        return chr(int(escaped.lstrip("u"), 16))
    if escaped[0] in "01234567":
        return chr(int(escaped, 8))
    return _ESCAPED_CHARACTERS.get(escaped, escaped)


def read_text_block(literal: str) -> str:
    r'''Return the text of a text block: without the indentation that its lines share, and blanks at their ends.

    Example:
        >>> read_text_block('"""\n    SELECT *\n      FROM t\n    """')
        'SELECT *\n  FROM t\n'
    '''
    lines = literal[3:-3].split("\n")[1:]
    counted = [line for line in lines[:-1] if line.strip()] + lines[-1:]
    shared = min((len(line) - len(line.lstrip()) for line in counted), default=0)
    stripped = [line[shared:].rstrip() for line in lines]
    return unescape("\n".join(stripped))


@reads("class_literal")
def _read_class_literal(tree: Tree) -> Expression:
    return ClassOf(read_type(named_children(tree)[0]), **line_range(tree))


@reads("parenthesized_expression")
def _read_parenthesized(tree: Tree) -> Expression:
    return read_expression(named_children(tree)[0])


@reads("field_access")
def _read_field_access(tree: Tree) -> Expression:
    return FieldAccess(read_expression(child(tree, "object")), text_of(child(tree, "field")), **line_range(tree))


@reads("array_access")
def _read_array_access(tree: Tree) -> Expression:
    return Index(read_expression(child(tree, "array")), read_expression(child(tree, "index")), **line_range(tree))


@reads("method_invocation")
def _read_call(tree: Tree) -> Expression:
    target = child(tree, "object")
    name = child(tree, "name")
    return Call(
        read_expression(target) if target is not None else None,
        text_of(name),
        read_expressions(child(tree, "arguments")),
        tuple(map(read_type, named_children(child(tree, "type_arguments")))),
        **line_range(name),
    )


@reads("object_creation_expression")
def _read_new(tree: Tree) -> Expression:
    bodies = [node for node in named_children(tree) if node.type == "class_body"]
    created = read_type(child(tree, "type"))
    body = read_class_declaration(bodies[0]) if bodies else None
    return New(created, read_expressions(child(tree, "arguments")), body, **line_range(tree))


@reads("array_creation_expression")
def _read_new_array(tree: Tree) -> Expression:
    sizes = [size for size in children(tree, "dimensions") if size.type == "dimensions_expr"]
    value = child(tree, "value")
    return NewArray(
        read_type(child(tree, "type")),
        tuple(read_expression(named_children(size)[0]) for size in sizes),
        read_expressions(value) if value is not None else None,
        **line_range(tree),
    )


@reads("array_initializer")
def _read_array_values(tree: Tree) -> Expression:
    return ArrayValues(read_expressions(tree), **line_range(tree))


@reads("lambda_expression")
def _read_lambda(tree: Tree) -> Expression:
    body = child(tree, "body")
    is_block = body is not None and body.type == "block"
    read = read_statement(body) if is_block else read_expression(body)
    assert isinstance(read, Block | Expression)
    return Lambda(read_parameters(child(tree, "parameters")), read, **line_range(tree))


@reads("method_reference")
def _read_reference(tree: Tree) -> Expression:
    parts = named_children(tree)
    name = text_of(tree).rpartition("::")[2].strip()
    target = read_type(parts[0]) if parts[0].type in ("generic_type", "array_type") else read_expression(parts[0])
    return Reference(target, name, **line_range(tree))


@reads("binary_expression")
def _read_binary(tree: Tree) -> Expression:
    left, right = read_expression(child(tree, "left")), read_expression(child(tree, "right"))
    return Binary(text_of(child(tree, "operator")), left, right, **line_range(tree))


@reads("unary_expression")
def _read_unary(tree: Tree) -> Expression:
    return Unary(text_of(child(tree, "operator")), read_expression(child(tree, "operand")), **line_range(tree))


@reads("update_expression")
def _read_update(tree: Tree) -> Expression:
    operator = "++" if "++" in (tree.children[0].type, tree.children[-1].type) else "--"
    return Update(operator, read_expression(named_children(tree)[0]), **line_range(tree))


@reads("assignment_expression")
def _read_assignment(tree: Tree) -> Expression:
    left, right = read_expression(child(tree, "left")), read_expression(child(tree, "right"))
    return Assign(left, text_of(child(tree, "operator")), right, **line_range(tree))


@reads("ternary_expression")
def _read_ternary(tree: Tree) -> Expression:
    parts = (child(tree, field) for field in ("condition", "consequence", "alternative"))
    condition, then, otherwise = map(read_expression, parts)
    return Ternary(condition, then, otherwise, **line_range(tree))


@reads("cast_expression")
def _read_cast(tree: Tree) -> Expression:
    return Cast(read_type(child(tree, "type")), read_expression(child(tree, "value")), **line_range(tree))


@reads("instanceof_expression")
def _read_instance_of(tree: Tree) -> Expression:
    kind, name = child(tree, "right"), child(tree, "name")
    if kind is None:
        return Unread(text_of(tree), **line_range(tree))
    value = read_expression(child(tree, "left"))
    return InstanceOf(value, read_type(kind), text_of(name) if name is not None else None, **line_range(tree))
