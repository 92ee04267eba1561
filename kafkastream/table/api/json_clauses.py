"""Clauses of JSON functions and units of time, as the enums of PyFlink."""

from __future__ import annotations

import enum

__all__ = [
    "JsonExistsOnError",
    "JsonOnNull",
    "JsonQueryOnEmptyOrError",
    "JsonQueryWrapper",
    "JsonType",
    "JsonValueOnEmptyOrError",
    "TimeIntervalUnit",
    "TimePointUnit",
]


class TimeIntervalUnit(enum.Enum):
    """Unit of a time interval, of ``extract``, ``floor`` and ``ceil``."""

    YEAR = 0
    YEAR_TO_MONTH = 1
    QUARTER = 2
    MONTH = 3
    WEEK = 4
    DAY = 5
    DAY_TO_HOUR = 6
    DAY_TO_MINUTE = 7
    DAY_TO_SECOND = 8
    HOUR = 9
    SECOND = 10
    HOUR_TO_MINUTE = 11
    HOUR_TO_SECOND = 12
    MINUTE = 13
    MINUTE_TO_SECOND = 14


class TimePointUnit(enum.Enum):
    """Unit of ``timestamp_diff``."""

    YEAR = 0
    MONTH = 1
    DAY = 2
    HOUR = 3
    MINUTE = 4
    SECOND = 5
    QUARTER = 6
    WEEK = 7
    MILLISECOND = 8
    MICROSECOND = 9


class JsonType(enum.Enum):
    """Type that ``is_json`` checks for."""

    VALUE = 0
    SCALAR = 1
    ARRAY = 2
    OBJECT = 3


class JsonExistsOnError(enum.Enum):
    """Result of ``json_exists`` for invalid JSON."""

    TRUE = 0
    FALSE = 1
    UNKNOWN = 2
    ERROR = 3


class JsonValueOnEmptyOrError(enum.Enum):
    """Result of ``json_value`` without a scalar."""

    NULL = 0
    ERROR = 1
    DEFAULT = 2


class JsonQueryOnEmptyOrError(enum.Enum):
    """Result of ``json_query`` without an object or an array."""

    NULL = 0
    EMPTY_ARRAY = 1
    EMPTY_OBJECT = 2
    ERROR = 3


class JsonOnNull(enum.Enum):
    """Writing of NULL by constructors of JSON."""

    NULL = 0
    ABSENT = 1


class JsonQueryWrapper(enum.Enum):
    """Wrapping of the result of ``json_query`` in an array."""

    WITHOUT_ARRAY = 0
    CONDITIONAL_ARRAY = 1
    UNCONDITIONAL_ARRAY = 2
