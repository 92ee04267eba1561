"""Trees of the Table API's expressions: the arguments of a method, before the columns of a table are known."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import Any, Final, final

import attrs

from kafkastream.sql.user_functions import UserFunction

__all__ = [
    "Aggregate",
    "Column",
    "Columns",
    "Flattened",
    "Form",
    "Member",
    "NamedCall",
    "Node",
    "OfWindow",
    "Over",
    "Plus",
    "Renamed",
    "Strength",
    "TableQuery",
    "Text",
    "UserCall",
    "called",
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


class Node:
    """Base of nodes."""

    __slots__ = ()

    @property
    def parts(self) -> tuple[Node, ...]:
        """Return the nodes below it."""
        return ()

    @property
    def strength(self) -> Strength:
        """Return the strength of the operator."""
        return Strength.CALL


@final
@attrs.frozen
class Text(Node):
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
class Column(Node):
    """A column, or the alias of a window.

    Args:
        name: Name.
    """

    name: str


@final
@attrs.frozen
class Form(Node):
    """A call or an operator, written by a form such as ``{0} + {1}``.

    Args:
        form: SQL with a number in braces for each part.
        parts: Operands.
        strength: Strength of the operator.
        least: Strength that each operand needs, so that it is written without parentheses.
        keeps_name: Type of a CAST, which Flink adds to the name of a column; empty for others.
    """

    form: str
    parts: tuple[Node, ...]
    strength: Strength = Strength.CALL
    least: tuple[Strength, ...] = ()
    keeps_name: str = ""


@final
@attrs.frozen
class Plus(Node):
    """Sum, or text with something appended to it: the types of the operands decide.

    Args:
        left: Operand.
        right: Operand.
    """

    left: Node
    right: Node
    strength: Strength = Strength.SUM

    @property
    def parts(self) -> tuple[Node, ...]:
        """Both operands."""
        return (self.left, self.right)


@final
@attrs.frozen
class Aggregate(Node):
    """Call of an aggregate function.

    Args:
        name: Name of the function.
        parts: Arguments.
        is_distinct: Whether equal arguments count once.
        form: SQL of the arguments with a number in braces for each; empty for commas between them.
    """

    name: str
    parts: tuple[Node, ...]
    is_distinct: bool = False
    form: str = ""


@final
@attrs.frozen
class UserCall(Node):
    """Call of a user-defined function.

    Args:
        function: Function, which needs no name in a catalog.
        parts: Arguments.
        is_distinct: Whether equal arguments count once, in an aggregate.
    """

    function: UserFunction
    parts: tuple[Node, ...]
    is_distinct: bool = False


@final
@attrs.frozen
class NamedCall(Node):
    """Call of a function by its name.

    Args:
        path: Name, with or without catalog and database.
        parts: Arguments.
    """

    path: tuple[str, ...]
    parts: tuple[Node, ...]


@final
@attrs.frozen
class Renamed(Node):
    """Expression with names.

    Args:
        node: Expression.
        names: Names; more than one for an expression of several columns.
    """

    node: Node
    names: tuple[str, ...]

    @property
    def parts(self) -> tuple[Node, ...]:
        """The expression alone."""
        return (self.node,)


@final
@attrs.frozen
class Over(Node):
    """Aggregate over a window.

    Args:
        node: Call of an aggregate.
        window: Alias of the window.
    """

    node: Node
    window: str

    @property
    def parts(self) -> tuple[Node, ...]:
        """The aggregate alone."""
        return (self.node,)


@final
@attrs.frozen
class OfWindow(Node):
    """Property of a group window.

    Args:
        part: ``START``, ``END``, ``ROWTIME`` or ``PROCTIME``.
        window: Alias of the window.
    """

    part: str
    window: Node

    @property
    def parts(self) -> tuple[Node, ...]:
        """The alias alone."""
        return (self.window,)


@final
@attrs.frozen
class Member(Node):
    """Field of a row.

    Args:
        node: Row.
        field: Name of the field, or its position from 0.
    """

    node: Node
    field: str | int

    @property
    def parts(self) -> tuple[Node, ...]:
        """The row alone."""
        return (self.node,)


@final
@attrs.frozen
class Flattened(Node):
    """All fields of a row, as columns.

    Args:
        node: Row.
    """

    node: Node

    @property
    def parts(self) -> tuple[Node, ...]:
        """The row alone."""
        return (self.node,)


@final
@attrs.frozen
class Columns(Node):
    """Several columns of a table.

    Args:
        ranges: First and last column of each range, by name or by number from 1; empty for all columns.
        others: Whether the other columns are meant.
    """

    ranges: tuple[tuple[str | int, str | int], ...] = ()
    others: bool = False


@final
@attrs.frozen(eq=False)
class TableQuery(Node):
    """``IN`` with the rows of a table.

    Args:
        node: Value that is looked for.
        table: Table with one column.
    """

    node: Node
    table: Any
    strength: Strength = Strength.COMPARISON

    @property
    def parts(self) -> tuple[Node, ...]:
        """The value alone."""
        return (self.node,)


_UP: Final = {one: Strength(min(one + 1, Strength.CALL)) for one in Strength}


def infix(symbol: str, left: Node, right: Node, strength: Strength) -> Form:
    """Return an operator between two operands; equal ones are taken from the left to the right."""
    loose = _UP[strength] if strength is Strength.COMPARISON else strength
    return Form(f"{{0}} {symbol} {{1}}", (left, right), strength, (loose, _UP[strength]))


def called(name: str, *arguments: Node) -> Form:
    """Return the call of a built-in function."""
    return Form(f"{name}({', '.join(f'{{{at}}}' for at in range(len(arguments)))})", arguments)


def walk(node: Node) -> Iterator[Node]:
    """Return a node and all below it."""
    yield node
    for part in node.parts:
        yield from walk(part)
