"""Tables between a window or a grouping and what is selected, which are refused when they are used."""

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
    """Rows by columns."""


class GroupWindowedTable(StandIn, instead=QUERY):
    """Rows in windows."""


class WindowGroupedTable(StandIn, instead=QUERY):
    """Rows by columns in windows."""


class OverWindowedTable(StandIn, instead=QUERY):
    """Rows with windows over them."""


class AggregatedTable(StandIn, instead=QUERY):
    """Rows that are aggregated."""


class FlatAggregateTable(StandIn, instead=QUERY):
    """Rows that are aggregated into rows."""
