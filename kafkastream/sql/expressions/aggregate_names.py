"""Names of aggregate functions and of the older group windows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kafkastream.sql.plan.operations import AggregateFunction

__all__ = ["AGGREGATES", "GROUP_WINDOWS", "ROW_COUNT"]

AGGREGATES: Final[Mapping[str, AggregateFunction]] = {
    **{one.value: one for one in AggregateFunction if not (one.value.startswith("$") or one.needs_order)},
    "VARIANCE": AggregateFunction.VAR_SAMP,
    "STDDEV": AggregateFunction.STDDEV_SAMP,
}
"""Aggregates by name; some have two."""

ROW_COUNT: Final = "$ROWS"
"""Function that the Table API writes for a length in rows; SQL has none."""

_GROUPED = "Write GROUP BY {0}(ts, ...), with the same arguments."
GROUP_WINDOWS: Final[Mapping[str, str]] = {
    name: _GROUPED.format(window)
    for window in ("TUMBLE", "HOP", "SESSION")
    for name in (window, f"{window}_START", f"{window}_END", f"{window}_ROWTIME", f"{window}_PROCTIME")
}
"""Functions of group windows, each with a hint."""
