"""Expressions of the Table API, at PyFlink's path: importable, and refused when they are used."""

from __future__ import annotations

from typing import TypeVar

from kafkastream.model.common.stand_ins import QUERY, StandIn
from kafkastream.table.types import DataTypes

__all__ = [
    "DataTypes",
    "Expression",
    "JsonExistsOnError",
    "JsonOnNull",
    "JsonQueryOnEmptyOrError",
    "JsonQueryWrapper",
    "JsonType",
    "JsonValueOnEmptyOrError",
    "T",
    "TimeIntervalUnit",
    "TimePointUnit",
]

T = TypeVar("T")


class Expression(StandIn, instead=QUERY):
    """Expression of the Table API."""


class JsonExistsOnError(StandIn, instead=QUERY):
    """Result of ``JSON_EXISTS`` on an error."""


class JsonOnNull(StandIn, instead=QUERY):
    """Result of JSON constructors on NULL."""


class JsonQueryOnEmptyOrError(StandIn, instead=QUERY):
    """Result of ``JSON_QUERY`` on an empty result or an error."""


class JsonQueryWrapper(StandIn, instead=QUERY):
    """Wrapping of the result of ``JSON_QUERY``."""


class JsonType(StandIn, instead=QUERY):
    """Type that ``IS JSON`` checks for."""


class JsonValueOnEmptyOrError(StandIn, instead=QUERY):
    """Result of ``JSON_VALUE`` on an empty result or an error."""


class TimeIntervalUnit(StandIn, instead=QUERY):
    """Unit of a time interval."""


class TimePointUnit(StandIn, instead=QUERY):
    """Unit of a point in time."""
