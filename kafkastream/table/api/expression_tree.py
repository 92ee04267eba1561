"""Trees of the Table API's expressions: the arguments of a method, before the columns of a table are known."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import Any, Final, final

import attrs

from kafkastream.sql.user_functions import UserFunction

__all__ = [
    "Aggregate",
    "ColumnNode",
    "Columns",
    "ExpressionNode",
    "Flattened",
    "Form",
    "Member",
    "NamedCall",
    "OfWindow",
    "OverCall",
    "Plus",
    "PythonCall",
    "Renamed",
    "Strength",
    "TableQuery",
    "Text",
    "call_form",
    "infix",
    "walk",
]


class Strength(enum.IntEnum):
    """Strength with which the operator of an expression binds its operands, in SQL."""

    ANYTHING = 0
    OR = 1
    AND = 2
    NOT = 3
    COMPARISON = 4
    SUM = 5
    PRODUCT = 6
    SIGN = 7
    CALL = 8


class ExpressionNode:
    """Base of nodes."""

    __slots__ = ()

    @property
    def parts(self) -> tuple[ExpressionNode, ...]:
        """Return the nodes below it."""
        return ()

    @property
    def strength(self) -> Strength:
        """Return the strength of the operator."""
        return Strength.CALL


@final
@attrs.frozen
class Text(ExpressionNode):
    """A literal, or a call without arguments.

    Args:
        text: SQL.
        strength: Strength of its operator.
        value: Value in Python, of a literal.
    """

    text: str
    strength: Strength = Strength.CALL
    value: Any = attrs.field(default=None, eq=False)


@final
@attrs.frozen
class ColumnNode(ExpressionNode):
    """A column, or the alias of a window.

    Args:
        name: Name.
    """

    name: str


@final
@attrs.frozen
class Form(ExpressionNode):
    """A call or an operator, written by a form such as ``{0} + {1}``.

    Args:
        form: SQL with a number in braces for each part.
        parts: Operands.
        strength: Strength of the operator.
        least: Strength that each operand needs, so that it is written without parentheses.
        keeps_name: Type of a CAST, which Flink adds to the name of a column; empty for others.
    """

    form: str
    parts: tuple[ExpressionNode, ...]
    strength: Strength = Strength.CALL
    least: tuple[Strength, ...] = ()
    keeps_name: str = ""


@final
@attrs.frozen
class Plus(ExpressionNode):
    """Sum, or text with something appended to it: the types of the operands decide.

    Args:
        left: Operand.
        right: Operand.
    """

    left: ExpressionNode
    right: ExpressionNode
    strength: Strength = Strength.SUM

    @property
    def parts(self) -> tuple[ExpressionNode, ...]:
        """Both operands."""
        return (self.left, self.right)


@final
@attrs.frozen
class Aggregate(ExpressionNode):
    """Call of an aggregate function.

    Args:
        name: Name of the function.
        parts: Arguments.
        is_distinct: Whether equal arguments count once.
        form: SQL of the arguments with a number in braces for each; empty for commas between them.
    """

    name: str
    parts: tuple[ExpressionNode, ...]
    is_distinct: bool = False
    form: str = ""


@final
@attrs.frozen
class PythonCall(ExpressionNode):
    """Call of a user-defined function.

    Args:
        function: Function, which needs no name in a catalog.
        parts: Arguments.
        is_distinct: Whether equal arguments count once, in an aggregate.
    """

    function: UserFunction
    parts: tuple[ExpressionNode, ...]
    is_distinct: bool = False


@final
@attrs.frozen
class NamedCall(ExpressionNode):
    """Call of a function by its name.

    Args:
        path: Name, with or without catalog and database.
        parts: Arguments.
    """

    path: tuple[str, ...]
    parts: tuple[ExpressionNode, ...]


@final
@attrs.frozen
class Renamed(ExpressionNode):
    """Expression with names.

    Args:
        node: Expression.
        names: Names; more than one for an expression of several columns.
    """

    node: ExpressionNode
    names: tuple[str, ...]

    @property
    def parts(self) -> tuple[ExpressionNode, ...]:
        """The expression alone."""
        return (self.node,)


@final
@attrs.frozen
class OverCall(ExpressionNode):
    """Aggregate over a window.

    Args:
        node: Call of an aggregate.
        window: Alias of the window.
    """

    node: ExpressionNode
    window: str

    @property
    def parts(self) -> tuple[ExpressionNode, ...]:
        """The aggregate alone."""
        return (self.node,)


@final
@attrs.frozen
class OfWindow(ExpressionNode):
    """Property of a group window.

    Args:
        part: ``START``, ``END``, ``ROWTIME`` or ``PROCTIME``.
        window: Alias of the window.
    """

    part: str
    window: ExpressionNode

    @property
    def parts(self) -> tuple[ExpressionNode, ...]:
        """The alias alone."""
        return (self.window,)


@final
@attrs.frozen
class Member(ExpressionNode):
    """Field of a row.

    Args:
        node: Row.
        field: Name of the field, or its position from 0.
    """

    node: ExpressionNode
    field: str | int

    @property
    def parts(self) -> tuple[ExpressionNode, ...]:
        """The row alone."""
        return (self.node,)


@final
@attrs.frozen
class Flattened(ExpressionNode):
    """All fields of a row, as columns.

    Args:
        node: Row.
    """

    node: ExpressionNode

    @property
    def parts(self) -> tuple[ExpressionNode, ...]:
        """The row alone."""
        return (self.node,)


@final
@attrs.frozen
class Columns(ExpressionNode):
    """Several columns of a table.

    Args:
        ranges: First and last column of each range, by name or by number from 1; empty for all columns.
        others: Whether the other columns are meant.
    """

    ranges: tuple[tuple[str | int, str | int], ...] = ()
    others: bool = False


@final
@attrs.frozen(eq=False)
class TableQuery(ExpressionNode):
    """``IN`` with the rows of a table.

    Args:
        node: Value that is looked for.
        table: Table with one column.
    """

    node: ExpressionNode
    table: Any
    strength: Strength = Strength.COMPARISON

    @property
    def parts(self) -> tuple[ExpressionNode, ...]:
        """The value alone."""
        return (self.node,)


_UP: Final = {one: Strength(min(one + 1, Strength.CALL)) for one in Strength}


def infix(symbol: str, left: ExpressionNode, right: ExpressionNode, strength: Strength) -> Form:
    """Return an operator between two operands; equal ones are taken from the left to the right."""
    loose = _UP[strength] if strength is Strength.COMPARISON else strength
    return Form(f"{{0}} {symbol} {{1}}", (left, right), strength, (loose, _UP[strength]))


def call_form(name: str, *arguments: ExpressionNode) -> Form:
    """Return the call of a built-in function."""
    return Form(f"{name}({', '.join(f'{{{at}}}' for at in range(len(arguments)))})", arguments)


def walk(node: ExpressionNode) -> Iterator[ExpressionNode]:
    """Return a node and all below it."""
    yield node
    for part in node.parts:
        yield from walk(part)
