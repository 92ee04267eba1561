"""Reading of Java files and their declarations: classes, fields, methods."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from kafkastream.port.grammar import (
    child,
    comment_before,
    declaration,
    expression,
    named,
    parse,
    place,
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
from kafkastream.port.reading_expressions import expressions_of, parameters_of, type_of
from kafkastream.port.reading_statements import block_of, local_variables

if TYPE_CHECKING:
    from tree_sitter import Node as Tree

__all__ = ["read_file", "read_text"]

_KINDS = {
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
    packages = [named(one)[-1] for one in root.named_children if one.type == "package_declaration"]
    classes = filter(None, (declaration(one) for one in named(root) if one.type in _KINDS))
    return JavaFile(
        path,
        text,
        text_of(packages[0]) if packages else "",
        tuple(_import(one) for one in root.named_children if one.type == "import_declaration"),
        tuple(_placed(one, path, "") for one in classes),
        tuple(sorted(set(_broken(root)))),
        **place(root),
    )


def _import(tree: Tree) -> str:
    return text_of(tree).removeprefix("import").strip().removeprefix("static ").rstrip(";").strip()


def _placed(declared: ClassDeclaration, path: str, owner: str) -> ClassDeclaration:
    inner = tuple(_placed(one, path, declared.name) for one in declared.classes)
    return attrs.evolve(declared, path=path, owner=owner, classes=inner)


def _broken(tree: Tree) -> Iterator[int]:
    if tree.type == "ERROR" or tree.is_missing:
        yield tree.start_point[0] + 1
    elif tree.has_error:
        for one in tree.children:
            yield from _broken(one)


@reads("class_declaration", "interface_declaration", "enum_declaration", "record_declaration")
def _class(tree: Tree) -> ClassDeclaration:
    body = child(tree, "body")
    superclass = named(child(tree, "superclass"))
    listed = [one for one in named(tree) if one.type in ("super_interfaces", "extends_interfaces")]
    interfaces = child(tree, "interfaces") or (listed[0] if listed else None)
    return attrs.evolve(
        _body(body, _KINDS[tree.type]),
        name=text_of(child(tree, "name")),
        superclass=type_of(superclass[0]) if superclass else None,
        interfaces=tuple(type_of(one) for part in named(interfaces) for one in named(part)),
        type_parameters=tuple(text_of(named(one)[0]) for one in named(child(tree, "type_parameters"))),
        components=parameters_of(child(tree, "parameters")),
        comment=comment_before(tree),
        **_modified(tree),
        **place(tree),
    )


@reads("class_body")
def _anonymous(tree: Tree) -> ClassDeclaration:
    return _body(tree, "anonymous")


def _body(tree: Tree | None, kind: str) -> ClassDeclaration:
    members = [
        one for part in named(tree) for one in (named(part) if part.type == "enum_body_declarations" else [part])
    ]
    return ClassDeclaration(
        name="",
        kind=kind,
        fields=tuple(field for one in members for field in _fields(one)),
        methods=tuple(method for one in members for method in _methods(one)),
        classes=tuple(filter(None, (declaration(one) for one in members if one.type in _KINDS))),
        constants=tuple(_constant(one) for one in members if one.type == "enum_constant"),
        **place(tree),
    )


def _modified(tree: Tree) -> dict[str, Any]:
    found = [one for one in named_and_keywords(tree) if one.type not in ("line_comment", "block_comment")]
    return {
        "modifiers": frozenset(text_of(one) for one in found if "annotation" not in one.type),
        "annotations": tuple(_annotation(one) for one in found if "annotation" in one.type),
    }


def named_and_keywords(tree: Tree) -> list[Tree]:
    """Return the modifiers and annotations of a declaration."""
    return [one for part in tree.named_children if part.type == "modifiers" for one in part.children]


def _annotation(tree: Tree) -> Annotation:
    arguments = named(child(tree, "arguments"))
    value = arguments[0] if len(arguments) == 1 else None
    if value is not None and value.type == "element_value_pair":
        value = child(value, "value") if text_of(child(value, "key")) == "value" else None
    name = text_of(child(tree, "name")).rpartition(".")[2]
    return Annotation(name, expression(value) if value is not None else None, **place(tree))


def _fields(tree: Tree) -> list[Field]:
    if tree.type not in ("field_declaration", "constant_declaration"):
        return []
    constant = frozenset({"static", "final"}) if tree.type == "constant_declaration" else frozenset()
    shared = _modified(tree)
    shared["modifiers"] |= constant
    return [
        Field(one.name, one.type, one.value, comment=comment_before(tree), **shared, **place(tree))
        for one in local_variables(tree)
    ]


def _methods(tree: Tree) -> list[Method]:
    if tree.type == "method_declaration":
        return [_method(tree, text_of(child(tree, "name")), type_of(child(tree, "type")))]
    if tree.type in ("constructor_declaration", "compact_constructor_declaration"):
        return [_method(tree, "<init>", Type("void"))]
    if tree.type in ("static_initializer", "block"):
        return [_initializer(tree)]
    return []


def _method(tree: Tree, name: str, result: Type) -> Method:
    body = child(tree, "body")
    parameters: tuple[Parameter, ...] = parameters_of(child(tree, "parameters"))
    block = block_of(body) if body is not None else None
    return Method(name, result, parameters, block, comment=comment_before(tree), **_modified(tree), **place(tree))


def _initializer(tree: Tree) -> Method:
    is_static = tree.type == "static_initializer"
    block = block_of(named(tree)[0] if is_static else tree)
    modifiers = frozenset({"static"} if is_static else ())
    return Method("<clinit>", Type("void"), body=block, modifiers=modifiers, **place(tree))


def _constant(tree: Tree) -> EnumConstant:
    arguments = expressions_of(child(tree, "arguments"))
    has_body = child(tree, "body") is not None
    return EnumConstant(text_of(child(tree, "name")), arguments, has_body, comment_before(tree), **place(tree))
