"""Rows that a table aggregate function gives for each key, updated whenever they change (Flink's GroupTableAggFunction)."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final, final

from kafkastream.model.common.call_errors import call_failed
from kafkastream.model.common.row import Row
from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.table_operator import TableOperator
from kafkastream.operators.table.table_rows import DELETE, INSERT, Columns, TableRow, adds, emit
from kafkastream.operators.table.user_accumulators import UserFunctionCalls
from kafkastream.operators.table.user_values import writer
from kafkastream.sql.function_values import NO_VALUE, not_of_type
from kafkastream.sql.plan.user_aggregate import GroupTableAggregate

__all__ = ["GroupTableAggregateOperator"]

_GROUP: Final = "group"


@final
class GroupTableAggregateOperator(TableOperator):
    """Group of each key: emits which rows of its function have come and gone since the row before.

    Differs from Flink, which deletes all rows of the group and inserts the new ones.

    Args:
        operation: The aggregation.
    """

    def __init__(self, operation: GroupTableAggregate) -> None:
        self._calls = UserFunctionCalls(operation.user)
        super().__init__(operation.ttl_ms, [] if self._calls.opened is None else [self._calls.opened])
        self._keys = slice(1, 1 + operation.keys)
        self._places = [place + 1 for place in operation.user.arguments]
        self._type = operation.user.function.result_type
        self._writes = [writer(field.type) for field in self._type.fields]

    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Add a row to its group, or retract it."""
        entry, key = self.keyed_context.entry, row[self._keys]
        group: list[Any] | None = entry.get(_GROUP)
        before: Counter[Columns] = Counter()
        sign = 1 if adds(row[0]) else -1
        if group is None:
            if sign < 0:
                return
            group = entry[_GROUP] = [0, self._calls.new()]
        else:
            before = self._rows(group[1])
        group[0] += sign
        self._calls.add(group[1], tuple(row[place] for place in self._places), sign)
        after = self._rows(group[1]) if group[0] else Counter()
        for kind, rows in ((DELETE, before - after), (INSERT, after - before)):
            for columns in rows.elements():
                emit(out, kind, (*key, *columns))
        if group[0]:
            self.written()
        else:
            self.forget()

    def _rows(self, kept: Any) -> Counter[Columns]:
        """Return the rows of a group."""
        try:
            rows = list(self._calls.function.emit_value(kept))
        except BaseException as error:
            raise call_failed(self._calls.name, (), error, "emit_value") from error
        return Counter(map(self._columns, rows))

    def _columns(self, row: Any) -> Columns:
        values = tuple(row) if isinstance(row, tuple | Row) else (row,)
        try:
            return tuple(write(value) for write, value in zip(self._writes, values, strict=True))
        except NO_VALUE:
            raise not_of_type(self._calls.name, row, self._type) from None
