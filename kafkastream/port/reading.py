"""Reading of Java files and their declarations: classes, fields, methods."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from kafkastream.port.grammar import (
    child,
    line_range,
    named_children,
    parse,
    read_class_declaration,
    read_expression,
    read_javadoc,
    reads,
    text_of,
)
from kafkastream.port.java_nodes import (
    Annotation,
    ClassDeclaration,
    EnumConstant,
    Field,
    JavaFile,
    Method,
    Parameter,
    Type,
)
from kafkastream.port.reading_expressions import read_expressions, read_parameters, read_type
from kafkastream.port.reading_statements import read_block, read_local_variables

if TYPE_CHECKING:
    from tree_sitter import Node as Tree

__all__ = ["read_file", "read_text"]

_CLASS_KINDS = {
    "class_declaration": "class",
    "interface_declaration": "interface",
    "enum_declaration": "enum",
    "record_declaration": "record",
}


def read_file(path: Path) -> JavaFile:
    """Read a Java file."""
    return read_text(path.read_text(encoding="utf-8", errors="replace"), str(path))


def read_text(text: str, path: str = "Job.java") -> JavaFile:
    """Read the text of a Java file.

    Example:
        >>> read_text("package shop; class Order { }").package
        'shop'
    """
    root = parse(text)
    packages = [named_children(node)[-1] for node in root.named_children if node.type == "package_declaration"]
    classes = filter(None, (read_class_declaration(node) for node in named_children(root) if node.type in _CLASS_KINDS))
    return JavaFile(
        path,
        text,
        text_of(packages[0]) if packages else "",
        tuple(_read_import(node) for node in root.named_children if node.type == "import_declaration"),
        tuple(_set_owner(declaration, path, "") for declaration in classes),
        tuple(sorted(set(_invalid_lines(root)))),
        **line_range(root),
    )


def _read_import(tree: Tree) -> str:
    return text_of(tree).removeprefix("import").strip().removeprefix("static ").rstrip(";").strip()


def _set_owner(declared: ClassDeclaration, path: str, owner: str) -> ClassDeclaration:
    inner = tuple(_set_owner(inner_class, path, declared.name) for inner_class in declared.classes)
    return attrs.evolve(declared, path=path, owner=owner, classes=inner)


def _invalid_lines(tree: Tree) -> Iterator[int]:
    if tree.type == "ERROR" or tree.is_missing:
        yield tree.start_point[0] + 1
    elif tree.has_error:
        for node in tree.children:
            yield from _invalid_lines(node)


@reads("class_declaration", "interface_declaration", "enum_declaration", "record_declaration")
def _read_class(tree: Tree) -> ClassDeclaration:
    body = child(tree, "body")
    superclass = named_children(child(tree, "superclass"))
    listed = [node for node in named_children(tree) if node.type in ("super_interfaces", "extends_interfaces")]
    interfaces = child(tree, "interfaces") or (listed[0] if listed else None)
    return attrs.evolve(
        _read_class_body(body, _CLASS_KINDS[tree.type]),
        name=text_of(child(tree, "name")),
        superclass=read_type(superclass[0]) if superclass else None,
        interfaces=tuple(read_type(node) for part in named_children(interfaces) for node in named_children(part)),
        type_parameters=tuple(
            text_of(named_children(node)[0]) for node in named_children(child(tree, "type_parameters"))
        ),
        components=read_parameters(child(tree, "parameters")),
        comment=read_javadoc(tree),
        **_read_modifiers(tree),
        **line_range(tree),
    )


@reads("class_body")
def _read_anonymous_class(tree: Tree) -> ClassDeclaration:
    return _read_class_body(tree, "anonymous")


def _read_class_body(tree: Tree | None, kind: str) -> ClassDeclaration:
    members = [
        member
        for part in named_children(tree)
        for member in (named_children(part) if part.type == "enum_body_declarations" else [part])
    ]
    return ClassDeclaration(
        name="",
        kind=kind,
        fields=tuple(field for member in members for field in _read_fields(member)),
        methods=tuple(method for member in members for method in _read_methods(member)),
        classes=tuple(
            filter(None, (read_class_declaration(member) for member in members if member.type in _CLASS_KINDS))
        ),
        constants=tuple(_read_enum_constant(member) for member in members if member.type == "enum_constant"),
        **line_range(tree),
    )


def _read_modifiers(tree: Tree) -> dict[str, Any]:
    nodes = [node for node in modifier_nodes(tree) if node.type not in ("line_comment", "block_comment")]
    return {
        "modifiers": frozenset(text_of(node) for node in nodes if "annotation" not in node.type),
        "annotations": tuple(_read_annotation(node) for node in nodes if "annotation" in node.type),
    }


def modifier_nodes(tree: Tree) -> list[Tree]:
    """Return the modifiers and annotations of a declaration."""
    return [node for part in tree.named_children if part.type == "modifiers" for node in part.children]


def _read_annotation(tree: Tree) -> Annotation:
    arguments = named_children(child(tree, "arguments"))
    value = arguments[0] if len(arguments) == 1 else None
    if value is not None and value.type == "element_value_pair":
        value = child(value, "value") if text_of(child(value, "key")) == "value" else None
    name = text_of(child(tree, "name")).rpartition(".")[2]
    return Annotation(name, read_expression(value) if value is not None else None, **line_range(tree))


def _read_fields(tree: Tree) -> list[Field]:
    if tree.type not in ("field_declaration", "constant_declaration"):
        return []
    constant = frozenset({"static", "final"}) if tree.type == "constant_declaration" else frozenset()
    shared = _read_modifiers(tree)
    shared["modifiers"] |= constant
    return [
        Field(
            read_local_variable.name,
            read_local_variable.type,
            read_local_variable.value,
            comment=read_javadoc(tree),
            **shared,
            **line_range(tree),
        )
        for read_local_variable in read_local_variables(tree)
    ]


def _read_methods(tree: Tree) -> list[Method]:
    if tree.type == "method_declaration":
        return [_read_method(tree, text_of(child(tree, "name")), read_type(child(tree, "type")))]
    if tree.type in ("constructor_declaration", "compact_constructor_declaration"):
        return [_read_method(tree, "<init>", Type("void"))]
    if tree.type in ("static_initializer", "block"):
        return [_read_initializer(tree)]
    return []


def _read_method(tree: Tree, name: str, result: Type) -> Method:
    body = child(tree, "body")
    parameters: tuple[Parameter, ...] = read_parameters(child(tree, "parameters"))
    block = read_block(body) if body is not None else None
    return Method(
        name, result, parameters, block, comment=read_javadoc(tree), **_read_modifiers(tree), **line_range(tree)
    )


def _read_initializer(tree: Tree) -> Method:
    is_static = tree.type == "static_initializer"
    block = read_block(named_children(tree)[0] if is_static else tree)
    modifiers = frozenset({"static"} if is_static else ())
    return Method("<clinit>", Type("void"), body=block, modifiers=modifiers, **line_range(tree))


def _read_enum_constant(tree: Tree) -> EnumConstant:
    arguments = read_expressions(child(tree, "arguments"))
    has_body = child(tree, "body") is not None
    return EnumConstant(text_of(child(tree, "name")), arguments, has_body, read_javadoc(tree), **line_range(tree))
