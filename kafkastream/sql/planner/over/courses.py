"""Direction in which the values of columns change while their row is updated, as far as Flink finds out."""

from __future__ import annotations

import enum
from collections.abc import Collection, Sequence

from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.plan.expression import ColumnRef, columns_in
from kafkastream.sql.plan.operations import AggregateCall, AggregateFunction, GroupAggregate, Order
from kafkastream.sql.plan.relations import Project, Relation, Stateful

__all__ = ["replaced_by"]


class _Course(enum.Enum):
    """Course of a column."""

    SAME = "same"
    UP = "up"
    DOWN = "down"
    ANY = "any"


def replaced_by(relation: Relation, keys: Collection[int], order: Sequence[Order]) -> tuple[int, ...] | None:
    """Return the key by which an updated row replaces its former self in a top-N; None if rows may be removed or fall.

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
    courses = _courses(relation)
    is_rising = bool(courses and order) and all(_rises(relation, courses[one.column], one) for one in order)
    return key if is_rising else None


def _rises(relation: Relation, course: _Course, order: Order) -> bool:
    """Return whether an updated row comes no later in an order than before."""
    if course is _Course.UP:
        return order.descending and (order.nulls_last or not relation.fields[order.column].type.is_nullable)
    return course is _Course.SAME or (course is _Course.DOWN and not order.descending)


def _courses(relation: Relation) -> Sequence[_Course]:
    """Return the course of each column; none if rows may be removed, or if it is unknown."""
    if relation.changelog is ChangelogMode.APPEND:
        return [_Course.SAME] * len(relation.fields)
    match relation:
        case Project(input=before, expressions=expressions, condition=condition):
            found = _courses(before)
            read = () if condition is None else columns_in(condition)
            if not found or any(found[one] is not _Course.SAME for one in read):
                return ()
            return [found[one.place] if isinstance(one, ColumnRef) else _Course.ANY for one in expressions]
        case Stateful(operation=GroupAggregate(calls=calls, keys=keys), merged=(before,)):
            if before.changelog is not ChangelogMode.APPEND:
                return ()
            return [*[_Course.SAME] * keys, *map(_of_call, calls)]
        case _:
            return ()


def _of_call(call: AggregateCall) -> _Course:
    """Return the course of an aggregate of rows that are only added; MIN goes down unless it may begin as NULL."""
    match call.function:
        case AggregateFunction.COUNT | AggregateFunction.MAX:
            return _Course.UP
        case AggregateFunction.MIN if call.filter is None and call.argument_type and not call.argument_type.is_nullable:
            return _Course.DOWN
        case _:
            return _Course.ANY
