"""Expressions of dates and times: the current time, parsing, formatting, differences."""

from __future__ import annotations

from typing import Any

from kafkastream.table.api.constructors import built_in
from kafkastream.table.api.expression_tree import Form, Strength, Text
from kafkastream.table.api.tree_methods import given
from kafkastream.table.expression import Expression, TimePointUnit

__all__ = [
    "convert_tz",
    "current_date",
    "current_time",
    "current_timestamp",
    "current_watermark",
    "date_format",
    "from_unixtime",
    "local_time",
    "local_timestamp",
    "source_watermark",
    "temporal_overlaps",
    "timestamp_diff",
    "to_date",
    "to_timestamp",
    "to_timestamp_ltz",
    "unix_timestamp",
]


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
    """Return the watermark of an event-time column.

    Args:
        rowtimeAttribute: Column with a watermark.
    """
    return built_in("CURRENT_WATERMARK", rowtimeAttribute)


def local_time() -> Expression[Any]:
    """Return the time of day in the session's time zone."""
    return Expression(Text("LOCALTIME"))


def local_timestamp() -> Expression[Any]:
    """Return date and time in the session's time zone, as TIMESTAMP(3)."""
    return Expression(Text("LOCALTIMESTAMP"))


def to_date(date_str: Any, format: Any = None) -> Expression[Any]:  # noqa: A002 - PyFlink's
    """Parse a DATE; NULL for an invalid string.

    Args:
        date_str: String.
        format: Format of the string, in Java's notation; by default ``yyyy-MM-dd``.
    """
    return built_in("TO_DATE", date_str, format)


def to_timestamp(timestamp_str: Any, format: Any = None) -> Expression[Any]:  # noqa: A002 - PyFlink's
    """Parse a TIMESTAMP(3); NULL for an invalid string.

    Args:
        timestamp_str: String.
        format: Format of the string, in Java's notation; by default ``yyyy-MM-dd HH:mm:ss``.
    """
    return built_in("TO_TIMESTAMP", timestamp_str, format)


def to_timestamp_ltz(*args: Any) -> Expression[Any]:
    """Return a TIMESTAMP_LTZ(3), from a number or from a string; NULL outside of the years 0 to 9999.

    Differs from Flink: a string needs its format, and the precision of a number must be a literal.

    Args:
        args: A number and its precision, 0 for seconds or 3 (the default) for milliseconds since 1970; or a string, its
            format and, optionally, its time zone, by default UTC.
    """
    return built_in("TO_TIMESTAMP_LTZ", *args)


def temporal_overlaps(
    left_time_point: Any, left_temporal: Any, right_time_point: Any, right_temporal: Any
) -> Expression[Any]:
    """Return whether two periods overlap. Periods that only touch each other overlap, too.

    Args:
        left_time_point: Start of the first period.
        left_temporal: End of the first period, or its length as an interval.
        right_time_point: Start of the second period.
        right_temporal: End of the second period, or its length as an interval.
    """
    return Expression(
        Form(
            "({0}, {1}) OVERLAPS ({2}, {3})",
            given(left_time_point, left_temporal, right_time_point, right_temporal),
            Strength.COMPARISON,
        )
    )


def date_format(timestamp: Any, format: Any) -> Expression[Any]:  # noqa: A002 - PyFlink's
    """Format a date or a time as a string.

    Args:
        timestamp: DATE, TIMESTAMP or TIMESTAMP_LTZ, or a string with a timestamp.
        format: Format, in Java's notation, such as ``'yyyy-MM-dd'``.
    """
    return built_in("DATE_FORMAT", timestamp, format)


def timestamp_diff(time_point_unit: TimePointUnit, time_point1: Any, time_point2: Any) -> Expression[Any]:
    """Return the number of whole units between two points in time, as INT.

    Args:
        time_point_unit: Unit, such as ``TimePointUnit.DAY``.
        time_point1: Point in time that is subtracted.
        time_point2: Point in time from which it is subtracted.
    """
    return Expression(Form(f"TIMESTAMPDIFF({time_point_unit.name}, {{0}}, {{1}})", given(time_point1, time_point2)))


def convert_tz(date_str: Any, tz_from: Any, tz_to: Any) -> Expression[Any]:
    """Convert a local time from one time zone to another.

    Args:
        date_str: Local time, as a string ``yyyy-MM-dd HH:mm:ss``.
        tz_from: Time zone of ``date_str``, such as ``'UTC'`` or ``'Europe/Berlin'``; an unknown one is read as UTC, as
            in Flink.
        tz_to: Time zone of the result.
    """
    return built_in("CONVERT_TZ", date_str, tz_from, tz_to)


def from_unixtime(unixtime: Any, format: Any = None) -> Expression[Any]:  # noqa: A002 - PyFlink's
    """Format a number of seconds since 1970 as a string, in the session's time zone.

    Args:
        unixtime: Seconds since 1970.
        format: Format, in Java's notation; by default ``yyyy-MM-dd HH:mm:ss``.
    """
    return built_in("FROM_UNIXTIME", unixtime, format)


def unix_timestamp(date_str: Any = None, format: Any = None) -> Expression[Any]:  # noqa: A002 - PyFlink's
    """Return the number of seconds since 1970, as BIGINT: of a string in the session's time zone, or of the current
    time.

    Args:
        date_str: String; by default, the current time is returned.
        format: Format of the string, in Java's notation; by default ``yyyy-MM-dd HH:mm:ss``.
    """
    return built_in("UNIX_TIMESTAMP", date_str, format)


def source_watermark() -> Expression[Any]:
    """Return the watermark of the source, for a watermark in a ``Schema``."""
    return built_in("SOURCE_WATERMARK")
