"""Expressions of a plan: frozen trees with Flink's type on every node.

SQL's compiler builds them from text; ``kafkastream.sql.plan.functions.call`` and these classes build them directly. The
engine prints them as Spark SQL (``kafkastream.sql.plan.spark_text``).
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, final

import attrs

from kafkastream.sql.types import DataType, Kind

__all__ = [
    "FALSE",
    "NULL",
    "TRUE",
    "Call",
    "Case",
    "Cast",
    "CastMode",
    "ColumnRef",
    "FieldAccess",
    "Interval",
    "IntervalUnit",
    "Literal",
    "TypedExpression",
    "UserCall",
    "calls_user",
    "columns_in",
    "conjunction",
    "is_null",
    "rebuilt",
    "references_in",
    "renumbered",
    "shifted",
    "user_calls",
]


@attrs.frozen
class _Leaf:
    """Expression without arguments."""

    @property
    def parts(self) -> tuple[TypedExpression, ...]:
        """No expression."""
        return ()


@final
@attrs.frozen
class ColumnRef(_Leaf):
    """Column of the input.

    Args:
        place: Position of the column, from 0.
        type: Type of the column.
    """

    place: int
    type: DataType = attrs.field(eq=False)


@final
@attrs.frozen
class Literal(_Leaf):
    """Constant.

    Args:
        value: Text, number or boolean; the written digits for DECIMAL and DOUBLE; None for NULL.
        type: Type of the value; STRING for an untyped NULL.
    """

    value: bool | int | str | None
    type: DataType

    @staticmethod
    def text(value: str) -> Literal:
        """Return a CHAR literal."""
        return Literal(value, DataType.of(Kind.CHAR, max(1, len(value))).not_null())

    @staticmethod
    def whole(value: int) -> Literal:
        """Return an INT literal; BIGINT if the number exceeds INT."""
        return Literal(value, DataType.of(Kind.INT if value < 2**31 else Kind.BIGINT).not_null())


class IntervalUnit(enum.Enum):
    """Unit of an interval literal; Spark adds days to a DATE differently from milliseconds."""

    MONTH = "month"
    DAY = "day"
    MILLISECOND = "millisecond"


@final
@attrs.frozen
class Interval(_Leaf):
    """Interval literal.

    Args:
        amount: Number of units; may be negative.
        unit: Unit of the length.
    """

    amount: int
    unit: IntervalUnit = IntervalUnit.MILLISECOND

    @property
    def type(self) -> DataType:
        """INTERVAL YEAR TO MONTH or INTERVAL DAY TO SECOND."""
        is_months = self.unit is IntervalUnit.MONTH
        return DataType.of(Kind.INTERVAL_YEAR_MONTH if is_months else Kind.INTERVAL_DAY_SECOND).not_null()


@final
@attrs.frozen
class FieldAccess:
    """Field of a ROW.

    Args:
        value: Expression of the ROW.
        name: Name of the field.
        type: Type of the field; nullable if the ROW is.
    """

    value: TypedExpression
    name: str
    type: DataType

    @staticmethod
    def of(value: TypedExpression, name: str) -> FieldAccess:
        """Return the access to a field of a ROW.

        Raises:
            KeyError: The ROW has no field of this name.
        """
        inner = {field.name: field.type for field in value.type.fields}[name]
        return FieldAccess(value, name, inner.nullable() if value.type.is_nullable else inner)

    @property
    def parts(self) -> tuple[TypedExpression, ...]:
        """The ROW."""
        return (self.value,)


@final
@attrs.frozen
class Call:
    """Call of a built-in function or operator; ``kafkastream.sql.plan.functions.call`` checks arguments and infers the type.

    Args:
        function: Name in ``kafkastream.sql.plan.functions``.
        arguments: Arguments.
        type: Type of the result.
    """

    function: str
    arguments: tuple[TypedExpression, ...]
    type: DataType

    @property
    def parts(self) -> tuple[TypedExpression, ...]:
        """Arguments."""
        return self.arguments


class CastMode(enum.Enum):
    """Rules that a cast follows."""

    CAST = "CAST"
    TRY_CAST = "TRY_CAST"
    IMPLICIT = "IMPLICIT"
    """Implicit widening, in which Spark agrees with Flink."""
    ASSIGNMENT = "ASSIGNMENT"
    """Implicit cast of a value to the column of an INSERT."""


@final
@attrs.frozen
class Cast:
    """Cast to another type.

    Args:
        value: Expression that is cast.
        type: Type of the result.
        mode: Rules of the cast.
    """

    value: TypedExpression
    type: DataType
    mode: CastMode = CastMode.IMPLICIT

    @property
    def parts(self) -> tuple[TypedExpression, ...]:
        """The value."""
        return (self.value,)


@final
@attrs.frozen
class Case:
    """``CASE WHEN ... THEN ... ELSE ... END``.

    Args:
        conditions: Conditions, in order.
        values: One value for each condition.
        otherwise: Value if no condition holds.
        type: Type of all values.
    """

    conditions: tuple[TypedExpression, ...]
    values: tuple[TypedExpression, ...]
    otherwise: TypedExpression
    type: DataType

    @property
    def parts(self) -> tuple[TypedExpression, ...]:
        """Conditions, then values, then the last value."""
        return (*self.conditions, *self.values, self.otherwise)


@final
@attrs.frozen
class UserCall:
    """Call of a user-defined function.

    Args:
        name: Name that the user writes, with its catalog and database where they are written; no part of equality.
        spark_name: Name in Spark, unique in the process.
        arguments: Arguments, cast to the input types of the function.
        type: Type of the result.
        is_deterministic: Whether the same arguments always give the same result.
    """

    name: str = attrs.field(eq=False)
    spark_name: str
    arguments: tuple[TypedExpression, ...]
    type: DataType
    is_deterministic: bool = True

    @property
    def parts(self) -> tuple[TypedExpression, ...]:
        """Arguments."""
        return self.arguments


TypedExpression = ColumnRef | Literal | Interval | FieldAccess | Call | Cast | Case | UserCall

TRUE: Final = Literal(True, DataType.of(Kind.BOOLEAN).not_null())
FALSE: Final = Literal(False, DataType.of(Kind.BOOLEAN).not_null())
NULL: Final = Literal(None, DataType.string())


def is_null(expression: TypedExpression) -> bool:
    """Return whether an expression is the literal NULL."""
    return isinstance(expression, Literal) and expression.value is None


def _walk(expression: TypedExpression) -> Iterator[TypedExpression]:
    """Yield all expressions of a tree, in pre-order."""
    yield expression
    for part in expression.parts:
        yield from _walk(part)


def columns_in(expression: TypedExpression) -> frozenset[int]:
    """Return the positions of the columns that an expression reads.

    Example:
        >>> kind = DataType.of(Kind.INT)
        >>> sorted(columns_in(Call("+", (ColumnRef(3, kind), ColumnRef(1, kind)), kind)))
        [1, 3]
    """
    return frozenset(one.place for one in _walk(expression) if isinstance(one, ColumnRef))


def references_in(expression: TypedExpression) -> Iterator[ColumnRef]:
    """Yield the references to columns in an expression, in their order."""
    return (one for one in _walk(expression) if isinstance(one, ColumnRef))


def user_calls(expression: TypedExpression) -> Iterator[UserCall]:
    """Return the calls of user-defined functions in an expression, with repetitions."""
    return (one for one in _walk(expression) if isinstance(one, UserCall))


def calls_user(expression: TypedExpression) -> bool:
    """Return whether an expression calls a user-defined function."""
    return next(user_calls(expression), None) is not None


def conjunction(conditions: Sequence[TypedExpression]) -> TypedExpression | None:
    """Return the conjunction (``AND``) of conditions; None for no conditions."""
    if len(conditions) < 2:
        return conditions[0] if conditions else None
    return Call("$ALL", tuple(conditions), DataType.of(Kind.BOOLEAN))


def shifted(expression: TypedExpression, by: int) -> TypedExpression:
    """Return the expression over columns whose positions are lower by ``by``.

    Example:
        >>> shifted(ColumnRef(5, DataType.of(Kind.INT)), 3).place
        2
    """
    return renumbered(expression, {place: place - by for place in columns_in(expression)})


def renumbered(expression: TypedExpression, places: Mapping[int, int]) -> TypedExpression:
    """Return the expression over columns at other positions.

    Args:
        expression: Expression.
        places: New position of each column that it reads, by its old one.
    """
    if isinstance(expression, ColumnRef):
        return attrs.evolve(expression, place=places[expression.place])
    return rebuilt(expression, lambda part: renumbered(part, places))


def rebuilt(expression: TypedExpression, change: Callable[[TypedExpression], TypedExpression]) -> TypedExpression:
    """Return the expression with its parts changed."""
    match expression:
        case Call() | UserCall():
            return attrs.evolve(expression, arguments=tuple(map(change, expression.arguments)))
        case Cast() | FieldAccess():
            return attrs.evolve(expression, value=change(expression.value))
        case Case():
            return attrs.evolve(
                expression,
                conditions=tuple(map(change, expression.conditions)),
                values=tuple(map(change, expression.values)),
                otherwise=change(expression.otherwise),
            )
        case _:
            return expression
