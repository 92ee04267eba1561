"""Aggregates with OVER in a SELECT."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.expressions.aggregate_calls import RequestedAggregate
from kafkastream.sql.expressions.expression_compiler import ExpressionCompiler
from kafkastream.sql.plan.expression import ColumnRef, TypedExpression, columns_in, renumbered
from kafkastream.sql.plan.operations import AggregateCall, Order, OverAggregate, TimeAttribute
from kafkastream.sql.plan.plan_builder import (
    PlannedRows,
    normalized,
    projected,
    reference,
    rewindowed,
    without_times,
)
from kafkastream.sql.plan.relations import Relation, Stateful
from kafkastream.sql.planner.aggregates.aggregate_arguments import result_fields, with_arguments
from kafkastream.sql.planner.aggregates.user_aggregates import check_changes, check_group
from kafkastream.sql.planner.over.over_calls import over_call
from kafkastream.sql.planner.over.over_frames import Frame, frame_of, windows_in

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner
    from kafkastream.sql.planner.select import Item

__all__ = ["has_frames", "with_frames"]


def has_frames(items: Sequence[Item]) -> bool:
    """Return whether a SELECT calls functions with OVER."""
    return any(next(windows_in(item.node), None) is not None for item in items)


class _OfFrames(ExpressionCompiler):
    """Compiles expressions with calls of OVER, whose results are columns appended to those of the rows.

    Attributes:
        calls: Calls, in the order of their columns.
        frame: Frame of all of them.
    """

    def __init__(self, of: ExpressionCompiler) -> None:
        super().__init__(of.text, of.scope, of.catalog)
        self._of = of
        self.calls: dict[RequestedAggregate, int] = {}
        self.frame: Frame | None = None

    def compile(self, node: exp.Expr) -> TypedExpression:
        """Compile an expression."""
        if isinstance(node, exp.Window):
            return self._framed(node)
        if next(windows_in(node), None) is None:
            return self._of.compile(node)
        return super().compile(node)

    def _framed(self, node: exp.Window) -> TypedExpression:
        frame = frame_of(self._of, node)
        if self.frame not in (None, frame):
            what = "All aggregates must be computed on the same window."
            raise self.text.error(node, what, "Give all calls one OVER, or nest a query with the other one in FROM.")
        self.frame = frame
        call = over_call(self._of, node)
        place = self.calls.setdefault(call, len(self.calls))
        return ColumnRef(len(self.scope.fields) + place, call.call.type)


def with_frames(
    planner: SelectPlanner,
    rows: PlannedRows,
    of: ExpressionCompiler,
    condition: TypedExpression | None,
    items: Sequence[Item],
) -> PlannedRows:
    """Plan a SELECT with calls of OVER.

    Args:
        planner: Planner of the query.
        rows: Rows of FROM, or groups of them.
        of: Compiler of expressions over these rows.
        condition: Condition on the rows before they are aggregated.
        items: Selected columns.
    """
    relation, frames = rows.relation, _OfFrames(of)
    expressions = [item.column or frames.compile(item.node) for item in items]
    assert frames.frame is not None
    _check_changes(planner, relation, frames.frame, items)
    check_group(planner, frames.calls)
    bounded = frames.frame.preceding is not None
    check_changes(planner, frames.calls, ChangelogMode.RETRACT if bounded else ChangelogMode.APPEND)
    width = len(relation.fields)
    used = sorted({place for one in expressions for place in columns_in(one) if place < width})
    columns = list(dict.fromkeys([*(reference(relation, place) for place in used), *_own(frames.frame)]))
    before, calls = with_arguments(planner, relation, condition, columns, list(frames.calls))
    after = _over(planner, before, frames.frame, list(frames.calls), columns, calls)
    places = {place: columns.index(reference(relation, place)) for place in used}
    places |= {width + at: len(before.fields) + at for at in range(len(calls))}
    result = projected(
        after, [renumbered(one, places) for one in expressions], [item.name for item in items], ttl_ms=planner.ttl_ms
    )
    return PlannedRows(result, rewindowed(rows.window, expressions))


def _own(frame: Frame) -> list[TypedExpression]:
    """Return the expressions that a frame needs as columns; processing time is none."""
    order = [] if frame.time is TimeAttribute.PROCESSING else [frame.order]
    return [*sorted(frame.partition, key=str), *order]


def _check_changes(planner: SelectPlanner, relation: Relation, frame: Frame, items: Sequence[Item]) -> None:
    if frame.time is not None and relation.changelog is not ChangelogMode.APPEND:
        node = next(window for item in items for window in windows_in(item.node))
        what = "OVER ordered by a time doesn't support consuming update and delete changes."
        raise planner.text.refused(
            node, what, "Read an append-only table, or order by a column that is not a time attribute."
        )


def _over(
    planner: SelectPlanner,
    before: Relation,
    frame: Frame,
    calls: Sequence[RequestedAggregate],
    columns: Sequence[TypedExpression],
    placed: tuple[AggregateCall, ...],
) -> Stateful:
    keys = tuple(sorted(columns.index(one) for one in frame.partition))
    place = None if frame.time is TimeAttribute.PROCESSING else columns.index(frame.order)
    is_timed = frame.time is not None
    operation = OverAggregate(
        calls=placed,
        time=frame.time,
        column=place if is_timed else None,
        order=() if is_timed or place is None else (Order(place, nulls_last=frame.nulls_last),),
        is_rows=frame.is_rows,
        preceding=frame.preceding,
        ttl_ms=planner.ttl_ms,
    )
    input_ = normalized(before, planner.ttl_ms)
    return Stateful(
        merged=(input_,),
        keys=(keys,),
        operation=operation,
        fields=(*(before.fields if is_timed else without_times(before.fields)), *result_fields(calls)),
        changelog=ChangelogMode.APPEND if is_timed else ChangelogMode.RETRACT,
        upsert_key=None if is_timed else before.upsert_key,
    )
