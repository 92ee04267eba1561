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
from kafkastream.sql.planner.aggregates.user_aggregates import check_group_aggregates, check_retractable
from kafkastream.sql.planner.over.over_calls import compile_over_call
from kafkastream.sql.planner.over.over_frames import Frame, compile_frame, over_calls_in

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner
    from kafkastream.sql.planner.select import SelectItem

__all__ = ["has_over_calls", "plan_over_aggregates"]


def has_over_calls(items: Sequence[SelectItem]) -> bool:
    """Return whether a SELECT calls functions with OVER."""
    return any(next(over_calls_in(item.node), None) is not None for item in items)


class _OverCompiler(ExpressionCompiler):
    """Compiles expressions with calls of OVER, whose results are columns appended to those of the rows.

    Attributes:
        calls: Calls, in the order of their columns.
        frame: Frame of all of them.
    """

    def __init__(self, row_compiler: ExpressionCompiler) -> None:
        super().__init__(row_compiler.text, row_compiler.scope, row_compiler.catalog)
        self._row_compiler = row_compiler
        self.calls: dict[RequestedAggregate, int] = {}
        self.frame: Frame | None = None

    def compile(self, node: exp.Expr) -> TypedExpression:
        """Compile an expression."""
        if isinstance(node, exp.Window):
            return self._compile_over_call(node)
        if next(over_calls_in(node), None) is None:
            return self._row_compiler.compile(node)
        return super().compile(node)

    def _compile_over_call(self, node: exp.Window) -> TypedExpression:
        frame = compile_frame(self._row_compiler, node)
        if self.frame not in (None, frame):
            message = "All aggregates must be computed on the same window."
            raise self.text.error(node, message, "Give all calls one OVER, or nest a query with the other one in FROM.")
        self.frame = frame
        call = compile_over_call(self._row_compiler, node)
        index = self.calls.setdefault(call, len(self.calls))
        return ColumnRef(len(self.scope.fields) + index, call.call.type)


def plan_over_aggregates(
    planner: SelectPlanner,
    rows: PlannedRows,
    compiler: ExpressionCompiler,
    condition: TypedExpression | None,
    items: Sequence[SelectItem],
) -> PlannedRows:
    """Plan a SELECT with calls of OVER.

    Args:
        planner: Planner of the query.
        rows: Rows of FROM, or groups of them.
        compiler: Compiler of expressions over these rows.
        condition: Condition on the rows before they are aggregated.
        items: Selected columns.
    """
    relation, frames = rows.relation, _OverCompiler(compiler)
    expressions = [item.column or frames.compile(item.node) for item in items]
    assert frames.frame is not None
    _check_input_changes(planner, relation, frames.frame, items)
    check_group_aggregates(planner, frames.calls)
    bounded = frames.frame.preceding is not None
    check_retractable(planner, frames.calls, ChangelogMode.RETRACT if bounded else ChangelogMode.APPEND)
    width = len(relation.fields)
    used = sorted({column for expression in expressions for column in columns_in(expression) if column < width})
    columns = list(dict.fromkeys([*(reference(relation, column) for column in used), *_frame_columns(frames.frame)]))
    input_relation, calls = with_arguments(planner, relation, condition, columns, list(frames.calls))
    after = _over_relation(planner, input_relation, frames.frame, list(frames.calls), columns, calls)
    indexes = {column: columns.index(reference(relation, column)) for column in used}
    indexes |= {width + number: len(input_relation.fields) + number for number in range(len(calls))}
    result = projected(
        after,
        [renumbered(expression, indexes) for expression in expressions],
        [item.name for item in items],
        ttl_ms=planner.ttl_ms,
    )
    return PlannedRows(result, rewindowed(rows.window, expressions))


def _frame_columns(frame: Frame) -> list[TypedExpression]:
    """Return the expressions that a frame needs as columns; processing time is none."""
    order = [] if frame.time is TimeAttribute.PROCESSING else [frame.order]
    return [*sorted(frame.partition, key=str), *order]


def _check_input_changes(planner: SelectPlanner, relation: Relation, frame: Frame, items: Sequence[SelectItem]) -> None:
    if frame.time is not None and relation.changelog is not ChangelogMode.APPEND:
        node = next(window for item in items for window in over_calls_in(item.node))
        message = "OVER ordered by a time doesn't support consuming update and delete changes."
        raise planner.text.refused(
            node, message, "Read an append-only table, or order by a column that is not a time attribute."
        )


def _over_relation(
    planner: SelectPlanner,
    input_relation: Relation,
    frame: Frame,
    calls: Sequence[RequestedAggregate],
    columns: Sequence[TypedExpression],
    placed: tuple[AggregateCall, ...],
) -> Stateful:
    keys = tuple(sorted(columns.index(key) for key in frame.partition))
    order_column = None if frame.time is TimeAttribute.PROCESSING else columns.index(frame.order)
    is_timed = frame.time is not None
    operation = OverAggregate(
        calls=placed,
        time=frame.time,
        column=order_column if is_timed else None,
        order=() if is_timed or order_column is None else (Order(order_column, nulls_last=frame.nulls_last),),
        is_rows=frame.is_rows,
        preceding=frame.preceding,
        ttl_ms=planner.ttl_ms,
    )
    input_ = normalized(input_relation, planner.ttl_ms)
    return Stateful(
        merged=(input_,),
        keys=(keys,),
        operation=operation,
        fields=(*(input_relation.fields if is_timed else without_times(input_relation.fields)), *result_fields(calls)),
        changelog=ChangelogMode.APPEND if is_timed else ChangelogMode.RETRACT,
        upsert_key=None if is_timed else input_relation.upsert_key,
    )
