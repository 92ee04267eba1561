"""Prints typed expressions as Spark SQL; the only place that does.

Columns are ``c0``, ``c1`` and so on.
Checkpoints store this text for everything below a stateful operation (``state_description``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, final

import attrs

from kafkastream.sql.plan.casts import cast_text
from kafkastream.sql.plan.expression import (
    Call,
    Case,
    Cast,
    ColumnRef,
    FieldAccess,
    Interval,
    Literal,
    TypedExpression,
    UserCall,
)
from kafkastream.sql.plan.functions import FUNCTIONS
from kafkastream.sql.plan.functions.window_functions import FAILURE, OF_PAIRS
from kafkastream.sql.plan.functions.wrapped_numbers import wrapped_text, wraps
from kafkastream.sql.plan.functions.written_values import interval_text
from kafkastream.sql.plan.relations import column
from kafkastream.sql.plan.spark_type_names import quoted_text, spark_type
from kafkastream.sql.quoting import quoted
from kafkastream.sql.type_families import TEXT
from kafkastream.sql.types import Kind

__all__ = ["KEPT", "EvaluationCounter", "SparkPrinter", "spark_text"]

KEPT: Final = "__kept"
"""Column that marks the rows of the query; others only carry event time.

Spark calls a Python function for every row of a DataFrame, even inside of CASE. So a function gets this column first,
and skips all other rows.
"""
_MARK: Final = "\0"
_SUFFIXES: Final = {Kind.BIGINT: "L", Kind.DECIMAL: "BD", Kind.DOUBLE: "D"}


def spark_text(expression: TypedExpression) -> str:
    """Spark SQL of an expression.

    Example:
        >>> from kafkastream.sql.plan.functions import call
        >>> from kafkastream.sql.types import DataType
        >>> print(spark_text(call("*", ColumnRef(0, DataType.of(Kind.DOUBLE)), ColumnRef(1, DataType.of(Kind.DOUBLE)))))
        (c0 * c1)
    """
    return _PLAIN.text(expression)


@final
@attrs.frozen
class SparkPrinter:
    """Prints typed expressions as Spark SQL.

    Args:
        columns: Returns the name of the column at a position.
        kept: Column that user-defined functions get as first argument; empty if the text is only shown to users, with
            the users' names of functions, and with sums that do not tell how they wrap around.
        shows_failures: Whether to print the texts of failures, which may change between versions; NULL otherwise.
    """

    columns: Callable[[int], str] = column
    kept: str = KEPT
    shows_failures: bool = True

    def text(self, expression: TypedExpression) -> str:
        """Spark SQL of an expression."""
        match expression:
            case ColumnRef(place=place):
                return self.columns(place)
            case Literal():
                return _literal(expression)
            case Interval():
                return interval_text(expression)
            case FieldAccess(value=value, name=name):
                inner = self.text(value)
                return f"{inner}.{quoted(name)}" if _is_path(value) else f"({inner}).{quoted(name)}"
            case Cast(value=value):
                return cast_text(expression, self.text(value), runs=bool(self.kept))
            case Call(function=function) if function == OF_PAIRS and self.kept:
                return self._of_pairs(expression)
            case Call() if self.kept and wraps(expression):
                return wrapped_text(expression, self.text)
            case _:
                return self._called(expression, list(map(self.text, expression.parts)))

    def _of_pairs(self, expression: Call) -> str:
        """Print a condition on pairs, for which functions skip all rows that are not pairs."""
        part, condition = expression.arguments
        flag = self.text(part)
        return FUNCTIONS[OF_PAIRS].write(
            expression, [flag, attrs.evolve(self, kept=f"({self.kept} and {flag} = 0)").text(condition)]
        )

    def _called(self, expression: Call | Case | UserCall, texts: Sequence[str]) -> str:
        match expression:
            case Case(conditions=conditions):
                count = len(conditions)
                return _case(texts[:count], texts[count:-1], texts[-1])
            case UserCall():
                given = [self.kept, *texts] if self.kept else texts
                return f"{expression.spark_name if self.kept else expression.name}({', '.join(given)})"
            case Call(function=function):
                hides = function == FAILURE and not self.shows_failures
                found = FUNCTIONS[function]
                write = found.runs if found.runs and self.kept else found.write
                return "null" if hides else write(expression, texts)


_PLAIN: Final = SparkPrinter()


def _is_path(expression: TypedExpression) -> bool:
    """Return whether an expression is a column, or a field of one."""
    while isinstance(expression, FieldAccess):
        expression = expression.value
    return isinstance(expression, ColumnRef)


def _literal(literal: Literal) -> str:
    match literal.value:
        case None:
            return "null"
        case bool(value):
            return "true" if value else "false"
        case str(value) if literal.type.kind in TEXT:
            return quoted_text(value)
        case value if literal.type.kind is Kind.DECIMAL and str(value).startswith("0"):
            return f"cast({value}BD as {spark_type(literal.type)})"
        case value:
            return f"{value}{_SUFFIXES.get(literal.type.kind, '')}"


def _case(conditions: Sequence[str], values: Sequence[str], otherwise: str) -> str:
    branches = " ".join(f"when {when} then {value}" for when, value in zip(conditions, values, strict=True))
    return f"case {branches} else {otherwise} end"


@final
class EvaluationCounter:
    """Counts, for a row, the calls of user-defined functions that are not deterministic.

    The Spark SQL of a built-in function may repeat an argument. Parts of a counted expression are not counted again.
    """

    def __init__(self) -> None:
        self._counted: dict[int, tuple[TypedExpression, int]] = {}

    def __call__(self, expression: TypedExpression) -> int:
        """Number of calls."""
        if id(expression) not in self._counted:
            self._counted[id(expression)] = expression, self._count(expression)
        return self._counted[id(expression)][1]

    def _count(self, expression: TypedExpression) -> int:
        own = int(isinstance(expression, UserCall) and not expression.is_deterministic)
        return own + sum(
            times * uses
            for place, part in enumerate(expression.parts)
            if (times := self(part)) and (uses := _uses(expression, place))
        )


def _uses(expression: TypedExpression, place: int) -> int:
    """Return how often the Spark SQL of an expression repeats one of its parts."""
    texts = [_MARK if one == place else "" for one in range(len(expression.parts))]
    match expression:
        case Call(function=function):
            found = FUNCTIONS[function]
            return (found.runs or found.write)(expression, texts).count(_MARK)
        case Cast():
            return cast_text(expression, _MARK).count(_MARK)
        case _:
            return 1
