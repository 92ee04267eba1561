"""Expressions of MATCH_RECOGNIZE: columns of pattern variables, FIRST and LAST, and aggregates of variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, final

import attrs
from sqlglot import exp

from kafkastream.sql.expressions.aggregate_calls import RequestedAggregate, aggregate_of
from kafkastream.sql.expressions.column_scope import NamedTable, Scope
from kafkastream.sql.expressions.expression_compiler import ExpressionCompiler
from kafkastream.sql.expressions.function_calls import called_name, is_call
from kafkastream.sql.plan.expression import ColumnRef, TypedExpression, columns_in, renumbered
from kafkastream.sql.plan.relations import Field
from kafkastream.sql.plan.time_attribute import TimeAttribute
from kafkastream.sql.types import DataType, Kind

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["AGGREGATE", "MATCH_TIME", "MatchRow", "VariableCompiler"]

_UNSUPPORTED: Final = {
    "CLASSIFIER": "Number the variables yourself: CASE WHEN B.id IS NULL THEN 'A' ELSE 'B' END.",
    "MATCH_NUMBER": "Number the matches by ROW_NUMBER() OVER (PARTITION BY k ORDER BY t) in a query around this one.",
}
MATCH_TIME: Final = -1
"""Position that represents MATCH_ROWTIME."""
AGGREGATE: Final = -2
"""Position that represents the first aggregate; the others follow below it."""


@final
@attrs.frozen
class MatchRow:
    """Row of a match that an expression takes columns of.

    Args:
        variable: Number of the variable; None for all rows of the match.
        offset: Number of rows between the first or last row of the variable and this one.
        is_first: Whether the offset counts from the first row.
    """

    variable: int | None
    offset: int = 0
    is_first: bool = False


@final
class VariableCompiler(ExpressionCompiler):
    """Compiles expressions over the variables of a pattern.

    A column of the result represents a column of some row of the match: ``row_of`` tells which. Columns below zero stand
    for aggregates and MATCH_ROWTIME.

    Args:
        planner: Planner of the query.
        fields: Columns of the input.
        names: Names of the variables.

    Attributes:
        aggregates: Aggregates, each with the number of its variable, over the columns of the input.
    """

    def __init__(self, planner: SelectPlanner, fields: Sequence[Field], names: Sequence[str]) -> None:
        columns = tuple((field.name, index) for index, field in enumerate(fields))
        hidden = frozenset(field.name for field in fields)
        sources = [NamedTable("", columns)]
        for number, name in enumerate(names, start=1):
            moved = tuple((column, number * len(fields) + index) for column, index in columns)
            sources.append(NamedTable(name, moved, hidden=hidden))
        super().__init__(planner.text, Scope(tuple(fields) * len(sources), tuple(sources)), planner.catalog)
        self._width = len(fields)
        self._rows: list[MatchRow] = [MatchRow(None), *(MatchRow(number) for number in range(len(names)))]
        self._time = next((field.type for field in fields if field.time is not None), DataType.of(Kind.TIMESTAMP, 3))
        self.aggregates: dict[tuple[int | None, RequestedAggregate], int] = {}

    def row_of(self, column: int) -> tuple[MatchRow, int]:
        """Return the row that a column of an expression is taken of, and its position in the input."""
        return self._rows[column // self._width], column % self._width

    def compile(self, node: exp.Expr) -> TypedExpression:
        """Compile an expression."""
        if is_call(node, "FIRST", "LAST", "PREV", "NEXT"):
            return self._compile_navigation(node)
        if is_call(node, *_UNSUPPORTED):
            name = called_name(node).upper()
            raise self.text.error(node, f"{name}() is not part of Flink SQL.", _UNSUPPORTED[name])
        if is_call(node, "MATCH_ROWTIME"):
            return self._compile_match_time(node)
        aggregate = aggregate_of(_RowCompiler(self), node)
        return super().compile(node) if aggregate is None else self._compile_aggregate(node, aggregate)

    def _compile_match_time(self, node: exp.Anonymous) -> TypedExpression:
        """Compile ``MATCH_ROWTIME()``, or that of a time column, whose type it has."""
        if not node.expressions:
            return ColumnRef(MATCH_TIME, self._time.not_null())
        column = super().compile(node.expressions[0])
        if not isinstance(column, ColumnRef) or self.scope.fields[column.place].time is not TimeAttribute.EVENT:
            message = "The function MATCH_ROWTIME requires argument to be a row time attribute type."
            raise self.text.error(node, message, "Leave the argument out.")
        return ColumnRef(MATCH_TIME, column.type)

    def _compile_navigation(self, node: exp.Anonymous) -> TypedExpression:
        """Compile ``LAST(A.price * A.tax, 1)``: the expression over one of the rows of a variable."""
        name, arguments = called_name(node).upper(), node.expressions
        if not 1 <= len(arguments) <= 2:
            raise self.text.error(node, f"Invalid number of arguments to function '{name}'.", f"As {name}(A.x, 1).")
        offset = 1 if name in ("PREV", "NEXT") else 0
        if len(arguments) > 1:
            if not (isinstance(arguments[1], exp.Literal) and arguments[1].is_int):
                message = f"The offset of {name} must be a whole number that is not below zero."
                raise self.text.error(arguments[1], message, "Write the number itself.")
            offset = int(arguments[1].name)
        if name in ("PREV", "NEXT") and offset:
            now = "Take the rows of variables: LAST(A.x, 1) is the one before the last row of A."
            raise self.text.error(node, "Flink does not support physical offsets within partition.", now)
        value = _RowCompiler(self).compile(arguments[0])
        variable = self._single_variable(node, value)
        row = MatchRow(variable, offset, name == "FIRST")
        if row not in self._rows:
            self._rows.append(row)
            self.scope = attrs.evolve(self.scope, fields=(*self.scope.fields, *self.scope.fields[: self._width]))
        begin = self._rows.index(row) * self._width
        return renumbered(value, {column: begin + column % self._width for column in columns_in(value)})

    def _compile_aggregate(self, node: exp.Expr, aggregate: RequestedAggregate) -> TypedExpression:
        if aggregate.call.distinct or aggregate.filter is not None:
            message = f"{self.text.shown(node)}: aggregates of MATCH_RECOGNIZE take neither DISTINCT nor FILTER."
            raise self.text.error(node, message, "For FILTER, aggregate CASE WHEN ... THEN x END.")
        variables = {self._single_variable(node, argument) for argument in aggregate.arguments} or {None}
        row_aggregate = attrs.evolve(
            aggregate,
            arguments=tuple(
                renumbered(argument, {column: column % self._width for column in columns_in(argument)})
                for argument in aggregate.arguments
            ),
        )
        key = (variables.pop(), row_aggregate)
        number = self.aggregates.setdefault(key, len(self.aggregates))
        return ColumnRef(AGGREGATE - number, aggregate.call.type)

    def _single_variable(self, node: exp.Expr, value: TypedExpression) -> int | None:
        """Return the variable whose columns a value reads; an error if they are of several."""
        variables = {self.row_of(column)[0].variable for column in columns_in(value)}
        shown = self.text.shown(node)
        if not variables:
            raise self.text.error(node, f"No pattern variable specified in {shown}", "Name a column: LAST(A.x).")
        if len(variables) > 1:
            message = f"{shown} takes more than one pattern variable."
            raise self.text.error(node, message, "Take columns of one variable, and compute with several such calls.")
        return variables.pop()


@final
class _RowCompiler(ExpressionCompiler):
    """Compiles arguments of FIRST, LAST and aggregates: expressions over one row."""

    def __init__(self, compiler: VariableCompiler) -> None:
        super().__init__(compiler.text, compiler.scope, compiler.catalog)

    def compile(self, node: exp.Expr) -> TypedExpression:
        """Compile an expression."""
        if is_call(node, "FIRST", "LAST", "PREV", "NEXT", "MATCH_ROWTIME"):
            message = f"{self.text.shown(node)} is not supported in an aggregate, or in another such call."
            raise self.text.refused(node, message, "Flink ignores it in aggregates: take the column.")
        return super().compile(node)
