"""Grouped and windowed tables of the Table API, at PyFlink's path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import attrs

from kafkastream.table.api.grouped_rows import Grouping
from kafkastream.table.api.operation import ApiOperation, nodes_of
from kafkastream.table.api.window_text import over_texts
from kafkastream.table.window import GroupWindow, OverWindow

if TYPE_CHECKING:
    from kafkastream.table.table import Table

__all__ = [
    "AggregatedTable",
    "FlatAggregateTable",
    "GroupWindowedTable",
    "GroupedTable",
    "OverWindowedTable",
    "WindowGroupedTable",
]


class _Groups:
    """Groups, of which columns are selected.

    Args:
        groups: Table, keys and window.
    """

    def __init__(self, groups: Grouping[Table]) -> None:
        self._groups = groups

    def select(self, *fields: Any) -> Table:
        """Select keys, aggregates, and computations with them.

        Args:
            fields: Expressions.

        Raises:
            DefinitionError: An expression is invalid, or two columns have one name.
            UnsupportedFeatureError: Flink supports an expression, and this package does not.
        """
        return self._groups.selected(fields)

    def aggregate(self, func: Any) -> AggregatedTable:
        """Aggregate each group with a function, whose result row becomes columns.

        Args:
            func: Call of an aggregate function, with the names of its columns: ``f(col("a")).alias("b", "c")``. A
                function alone takes the whole rows.
        """
        return AggregatedTable(self._groups, func)


@final
class GroupedTable(_Groups):
    """Table grouped by keys."""

    def flat_aggregate(self, func: Any) -> FlatAggregateTable:
        """Aggregate each group with a function that emits any number of rows.

        Args:
            func: Call of a table aggregate function, or a function alone, which takes the whole rows.
        """
        return FlatAggregateTable(self._groups, func)

    flatAggregate = flat_aggregate


@final
class WindowGroupedTable(_Groups):
    """Table grouped by a window, and maybe by keys."""


@final
@attrs.frozen
class GroupWindowedTable:
    """Table with a group window, which ``group_by`` has to name.

    Args:
        table: Table.
        group_window: Window.
    """

    table: Table
    group_window: GroupWindow

    def group_by(self, *fields: Any) -> WindowGroupedTable:
        """Group by the window, and by keys.

        Args:
            fields: Alias of the window as a column, and keys.

        Raises:
            DefinitionError: The window is not among them, or a key is invalid.
        """
        return WindowGroupedTable(Grouping.of(self.table, fields, self.group_window))

    groupBy = group_by


@final
@attrs.frozen
class OverWindowedTable:
    """Table with over windows.

    Args:
        table: Table.
        windows: Windows.
    """

    table: Table
    windows: tuple[OverWindow, ...]

    def select(self, *fields: Any) -> Table:
        """Select columns, and aggregates over the windows: ``col("a").sum.over(col("w"))``.

        Args:
            fields: Expressions.

        Raises:
            DefinitionError: An expression is invalid, or two columns have one name.
            UnsupportedFeatureError: Flink supports an expression, and this package does not.
        """
        done = ApiOperation(self.table, "select", *fields)
        writer = done.writer(over_windows=over_texts(done, self.windows))
        items = writer.items(nodes_of(done.where, fields))
        return done.finished(attrs.evolve(done.select, items=tuple(item.written for item in items)))


@final
@attrs.frozen
class AggregatedTable:
    """Groups with an aggregate, of which columns are selected.

    Args:
        groups: Groups.
        function: Aggregate function, or its call.
    """

    groups: Grouping[Table]
    function: Any

    def select(self, *fields: Any) -> Table:
        """Select keys and columns of the aggregate.

        Args:
            fields: Expressions.

        Raises:
            DefinitionError: An expression is invalid, or it is not an aggregate function.
        """
        return self.groups.aggregated(self.function, fields, "aggregate")


@final
@attrs.frozen
class FlatAggregateTable:
    """Groups with a table aggregate, of which columns are selected.

    Args:
        groups: Groups.
        function: Table aggregate function, or its call.
    """

    groups: Grouping[Table]
    function: Any

    def select(self, *fields: Any) -> Table:
        """Select keys and columns of the aggregate.

        Args:
            fields: Expressions.

        Raises:
            DefinitionError: An expression is invalid, or it is not a table aggregate function.
        """
        return self.groups.aggregated(self.function, fields, "flat_aggregate")
