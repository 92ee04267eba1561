"""Expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import attrs

from kafkastream.port.java_nodes.nodes import Expression, Node, Type

if TYPE_CHECKING:
    from kafkastream.port.java_nodes.declarations import ClassDeclaration
    from kafkastream.port.java_nodes.statements import Block, Switch

__all__ = [
    "ArrayValues",
    "Assign",
    "Binary",
    "Call",
    "Cast",
    "ClassOf",
    "FieldAccess",
    "Index",
    "InstanceOf",
    "Lambda",
    "Literal",
    "Name",
    "New",
    "NewArray",
    "Parameter",
    "Reference",
    "SwitchValue",
    "Ternary",
    "This",
    "Unary",
    "Unread",
    "Update",
]


@final
@attrs.frozen
class Name(Expression):
    """Name of a variable, a field or a class."""

    text: str


@final
@attrs.frozen
class Literal(Expression):
    """Literal: ``kind`` is a name of a Java type, or ``null``; ``value`` a Python value."""

    kind: str
    value: Any


@final
@attrs.frozen
class This(Expression):
    """Object itself; ``is_super`` for ``super``."""

    is_super: bool = False


@final
@attrs.frozen
class FieldAccess(Expression):
    """Field of an object or a class."""

    target: Expression
    name: str


@final
@attrs.frozen
class Call(Expression):
    """Call of a method, on an object or a class if ``target`` is given."""

    target: Expression | None
    name: str
    arguments: tuple[Expression, ...]
    type_arguments: tuple[Type, ...] = ()


@final
@attrs.frozen
class New(Expression):
    """Creation of an object; ``body`` is that of an anonymous class."""

    type: Type
    arguments: tuple[Expression, ...]
    body: ClassDeclaration | None = None


@final
@attrs.frozen
class NewArray(Expression):
    """Creation of an array, by sizes or by values."""

    type: Type
    sizes: tuple[Expression, ...]
    values: tuple[Expression, ...] | None = None


@final
@attrs.frozen
class ArrayValues(Expression):
    """Values of an array, in braces."""

    values: tuple[Expression, ...]


@final
@attrs.frozen
class Index(Expression):
    """Element of an array."""

    target: Expression
    index: Expression


@final
@attrs.frozen
class Lambda(Expression):
    """Lambda: its body is an expression or a block."""

    parameters: tuple[Parameter, ...]
    body: Expression | Block


@final
@attrs.frozen
class Reference(Expression):
    """Method reference: ``target::name``."""

    target: Expression | Type
    name: str


@final
@attrs.frozen
class Binary(Expression):
    """Binary operation."""

    operator: str
    left: Expression
    right: Expression


@final
@attrs.frozen
class Unary(Expression):
    """Unary operation."""

    operator: str
    operand: Expression


@final
@attrs.frozen
class Update(Expression):
    """Increment or decrement."""

    operator: str
    target: Expression


@final
@attrs.frozen
class Assign(Expression):
    """Assignment, ``=`` or a compound one."""

    target: Expression
    operator: str
    value: Expression


@final
@attrs.frozen
class Ternary(Expression):
    """Choice between two expressions."""

    condition: Expression
    then: Expression
    otherwise: Expression


@final
@attrs.frozen
class Cast(Expression):
    """Cast."""

    type: Type
    value: Expression


@final
@attrs.frozen
class InstanceOf(Expression):
    """Test of a type; ``name`` is the variable that a pattern declares."""

    value: Expression
    type: Type
    name: str | None = None


@final
@attrs.frozen
class ClassOf(Expression):
    """Class literal: ``Event.class``."""

    type: Type


@final
@attrs.frozen
class SwitchValue(Expression):
    """Switch whose cases are values."""

    switch: Switch


@final
@attrs.frozen
class Unread(Expression):
    """Part that the reader does not know."""

    text: str


@final
@attrs.frozen
class Parameter(Node):
    """Parameter of a method or a lambda; the type of a lambda's is often unknown."""

    name: str
    type: Type
    is_variadic: bool = False
