"""Stateful operations of a query, as frozen values; keyed operators run them."""

from __future__ import annotations

import enum
from typing import final

import attrs

from kafkastream.model.functions.keyed_operation import KeyedOperation
from kafkastream.sql.files.partition_commits import PartitionCommit
from kafkastream.sql.plan.aggregate_call import AggregateCall, AggregateFunction
from kafkastream.sql.plan.join_operations import IntervalJoin, Join, JoinKind, LookupJoin, Matches, Pairs, TemporalJoin
from kafkastream.sql.plan.match_operation import MatchRecognize
from kafkastream.sql.plan.sort_operation import Order, Sort
from kafkastream.sql.plan.time_attribute import TimeAttribute

__all__ = [
    "AggregateCall",
    "AggregateFunction",
    "CountWindowAggregate",
    "Deduplicate",
    "GroupAggregate",
    "IntervalJoin",
    "Join",
    "JoinKind",
    "Keep",
    "LookupJoin",
    "MatchRecognize",
    "Matches",
    "Materialize",
    "Normalize",
    "Operation",
    "Order",
    "OverAggregate",
    "Pairs",
    "PartitionCommit",
    "SessionAggregate",
    "SessionRows",
    "Sort",
    "TableOperation",
    "TemporalJoin",
    "TimeAttribute",
    "TopN",
    "WindowAggregate",
]


@final
@attrs.frozen(kw_only=True)
class GroupAggregate:
    """Group aggregate: emits the aggregates of a key whenever they change: the key's columns, then one per call.

    Args:
        calls: Aggregates.
        keys: Number of key columns, which come first in the input.
        ttl_ms: Time without a change after which the state of a group expires, in ms; 0 for never.
    """

    calls: tuple[AggregateCall, ...]
    keys: int
    ttl_ms: int = 0


@final
@attrs.frozen(kw_only=True)
class WindowAggregate:
    """Window aggregate: emits the aggregates of each key and window once, when the window closes.

    Input columns: the first ``keys`` columns are the key, then window_start and window_end, then arguments. Output
    columns: the key, one column per call, window_start, window_end.

    Args:
        calls: Aggregates.
        keys: Number of key columns, without the window.
        time: Time attribute by which a window closes; in event time, later rows are dropped.
        zone: Time zone of the bounds, which are TIMESTAMP; UTC for event time of a TIMESTAMP column.
    """

    calls: tuple[AggregateCall, ...]
    keys: int
    time: TimeAttribute = TimeAttribute.EVENT
    zone: str = "UTC"


@final
@attrs.frozen(kw_only=True)
class SessionAggregate:
    """Session aggregate: emits the aggregates of each key and session, which a gap without rows ends.

    Input columns: the key, then the time column, then arguments. Output columns as of ``WindowAggregate``.

    Args:
        calls: Aggregates.
        keys: Number of key columns.
        gap_ms: Gap between two sessions, in ms.
        time: Event time or processing time.
        zone: As with ``WindowAggregate``.
    """

    calls: tuple[AggregateCall, ...]
    keys: int
    gap_ms: int
    time: TimeAttribute = TimeAttribute.EVENT
    zone: str = "UTC"


@final
@attrs.frozen(kw_only=True)
class CountWindowAggregate:
    """Count window aggregate: emits the aggregates of each key and window once, when the window is full.

    Input columns: the key, then arguments. Output columns: the key, one column per call.

    Args:
        calls: Aggregates.
        keys: Number of key columns.
        size: Number of rows of a window.
        slide: Number of rows between the beginnings of two windows.
    """

    calls: tuple[AggregateCall, ...]
    keys: int
    size: int
    slide: int


@final
@attrs.frozen(kw_only=True)
class SessionRows:
    """Rows of session windows: emits each row with the bounds of its session, when a gap without rows ends it.

    Output columns are the input's, followed by window_start and window_end.

    Args:
        gap_ms: Gap between two sessions, in ms.
        column: Position of the time column.
        time: Event time or processing time.
        zone: As with ``WindowAggregate``.
    """

    gap_ms: int
    column: int
    time: TimeAttribute = TimeAttribute.EVENT
    zone: str = "UTC"


class Keep(enum.Enum):
    """Row of a key to keep."""

    FIRST = "first"
    LAST = "last"


@final
@attrs.frozen(kw_only=True)
class Deduplicate:
    """Deduplication: keeps one row per key: ``ROW_NUMBER() OVER (PARTITION BY key ORDER BY time) = 1``.

    Output columns are the input's. The first row by processing time never changes, so it is emitted once; otherwise
    changes are emitted with UPDATE_BEFORE.

    Args:
        keep: First or last row.
        time: Event time or processing time; in event time rows are compared by ``column``, ties by arrival.
        column: Position of the time column, for event time.
        ttl_ms: Time without a change after which the state of a key expires, in ms; 0 for never.
    """

    keep: Keep
    time: TimeAttribute
    column: int | None = None
    ttl_ms: int = 0


@final
@attrs.frozen(kw_only=True)
class TopN:
    """Top-N: the first rows of each key: ``ROW_NUMBER() OVER (PARTITION BY key ORDER BY ...) BETWEEN first AND last``.

    Output columns are the input's, followed by the row number (a BIGINT) if it is selected.

    Args:
        order: Sort order; ties are ordered by arrival.
        first: First row number.
        last: Last row number.
        with_number: Whether the row number is selected.
        window: Position of the column with the end of the window, for a window top-N, emitted when the window closes;
            None for a top-N that is emitted whenever it changes.
        ttl_ms: Time without a change after which the state of a key expires, in ms; 0 for never.
        time: Time attribute by which a window closes.
        zone: As with ``WindowAggregate``.
        replaced_by: Positions of the columns by which an updated row replaces its former self, if it comes no later than
            that in the order, and no row is ever removed; None for other rows.
    """

    order: tuple[Order, ...]
    first: int
    last: int
    with_number: bool
    window: int | None = None
    ttl_ms: int = 0
    time: TimeAttribute = TimeAttribute.EVENT
    zone: str = "UTC"
    replaced_by: tuple[int, ...] | None = None


@final
@attrs.frozen(kw_only=True)
class OverAggregate:
    """Over aggregate: emits each row once, followed by a column per call: the aggregate of the row's frame.

    A frame ends with the row, or in a frame of a range of time with the last row of the same time.

    Args:
        calls: Aggregates.
        time: In event time, rows wait for the watermark; in processing time, they are in the order of arrival. None if
            rows are ordered by other columns: then later rows may come between, and results are updated.
        column: Position of the time column, for event time.
        order: Sort order without a time; ties are ordered by arrival.
        is_rows: Whether the frame counts rows, otherwise it is a range of time.
        preceding: Rows, or ms, that precede the row in its frame; None for all.
        ttl_ms: Time without a change after which the state of a key expires, in ms; 0 for never.
    """

    calls: tuple[AggregateCall, ...]
    time: TimeAttribute | None
    column: int | None = None
    order: tuple[Order, ...] = ()
    is_rows: bool = False
    preceding: int | None = None
    ttl_ms: int = 0


@final
@attrs.frozen(kw_only=True)
class Normalize:
    """Flink's ChangelogNormalize: adds UPDATE_BEFORE to upserts, and drops those that change nothing.

    Args:
        ttl_ms: Time without a change after which the state of a key expires, in ms; 0 for never.
    """

    ttl_ms: int = 0


@final
@attrs.frozen(kw_only=True)
class Materialize:
    """Flink's SinkUpsertMaterializer: turns changes by another key into upserts by the sink's primary key.

    Args:
        ttl_ms: Time without a change after which the state of a key expires, in ms; 0 for never.
    """

    ttl_ms: int = 0


Operation = (
    GroupAggregate
    | WindowAggregate
    | SessionAggregate
    | CountWindowAggregate
    | SessionRows
    | Deduplicate
    | TopN
    | Sort
    | MatchRecognize
    | OverAggregate
    | Join
    | IntervalJoin
    | TemporalJoin
    | LookupJoin
    | Pairs
    | Matches
    | Normalize
    | Materialize
    | PartitionCommit
)


_IN_PARTS = frozenset({AggregateFunction.COUNT, AggregateFunction.SUM, AggregateFunction.SUM0, AggregateFunction.AVG})
_IN_PARTS_WHEN_ADDED = frozenset({AggregateFunction.MIN, AggregateFunction.MAX})


@final
@attrs.frozen
class TableOperation(KeyedOperation):
    """An operation with properties of its input.

    Args:
        operation: Operation.
        retracts: Whether the input has retractions.
        keys: For a join, the positions of each input's columns compared by ``=``, which NULL never equals.
        has_plain_keys: Whether no column of the key has a nested type.
        depends_on: Description that the state depends on: the operation, and all expressions below it.
        takes_rows: Whether rows come as they are, not aggregated locally: in test drivers, which have no Spark tasks.
    """

    operation: Operation
    retracts: bool = False
    keys: tuple[tuple[int, ...], ...] = ()
    has_plain_keys: bool = True
    depends_on: str = ""
    takes_rows: bool = False

    @property
    def is_columnar(self) -> bool:
        """True if partial aggregates stay columns: no key is looked up before its window closes."""
        by_event_time = isinstance(self.operation, WindowAggregate) and self.operation.time is TimeAttribute.EVENT
        return by_event_time and self.takes_parts and self.has_plain_keys

    @property
    def takes_parts(self) -> bool:
        """True if rows are aggregated locally in each task, so that the input consists of partial aggregates.

        Such a row has the net number of rows instead of the row kind, then the columns of the key (and the bounds of
        the window), then a part for each call:

        - COUNT: net number of values that are not NULL
        - SUM, $SUM0, AVG: pair of the sum, or None, and the net number of values
        - MIN, MAX: the value; None without one
        """
        if self.takes_rows or not isinstance(self.operation, (GroupAggregate, WindowAggregate)):
            return False
        possible = _IN_PARTS if self.retracts else _IN_PARTS | _IN_PARTS_WHEN_ADDED
        return all(call.function in possible and not call.distinct for call in self.operation.calls)
