"""Window table-valued functions: TUMBLE, HOP, CUMULATE and SESSION."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import attrs
from sqlglot import exp

from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.expressions.column_scope import Scope
from kafkastream.sql.expressions.intervals import interval_ms
from kafkastream.sql.plan.casts import typed_null
from kafkastream.sql.plan.expression import TRUE, Call, Cast, ColumnRef, Interval, Literal, TypedExpression
from kafkastream.sql.plan.functions import call
from kafkastream.sql.plan.functions.window_functions import WINDOW_COLUMNS, unless_null
from kafkastream.sql.plan.operations import SessionRows, TimeAttribute
from kafkastream.sql.plan.plan_builder import (
    PlannedRows,
    WindowColumns,
    column_of,
    filtered,
    normalized,
    projected,
    reference,
    references,
    without_times,
)
from kafkastream.sql.plan.relations import Explode, Field, Relation, Stateful
from kafkastream.sql.types import DataType, Kind, RowField

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = [
    "WINDOW_FUNCTIONS",
    "NullTime",
    "plan_hop_or_cumulate",
    "plan_session",
    "plan_tumble",
    "plan_window_function",
    "time_attribute_column",
    "with_closed_sessions",
]

_PARAMETERS: Final = {
    "TUMBLE": ("DATA", "TIMECOL", "SIZE", "OFFSET"),
    "HOP": ("DATA", "TIMECOL", "SLIDE", "SIZE", "OFFSET"),
    "CUMULATE": ("DATA", "TIMECOL", "STEP", "SIZE", "OFFSET"),
    "SESSION": ("DATA", "TIMECOL", "GAP"),
}
WINDOW_FUNCTIONS: Final = frozenset(_PARAMETERS)
_STAMP = DataType.of(Kind.TIMESTAMP, 3).not_null()
_BIGINT = DataType.of(Kind.BIGINT).not_null()
_INT = DataType.of(Kind.INT).not_null()
_EPOCH = "1970-01-01 00:00:00"


class NullTime(enum.Enum):
    """Treatment of a row whose time is NULL, which depends on Flink's operator."""

    FAILS = "fails"
    """The job fails: ``SliceAssigners`` of https://github.com/apache/flink/tree/release-2.2.1/flink-table/flink-table-runtime"""
    DROPPED = "dropped"
    """The row is dropped: ``WindowTableFunctionOperatorBase``."""
    EPOCH = "epoch"
    """The row has the time 0: ``WindowOperator`` of older group windows."""


def plan_window_function(planner: SelectPlanner, call: exp.Anonymous) -> PlannedRows:
    """Plan a window function: the rows of a table with their windows."""
    name = call.name.upper()
    arguments = _named_arguments(planner, call, name)
    data = arguments["DATA"]
    if not isinstance(data, exp.Table | exp.Subquery):
        raise planner.text.error(data, f"{name} takes a table first.", f"Write {name}(TABLE t, DESCRIPTOR(ts), ...).")
    from kafkastream.sql.planner.from_clause import plan_from_entry

    rows, scope = plan_from_entry(planner, data)
    rows = with_closed_sessions(planner, rows, data)
    rows = attrs.evolve(rows, relation=normalized(rows.relation, planner.ttl_ms))
    if data.args.get("partition") and name != "SESSION":
        message = f"PARTITION BY is for SESSION; {name} takes none."
        raise planner.text.error(data.args["partition"], message, "Put the columns into GROUP BY.")
    time_column = descriptor_column(planner, scope, arguments["TIMECOL"], name)
    sizes = {
        key: _positive_interval(planner, value, key)
        for key, value in arguments.items()
        if key in ("SIZE", "SLIDE", "STEP", "GAP")
    }
    offset = interval_ms(planner.text, arguments["OFFSET"]) if "OFFSET" in arguments else 0
    null_time = NullTime.FAILS if _is_aggregated(call) else NullTime.DROPPED
    if name == "TUMBLE":
        return plan_tumble(planner, rows.relation, time_column, sizes["SIZE"], offset, null_time)
    if name == "SESSION":
        keys = data.args["partition"].expressions if data.args.get("partition") else ()
        partition = tuple(_partition_column(planner, scope, key) for key in keys)
        sessions = plan_session(planner, rows.relation, time_column, sizes["GAP"])
        assert sessions.window is not None
        return attrs.evolve(sessions, window=attrs.evolve(sessions.window, partition=partition))
    step = sizes.get("SLIDE", sizes.get("STEP", 0))
    if sizes["SIZE"] % step:
        article = "slide" if name == "HOP" else "step"
        message = f"{name} table function based aggregate requires size must be an integral multiple of {article}"
        raise planner.text.error(arguments["SIZE"], message, f"Take a size that is a multiple of the {article}.")
    cumulates = name == "CUMULATE"
    return plan_hop_or_cumulate(
        planner, rows.relation, time_column, step, sizes["SIZE"], offset, null_time, cumulates=cumulates
    )


def _is_aggregated(call: exp.Anonymous) -> bool:
    """Return whether GROUP BY window_start, window_end takes the rows of a window function, also through subqueries."""
    select = call.find_ancestor(exp.Select)
    while select is not None and not select.args.get("joins"):
        group = select.args.get("group")
        if group is not None:
            return not {column.name for column in group.find_all(exp.Column)}.isdisjoint(WINDOW_COLUMNS)
        select = select.parent.find_ancestor(exp.Select) if isinstance(select.parent, exp.Subquery) else None
    return False


def _named_arguments(planner: SelectPlanner, call: exp.Anonymous, name: str) -> dict[str, exp.Expr]:
    text, parameters = planner.text, _PARAMETERS[name]
    arguments: dict[str, exp.Expr] = {}
    for position, argument in enumerate(call.expressions):
        is_named = isinstance(argument, exp.Kwarg)
        key = argument.this.name.upper() if is_named else parameters[position] if position < len(parameters) else ""
        if key not in parameters or key in arguments:
            message = f"{name} has no argument {argument.this.name if is_named else position + 1}."
            raise text.error(argument, message, f"It takes {', '.join(parameters)}.")
        arguments[key] = argument.expression if is_named else argument
    for key in parameters:
        if key not in arguments and key != "OFFSET":
            raise text.error(call, f"{name} lacks its argument {key}.", f"It takes {', '.join(parameters)}.")
    return arguments


def descriptor_column(planner: SelectPlanner, scope: Scope, descriptor: exp.Expr, name: str) -> int:
    """Return the position of the time attribute in DESCRIPTOR."""
    named = descriptor.expressions if isinstance(descriptor, exp.Anonymous) and descriptor.name == "DESCRIPTOR" else ()
    if len(named) != 1:
        raise planner.text.error(descriptor, f"{name} takes DESCRIPTOR(column) here.", "Name the time column in it.")
    return time_attribute_column(planner, scope, named[0], name)


def time_attribute_column(planner: SelectPlanner, scope: Scope, node: exp.Expr, name: str) -> int:
    """Return the position of a column, which must be a time attribute."""
    column = scope.resolve(planner.text, node)
    if not isinstance(column, ColumnRef) or scope.fields[column.place].time is None:
        message = f"The window function {name} requires the timecol is a time attribute type, but is {column.type}."
        now = "Declare WATERMARK FOR it on the table, or take a column AS PROCTIME()."
        raise planner.text.error(node, message, now)
    return column.place


def _partition_column(planner: SelectPlanner, scope: Scope, node: exp.Expr) -> int:
    """Return the position of a column of SESSION ... PARTITION BY."""
    column = column_of(scope.resolve(planner.text, node))
    if column is None:
        message = f"SESSION ... PARTITION BY {planner.text.shown(node)}, inside of a column, is not supported."
        raise planner.text.refused(node, message, "Select it as a column of a view, and read TABLE of that.")
    return column


def _positive_interval(planner: SelectPlanner, node: exp.Expr, key: str) -> int:
    ms = interval_ms(planner.text, node)
    if ms <= 0:
        raise planner.text.error(node, f"{key} must be longer than nothing.", "")
    return ms


def _window_columns(planner: SelectPlanner, field: Field, start: int) -> WindowColumns:
    is_local = field.type.kind is Kind.TIMESTAMP_LTZ
    return WindowColumns(
        start=start,
        end=start + 1,
        time=start + 2,
        attribute=field.time or TimeAttribute.EVENT,
        zone=planner.zone if is_local else "UTC",
        is_local=is_local,
    )


def _wall_clock_time(relation: Relation, time_column: int, null_time: NullTime) -> TypedExpression:
    """Return the wall-clock time of a row."""
    time: TypedExpression = reference(relation, time_column)
    if null_time is NullTime.EPOCH and time.type.is_nullable:
        is_local = time.type.kind is Kind.TIMESTAMP_LTZ
        epoch = call("TO_TIMESTAMP_LTZ", Literal(0, _BIGINT), Literal(3, _INT)) if is_local else Literal.text(_EPOCH)
        time = call("COALESCE", time, Cast(epoch, time.type))
    return Cast(time, _STAMP) if time.type.kind is Kind.TIMESTAMP_LTZ else time


def _fail_if_time_is_null(
    relation: Relation, time_column: int, value: TypedExpression, null_time: NullTime
) -> TypedExpression:
    """Return a value that is computed after a check that the time is not NULL, if the job has to fail for NULL."""
    field = relation.fields[time_column]
    if not field.type.is_nullable or null_time is not NullTime.FAILS:
        return value
    words = f"RowTime field should not be null: WHERE {field.name} IS NOT NULL leaves such rows out."
    return unless_null(reference(relation, time_column), words, value)


def _window_fields(field: Field) -> tuple[Field, ...]:
    """Return the fields ``window_start``, ``window_end`` and ``window_time``; the type of the last follows the time column."""
    last = DataType.of(Kind.TIMESTAMP_LTZ if field.type.kind is Kind.TIMESTAMP_LTZ else Kind.TIMESTAMP, 3).not_null()
    start, end, time = WINDOW_COLUMNS
    return Field(start, _STAMP), Field(end, _STAMP), Field(time, last, field.time)


def plan_tumble(
    planner: SelectPlanner, relation: Relation, time_column: int, size: int, offset: int, null_time: NullTime
) -> PlannedRows:
    """Plan ``TUMBLE``: each row with its one window."""
    if null_time is NullTime.DROPPED and relation.fields[time_column].type.is_nullable:
        relation = filtered(relation, [call("IS NOT NULL", reference(relation, time_column))])
    last_type = _window_fields(relation.fields[time_column])[2].type
    numbers = (Literal(ms * 1000, _BIGINT) for ms in (size, offset))
    begin = Call("$WINDOW_START", (_wall_clock_time(relation, time_column, null_time), *numbers), _STAMP)
    end = call("+", begin, Interval(size))
    last = Call("$WINDOW_TIME", (end,), last_type)
    is_local = last_type.kind is Kind.TIMESTAMP_LTZ
    bounds = (begin, end, call("$PARENTHESES", last) if is_local else last)
    return _with_window_columns(planner, relation, time_column, bounds, null_time)


def plan_session(planner: SelectPlanner, relation: Relation, time_column: int, gap: int) -> PlannedRows:
    """Plan ``SESSION``: each row with columns for the bounds of its session, which only aggregates fill."""
    nothing = [typed_null(field.type) for field in _window_fields(relation.fields[time_column])]
    rows = _with_window_columns(planner, relation, time_column, nothing, NullTime.FAILS)
    assert rows.window is not None
    return attrs.evolve(rows, window=attrs.evolve(rows.window, gap_ms=gap, column=time_column))


def with_closed_sessions(planner: SelectPlanner, rows: PlannedRows, node: exp.Expr | None) -> PlannedRows:
    """Return rows of SESSION with the bounds of their sessions, which are emitted when a session ends; other rows unchanged."""
    window = rows.window
    if window is None or window.gap_ms is None:
        return rows
    if rows.relation.changelog is not ChangelogMode.APPEND:
        message = "SESSION without GROUP BY doesn't support consuming update and delete changes."
        raise planner.text.refused(node, message, "GROUP BY the partition columns, window_start and window_end.")
    fields = rows.relation.fields
    others = [index for index in range(len(fields)) if index not in {window.start, window.end, window.time}]
    plain = projected(
        rows.relation, [reference(rows.relation, index) for index in others], [fields[index].name for index in others]
    )
    relation = Stateful(
        merged=(plain,),
        keys=(tuple(others.index(index) for index in window.partition or ()),),
        operation=SessionRows(
            gap_ms=window.gap_ms, column=others.index(window.column), time=window.attribute, zone=window.zone
        ),
        fields=(*plain.fields, *(Field(fields[index].name, _STAMP) for index in (window.start, window.end))),
    )
    end = reference(relation, len(others) + 1)
    columns = {column: reference(relation, index) for index, column in enumerate((*others, window.start, window.end))}
    expressions = [
        columns[index] if index in columns else Call("$WINDOW_TIME", (end,), field.type)
        for index, field in enumerate(fields)
    ]
    after = projected(relation, expressions, [field.name for field in fields])
    return PlannedRows(
        attrs.evolve(after, fields=_with_window_time(after.fields, window)), attrs.evolve(window, gap_ms=None)
    )


def _with_window_time(fields: Sequence[Field], window: WindowColumns) -> tuple[Field, ...]:
    """Return the fields, with ``window_time`` marked as a time attribute."""
    return tuple(
        attrs.evolve(field, time=window.attribute) if index == window.time else field
        for index, field in enumerate(fields)
    )


def _with_window_columns(
    planner: SelectPlanner, relation: Relation, time_column: int, bounds: Sequence[TypedExpression], null_time: NullTime
) -> PlannedRows:
    field, width = relation.fields[time_column], len(relation.fields)
    added = _window_fields(field)
    names = [field.name for field in (*relation.fields, *added)]
    project = projected(
        relation, [*references(relation), *bounds], names, _fail_if_time_is_null(relation, time_column, TRUE, null_time)
    )
    fields = (*without_times(project.fields[:width], time_column), *added)
    return PlannedRows(attrs.evolve(project, fields=fields), _window_columns(planner, field, width))


def plan_hop_or_cumulate(
    planner: SelectPlanner,
    relation: Relation,
    time_column: int,
    step: int,
    size: int,
    offset: int,
    null_time: NullTime,
    *,
    cumulates: bool = False,
) -> PlannedRows:
    """Plan ``HOP`` or ``CUMULATE``: each row once per window that contains it.

    The starts of HOP's windows, and the ends of CUMULATE's, are one step apart.
    """
    field, width = relation.fields[time_column], len(relation.fields)
    columns = _window_fields(field)
    window = DataType.of(Kind.ROW, fields=tuple(RowField(column.name, column.type) for column in columns)).not_null()
    numbers = (Literal(ms, _BIGINT) for ms in (step, size, offset))
    windows = Call(
        "$CUMULATE" if cumulates else "$HOP",
        (_wall_clock_time(relation, time_column, null_time), *numbers),
        DataType.of(Kind.ARRAY, parts=(window,)),
    )
    fields = (*without_times(relation.fields, time_column), *columns)
    # the array is NULL where the time is, and Explode then gives no rows
    array = _fail_if_time_is_null(relation, time_column, windows, null_time)
    exploded = Explode(input=relation, array=array, fields=fields, changelog=relation.changelog)
    return PlannedRows(exploded, _window_columns(planner, field, width))
