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
    "checked_time",
    "closed_sessions",
    "session_rows",
    "sliced",
    "tumbled",
    "windowed",
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
    """Fate of a row whose time is NULL, which depends on the operator that would take it in Flink."""

    FAILS = "fails"
    """The job fails: ``SliceAssigners`` of https://github.com/apache/flink/tree/release-2.2.1/flink-table/flink-table-runtime"""
    DROPPED = "dropped"
    """The row is dropped: ``WindowTableFunctionOperatorBase``."""
    EPOCH = "epoch"
    """The row has the time 0: ``WindowOperator`` of older group windows."""


def windowed(planner: SelectPlanner, call: exp.Anonymous) -> PlannedRows:
    """Plan a window function: the rows of a table with their windows."""
    name = call.name.upper()
    given = _arguments(planner, call, name)
    data = given["DATA"]
    if not isinstance(data, exp.Table | exp.Subquery):
        raise planner.text.error(data, f"{name} takes a table first.", f"Write {name}(TABLE t, DESCRIPTOR(ts), ...).")
    from kafkastream.sql.planner.from_clause import source

    rows, scope = source(planner, data)
    rows = closed_sessions(planner, rows, data)
    rows = attrs.evolve(rows, relation=normalized(rows.relation, planner.ttl_ms))
    if data.args.get("partition") and name != "SESSION":
        what = f"PARTITION BY is for SESSION; {name} takes none."
        raise planner.text.error(data.args["partition"], what, "Put the columns into GROUP BY.")
    at = time_column(planner, scope, given["TIMECOL"], name)
    sizes = {
        key: _positive(planner, value, key) for key, value in given.items() if key in ("SIZE", "SLIDE", "STEP", "GAP")
    }
    offset = interval_ms(planner.text, given["OFFSET"]) if "OFFSET" in given else 0
    null_time = NullTime.FAILS if _is_aggregated(call) else NullTime.DROPPED
    if name == "TUMBLE":
        return tumbled(planner, rows.relation, at, sizes["SIZE"], offset, null_time)
    if name == "SESSION":
        keys = data.args["partition"].expressions if data.args.get("partition") else ()
        partition = tuple(_partition_column(planner, scope, key) for key in keys)
        sessions = session_rows(planner, rows.relation, at, sizes["GAP"])
        assert sessions.window is not None
        return attrs.evolve(sessions, window=attrs.evolve(sessions.window, partition=partition))
    step = sizes.get("SLIDE", sizes.get("STEP", 0))
    if sizes["SIZE"] % step:
        article = "slide" if name == "HOP" else "step"
        what = f"{name} table function based aggregate requires size must be an integral multiple of {article}"
        raise planner.text.error(given["SIZE"], what, f"Take a size that is a multiple of the {article}.")
    cumulates = name == "CUMULATE"
    return sliced(planner, rows.relation, at, step, sizes["SIZE"], offset, null_time, cumulates=cumulates)


def _is_aggregated(call: exp.Anonymous) -> bool:
    """Return whether GROUP BY window_start, window_end takes the rows of a window function, also through subqueries."""
    select = call.find_ancestor(exp.Select)
    while select is not None and not select.args.get("joins"):
        group = select.args.get("group")
        if group is not None:
            return not {column.name for column in group.find_all(exp.Column)}.isdisjoint(WINDOW_COLUMNS)
        select = select.parent.find_ancestor(exp.Select) if isinstance(select.parent, exp.Subquery) else None
    return False


def _arguments(planner: SelectPlanner, call: exp.Anonymous, name: str) -> dict[str, exp.Expr]:
    text, parameters = planner.text, _PARAMETERS[name]
    given: dict[str, exp.Expr] = {}
    for at, argument in enumerate(call.expressions):
        is_named = isinstance(argument, exp.Kwarg)
        key = argument.this.name.upper() if is_named else parameters[at] if at < len(parameters) else ""
        if key not in parameters or key in given:
            what = f"{name} has no argument {argument.this.name if is_named else at + 1}."
            raise text.error(argument, what, f"It takes {', '.join(parameters)}.")
        given[key] = argument.expression if is_named else argument
    for key in parameters:
        if key not in given and key != "OFFSET":
            raise text.error(call, f"{name} lacks its argument {key}.", f"It takes {', '.join(parameters)}.")
    return given


def time_column(planner: SelectPlanner, scope: Scope, descriptor: exp.Expr, name: str) -> int:
    """Return the position of the time attribute in DESCRIPTOR."""
    named = descriptor.expressions if isinstance(descriptor, exp.Anonymous) and descriptor.name == "DESCRIPTOR" else ()
    if len(named) != 1:
        raise planner.text.error(descriptor, f"{name} takes DESCRIPTOR(column) here.", "Name the time column in it.")
    return checked_time(planner, scope, named[0], name)


def checked_time(planner: SelectPlanner, scope: Scope, node: exp.Expr, name: str) -> int:
    """Return the position of a column, which must be a time attribute."""
    found = scope.resolve(planner.text, node)
    if not isinstance(found, ColumnRef) or scope.fields[found.place].time is None:
        what = f"The window function {name} requires the timecol is a time attribute type, but is {found.type}."
        now = "Declare WATERMARK FOR it on the table, or take a column AS PROCTIME()."
        raise planner.text.error(node, what, now)
    return found.place


def _partition_column(planner: SelectPlanner, scope: Scope, node: exp.Expr) -> int:
    """The place of a column that sessions are cut by."""
    place = column_of(scope.resolve(planner.text, node))
    if place is None:
        what = f"SESSION ... PARTITION BY {planner.text.shown(node)}, inside of a column, is not supported."
        raise planner.text.refused(node, what, "Select it as a column of a view, and read TABLE of that.")
    return place


def _positive(planner: SelectPlanner, node: exp.Expr, key: str) -> int:
    ms = interval_ms(planner.text, node)
    if ms <= 0:
        raise planner.text.error(node, f"{key} must be longer than nothing.", "")
    return ms


def _window(planner: SelectPlanner, field: Field, start: int) -> WindowColumns:
    is_local = field.type.kind is Kind.TIMESTAMP_LTZ
    return WindowColumns(
        start=start,
        end=start + 1,
        time=start + 2,
        attribute=field.time or TimeAttribute.EVENT,
        zone=planner.zone if is_local else "UTC",
        is_local=is_local,
    )


def _clock(relation: Relation, at: int, null_time: NullTime) -> TypedExpression:
    """Return the wall-clock time of a row."""
    time: TypedExpression = reference(relation, at)
    if null_time is NullTime.EPOCH and time.type.is_nullable:
        is_local = time.type.kind is Kind.TIMESTAMP_LTZ
        epoch = call("TO_TIMESTAMP_LTZ", Literal(0, _BIGINT), Literal(3, _INT)) if is_local else Literal.text(_EPOCH)
        time = call("COALESCE", time, Cast(epoch, time.type))
    return Cast(time, _STAMP) if time.type.kind is Kind.TIMESTAMP_LTZ else time


def _unless_null(relation: Relation, at: int, value: TypedExpression, null_time: NullTime) -> TypedExpression:
    """Return a value that fails the query if the time is NULL and must not be."""
    field = relation.fields[at]
    if not field.type.is_nullable or null_time is not NullTime.FAILS:
        return value
    words = f"RowTime field should not be null: WHERE {field.name} IS NOT NULL leaves such rows out."
    return unless_null(reference(relation, at), words, value)


def _columns(field: Field) -> tuple[Field, ...]:
    """Return the columns of a window by a time column."""
    last = DataType.of(Kind.TIMESTAMP_LTZ if field.type.kind is Kind.TIMESTAMP_LTZ else Kind.TIMESTAMP, 3).not_null()
    start, end, time = WINDOW_COLUMNS
    return Field(start, _STAMP), Field(end, _STAMP), Field(time, last, field.time)


def tumbled(
    planner: SelectPlanner, relation: Relation, at: int, size: int, offset: int, null_time: NullTime
) -> PlannedRows:
    """Plan ``TUMBLE``: each row with its one window."""
    if null_time is NullTime.DROPPED and relation.fields[at].type.is_nullable:
        relation = filtered(relation, [call("IS NOT NULL", reference(relation, at))])
    last_type = _columns(relation.fields[at])[2].type
    numbers = (Literal(ms * 1000, _BIGINT) for ms in (size, offset))
    begin = Call("$WINDOW_START", (_clock(relation, at, null_time), *numbers), _STAMP)
    end = call("+", begin, Interval(size))
    last = Call("$WINDOW_TIME", (end,), last_type)
    is_local = last_type.kind is Kind.TIMESTAMP_LTZ
    bounds = (begin, end, call("$PARENTHESES", last) if is_local else last)
    return _computed(planner, relation, at, bounds, null_time)


def session_rows(planner: SelectPlanner, relation: Relation, at: int, gap: int) -> PlannedRows:
    """Plan ``SESSION``: each row with columns for the bounds of its session, which only aggregates fill."""
    nothing = [typed_null(field.type) for field in _columns(relation.fields[at])]
    rows = _computed(planner, relation, at, nothing, NullTime.FAILS)
    assert rows.window is not None
    return attrs.evolve(rows, window=attrs.evolve(rows.window, gap_ms=gap, column=at))


def closed_sessions(planner: SelectPlanner, rows: PlannedRows, node: exp.Expr | None) -> PlannedRows:
    """Return rows of sessions with the bounds of these, when they are over; other rows unchanged."""
    window = rows.window
    if window is None or window.gap_ms is None:
        return rows
    if rows.relation.changelog is not ChangelogMode.APPEND:
        what = "SESSION without GROUP BY doesn't support consuming update and delete changes."
        raise planner.text.refused(node, what, "GROUP BY the partition columns, window_start and window_end.")
    fields = rows.relation.fields
    others = [at for at in range(len(fields)) if at not in {window.start, window.end, window.time}]
    own = projected(rows.relation, [reference(rows.relation, at) for at in others], [fields[at].name for at in others])
    relation = Stateful(
        merged=(own,),
        keys=(tuple(others.index(at) for at in window.partition or ()),),
        operation=SessionRows(
            gap_ms=window.gap_ms, column=others.index(window.column), time=window.attribute, zone=window.zone
        ),
        fields=(*own.fields, *(Field(fields[at].name, _STAMP) for at in (window.start, window.end))),
    )
    end = reference(relation, len(others) + 1)
    places = {at: reference(relation, place) for place, at in enumerate((*others, window.start, window.end))}
    found = [places[at] if at in places else Call("$WINDOW_TIME", (end,), one.type) for at, one in enumerate(fields)]
    after = projected(relation, found, [field.name for field in fields])
    return PlannedRows(attrs.evolve(after, fields=_with_time(after.fields, window)), attrs.evolve(window, gap_ms=None))


def _with_time(fields: Sequence[Field], window: WindowColumns) -> tuple[Field, ...]:
    """Return columns, of which the last instant of the window is a time attribute."""
    return tuple(
        attrs.evolve(one, time=window.attribute) if at == window.time else one for at, one in enumerate(fields)
    )


def _computed(
    planner: SelectPlanner, relation: Relation, at: int, bounds: Sequence[TypedExpression], null_time: NullTime
) -> PlannedRows:
    field, width = relation.fields[at], len(relation.fields)
    added = _columns(field)
    names = [one.name for one in (*relation.fields, *added)]
    project = projected(relation, [*references(relation), *bounds], names, _unless_null(relation, at, TRUE, null_time))
    fields = (*without_times(project.fields[:width], at), *added)
    return PlannedRows(attrs.evolve(project, fields=fields), _window(planner, field, width))


def sliced(
    planner: SelectPlanner,
    relation: Relation,
    at: int,
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
    field, width = relation.fields[at], len(relation.fields)
    columns = _columns(field)
    window = DataType.of(Kind.ROW, fields=tuple(RowField(one.name, one.type) for one in columns)).not_null()
    numbers = (Literal(ms, _BIGINT) for ms in (step, size, offset))
    windows = Call(
        "$CUMULATE" if cumulates else "$HOP",
        (_clock(relation, at, null_time), *numbers),
        DataType.of(Kind.ARRAY, parts=(window,)),
    )
    fields = (*without_times(relation.fields, at), *columns)
    array = _unless_null(relation, at, windows, null_time)  # NULL where a time is, which has no rows then
    exploded = Explode(input=relation, array=array, fields=fields, changelog=relation.changelog)
    return PlannedRows(exploded, _window(planner, field, width))
