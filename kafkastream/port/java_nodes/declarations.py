"""Declarations: files, classes, fields, methods."""

from __future__ import annotations

from typing import final

import attrs

from kafkastream.port.java_nodes.expressions import Parameter
from kafkastream.port.java_nodes.nodes import Comment, Expression, Node, Type
from kafkastream.port.java_nodes.statements import Block

__all__ = [
    "Annotation",
    "ClassDeclaration",
    "EnumConstant",
    "Field",
    "JavaFile",
    "Method",
]


@final
@attrs.frozen
class Annotation(Node):
    """Annotation: its value is that of the only argument."""

    name: str
    value: Expression | None = None


@attrs.frozen(kw_only=True)
class Declaration(Node):
    """Base of the declarations that may have modifiers, annotations and a comment."""

    modifiers: frozenset[str] = frozenset()
    annotations: tuple[Annotation, ...] = ()
    comment: Comment | None = None

    @property
    def is_static(self) -> bool:
        """True if a member belongs to the class, not to its objects."""
        return "static" in self.modifiers

    def annotated(self, *names: str) -> bool:
        """Return whether there is one of these annotations."""
        return any(annotation.name in names for annotation in self.annotations)


@final
@attrs.frozen
class Field(Declaration):
    """Field of a class."""

    name: str
    type: Type
    value: Expression | None = None


@final
@attrs.frozen
class Method(Declaration):
    """Method; a constructor has the name ``<init>``, a static block ``<clinit>``."""

    name: str
    type: Type
    parameters: tuple[Parameter, ...] = ()
    body: Block | None = None


@final
@attrs.frozen
class EnumConstant(Node):
    """Constant of an enumeration."""

    name: str
    arguments: tuple[Expression, ...]
    has_body: bool
    comment: Comment | None


@final
@attrs.frozen
class ClassDeclaration(Declaration):
    """Class, interface, enumeration, record, or the body of an anonymous class.

    Args:
        kind: ``class``, ``interface``, ``enum``, ``record`` or ``anonymous``.
        components: Those of a record.
        owner: Name of the outer class.
    """

    name: str
    kind: str
    superclass: Type | None = None
    interfaces: tuple[Type, ...] = ()
    type_parameters: tuple[str, ...] = ()
    fields: tuple[Field, ...] = ()
    methods: tuple[Method, ...] = ()
    classes: tuple[ClassDeclaration, ...] = ()
    constants: tuple[EnumConstant, ...] = ()
    components: tuple[Parameter, ...] = ()
    owner: str = ""
    path: str = ""


@final
@attrs.frozen
class JavaFile(Node):
    """Java file.

    Args:
        path: Path of the file, as it is shown.
        text: Content, for marks and counts.
        package: Name of the package.
        imports: Full names, with ``.*`` at their end for all of a package.
        classes: Classes at the top.
        invalid_lines: Lines that are not valid Java.
    """

    path: str
    text: str
    package: str
    imports: tuple[str, ...]
    classes: tuple[ClassDeclaration, ...]
    invalid_lines: tuple[int, ...]
