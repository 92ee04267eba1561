"""Joins of a query, as frozen values; keyed operators run them."""

from __future__ import annotations

import enum
from typing import Final, final

import attrs

from kafkastream.sql.plan.time_attribute import TimeAttribute

__all__ = [
    "PADS_LEFT",
    "PADS_RIGHT",
    "IntervalJoin",
    "Join",
    "JoinKind",
    "LookupJoin",
    "Matches",
    "PairPart",
    "Pairs",
    "TemporalJoin",
]


class JoinKind(enum.Enum):
    """Kind of a join."""

    INNER = "INNER"
    LEFT = "LEFT"
    RIGHT = "RIGHT"
    FULL = "FULL"
    SEMI = "SEMI"
    ANTI = "ANTI"
    MARK = "MARK"
    """The left rows, each with a BOOLEAN, whether it has a match: EXISTS as a value."""

    @property
    def has_only_left(self) -> bool:
        """True if the result has no column of the right input."""
        return self in {JoinKind.SEMI, JoinKind.ANTI, JoinKind.MARK}


PADS_LEFT: Final = frozenset({JoinKind.LEFT, JoinKind.FULL})
"""Kinds of joins that emit left rows without a match."""
PADS_RIGHT: Final = frozenset({JoinKind.RIGHT, JoinKind.FULL})
"""Kinds of joins that emit right rows without a match."""


@final
@attrs.frozen(kw_only=True)
class Join:
    """Regular or window join of two inputs with equal keys; output columns: the left input's, then the right one's.

    Args:
        kind: Kind of the join; SEMI and ANTI only have the left columns.
        widths: Number of columns of each input.
        ttl_ms: Time after which the state of a row expires, in ms; 0 for never.
        window_end: Position of each input's column with the end of its window, for a window join; else None.
        time: Time attribute by which a window closes.
        zone: As with ``WindowAggregate``.
        null_safe: Which of the keys NULL equals NULL in, by their number (``IS NOT DISTINCT FROM``).
        right_ttl_ms: ``ttl_ms`` of the right input; None for that of the left one.
    """

    kind: JoinKind
    widths: tuple[int, int]
    ttl_ms: int = 0
    window_end: tuple[int, int] | None = None
    time: TimeAttribute = TimeAttribute.EVENT
    zone: str = "UTC"
    null_safe: tuple[int, ...] = ()
    right_ttl_ms: int | None = None

    @property
    def ttls_ms(self) -> tuple[int, int]:
        """Return the times to live of both inputs, in ms."""
        return self.ttl_ms, self.ttl_ms if self.right_ttl_ms is None else self.right_ttl_ms


@final
@attrs.frozen(kw_only=True)
class IntervalJoin:
    """Interval join: rows of two inputs with equal keys and ``right + lower <= left <= right + upper`` for their times.

    Both inputs and the output are insert-only. Rows without a match are emitted when none can arrive any more.

    Args:
        kind: INNER, LEFT, RIGHT or FULL.
        widths: Number of columns of each input.
        times: Position of each input's time column.
        lower_ms: Minimum of left time minus right time, in ms.
        upper_ms: Maximum of left time minus right time, in ms.
        time: Event time or processing time.
        null_safe: As with ``Join``.
    """

    kind: JoinKind
    widths: tuple[int, int]
    times: tuple[int, int]
    lower_ms: int
    upper_ms: int
    time: TimeAttribute = TimeAttribute.EVENT
    null_safe: tuple[int, ...] = ()


class PairPart(enum.Enum):
    """Content of a row of ``Pairs``: a left row and a right one with equal keys, or a row of one side alone."""

    PAIR = 0
    LEFT = 1
    RIGHT = 2


@final
@attrs.frozen(kw_only=True)
class Pairs:
    """First half of a join with a condition on pairs of rows: emits the rows of both inputs, and all pairs of them.

    Spark then evaluates the condition on each pair, and ``Matches`` counts the pairs that are left. Output columns: the
    part (TINYINT, a ``PairPart``), the key, the left columns and the right ones. With a window or an interval, each
    side's last column is the number of the row within its key, and a row is emitted after all of its pairs.

    Args:
        join: The join without the condition, of the kind that ``Matches`` has.
    """

    join: Join | IntervalJoin

    @property
    def is_final(self) -> bool:
        """True if nothing that is emitted changes later: a row comes once, after all of its pairs."""
        return isinstance(self.join, IntervalJoin) or self.join.window_end is not None


@final
@attrs.frozen(kw_only=True)
class Matches:
    """Second half of a join with a condition on pairs of rows, by the output of ``Pairs`` without the wrong pairs.

    Output columns as of ``Join``; MARK adds a BOOLEAN.

    Args:
        kind: Kind of the join.
        keys: Number of key columns in the input.
        widths: Number of columns of each side in the input, including the number of the row if ``is_final``.
        is_final: As with ``Pairs``.
        ttl_ms: Time after which the state of a row expires, in ms; 0 for never.
    """

    kind: JoinKind
    keys: int
    widths: tuple[int, int]
    is_final: bool = False
    ttl_ms: int = 0


@final
@attrs.frozen(kw_only=True)
class LookupJoin:
    """Lookup join: each left row with the rows of a table that is read once, when the job starts.

    Args:
        kind: INNER or LEFT.
        widths: Number of columns of each input.
    """

    kind: JoinKind
    widths: tuple[int, int]


@final
@attrs.frozen(kw_only=True)
class TemporalJoin:
    """Temporal join: each left row with the version of the right table that was valid for its key at the row's time.

    Args:
        kind: INNER or LEFT.
        widths: Number of columns of each input.
        times: Position of each input's time column.
        time: In event time, a left row waits for the watermark; in processing time, it joins the current version.
        ttl_ms: Time without a change after which the state of a key expires, in ms; 0 for never.
    """

    kind: JoinKind
    widths: tuple[int, int]
    times: tuple[int | None, int | None]
    time: TimeAttribute = TimeAttribute.EVENT
    ttl_ms: int = 0
