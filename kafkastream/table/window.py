"""Windows of the Table API, at PyFlink's path: group windows, and over windows."""

from __future__ import annotations

from typing import Any, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.table.api.expression_tree import ColumnNode, ExpressionNode, Text
from kafkastream.table.api.tree_methods import node_of
from kafkastream.table.expression import Expression

__all__ = [
    "Expression",
    "GroupWindow",
    "Over",
    "OverWindow",
    "OverWindowPartitioned",
    "OverWindowPartitionedOrdered",
    "OverWindowPartitionedOrderedPreceding",
    "Session",
    "SessionWithGap",
    "SessionWithGapOnTime",
    "Slide",
    "SlideWithSize",
    "SlideWithSizeAndSlide",
    "SlideWithSizeAndSlideOnTime",
    "Tumble",
    "TumbleWithSize",
    "TumbleWithSizeOnTime",
]


@final
@attrs.frozen
class GroupWindow:
    """Window to group by, which ``Table.window`` takes.

    Args:
        function: ``TUMBLE``, ``HOP`` or ``SESSION``.
        lengths: Intervals, in the order of the function.
        time: Column with the time.
        name: Alias by which ``group_by`` names it.
    """

    function: str
    lengths: tuple[ExpressionNode, ...]
    time: ExpressionNode
    name: str


class Tumble:
    """Factory of tumbling windows, which have a fixed length and do not overlap.

    Example:
        >>> from kafkastream.table.expressions import col, lit
        >>> Tumble.over(lit(10).minutes).on(col("ts")).alias("w").name
        'w'
    """

    @classmethod
    def over(cls, size: Expression[Any]) -> TumbleWithSize:
        """Return a window of a length.

        Args:
            size: Interval, such as ``lit(10).minutes``; or ``row_interval(n)``, on a processing time.
        """
        return TumbleWithSize((_length("Tumble.over", size),))


@final
@attrs.frozen
class TumbleWithSize:
    """Tumbling window with a length."""

    lengths: tuple[ExpressionNode, ...]

    def on(self, time_field: Expression[Any]) -> TumbleWithSizeOnTime:
        """Return the window of ``time_field``, a time attribute.

        Raises:
            DefinitionError: ``time_field`` is not a column.
        """
        return TumbleWithSizeOnTime(self.lengths, _column("on", time_field))


@final
@attrs.frozen
class TumbleWithSizeOnTime:
    """Tumbling window with a length and a time attribute."""

    lengths: tuple[ExpressionNode, ...]
    time: ExpressionNode

    def alias(self, alias: str) -> GroupWindow:
        """Return the window with the name ``alias``, by which ``group_by`` and ``select`` refer to it."""
        return GroupWindow("TUMBLE", self.lengths, self.time, alias)


class Session:
    """Factory of session windows, which end when no row comes for a time."""

    @classmethod
    def with_gap(cls, gap: Expression[Any]) -> SessionWithGap:
        """Return a window that ends after a gap.

        Args:
            gap: Interval, such as ``lit(10).minutes``.
        """
        return SessionWithGap((_length("Session.with_gap", gap),))

    withGap = with_gap


@final
@attrs.frozen
class SessionWithGap:
    """Session window with a gap."""

    lengths: tuple[ExpressionNode, ...]

    def on(self, time_field: Expression[Any]) -> SessionWithGapOnTime:
        """Return the window of ``time_field``, a time attribute.

        Raises:
            DefinitionError: ``time_field`` is not a column.
        """
        return SessionWithGapOnTime(self.lengths, _column("on", time_field))


@final
@attrs.frozen
class SessionWithGapOnTime:
    """Session window with a gap and a time attribute."""

    lengths: tuple[ExpressionNode, ...]
    time: ExpressionNode

    def alias(self, alias: str) -> GroupWindow:
        """Return the window with the name ``alias``, by which ``group_by`` and ``select`` refer to it."""
        return GroupWindow("SESSION", self.lengths, self.time, alias)


class Slide:
    """Factory of sliding windows, which have a fixed length and may overlap."""

    @classmethod
    def over(cls, size: Expression[Any]) -> SlideWithSize:
        """Return a window of a length.

        Args:
            size: Interval, such as ``lit(10).minutes``; or ``row_interval(n)``, on a processing time.
        """
        return SlideWithSize(_length("Slide.over", size))


@final
@attrs.frozen
class SlideWithSize:
    """Sliding window with a length."""

    size: ExpressionNode

    def every(self, slide: Expression[Any]) -> SlideWithSizeAndSlide:
        """Return the window that starts again in intervals.

        Args:
            slide: Interval, such as ``lit(5).minutes``.
        """
        return SlideWithSizeAndSlide((_length("every", slide), self.size))


@final
@attrs.frozen
class SlideWithSizeAndSlide:
    """Sliding window with a length and an interval."""

    lengths: tuple[ExpressionNode, ...]

    def on(self, time_field: Expression[Any]) -> SlideWithSizeAndSlideOnTime:
        """Return the window of ``time_field``, a time attribute.

        Raises:
            DefinitionError: ``time_field`` is not a column.
        """
        return SlideWithSizeAndSlideOnTime(self.lengths, _column("on", time_field))


@final
@attrs.frozen
class SlideWithSizeAndSlideOnTime:
    """Sliding window with a length, an interval and a time attribute."""

    lengths: tuple[ExpressionNode, ...]
    time: ExpressionNode

    def alias(self, alias: str) -> GroupWindow:
        """Return the window with the name ``alias``, by which ``group_by`` and ``select`` refer to it."""
        return GroupWindow("HOP", self.lengths, self.time, alias)


@final
@attrs.frozen
class OverWindow:
    """Over window, which ``Table.over_window`` takes.

    Args:
        partition: Keys, each with rows of its own.
        order: Column with the time.
        preceding: Lower bound.
        following: Upper bound; None for the one that fits the lower bound.
        name: Alias by which ``over`` names it.
    """

    partition: tuple[ExpressionNode, ...]
    order: ExpressionNode
    preceding: ExpressionNode
    following: ExpressionNode | None
    name: str


class Over:
    """Factory of over windows, which give each row the rows before it.

    Example:
        >>> from kafkastream.table.expressions import col, row_interval
        >>> Over.partition_by(col("a")).order_by(col("ts")).preceding(row_interval(2)).alias("w").name
        'w'
    """

    @classmethod
    def order_by(cls, order_by: Expression[Any]) -> OverWindowPartitionedOrdered:
        """Return a window of all rows, in the order of a time attribute, ``order_by``."""
        return OverWindowPartitionedOrdered((), node_of(order_by))

    orderBy = order_by

    @classmethod
    def partition_by(cls, *partition_by: Expression[Any]) -> OverWindowPartitioned:
        """Return a window of the rows with equal values of ``partition_by``."""
        return OverWindowPartitioned(tuple(map(node_of, partition_by)))

    partitionBy = partition_by


@final
@attrs.frozen
class OverWindowPartitioned:
    """Over window with keys."""

    partition: tuple[ExpressionNode, ...]

    def order_by(self, order_by: Expression[Any]) -> OverWindowPartitionedOrdered:
        """Return the window, in the order of a time attribute, ``order_by``."""
        return OverWindowPartitionedOrdered(self.partition, node_of(order_by))

    orderBy = order_by


@final
@attrs.frozen
class OverWindowPartitionedOrdered:
    """Over window with keys and an order."""

    partition: tuple[ExpressionNode, ...]
    order: ExpressionNode

    def alias(self, alias: str) -> OverWindow:
        """Return the window from the first row on, with the name ``alias`` for ``over``."""
        return OverWindow(self.partition, self.order, Text("UNBOUNDED_RANGE"), None, alias)

    def preceding(self, preceding: Expression[Any]) -> OverWindowPartitionedOrderedPreceding:
        """Return the window with a lower bound.

        Args:
            preceding: ``UNBOUNDED_ROW``, ``UNBOUNDED_RANGE``, ``row_interval(n)`` or an interval of time.
        """
        return OverWindowPartitionedOrderedPreceding(self.partition, self.order, node_of(preceding))


@final
@attrs.frozen
class OverWindowPartitionedOrderedPreceding:
    """Over window with keys, an order and a lower bound."""

    partition: tuple[ExpressionNode, ...]
    order: ExpressionNode
    lower: ExpressionNode
    upper: ExpressionNode | None = None

    def alias(self, alias: str) -> OverWindow:
        """Return the window with the name ``alias`` for ``over``."""
        return OverWindow(self.partition, self.order, self.lower, self.upper, alias)

    def following(self, following: Expression[Any]) -> OverWindowPartitionedOrderedPreceding:
        """Return the window with an upper bound.

        Args:
            following: ``CURRENT_ROW`` or ``CURRENT_RANGE``.
        """
        return attrs.evolve(self, upper=node_of(following))


def _length(where: str, length: Expression[Any]) -> ExpressionNode:
    node = node_of(length)
    if not isinstance(node, Text):
        raise DefinitionError("a window has an interval as its length", where=where, now="Write lit(10).minutes.")
    return node


def _column(where: str, column: Expression[Any]) -> ExpressionNode:
    node = node_of(column)
    if not isinstance(node, ColumnNode):
        raise DefinitionError("a window has a column as its time", where=where, now="Write on(col('ts')).")
    return node
