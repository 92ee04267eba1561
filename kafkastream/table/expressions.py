"""Factories of the Table API's expressions, at PyFlink's path."""

from __future__ import annotations

from typing import Any, Final, NoReturn

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.sql.catalog import name_of
from kafkastream.sql.expressions.aggregate_names import AGGREGATES
from kafkastream.sql.types import DataType
from kafkastream.sql.user_functions import UserFunction
from kafkastream.table.api.constructors import (
    built_in,
    joined,
    json,
    json_array,
    json_array_agg,
    json_object,
    json_object_agg,
    json_string,
    ranges_of,
)
from kafkastream.table.api.expression_tree import (
    Aggregate,
    ColumnNode,
    Columns,
    Form,
    NamedCall,
    PythonCall,
    Strength,
    Text,
)
from kafkastream.table.api.literals import literal_of, typed_literal
from kafkastream.table.api.time_constructors import (
    convert_tz,
    current_date,
    current_time,
    current_timestamp,
    current_watermark,
    date_format,
    from_unixtime,
    local_time,
    local_timestamp,
    source_watermark,
    temporal_overlaps,
    timestamp_diff,
    to_date,
    to_timestamp,
    to_timestamp_ltz,
    unix_timestamp,
)
from kafkastream.table.api.tree_methods import given, node_of
from kafkastream.table.api.value_constructors import (
    array,
    atan2,
    coalesce,
    concat,
    concat_ws,
    e,
    if_then_else,
    log,
    map_,
    map_from_arrays,
    negative,
    null_of,
    pi,
    rand,
    rand_integer,
    row,
    uuid,
)
from kafkastream.table.expression import Expression

__all__ = [
    "CURRENT_RANGE",
    "CURRENT_ROW",
    "UNBOUNDED_RANGE",
    "UNBOUNDED_ROW",
    "Expression",
    "and_",
    "array",
    "atan2",
    "call",
    "call_sql",
    "coalesce",
    "col",
    "concat",
    "concat_ws",
    "convert_tz",
    "current_database",
    "current_date",
    "current_time",
    "current_timestamp",
    "current_watermark",
    "date_format",
    "e",
    "from_unixtime",
    "if_then_else",
    "json",
    "json_array",
    "json_array_agg",
    "json_object",
    "json_object_agg",
    "json_string",
    "lag",
    "lead",
    "lit",
    "local_time",
    "local_timestamp",
    "log",
    "map_",
    "map_from_arrays",
    "negative",
    "not_",
    "null_of",
    "object_of",
    "or_",
    "pi",
    "rand",
    "rand_integer",
    "range_",
    "row",
    "row_interval",
    "source_watermark",
    "temporal_overlaps",
    "timestamp_diff",
    "to_date",
    "to_timestamp",
    "to_timestamp_ltz",
    "unix_timestamp",
    "uuid",
    "with_all_columns",
    "with_columns",
    "without_columns",
]

CURRENT_RANGE: Final[Expression[Any]] = Expression(Text("CURRENT_RANGE"))
"""Upper bound of an over window: the rows with the time of the current one."""
CURRENT_ROW: Final[Expression[Any]] = Expression(Text("CURRENT_ROW"))
"""Upper bound of an over window: the current row."""
UNBOUNDED_RANGE: Final[Expression[Any]] = Expression(Text("UNBOUNDED_RANGE"))
"""Lower bound of an over window: the first row, with ranges of time."""
UNBOUNDED_ROW: Final[Expression[Any]] = Expression(Text("UNBOUNDED_ROW"))
"""Lower bound of an over window: the first row, with counts of rows."""


def col(name: str) -> Expression[Any]:
    """Refer to a column by its name; ``*`` is all columns."""
    return Expression(Columns() if name == "*" else ColumnNode(name))


def lit(v: Any, data_type: DataType | None = None) -> Expression[Any]:
    """Return a literal.

    Args:
        v: Value: a number, a string, a date or time, a list and so on; None is NULL.
        data_type: Type of the literal, NOT NULL unless ``v`` is None. By default, the type that Flink derives from the
            value.

    Raises:
        DefinitionError: Flink derives no type from the value, or the type allows NULL and the value is not NULL.
    """
    return Expression(literal_of(v) if data_type is None else typed_literal(v, data_type))


def range_(start: str | int, end: str | int) -> Expression[Any]:
    """Return a range of columns, for ``with_columns`` and ``without_columns``.

    Args:
        start: First column, by its name or its number from 1.
        end: Last column, included.
    """
    return Expression(Columns(((start, end),)))


def and_(predicate0: Any, predicate1: Any, *predicates: Any) -> Expression[Any]:
    """Return whether all conditions are true.

    Args:
        predicate0: First condition.
        predicate1: Second condition.
        predicates: Further conditions.
    """
    return joined("AND", Strength.AND, predicate0, predicate1, *predicates)


def or_(predicate0: Any, predicate1: Any, *predicates: Any) -> Expression[Any]:
    """Return whether at least one condition is true.

    Args:
        predicate0: First condition.
        predicate1: Second condition.
        predicates: Further conditions.
    """
    return joined("OR", Strength.OR, predicate0, predicate1, *predicates)


def not_(expression: Any) -> Expression[Any]:
    """Invert the condition ``expression``; NULL stays NULL."""
    return Expression(Form("NOT {0}", (node_of(expression),), Strength.NOT, (Strength.COMPARISON,)))


def current_database() -> Expression[Any]:
    """Return the name of the current database."""
    return built_in("CURRENT_DATABASE")


def row_interval(rows: int) -> Expression[Any]:
    """Make a number of rows, for over windows and for group windows by processing time."""
    return Expression(Text(f"{rows} ROWS", value=rows))


def with_all_columns() -> Expression[Any]:
    """Select all columns."""
    return Expression(Columns())


def with_columns(head: Any, *tails: Any) -> Expression[Any]:
    """Select columns, for example in ``Table.select``.

    Args:
        head: Column, number of a column from 1, or range of columns (``range_``).
        tails: Further columns, numbers or ranges.

    Raises:
        DefinitionError: An argument is none of these.
    """
    return Expression(Columns(ranges_of("with_columns", head, *tails)))


def without_columns(head: Any, *tails: Any) -> Expression[Any]:
    """Select all columns except some.

    Args:
        head: Excluded column, number of a column from 1, or range of columns (``range_``).
        tails: Further excluded columns, numbers or ranges.

    Raises:
        DefinitionError: An argument is none of these.
    """
    return Expression(Columns(ranges_of("without_columns", head, *tails), others=True))


def lag(expr: Any, offset: Any = 1, default: Any = None) -> Expression[Any]:
    """Return the value of an earlier row of an over window.

    Args:
        expr: Value.
        offset: Number of rows before the current one, as a literal; by default 1.
        default: Result if there is no such row, of the type of ``expr``; by default NULL.
    """
    return Expression(Aggregate("LAG", given(expr, offset, default)))


def lead(expr: Any, offset: Any = 1, default: Any = None) -> Expression[Any]:
    """Return the value of a later row of an over window.

    Warning:
        Streams have no later rows: as in Flink, a query with ``lead`` is refused in streaming mode.

    Args:
        expr: Value.
        offset: Number of rows after the current one; by default 1.
        default: Result if there is no such row; by default NULL.
    """
    return Expression(Aggregate("LEAD", given(expr, offset, default)))


def call_sql(sql_expression: str) -> Expression[Any]:
    """Return an expression that is written in SQL, such as ``call_sql("CASE WHEN a > 1 THEN 'x' ELSE 'y' END")``."""
    return Expression(Text(sql_expression, Strength.ANYTHING))


def object_of(class_name: str, *args: Any) -> NoReturn:
    """Refused: objects of Java's classes do not exist here.

    Raises:
        UnsupportedFeatureError: Always.
    """
    raise UnsupportedFeatureError(
        "objects of Java's classes", where=f"object_of({class_name!r})", now="Make a row: row(...)."
    )


def call(f: str | UserFunction, *args: Any) -> Expression[Any]:
    """Call a function.

    Args:
        f: Function made by ``udf``, ``udtf`` or ``udaf``; or the name of a function, with or without catalog and
            database.
        args: Arguments.

    Example:
        >>> str(call("upper", col("name")))
        'upper(`name`)'
    """
    if isinstance(f, UserFunction):
        return Expression(PythonCall(f, given(*args)))
    if f.upper() in AGGREGATES:
        return Expression(Aggregate(f.upper(), given(*args)))
    return Expression(NamedCall(name_of(f), given(*args)))
