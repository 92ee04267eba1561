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
    listed,
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
from kafkastream.table.api.literals import literal_of, null_of_type, typed_literal
from kafkastream.table.api.tree_methods import given, node_of
from kafkastream.table.expression import Expression, TimePointUnit

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
    """Make a literal of a value, with the type that Flink derives from it or a declared one."""
    return Expression(literal_of(v) if data_type is None else typed_literal(v, data_type))


def range_(start: str | int, end: str | int) -> Expression[Any]:
    """Make a range of columns, by names or by numbers from 1, for ``with_columns``."""
    return Expression(Columns(((start, end),)))


def and_(predicate0: Any, predicate1: Any, *predicates: Any) -> Expression[Any]:
    """Combine conditions of which all must hold."""
    return joined("AND", Strength.AND, predicate0, predicate1, *predicates)


def or_(predicate0: Any, predicate1: Any, *predicates: Any) -> Expression[Any]:
    """Combine conditions of which one must hold."""
    return joined("OR", Strength.OR, predicate0, predicate1, *predicates)


def not_(expression: Any) -> Expression[Any]:
    """Invert a condition; NULL stays NULL."""
    return Expression(Form("NOT {0}", (node_of(expression),), Strength.NOT, (Strength.COMPARISON,)))


def current_database() -> Expression[Any]:
    """Return the name of the current database."""
    return built_in("CURRENT_DATABASE")


def current_date() -> Expression[Any]:
    """Return the date in the session's time zone."""
    return Expression(Text("CURRENT_DATE"))


def current_time() -> Expression[Any]:
    """Return the time of day in the session's time zone."""
    return Expression(Text("CURRENT_TIME"))


def current_timestamp() -> Expression[Any]:
    """Return the instant, as TIMESTAMP_LTZ(3)."""
    return Expression(Text("CURRENT_TIMESTAMP"))


def current_watermark(rowtimeAttribute: Any) -> Expression[Any]:  # noqa: N803 - PyFlink's
    """Return the watermark of an event-time column."""
    return built_in("CURRENT_WATERMARK", rowtimeAttribute)


def local_time() -> Expression[Any]:
    """Return the time of day in the session's time zone."""
    return Expression(Text("LOCALTIME"))


def local_timestamp() -> Expression[Any]:
    """Return date and time in the session's time zone, as TIMESTAMP(3)."""
    return Expression(Text("LOCALTIMESTAMP"))


def to_date(date_str: Any, format: Any = None) -> Expression[Any]:  # noqa: A002 - PyFlink's
    """Parse a date, by default ``yyyy-MM-dd``."""
    return built_in("TO_DATE", date_str, format)


def to_timestamp(timestamp_str: Any, format: Any = None) -> Expression[Any]:  # noqa: A002 - PyFlink's
    """Parse a TIMESTAMP(3), by default ``yyyy-MM-dd HH:mm:ss``."""
    return built_in("TO_TIMESTAMP", timestamp_str, format)


def to_timestamp_ltz(*args: Any) -> Expression[Any]:
    """Make a TIMESTAMP_LTZ of a number and its precision, or of a text with a format and a time zone."""
    return built_in("TO_TIMESTAMP_LTZ", *args)


def temporal_overlaps(
    left_time_point: Any, left_temporal: Any, right_time_point: Any, right_temporal: Any
) -> Expression[Any]:
    """Return whether two periods overlap, each given by its start and its end or length."""
    return Expression(
        Form(
            "({0}, {1}) OVERLAPS ({2}, {3})",
            given(left_time_point, left_temporal, right_time_point, right_temporal),
            Strength.COMPARISON,
        )
    )


def date_format(timestamp: Any, format: Any) -> Expression[Any]:  # noqa: A002 - PyFlink's
    """Format a time."""
    return built_in("DATE_FORMAT", timestamp, format)


def timestamp_diff(time_point_unit: TimePointUnit, time_point1: Any, time_point2: Any) -> Expression[Any]:
    """Return the number of units from one time to another."""
    return Expression(Form(f"TIMESTAMPDIFF({time_point_unit.name}, {{0}}, {{1}})", given(time_point1, time_point2)))


def convert_tz(date_str: Any, tz_from: Any, tz_to: Any) -> Expression[Any]:
    """Convert date and time, as text, from a time zone to another."""
    return built_in("CONVERT_TZ", date_str, tz_from, tz_to)


def from_unixtime(unixtime: Any, format: Any = None) -> Expression[Any]:  # noqa: A002 - PyFlink's
    """Format seconds since 1970 in the session's time zone."""
    return built_in("FROM_UNIXTIME", unixtime, format)


def unix_timestamp(date_str: Any = None, format: Any = None) -> Expression[Any]:  # noqa: A002 - PyFlink's
    """Return the seconds since 1970, now or of a text."""
    return built_in("UNIX_TIMESTAMP", date_str, format)


def array(head: Any, *tail: Any) -> Expression[Any]:
    """Make an array of values."""
    return listed("ARRAY[", "]", head, *tail)


def row(head: Any, *tail: Any) -> Expression[Any]:
    """Make a row of values."""
    return built_in("ROW", head, *tail)


def map_(key: Any, value: Any, *tail: Any) -> Expression[Any]:
    """Make a map of keys and values in turn."""
    return listed("MAP[", "]", key, value, *tail)


def map_from_arrays(key: Any, value: Any) -> Expression[Any]:
    """Make a map of an array of keys and one of values."""
    return built_in("MAP_FROM_ARRAYS", key, value)


def row_interval(rows: int) -> Expression[Any]:
    """Make a number of rows, for over windows."""
    return Expression(Text(f"{rows} ROWS", value=rows))


def pi() -> Expression[Any]:
    """Return the number pi."""
    return built_in("PI")


def e() -> Expression[Any]:
    """Return the number e."""
    return built_in("E")


def rand(seed: Any = None) -> Expression[Any]:
    """Return a random DOUBLE, 0 or more and less than 1."""
    return built_in("RAND", seed)


def rand_integer(bound: Any, seed: Any = None) -> Expression[Any]:
    """Return a random INT, 0 or more and less than a bound."""
    return built_in("RAND_INTEGER", seed, bound)


def atan2(y: Any, x: Any) -> Expression[Any]:
    """Return the arc tangent of a point, in radians."""
    return built_in("ATAN2", y, x)


def negative(v: Any) -> Expression[Any]:
    """Return the negative of a number."""
    return Expression(Form("-{0}", (node_of(v),), Strength.SIGN, (Strength.CALL,)))


def concat(first: Any, *others: Any) -> Expression[Any]:
    """Join texts; NULL if one is NULL."""
    return built_in("CONCAT", first, *others)


def concat_ws(separator: Any, first: Any, *others: Any) -> Expression[Any]:
    """Join texts that are not NULL, with a separator."""
    return built_in("CONCAT_WS", separator, first, *others)


def uuid() -> Expression[Any]:
    """Return a random UUID, as text."""
    return built_in("UUID")


def null_of(data_type: DataType) -> Expression[Any]:
    """Return NULL of a type."""
    return Expression(null_of_type(data_type))


def log(v: Any, base: Any = None) -> Expression[Any]:
    """Return the logarithm to a base, by default the natural one."""
    return built_in("LOG", base, v)


def source_watermark() -> Expression[Any]:
    """Return the watermark of the source, for a watermark in a ``Schema``."""
    return built_in("SOURCE_WATERMARK")


def if_then_else(condition: Any, if_true: Any, if_false: Any) -> Expression[Any]:
    """Return one of two values, by a condition."""
    return Expression(node_of(condition)).then(if_true, if_false)


def coalesce(*args: Any) -> Expression[Any]:
    """Return the first value that is not NULL."""
    return built_in("COALESCE", *args)


def with_all_columns() -> Expression[Any]:
    """Select all columns."""
    return Expression(Columns())


def with_columns(head: Any, *tails: Any) -> Expression[Any]:
    """Select columns: by name, by number from 1, or ranges of them."""
    return Expression(Columns(ranges_of("with_columns", head, *tails)))


def without_columns(head: Any, *tails: Any) -> Expression[Any]:
    """Select all columns but some, given as for ``with_columns``."""
    return Expression(Columns(ranges_of("without_columns", head, *tails), others=True))


def lag(expr: Any, offset: Any = 1, default: Any = None) -> Expression[Any]:
    """Return the value of an earlier row, over a window."""
    return Expression(Aggregate("LAG", given(expr, offset, default)))


def lead(expr: Any, offset: Any = 1, default: Any = None) -> Expression[Any]:
    """Return the value of a later row, over a window."""
    return Expression(Aggregate("LEAD", given(expr, offset, default)))


def call_sql(sql_expression: str) -> Expression[Any]:
    """Make an expression of SQL text."""
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
