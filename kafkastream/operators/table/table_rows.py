"""Rows of tables in keyed operators: tuples of the row kind's number and the columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from kafkastream.model.common.row import RowKind
from kafkastream.operators.stream.keyed_operators import Emitted

__all__ = ["DELETE", "INSERT", "UPDATE_AFTER", "UPDATE_BEFORE", "Columns", "TableRow", "adds", "emit", "replace"]

TableRow = tuple[Any, ...]
"""The number of a ``RowKind``, then the columns."""

Columns = tuple[Any, ...]
"""The columns of a row, without its kind."""

INSERT: Final[int] = RowKind.INSERT.value
UPDATE_BEFORE: Final[int] = RowKind.UPDATE_BEFORE.value
UPDATE_AFTER: Final[int] = RowKind.UPDATE_AFTER.value
DELETE: Final[int] = RowKind.DELETE.value


def adds(kind: int) -> bool:
    """Return whether a row of this kind adds a row, rather than removing one."""
    return kind in {INSERT, UPDATE_AFTER}


def emit(out: Emitted, kind: int, columns: Iterable[Any]) -> None:
    """Emit a row."""
    out.values.append((kind, *columns))
    out.timestamps.append(None)


def replace(out: Emitted, before: Columns | None, after: Columns | None) -> None:
    """Emit the change from one row to another; None for no row."""
    if before is None:
        if after is not None:
            emit(out, INSERT, after)
    elif after is None:
        emit(out, DELETE, before)
    else:
        emit(out, UPDATE_BEFORE, before)
        emit(out, UPDATE_AFTER, after)
