"""Grouped and windowed tables of the Table API: importable, and refused when they are used."""

from __future__ import annotations

from kafkastream.model.common.stand_ins import QUERY, StandIn

__all__ = [
    "AggregatedTable",
    "FlatAggregateTable",
    "GroupWindowedTable",
    "GroupedTable",
    "OverWindowedTable",
    "WindowGroupedTable",
]


class GroupedTable(StandIn, instead=QUERY):
    """Table grouped by columns."""


class GroupWindowedTable(StandIn, instead=QUERY):
    """Table grouped by a window."""


class WindowGroupedTable(StandIn, instead=QUERY):
    """Table grouped by a window and columns."""


class OverWindowedTable(StandIn, instead=QUERY):
    """Table with over windows."""


class AggregatedTable(StandIn, instead=QUERY):
    """Grouped table with an aggregate function."""


class FlatAggregateTable(StandIn, instead=QUERY):
    """Grouped table with a table aggregate function."""
