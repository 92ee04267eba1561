"""Descriptors of the former Table API, at PyFlink's path: importable, and refused when they are used."""

from __future__ import annotations

from typing import Final

from kafkastream.model.common.stand_ins import StandIn
from kafkastream.table.table_schema import TableSchema

__all__ = [
    "Descriptor",
    "Rowtime",
    "Schema",
    "TableSchema",
]

_INSTEAD: Final = "Use kafkastream.table.TableDescriptor and kafkastream.table.Schema, or CREATE TABLE."


class Descriptor(StandIn, instead=_INSTEAD):
    """Description by properties."""


class Rowtime(StandIn, instead=_INSTEAD):
    """Event time of a column."""


class Schema(StandIn, instead=_INSTEAD):
    """Columns of a table, by properties."""
