"""Older group windows: ``GROUP BY TUMBLE(ts, INTERVAL '1' HOUR)``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from kafkastream.sql.expressions.aggregate_names import ROW_COUNT
from kafkastream.sql.expressions.column_scope import Scope
from kafkastream.sql.expressions.expression_compiler import ExpressionCompiler
from kafkastream.sql.expressions.function_calls import is_call
from kafkastream.sql.expressions.intervals import interval_ms
from kafkastream.sql.plan.expression import TypedExpression
from kafkastream.sql.plan.operations import TimeAttribute
from kafkastream.sql.plan.plan_builder import PlannedRows, WindowColumns, filtered, normalized
from kafkastream.sql.planner.window_table_functions import (
    NullTime,
    plan_hop_or_cumulate,
    plan_session,
    plan_tumble,
    time_attribute_column,
    with_closed_sessions,
)

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["plan_group_window", "row_counts", "window_property_column"]


def plan_group_window(
    planner: SelectPlanner, rows: PlannedRows, scope: Scope, call: exp.Anonymous, condition: TypedExpression | None
) -> PlannedRows:
    """Return the rows that meet a condition, with their windows."""
    text, name = planner.text, call.name.upper()
    counts = {"TUMBLE": 2, "HOP": 3, "SESSION": 2}
    if len(call.expressions) != counts[name]:
        raise text.refused(
            call, f"{name} in GROUP BY takes {counts[name]} arguments here.", "Write TABLE(TUMBLE(...)) for an offset."
        )
    time_column = time_attribute_column(planner, scope, call.expressions[0], name)
    if row_counts(call):
        _check_row_counts(planner, rows, call, scope.fields[time_column].time)
        rows = with_closed_sessions(planner, rows, call)
        return PlannedRows(filtered(rows.relation, _as_list(condition)))
    sizes = [interval_ms(text, expression) for expression in call.expressions[1:]]
    if min(sizes) <= 0:
        raise text.error(call, "A window must be longer than nothing.", "")
    relation = normalized(rows.relation, planner.ttl_ms)
    relation = filtered(relation, _as_list(condition))
    if name == "TUMBLE":
        return plan_tumble(planner, relation, time_column, sizes[0], 0, NullTime.EPOCH)
    if name == "SESSION":
        return plan_session(planner, relation, time_column, sizes[0])
    return plan_hop_or_cumulate(planner, relation, time_column, sizes[0], sizes[1], 0, NullTime.EPOCH)


def _as_list(condition: TypedExpression | None) -> list[TypedExpression]:
    return [] if condition is None else [condition]


def row_counts(call: exp.Anonymous | None) -> tuple[int, ...]:
    """Return the numbers of rows of a group window: its size, after the slide if it has one; none for one of time."""
    arguments = () if call is None else call.expressions[1:]
    return tuple(int(argument.expressions[0].name) for argument in arguments if is_call(argument, ROW_COUNT))


def _check_row_counts(
    planner: SelectPlanner, rows: PlannedRows, call: exp.Anonymous, time: TimeAttribute | None
) -> None:
    """Check a window that counts rows.

    Raises:
        DefinitionError: The window has event time, no rows, or a length of another kind.
        UnsupportedFeatureError: The rows change.
    """
    text, counts = planner.text, row_counts(call)
    if call.name.upper() == "SESSION":
        message = "A session window expects a gap literal of a day-time interval type."
        raise text.error(call, message, "Write Session.with_gap(lit(10).minutes).")
    if len(counts) < len(call.expressions) - 1:
        message = "A sliding window expects the same type of size and slide."
        raise text.error(call, message, "Give two intervals of time, or two of rows.")
    if min(counts) <= 0:
        raise text.error(call, "A window must have at least one row.", "")
    if time is not TimeAttribute.PROCESSING:
        message = "Event-time grouping windows on row intervals are currently not supported."
        raise text.error(call, message, "Count rows by processing time: on a column AS PROCTIME().")
    if not rows.relation.changelog.is_insert_only:
        message = "A window that counts rows needs an insert-only table: a group has other changes here than in Flink."
        raise text.refused(call, message, "Count the rows before they are grouped or joined.")


def window_property_column(
    compiler: ExpressionCompiler, node: exp.Anonymous, window_call: exp.Anonymous | None, window: WindowColumns
) -> int:
    """Return the column of the groups for ``TUMBLE_START(...)`` and similar functions."""
    name, _, part = node.name.upper().partition("_")
    if (
        window_call is None
        or window_call.name.upper() != name
        or not part
        or node.expressions != window_call.expressions
    ):
        message = f"{compiler.text.shown(node)} is not the window of this query."
        raise compiler.text.error(node, message, "Call it with the arguments of the window in GROUP BY.")
    if (part == "PROCTIME") is not (window.attribute is TimeAttribute.PROCESSING) and part in ("PROCTIME", "ROWTIME"):
        raise compiler.text.error(
            node, f"{node.name.upper()} does not fit the window's time attribute.", "Take the other one."
        )
    columns = {"START": window.start, "END": window.end, "ROWTIME": window.time, "PROCTIME": window.time}
    column = columns[part]
    assert column is not None
    return column
