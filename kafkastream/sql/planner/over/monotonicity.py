"""Monotonicity of columns: whether their values only grow or fall as a row is updated, as far as Flink finds out.

The words are those of Flink's ``FlinkRelMdModifiedMonotonicity``.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Sequence

from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.plan.expression import ColumnRef, columns_in
from kafkastream.sql.plan.operations import AggregateCall, AggregateFunction, GroupAggregate, Order
from kafkastream.sql.plan.relations import Project, Relation, Stateful

__all__ = ["replacement_key"]


class _Monotonicity(enum.Enum):
    """Change of a column's values as its row is updated."""

    CONSTANT = "constant"
    INCREASING = "increasing"
    DECREASING = "decreasing"
    NOT_MONOTONIC = "not monotonic"


def replacement_key(relation: Relation, keys: Collection[int], order: Sequence[Order]) -> tuple[int, ...] | None:
    """Return the key by which an updated row replaces its previous version in a top-N; None if rows may be removed or fall.

    Flink then keeps the first rows alone (``UpdateFastStrategy``). It does so too if a row falls because its value was
    NULL, which came first, and then misses the rows behind it.
    https://github.com/apache/flink/blob/release-2.2/flink-table/flink-table-planner/src/main/scala/org/apache/flink/table/planner/plan/metadata/FlinkRelMdModifiedMonotonicity.scala

    Args:
        relation: Rows.
        keys: Columns by which the rows are partitioned.
        order: Order of the top-N.
    """
    key = relation.upsert_key
    if relation.changelog is ChangelogMode.APPEND or key is None or not set(keys) <= set(key):
        return None
    monotonicities = _monotonicities(relation)
    is_rising = bool(monotonicities and order) and all(
        _keeps_or_gains_rank(relation, monotonicities[column_order.column], column_order) for column_order in order
    )
    return key if is_rising else None


def _keeps_or_gains_rank(relation: Relation, monotonicity: _Monotonicity, order: Order) -> bool:
    """Return whether an updated row never moves back in an order."""
    if monotonicity is _Monotonicity.INCREASING:
        return order.descending and (order.nulls_last or not relation.fields[order.column].type.is_nullable)
    return monotonicity is _Monotonicity.CONSTANT or (monotonicity is _Monotonicity.DECREASING and not order.descending)


def _monotonicities(relation: Relation) -> Sequence[_Monotonicity]:
    """Return the monotonicity of each column; an empty sequence if rows may be removed, or if it is unknown."""
    if relation.changelog is ChangelogMode.APPEND:
        return [_Monotonicity.CONSTANT] * len(relation.fields)
    match relation:
        case Project(input=input_relation, expressions=expressions, condition=condition):
            input_monotonicities = _monotonicities(input_relation)
            read = () if condition is None else columns_in(condition)
            if not input_monotonicities or any(
                input_monotonicities[column] is not _Monotonicity.CONSTANT for column in read
            ):
                return ()
            return [
                input_monotonicities[expression.place]
                if isinstance(expression, ColumnRef)
                else _Monotonicity.NOT_MONOTONIC
                for expression in expressions
            ]
        case Stateful(operation=GroupAggregate(calls=calls, keys=keys), merged=(input_relation,)):
            if input_relation.changelog is not ChangelogMode.APPEND:
                return ()
            return [*[_Monotonicity.CONSTANT] * keys, *map(_monotonicity_of_call, calls)]
        case _:
            return ()


def _monotonicity_of_call(call: AggregateCall) -> _Monotonicity:
    """Return the monotonicity of an aggregate of append-only rows; MIN decreases unless it may begin as NULL."""
    match call.function:
        case AggregateFunction.COUNT | AggregateFunction.MAX:
            return _Monotonicity.INCREASING
        case AggregateFunction.MIN if call.filter is None and call.argument_type and not call.argument_type.is_nullable:
            return _Monotonicity.DECREASING
        case _:
            return _Monotonicity.NOT_MONOTONIC
