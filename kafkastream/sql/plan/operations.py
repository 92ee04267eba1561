"""Operations of a query with state, as frozen values that keyed operators carry out."""

from __future__ import annotations

import enum
from typing import final

import attrs

from kafkastream.model.functions.keyed_operation import KeyedOperation
from kafkastream.sql.types import DataType

__all__ = [
    "AggregateCall",
    "AggregateFunction",
    "Deduplicate",
    "GroupAggregate",
    "IntervalJoin",
    "Join",
    "JoinKind",
    "Keep",
    "Materialize",
    "Normalize",
    "Operation",
    "Order",
    "SessionAggregate",
    "TableOperation",
    "TemporalJoin",
    "TimeAttribute",
    "TopN",
    "WindowAggregate",
]


class TimeAttribute(enum.Enum):
    """Event time or processing time."""

    EVENT = "rowtime"
    PROCESSING = "proctime"


class AggregateFunction(enum.Enum):
    """Function of the rows of a group."""

    COUNT = "COUNT"
    SUM = "SUM"
    SUM0 = "$SUM0"
    AVG = "AVG"
    MIN = "MIN"
    MAX = "MAX"
    FIRST_VALUE = "FIRST_VALUE"
    LAST_VALUE = "LAST_VALUE"
    LISTAGG = "LISTAGG"
    COLLECT = "COLLECT"
    ARRAY_AGG = "ARRAY_AGG"
    STDDEV_POP = "STDDEV_POP"
    STDDEV_SAMP = "STDDEV_SAMP"
    VAR_POP = "VAR_POP"
    VAR_SAMP = "VAR_SAMP"
    SINGLE_VALUE = "SINGLE_VALUE"


@final
@attrs.frozen(kw_only=True)
class AggregateCall:
    """An aggregate function with its argument.

    Args:
        function: Function.
        argument: The column of the rows that come in; None for ``COUNT(*)``.
        type: Type of the result.
        argument_type: The argument's type; None for ``COUNT(*)``.
        distinct: Whether equal values count once.
        filter: A BOOLEAN column of the rows that come in, by which rows count; None for all.
        separator: Separator of LISTAGG.
    """

    function: AggregateFunction
    type: DataType
    argument: int | None = None
    argument_type: DataType | None = None
    distinct: bool = False
    filter: int | None = None
    separator: str = ","


@final
@attrs.frozen(kw_only=True)
class GroupAggregate:
    """Aggregates of each key, told anew whenever they change: the key's columns, then one for each call.

    Args:
        calls: Aggregates.
        keys: Number of key columns, which are the first of the input.
        ttl_ms: After how long without a change a group is forgotten; never, if 0.
    """

    calls: tuple[AggregateCall, ...]
    keys: int
    ttl_ms: int = 0


@final
@attrs.frozen(kw_only=True)
class WindowAggregate:
    """Aggregates of each key and window, told once when the window is over.

    Rows come in with the bounds of their window: the first ``keys`` columns are the key, then come window_start and
    window_end, then arguments. What comes out: the key, one column for each call, window_start, window_end.

    Args:
        calls: Aggregates.
        keys: Number of key columns, without the window.
        time: When a window is over; by event time, rows that come after it are late, and dropped.
        zone: The time zone in which the bounds are wall-clock times of TIMESTAMP columns; by event time of a
            TIMESTAMP column it is UTC.
    """

    calls: tuple[AggregateCall, ...]
    keys: int
    time: TimeAttribute = TimeAttribute.EVENT
    zone: str = "UTC"


@final
@attrs.frozen(kw_only=True)
class SessionAggregate:
    """Aggregates of each key and session: rows between which there is never so much time.

    Rows come in as key, then the time column, then arguments; what comes out is as with ``WindowAggregate``.

    Args:
        calls: Aggregates.
        keys: Number of key columns.
        gap_ms: Gap between two sessions.
        time: Event time or processing time.
        zone: As with ``WindowAggregate``.
    """

    calls: tuple[AggregateCall, ...]
    keys: int
    gap_ms: int
    time: TimeAttribute = TimeAttribute.EVENT
    zone: str = "UTC"


class Keep(enum.Enum):
    """Row of a key that stays."""

    FIRST = "first"
    LAST = "last"


@final
@attrs.frozen(kw_only=True)
class Deduplicate:
    """Keeps one row of each key: ``ROW_NUMBER() OVER (PARTITION BY key ORDER BY time) = 1`` over rows that are only added.

    The rows come out as they came in. The first by processing time never changes, so it is told once; otherwise changes
    are told with the row before.

    Args:
        keep: First or last row.
        time: Event time or processing time; by event time rows are compared by ``column``, and equal ones come in the order of arrival.
        column: The column with the time, for event time.
        ttl_ms: After how long without a change a key is forgotten; never, if 0.
    """

    keep: Keep
    time: TimeAttribute
    column: int | None = None
    ttl_ms: int = 0


@final
@attrs.frozen
class Order:
    """A column by which rows are sorted.

    Args:
        column: The column.
        descending: Whether the greatest comes first.
        nulls_last: Whether NULL comes last, or else first; where nothing is said, Flink takes it for less than anything.
    """

    column: int
    descending: bool = False
    nulls_last: bool = False


@final
@attrs.frozen(kw_only=True)
class TopN:
    """The first rows of each key: ``ROW_NUMBER() OVER (PARTITION BY key ORDER BY ...) BETWEEN first AND last``.

    The rows come out as they came in, with their number (a BIGINT) behind if it is asked for.

    Args:
        order: Sort order; equal rows come in the order of arrival.
        first: The first number that is wanted.
        last: The last one.
        with_number: Whether the number comes out, too.
        window: The column with the end of the window when each window has its own first rows, told when it is over;
            None when they are told anew whenever they change.
        ttl_ms: After how long without a change a key is forgotten; never, if 0.
        time: With windows, when one is over.
        zone: As with ``WindowAggregate``.
    """

    order: tuple[Order, ...]
    first: int
    last: int
    with_number: bool
    window: int | None = None
    ttl_ms: int = 0
    time: TimeAttribute = TimeAttribute.EVENT
    zone: str = "UTC"


class JoinKind(enum.Enum):
    """Kind of a join, by the rows without a match that come out."""

    INNER = "INNER"
    LEFT = "LEFT"
    RIGHT = "RIGHT"
    FULL = "FULL"
    SEMI = "SEMI"
    ANTI = "ANTI"


@final
@attrs.frozen(kw_only=True)
class Join:
    """Rows of two inputs with equal keys, told anew whenever one changes: the left one's columns, then the right one's.

    Args:
        kind: Kind of the join; rows without a match have NULL in the other's columns, SEMI and ANTI have the left columns.
        widths: Number of columns of each input.
        ttl_ms: After how long a row is forgotten; never, if 0.
        window_end: The column of each input with the end of its window for a join of windows, told when it is over.
        time: With windows, when one is over.
        zone: As with ``WindowAggregate``.
    """

    kind: JoinKind
    widths: tuple[int, int]
    ttl_ms: int = 0
    window_end: tuple[int, int] | None = None
    time: TimeAttribute = TimeAttribute.EVENT
    zone: str = "UTC"


@final
@attrs.frozen(kw_only=True)
class IntervalJoin:
    """Rows of two inputs with equal keys whose times are so far apart: ``right + lower <= left <= right + upper``.

    Both inputs are only added to, and so is what comes out. Rows without a match come out when none can come any more.

    Args:
        kind: INNER, LEFT, RIGHT or FULL.
        widths: Number of columns of each input.
        times: The time column of each input.
        lower_ms: Least time that the left row is later than the right one.
        upper_ms: And at most.
        time: By which time.
    """

    kind: JoinKind
    widths: tuple[int, int]
    times: tuple[int, int]
    lower_ms: int
    upper_ms: int
    time: TimeAttribute = TimeAttribute.EVENT


@final
@attrs.frozen(kw_only=True)
class TemporalJoin:
    """Temporal join: each left row with what the right input, a table of changes, held for its key at the row's time.

    Args:
        kind: INNER or LEFT.
        widths: Number of columns of each input.
        times: The time column of each input.
        time: By event time, a left row waits for the watermark; by processing time, it has what is there now.
        ttl_ms: After how long without a change a key is forgotten; never, if 0.
    """

    kind: JoinKind
    widths: tuple[int, int]
    times: tuple[int | None, int | None]
    time: TimeAttribute = TimeAttribute.EVENT
    ttl_ms: int = 0


@final
@attrs.frozen(kw_only=True)
class Normalize:
    """Upserts as changes with the row before (Flink's ChangelogNormalize): what says nothing new is left out.

    Args:
        ttl_ms: After how long without a change a key is forgotten; never, if 0.
    """

    ttl_ms: int = 0


@final
@attrs.frozen(kw_only=True)
class Materialize:
    """Changes by any key as upserts by the sink's primary key: the last one of the rows that are there.

    Args:
        ttl_ms: After how long without a change a key is forgotten; never, if 0.
    """

    ttl_ms: int = 0


Operation = (
    GroupAggregate
    | WindowAggregate
    | SessionAggregate
    | Deduplicate
    | TopN
    | Join
    | IntervalJoin
    | TemporalJoin
    | Normalize
    | Materialize
)


_IN_PARTS = frozenset({AggregateFunction.COUNT, AggregateFunction.SUM, AggregateFunction.SUM0, AggregateFunction.AVG})
_IN_PARTS_WHEN_ADDED = frozenset({AggregateFunction.MIN, AggregateFunction.MAX})


@final
@attrs.frozen
class TableOperation(KeyedOperation):
    """An operation, and what its rows are like.

    Args:
        operation: Operation.
        retracts: Whether rows may take back others.
        keys: For a join, the columns of each input that it compares by ``=``, which NULL never equals.
        has_plain_keys: Whether no column of the key has parts of its own.
        depends_on: Text that the state depends on: the operation, and all expressions below it.
    """

    operation: Operation
    retracts: bool = False
    keys: tuple[tuple[int, ...], ...] = ()
    has_plain_keys: bool = True
    depends_on: str = ""

    @property
    def is_columnar(self) -> bool:
        """Whether parts stay columns all the way: no key has to be looked up before its window is over."""
        by_event_time = isinstance(self.operation, WindowAggregate) and self.operation.time is TimeAttribute.EVENT
        return by_event_time and self.takes_parts and self.has_plain_keys

    @property
    def takes_parts(self) -> bool:
        """Whether rows are aggregated as far as those of one task go, and come as parts of the aggregates.

        Such a row is, in place of a row's kind, how many rows more there are, then the columns of the key (and the bounds
        of the window), then a part for each call:

        - COUNT: how many values more there are, of those that are not NULL
        - SUM, $SUM0, AVG: a pair of the sum, or None, and of how many values it is
        - MIN, MAX: the value; None where there is none
        """
        if not isinstance(self.operation, (GroupAggregate, WindowAggregate)):
            return False
        possible = _IN_PARTS if self.retracts else _IN_PARTS | _IN_PARTS_WHEN_ADDED
        return all(call.function in possible and not call.distinct for call in self.operation.calls)
