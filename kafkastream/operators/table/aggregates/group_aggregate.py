"""Aggregates of each key, updated whenever they change (Flink's GroupAggFunction)."""

from __future__ import annotations

from typing import Final, final

from kafkastream.operators.stream.keyed_operators import Emitted
from kafkastream.operators.table.aggregates.group_aggregates import Aggregates, Group
from kafkastream.operators.table.table_operator import TableOperator
from kafkastream.operators.table.table_rows import Columns, TableRow, replace
from kafkastream.sql.plan.operations import GroupAggregate

__all__ = ["GroupAggregateOperator"]

_GROUP: Final = "group"


@final
class GroupAggregateOperator(TableOperator):
    """Emits the group of each key when its first row arrives, updates it when its aggregates change, and deletes it when
    its last row is retracted.

    Same as in Flink: the group of an aggregation without keys is deleted, too, when all rows are retracted; with a time
    to live, each row emits the aggregates even if they are equal, so that downstream operators do not expire them.

    Args:
        operation: The aggregation.
        retracts: Whether rows may be retracted.
        partial: Whether rows are partial aggregates (``TableOperation.takes_parts``).
    """

    def __init__(self, operation: GroupAggregate, *, retracts: bool, partial: bool) -> None:
        self._aggregates = Aggregates(operation.calls, retracts, operation.keys if partial else None)
        super().__init__(operation.ttl_ms, self._aggregates.functions)
        self._keys = slice(1, 1 + operation.keys)

    def row(self, side: int, row: TableRow, out: Emitted) -> None:
        """Add a row to its group, or retract it."""
        aggregates, entry, key = self._aggregates, self.keyed_context.entry, row[self._keys]
        group: Group | None = entry.get(_GROUP)
        before: Columns | None = None
        if group is None:
            if aggregates.rows_of(row) <= 0:
                return
            group = entry[_GROUP] = aggregates.new()
        else:
            before = (*key, *aggregates.results(group))
        aggregates.add(group, row)
        if group[0]:
            self.mark_written()
            after = (*key, *aggregates.results(group))
            if before != after or self.ttl_ms:
                replace(out, before, after)
        else:
            self.clear_state()
            replace(out, before, None)
