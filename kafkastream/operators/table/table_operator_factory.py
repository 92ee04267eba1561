"""Factory of the keyed operators of SQL."""

from __future__ import annotations

from collections.abc import Sequence

from kafkastream.operators.stream.keyed_operators import KeyedOperator
from kafkastream.operators.table.deduplicate import DeduplicateOperator
from kafkastream.operators.table.group_aggregate import GroupAggregateOperator
from kafkastream.operators.table.materialize import MaterializeOperator
from kafkastream.operators.table.normalize import NormalizeOperator
from kafkastream.operators.table.session_aggregate import SessionAggregateOperator
from kafkastream.operators.table.table_interval_join import TableIntervalJoinOperator
from kafkastream.operators.table.table_join import JoinOperator
from kafkastream.operators.table.temporal_join import TemporalJoinOperator
from kafkastream.operators.table.top_n_operator import TopNOperator, WindowTopNOperator
from kafkastream.operators.table.window_aggregate import WindowAggregateOperator
from kafkastream.operators.table.window_join import WindowJoinOperator
from kafkastream.sql.plan.operations import (
    Deduplicate,
    GroupAggregate,
    IntervalJoin,
    Join,
    Materialize,
    Normalize,
    SessionAggregate,
    TableOperation,
    TemporalJoin,
    TopN,
    WindowAggregate,
)

__all__ = ["table_operator"]


def table_operator(what: TableOperation) -> KeyedOperator:
    """Return the operator of a table operation, for one subtask."""
    operation, keys, retracts, partial = what.operation, what.keys, what.retracts, what.takes_parts
    match operation:
        case GroupAggregate():
            return GroupAggregateOperator(operation, retracts=retracts, partial=partial)
        case WindowAggregate():
            return WindowAggregateOperator(operation, retracts=retracts, partial=partial)
        case SessionAggregate():
            return SessionAggregateOperator(operation, retracts=retracts)
        case TopN():
            return (TopNOperator if operation.window is None else WindowTopNOperator)(operation, retracts=retracts)
        case Join():
            return (JoinOperator if operation.window_end is None else WindowJoinOperator)(operation, keys=keys)
        case _:
            return _of_rows(operation, keys)


def _of_rows(
    operation: Deduplicate | IntervalJoin | TemporalJoin | Normalize | Materialize, keys: Sequence[Sequence[int]]
) -> KeyedOperator:
    match operation:
        case Deduplicate():
            return DeduplicateOperator(operation)
        case IntervalJoin():
            return TableIntervalJoinOperator(operation, keys=keys)
        case TemporalJoin():
            return TemporalJoinOperator(operation, keys=keys)
        case Normalize():
            return NormalizeOperator(operation)
        case Materialize():
            return MaterializeOperator(operation)
