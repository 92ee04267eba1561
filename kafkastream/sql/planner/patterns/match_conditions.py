"""Conditions of pattern variables: expressions over one row become input columns, the rest is evaluated while matching."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, final

from sqlglot import exp

from kafkastream.sql.plan.expression import (
    Call,
    Case,
    Cast,
    CastMode,
    ColumnRef,
    FieldAccess,
    Interval,
    IntervalUnit,
    Literal,
    TypedExpression,
    UserCall,
    columns_in,
    is_null,
    rebuilt,
    renumbered,
)
from kafkastream.sql.plan.match_operation import (
    EVALUATED,
    MatchAggregate,
    MatchCondition,
    Navigation,
    Reading,
    ThisRow,
)
from kafkastream.sql.plan.spark_type_names import decimal_of
from kafkastream.sql.planner.patterns.match_expressions import AGGREGATE, MATCH_TIME, MatchRow, VariableCompiler
from kafkastream.sql.type_families import APPROXIMATE, ATOMIC, NUMERIC, STAMPS, TEXT, WHOLE
from kafkastream.sql.types import DataType, Kind

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["InputColumns", "column_reading", "compile_condition"]

_NULL_PROPAGATING: Final = frozenset(
    {
        *("=", "<>", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "NOT", "BETWEEN", "$PARENTHESES", "$NEGATE", "||"),
        *("LIKE", "NOT LIKE", "UPPER", "LOWER", "ABS", "MOD", "CHAR_LENGTH", "CHARACTER_LENGTH", "FLOOR", "CEIL"),
    }
)
"""Functions that are NULL if an argument is, so that their value for a row that does not exist is known to be NULL."""
_ARITHMETIC: Final = frozenset({"+", "-", "*", "/", "%", "$NEGATE", "ABS"})
_INTEGER_KINDS: Final = (Kind.TINYINT, Kind.SMALLINT, Kind.INT, Kind.BIGINT)


@final
class InputColumns:
    """Columns of the input of a pattern match: those of the table, then computed ones.

    Args:
        columns: References to the columns of the table.

    Attributes:
        expressions: Expressions of all columns over the table.
    """

    def __init__(self, columns: Sequence[TypedExpression]) -> None:
        self.expressions = list(columns)

    def column_index(self, expression: TypedExpression) -> int:
        """Return the position of an expression, which becomes a column if it is none."""
        if expression not in self.expressions:
            self.expressions.append(expression)
        return self.expressions.index(expression)


def compile_condition(
    planner: SelectPlanner, node: exp.Expr, compiler: VariableCompiler, number: int, columns: InputColumns
) -> MatchCondition:
    """Compile the condition of a variable.

    Args:
        planner: Planner of the query.
        node: The condition.
        compiler: Compiler of expressions over the variables.
        number: Number of the variable.
        columns: Columns of the input, to which those are added that the condition needs.

    Raises:
        DefinitionError: The condition is invalid.
        UnsupportedFeatureError: The condition needs a function of values of several rows that is not supported.
    """
    value = compiler.compile(node)
    if value.type.kind is not Kind.BOOLEAN:
        message = f"The condition of a pattern variable must be BOOLEAN, not {value.type}."
        raise planner.text.error(node, message, "Compare it with something.")
    splitting = _ConditionSplitter(planner, node, compiler, number, columns)
    expression = splitting.split(value)
    return MatchCondition(tuple(splitting.readings), expression)


def column_reading(planner: SelectPlanner, compiler: VariableCompiler, column: int, columns: InputColumns) -> Reading:
    """Return the reading for a column of an expression of MEASURES, or of DEFINE."""
    if column <= AGGREGATE:
        variable, aggregate = list(compiler.aggregates)[AGGREGATE - column]
        for input_ in aggregate.inputs:
            columns.column_index(input_)
        return MatchAggregate(variable, aggregate.placed(columns.expressions, planner.zone))
    row, index = compiler.row_of(column)
    return Navigation(row.variable, index, row.offset, row.is_first)


@final
class _ConditionSplitter:
    """Splits a condition into readings, each a value of one row, and an expression over them."""

    def __init__(
        self, planner: SelectPlanner, node: exp.Expr, compiler: VariableCompiler, number: int, columns: InputColumns
    ) -> None:
        self._planner = planner
        self._node = node
        self._compiler = compiler
        self._number = number
        self._columns = columns
        self.readings: dict[Reading, int] = {}

    def split(self, expression: TypedExpression) -> TypedExpression:
        """Return an expression over readings."""
        if isinstance(expression, Literal):
            return expression
        reading = self._reading(expression)
        if reading is not None:
            index = self.readings.setdefault(reading, len(self.readings))
            return ColumnRef(index, expression.type)
        self._check_computable(expression)
        return rebuilt(expression, self.split)

    def _reading(self, expression: TypedExpression) -> Reading | None:
        """Return the reading that gives the value of an expression; None if it needs several rows."""
        columns = columns_in(expression)
        if isinstance(expression, ColumnRef) and expression.place == MATCH_TIME:
            message = "MATCH_ROWTIME() is only known when a match has been found."
            raise self._planner.text.error(self._node, message, "Take it in MEASURES, or take the time column here.")
        if isinstance(expression, ColumnRef) and expression.place <= AGGREGATE:
            return column_reading(self._planner, self._compiler, expression.place, self._columns)
        if isinstance(expression, Interval) or any(column < 0 for column in columns):
            return None
        rows = {self._compiler.row_of(column)[0] for column in columns}
        row_expression = renumbered(expression, {column: self._compiler.row_of(column)[1] for column in columns})
        if rows <= {MatchRow(None), MatchRow(self._number)}:
            return ThisRow(self._columns.column_index(row_expression))
        if len(rows) == 1 and _is_strict(expression):
            (row,) = rows
            return Navigation(row.variable, self._columns.column_index(row_expression), row.offset, row.is_first)
        return None

    def _check_computable(self, expression: TypedExpression) -> None:
        """Refuse functions that the matching operator does not compute as Flink does."""
        message: str | None = None
        match expression:
            case Call(function=function):
                if function not in EVALUATED or not _is_computable(expression):
                    message = function
            case UserCall(name=name):
                message = name
            case Cast(value=value, type=type_) if (
                not _is_widening(value, type_) or expression.mode is CastMode.TRY_CAST
            ):
                message = f"CAST from {value.type} to {type_}"
            case Interval(unit=IntervalUnit.MONTH):
                message = "An INTERVAL of months"
            case FieldAccess():
                message = "The field of a ROW"
            case Case() | Cast() | Interval() | Literal() | ColumnRef():
                pass
        if message is not None:
            now = "Compute it for each row, of columns of one variable or in a query in FROM, and compare the results here."
            raise self._planner.text.refused(
                self._node, f"{message} is not supported in DEFINE on values of several rows.", now
            )


def _is_strict(expression: TypedExpression) -> bool:
    """Return whether an expression is NULL if all its columns are."""
    match expression:
        case ColumnRef():
            return True
        case Call(function=function, arguments=arguments) if function in _NULL_PROPAGATING:
            return any(columns_in(argument) and _is_strict(argument) for argument in arguments)
        case Cast(value=value) | FieldAccess(value=value):
            return _is_strict(value)
        case _:
            return False


def _is_computable(call: Call) -> bool:
    """Return whether the operator computes a supported call with arguments of these types as Flink does."""
    kinds = {argument.type.kind for argument in call.arguments if not is_null(argument)}
    if call.function not in _ARITHMETIC:
        return kinds <= ATOMIC
    return kinds <= NUMERIC or kinds <= STAMPS | {Kind.INTERVAL_DAY_SECOND}


def _is_widening(value: TypedExpression, type_: DataType) -> bool:
    """Return whether another type holds each value of an expression unchanged."""
    source = value.type
    if is_null(value) or {source.kind, type_.kind} <= TEXT:
        return True
    if source.kind in WHOLE and type_.kind in WHOLE:
        return _INTEGER_KINDS.index(source.kind) <= _INTEGER_KINDS.index(type_.kind)
    if type_.kind is Kind.DECIMAL and source.kind not in APPROXIMATE:
        source_type = decimal_of(source)
        has_scale = (source_type.scale or 0) <= (type_.scale or 0)
        return has_scale and (source_type.size or 0) - (source_type.scale or 0) <= (type_.size or 0) - (
            type_.scale or 0
        )
    if type_.kind in APPROXIMATE:
        return source.kind in NUMERIC and (type_.kind is Kind.DOUBLE or source.kind in WHOLE | {Kind.FLOAT})
    return source.nullable() == type_.nullable()
