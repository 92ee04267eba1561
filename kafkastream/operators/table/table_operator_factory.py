"""Factory of the keyed operators of SQL."""

from __future__ import annotations

from collections.abc import Sequence

from kafkastream.operators.stream.keyed_operators import KeyedOperator
from kafkastream.operators.table.aggregates.count_window_aggregate import CountWindowAggregateOperator
from kafkastream.operators.table.aggregates.group_aggregate import GroupAggregateOperator
from kafkastream.operators.table.aggregates.over_aggregate import over_operator
from kafkastream.operators.table.aggregates.session_aggregate import SessionAggregateOperator
from kafkastream.operators.table.aggregates.session_rows import SessionRowsOperator
from kafkastream.operators.table.aggregates.window_aggregate import WindowAggregateOperator
from kafkastream.operators.table.deduplicate import DeduplicateOperator
from kafkastream.operators.table.joins.lookup_join import LookupJoinOperator
from kafkastream.operators.table.joins.matches import FinalMatchesOperator, MatchesOperator
from kafkastream.operators.table.joins.pairs import IntervalPairsOperator, PairsOperator, WindowPairsOperator
from kafkastream.operators.table.joins.table_interval_join import TableIntervalJoinOperator
from kafkastream.operators.table.joins.table_join import JoinOperator
from kafkastream.operators.table.joins.temporal_join import TemporalJoinOperator
from kafkastream.operators.table.joins.window_join import WindowJoinOperator
from kafkastream.operators.table.materialize import MaterializeOperator
from kafkastream.operators.table.normalize import NormalizeOperator
from kafkastream.operators.table.partition_commit import PartitionCommitOperator
from kafkastream.operators.table.patterns.match_operator import MatchOperator
from kafkastream.operators.table.sort_operator import SortOperator
from kafkastream.operators.table.top_n_operator import TopNOperator, UpdatedTopNOperator, WindowTopNOperator
from kafkastream.sql.plan.operations import (
    CountWindowAggregate,
    Deduplicate,
    GroupAggregate,
    IntervalJoin,
    Join,
    LookupJoin,
    Matches,
    MatchRecognize,
    Materialize,
    Normalize,
    OverAggregate,
    Pairs,
    PartitionCommit,
    SessionAggregate,
    SessionRows,
    Sort,
    TableOperation,
    TemporalJoin,
    TopN,
    WindowAggregate,
)

__all__ = ["table_operator"]


def table_operator(table_operation: TableOperation) -> KeyedOperator:
    """Return the operator of a table operation, for one subtask."""
    operation, retracts, partial = table_operation.operation, table_operation.retracts, table_operation.takes_parts
    match operation:
        case GroupAggregate():
            return GroupAggregateOperator(operation, retracts=retracts, partial=partial)
        case WindowAggregate():
            return WindowAggregateOperator(operation, retracts=retracts, partial=partial)
        case SessionAggregate():
            return SessionAggregateOperator(operation, retracts=retracts)
        case CountWindowAggregate():
            return CountWindowAggregateOperator(operation)
        case TopN():
            return _top_n_operator(operation, retracts=retracts)
        case OverAggregate():
            return over_operator(operation)
        case PartitionCommit():
            return PartitionCommitOperator(operation, table_operation.keys[0])
        case Join() | IntervalJoin() | TemporalJoin() | LookupJoin() | Pairs() | Matches():
            return _join_operator(operation, table_operation.keys)
        case _:
            return _row_operator(operation)


def _top_n_operator(operation: TopN, *, retracts: bool) -> KeyedOperator:
    if operation.replaced_by is not None:
        return UpdatedTopNOperator(operation)
    return (TopNOperator if operation.window is None else WindowTopNOperator)(operation, retracts=retracts)


def _row_operator(
    operation: SessionRows | Deduplicate | Sort | MatchRecognize | Normalize | Materialize,
) -> KeyedOperator:
    match operation:
        case SessionRows():
            return SessionRowsOperator(operation)
        case Deduplicate():
            return DeduplicateOperator(operation)
        case Sort():
            return SortOperator(operation)
        case MatchRecognize():
            return MatchOperator(operation)
        case Normalize():
            return NormalizeOperator(operation)
        case Materialize():
            return MaterializeOperator(operation)


def _join_operator(
    operation: Join | IntervalJoin | TemporalJoin | LookupJoin | Pairs | Matches, keys: Sequence[Sequence[int]]
) -> KeyedOperator:
    match operation:
        case Join():
            compared = _null_rejecting_keys(operation, keys)
            return (JoinOperator if operation.window_end is None else WindowJoinOperator)(operation, keys=compared)
        case IntervalJoin():
            return TableIntervalJoinOperator(operation, keys=_null_rejecting_keys(operation, keys))
        case TemporalJoin():
            return TemporalJoinOperator(operation, keys=keys)
        case LookupJoin():
            return LookupJoinOperator(operation, keys=keys)
        case Pairs():
            return _pairs_operator(operation.join, keys)
        case Matches():
            return (FinalMatchesOperator if operation.is_final else MatchesOperator)(operation)


def _pairs_operator(join: Join | IntervalJoin, keys: Sequence[Sequence[int]]) -> KeyedOperator:
    compared = _null_rejecting_keys(join, keys)
    if isinstance(join, IntervalJoin):
        return IntervalPairsOperator(join, keys=keys, compared=compared)
    return (PairsOperator if join.window_end is None else WindowPairsOperator)(join, keys=keys, compared=compared)


def _null_rejecting_keys(join: Join | IntervalJoin, keys: Sequence[Sequence[int]]) -> Sequence[Sequence[int]]:
    """Return the key columns compared by ``=``, which NULL never equals, without those of IS NOT DISTINCT FROM."""
    return [[column for index, column in enumerate(columns) if index not in join.null_safe] for columns in keys]
