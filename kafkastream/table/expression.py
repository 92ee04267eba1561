"""Expressions of the Table API, at PyFlink's path: they can be imported, and are refused when they are used."""

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
    """Computes a column."""


class JsonExistsOnError(StandIn, instead=QUERY):
    """Says how an expression works: json exists on error."""


class JsonOnNull(StandIn, instead=QUERY):
    """Says how an expression works: json on null."""


class JsonQueryOnEmptyOrError(StandIn, instead=QUERY):
    """Says how an expression works: json query on empty or error."""


class JsonQueryWrapper(StandIn, instead=QUERY):
    """Says how an expression works: json query wrapper."""


class JsonType(StandIn, instead=QUERY):
    """Says how an expression works: json type."""


class JsonValueOnEmptyOrError(StandIn, instead=QUERY):
    """Says how an expression works: json value on empty or error."""


class TimeIntervalUnit(StandIn, instead=QUERY):
    """Says how an expression works: time interval unit."""


class TimePointUnit(StandIn, instead=QUERY):
    """Says how an expression works: time point unit."""
