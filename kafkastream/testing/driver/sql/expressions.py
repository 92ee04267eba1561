"""Expressions of a query, computed in Python with Flink's results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, final
from zoneinfo import ZoneInfo

import attrs
import pyarrow as pa

from kafkastream.model.common.immutable import FrozenMap
from kafkastream.operators.table.patterns.computed_values import Computation, computation, unless_null
from kafkastream.spark.sql.functions.function_columns import column_by_rows, of_series, of_tables
from kafkastream.spark.sql.rows.arrow_types import arrow_type
from kafkastream.spark.sql.rows.wire_values import array_of, values_of
from kafkastream.spark.worker.failures import function_failed
from kafkastream.sql.plan.expression import (
    Call,
    Case,
    Cast,
    CastMode,
    FieldAccess,
    Interval,
    IntervalUnit,
    TypedExpression,
    UserCall,
    is_null,
)
from kafkastream.sql.plan.functions.window_functions import OF_PAIRS
from kafkastream.sql.plan.match_operation import EVALUATED
from kafkastream.sql.session_functions import NamedFunction
from kafkastream.sql.type_families import BYTES, INTERVALS, NUMERIC, TEXT
from kafkastream.sql.types import DataType, Kind
from kafkastream.sql.user_functions import (
    FunctionContext,
    FunctionKind,
    ScalarFunction,
    TableFunction,
    UserDefinedFunction,
)
from kafkastream.testing.driver.sql.casts import NotInPythonError, conversion
from kafkastream.testing.driver.sql.functions import FUNCTIONS, add_months

__all__ = ["NOW", "PythonExpressions", "UserFunctions"]

_MICROS: Final = {IntervalUnit.MILLISECOND: 1_000, IntervalUnit.DAY: 86_400_000_000}
_COMPARED: Final = frozenset(
    {"=", "<>", "<", "<=", ">", ">=", "BETWEEN", "IN", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"}
)
_ARITHMETIC: Final = frozenset({"+", "-", "*", "/", "%", "MOD", "ABS", "$NEGATE"})
_ALIKE: Final = frozenset({Kind.BOOLEAN, Kind.DATE, Kind.TIME, Kind.TIMESTAMP, Kind.TIMESTAMP_LTZ})
"""Kinds whose values are compared with those of the same kind only."""
NOW: Final = frozenset({"PROCTIME", "CURRENT_TIMESTAMP", "NOW", "CURRENT_ROW_TIMESTAMP"})
"""Functions that return the processing time."""
_OF_LOCAL_TIMES: Final = (
    *("EXTRACT ", "DATE_FORMAT", "YEAR", "QUARTER", "MONTH", "WEEK", "DAYOF", "HOUR", "MINUTE", "SECOND"),
)
"""Beginnings of the names of functions of a time's parts."""
_DAY: Final = 86_400_000_000
_LOCAL_TIMES: Final = {"LOCALTIMESTAMP", "CURRENT_DATE"}
_INSTANT: Final = DataType.of(Kind.TIMESTAMP_LTZ, 3)


@final
class UserFunctions:
    """The user-defined functions of a job, opened once, and called as Spark's workers call them.

    Args:
        functions: Functions by their names in Spark.
        parameters: Global job parameters.
    """

    def __init__(self, functions: Mapping[str, NamedFunction], parameters: Mapping[str, str] = FrozenMap()) -> None:
        self._functions = functions
        self._parameters = parameters
        self._opened: dict[str, Callable[..., Any]] = {}

    def named(self, spark_name: str) -> NamedFunction:
        """Return a function by its name in Spark."""
        return self._functions[spark_name]

    def close(self) -> None:
        """Close the functions.

        Raises:
            UserFunctionError: A ``close`` raised.
        """
        for spark_name in self._opened:
            named = self._functions[spark_name]
            if isinstance(named.function.function, UserDefinedFunction):
                with function_failed(named.name, "close", "function"):
                    named.function.function.close()

    def opened(self, spark_name: str) -> Callable[..., Any]:
        """Return the function to call, after its ``open``.

        Raises:
            UserFunctionError: ``open`` raised.
        """
        if spark_name not in self._opened:
            named = self._functions[spark_name]
            function = named.function.function
            if isinstance(function, UserDefinedFunction):
                with function_failed(named.name, "open", "function"):
                    function.open(FunctionContext(self._parameters))
            self._opened[spark_name] = (
                function.eval if isinstance(function, ScalarFunction | TableFunction) else function  # type: ignore[assignment]
            )
        return self._opened[spark_name]


@final
@attrs.frozen
class PythonExpressions:
    """Computes expressions of a query in Python.

    Args:
        functions: User-defined functions.
        zone: Time zone of the session.
        now: Returns the processing time, in ms.
        skips_functions: Whether user-defined functions are not called; their results are NULL.
    """

    functions: UserFunctions
    zone: str
    now: Callable[[], int]
    skips_functions: bool = False

    def computation(self, expression: TypedExpression) -> Computation:
        """Return the computation of an expression over the columns of a row.

        Raises:
            NotInPythonError: A part of it is computed by Spark alone.
        """
        return computation(expression, self._own)

    def _own(self, expression: TypedExpression) -> Computation | None:
        match expression:
            case Cast(value=value) if is_null(value):
                return lambda _: None
            case Cast():
                return unless_null(conversion(expression, ZoneInfo(self.zone)), [self.computation(expression.value)])
            case Case():
                return self._case(expression)
            case FieldAccess(value=value, name=name):
                index = [field.name for field in value.type.fields].index(name)
                return unless_null(lambda row: row[index], [self.computation(value)])
            case UserCall():
                return self._user_call(expression)
            case Interval(unit=unit) if unit not in _MICROS:
                raise NotInPythonError("INTERVAL of months or years")
            case Call():
                return self._call(expression)
            case _:
                return None

    def _call(self, call: Call) -> Computation | None:
        """Return the computation of a call; None if ``computed_values`` has it."""
        name, kinds = call.function, {argument.type.kind for argument in call.arguments if not is_null(argument)}
        if name in _COMPARED:
            if not (kinds <= NUMERIC or kinds <= TEXT or kinds <= BYTES or (len(kinds) == 1 and kinds <= _ALIKE)):
                raise _of_types(call)
            return None
        if name in _ARITHMETIC:
            return self._arithmetic(call, kinds)
        if name in FUNCTIONS:
            return self._built_in(call)
        if name in NOW:
            return lambda _: self.now() * 1_000
        if name in _LOCAL_TIMES:
            return self.computation(Cast(Call("NOW", (), _INSTANT), call.type, CastMode.CAST))
        choice = self._choice(call)
        if choice is None and name not in EVALUATED:
            raise NotInPythonError(name.removeprefix("$"))
        return choice

    def _choice(self, call: Call) -> Computation | None:
        """Return the computation of a function that chooses argument of its arguments; None for other functions."""
        match call.function:
            case "COALESCE" | "IFNULL":
                parts = [self._as_type(argument, call.type) for argument in call.arguments]
                return lambda row: next((value for part in parts if (value := part(row)) is not None), None)
            case "NULLIF":
                value = self.computation(call.arguments[0])
                equal = self.computation(Call("=", call.arguments, DataType.of(Kind.BOOLEAN)))
                return lambda row: None if equal(row) is True else value(row)
            case "IF":
                condition, *branches = call.arguments
                return self._case(Case((condition,), (branches[0],), branches[1], call.type))
            case "$UNLESS_NULL":
                checked, failure, result = map(self.computation, call.arguments)
                return lambda row: failure(row) if checked(row) is None else result(row)
            case name if name == OF_PAIRS:
                part, condition_of_pairs = map(self.computation, call.arguments)
                return lambda row: condition_of_pairs(row) if part(row) == 0 else True
            case _:
                return None

    def _arithmetic(self, call: Call, kinds: set[Kind]) -> Computation | None:
        if kinds <= NUMERIC:
            if call.function == "MOD":
                return self.computation(attrs.evolve(call, function="%"))
            return None
        if call.function in {"+", "-"} and kinds <= {Kind.TIMESTAMP, Kind.INTERVAL_DAY_SECOND}:
            return None
        if call.function in {"+", "-"} and kinds <= {Kind.TIMESTAMP_LTZ, Kind.INTERVAL_DAY_SECOND}:
            return None  # days have 24 hours, as in Flink
        if call.function == "$NEGATE" and kinds <= INTERVALS:
            return None
        moved = self._moved(call) if call.function in {"+", "-"} and len(call.arguments) == 2 else None
        if moved is None:
            raise _of_types(call)
        return moved

    def _moved(self, call: Call) -> Computation | None:
        """Return a TIMESTAMP plus months, or a DATE plus months or days; None for other sums."""
        time, interval = call.arguments
        if not isinstance(interval, Interval) or time.type.kind not in {Kind.TIMESTAMP, Kind.DATE}:
            return None
        amount = interval.amount if call.function == "+" else -interval.amount
        is_date = time.type.kind is Kind.DATE
        if interval.unit is IntervalUnit.MONTH:
            unit = _DAY if is_date else 1
            return unless_null(lambda value: add_months(value * unit, amount) // unit, [self.computation(time)])
        if interval.unit is IntervalUnit.DAY and is_date:
            return unless_null(lambda value: value + amount, [self.computation(time)])
        return None

    def _built_in(self, call: Call) -> Computation:
        call = self._in_local_time(call)
        function = FUNCTIONS[call.function]
        types = [argument.type for argument in call.arguments]
        made = function.make(call) if function.accepts(types) else None
        if made is None:
            raise _of_types(call)
        parts = [self.computation(argument) for argument in call.arguments]
        if call.function in {"$ARRAY", "ROW"}:
            inner = call.type.parts * len(parts) if call.function == "$ARRAY" else [f.type for f in call.type.fields]
            parts = [self._as_type(argument, type_) for argument, type_ in zip(call.arguments, inner, strict=True)]
        if function.takes_null:
            call_with_nulls = made
            return lambda row: call_with_nulls(*(part(row) for part in parts))
        return unless_null(made, parts)

    def _in_local_time(self, call: Call) -> Call:
        """Return a call for parts of an instant as argument for those of the time that the session's clock shows then."""
        if not call.function.startswith(_OF_LOCAL_TIMES):
            return call
        arguments = [
            Cast(argument, DataType.of(Kind.TIMESTAMP, argument.type.size), CastMode.CAST)
            if argument.type.kind is Kind.TIMESTAMP_LTZ
            else argument
            for argument in call.arguments
        ]
        return attrs.evolve(call, arguments=tuple(arguments))

    def _case(self, case: Case) -> Computation:
        conditions = [self.computation(condition) for condition in case.conditions]
        values = [self._as_type(value, case.type) for value in case.values]
        otherwise = self._as_type(case.otherwise, case.type)

        def chosen(row: Sequence[Any]) -> Any:
            for condition, value in zip(conditions, values, strict=True):
                if condition(row) is True:
                    return value(row)
            return otherwise(row)

        return chosen

    def _as_type(self, expression: TypedExpression, type_: DataType) -> Computation:
        """Return the computation of a value that is widened to the type of CASE, COALESCE and their like."""
        if is_null(expression):
            return lambda _: None
        if expression.type.kind in TEXT and type_.kind in TEXT:
            return self.computation(expression)
        return self.computation(Cast(expression, type_, CastMode.IMPLICIT))

    def _user_call(self, call: UserCall) -> Computation:
        if self.skips_functions:
            return lambda _: None
        named = self.functions.named(call.spark_name)
        function = named.function
        kind = function.call_type
        arrow = arrow_type(kind, self.zone)
        takes = [arrow_type(argument.type, self.zone) for argument in call.arguments]
        parts = [self.computation(argument) for argument in call.arguments]
        results = (
            of_tables if function.kind is FunctionKind.TABLE else of_series if function.is_pandas else column_by_rows
        )

        def called(row: Sequence[Any]) -> Any:
            columns = [array_of([part(row)], type_) for part, type_ in zip(parts, takes, strict=True)]
            column: pa.Array = results(named.name, self.functions.opened(call.spark_name), columns, 1, kind, arrow)
            return values_of(column)[0]

        return called


def _of_types(call: Call) -> NotInPythonError:
    types = ", ".join(str(argument.type.nullable()) for argument in call.arguments)
    return NotInPythonError(f"{call.function.removeprefix('$')}({types})")
