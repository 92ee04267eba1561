"""``GROUP BY`` and aggregates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import attrs
from sqlglot import exp

from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.expressions.aggregate_calls import RequestedAggregate, aggregate_of, calls_in
from kafkastream.sql.expressions.aggregate_names import GROUP_WINDOWS
from kafkastream.sql.expressions.column_scope import Scope, name_parts
from kafkastream.sql.expressions.expression_compiler import ExpressionCompiler
from kafkastream.sql.expressions.function_calls import is_call
from kafkastream.sql.plan.expression import Call, ColumnRef, FieldAccess, TypedExpression
from kafkastream.sql.plan.operations import CountWindowAggregate, GroupAggregate, SessionAggregate, WindowAggregate
from kafkastream.sql.plan.plan_builder import (
    PlannedRows,
    WindowColumns,
    column_of,
    filtered,
    normalized,
    projected,
    reference,
    references,
    rewindowed,
)
from kafkastream.sql.plan.relations import Field, Relation, Stateful
from kafkastream.sql.planner.aggregates.aggregate_arguments import result_fields, with_arguments
from kafkastream.sql.planner.aggregates.group_windows import group_window, row_counts, window_property
from kafkastream.sql.planner.aggregates.grouping_sets import (
    GROUPING_CALLS,
    GroupingSets,
    expanded,
    grouping_number,
    key_sets,
)
from kafkastream.sql.planner.aggregates.user_aggregates import check_changes, check_group, check_sessions
from kafkastream.sql.planner.over.over_aggregates import has_frames, with_frames
from kafkastream.sql.planner.window_table_functions import closed_sessions
from kafkastream.sql.types import DataType, Kind

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner
    from kafkastream.sql.planner.select import Item

__all__ = ["Grouped", "aggregated", "grouped", "is_grouped"]

_STAMP = DataType.of(Kind.TIMESTAMP, 3)


def is_grouped(node: exp.Select) -> bool:
    """Return whether a SELECT has GROUP BY, HAVING or aggregates."""
    clauses = any(map(node.args.get, ("group", "having")))
    return clauses or any(next(calls_in(one), None) is not None for one in node.expressions)


class Grouped(NamedTuple):
    """Relation of groups, whose columns are the keys (expressions over the input) and the aggregates."""

    rows: PlannedRows
    known: dict[TypedExpression | RequestedAggregate, int]

    def column(self, found: TypedExpression | RequestedAggregate) -> ColumnRef:
        """Return a reference to the column of a key or an aggregate."""
        return reference(self.rows.relation, self.known[found])


class _OfGroups(ExpressionCompiler):
    """Compiles expressions over groups: keys, aggregates, and computations with them."""

    def __init__(
        self,
        planner: SelectPlanner,
        of: ExpressionCompiler,
        grouped: Grouped,
        window: exp.Anonymous | None,
        sets: GroupingSets,
        answers: Mapping[int, TypedExpression] = MappingProxyType({}),
    ) -> None:
        scope = Scope(grouped.rows.relation.fields, ())
        super().__init__(planner.text, scope, planner.catalog, answers)
        self._of = of
        self._grouped = grouped
        self._window = window
        self._sets = sets

    def compile(self, node: exp.Expr) -> TypedExpression:
        """Compile an expression; a column must be a key."""
        aggregate = aggregate_of(self._of, node)
        if aggregate is not None:
            return self._grouped.column(aggregate)
        if is_call(node, *GROUP_WINDOWS) and row_counts(self._window):
            what = "Window start and Window end cannot be selected for a row-count window."
            raise self.text.error(node, what, "Select an aggregate, such as MAX of a time.")
        if is_call(node, *GROUP_WINDOWS) and self._grouped.rows.window:
            place = window_property(self._of, node, self._window, self._grouped.rows.window)
            return reference(self._grouped.rows.relation, place)
        if is_call(node, *GROUPING_CALLS):
            return grouping_number(self._of, node, self._sets, self._grouped.column)
        if next(calls_in(node), None) is None and node.find(exp.Query) is None:
            is_name = name_parts(node) is not None
            if is_name or not _is_of_groups(node):
                found = self._of.compile(node)
                if found in self._grouped.known:
                    return self._grouped.column(found)
                is_name = is_name and isinstance(found, ColumnRef | FieldAccess)
            if is_name:
                what = f"Expression '{self.text.shown(node)}' is not being grouped"
                raise self.text.error(node, what, "Put it into GROUP BY, or take MAX(...) or LAST_VALUE(...) of it.")
        return super().compile(node)


def _is_of_groups(node: exp.Expr) -> bool:
    """Return whether an expression calls a function of groups that is not an aggregate."""
    return any(is_call(one, *GROUP_WINDOWS, *GROUPING_CALLS) for one in node.find_all(exp.Anonymous))


def aggregated(
    planner: SelectPlanner,
    node: exp.Select,
    rows: PlannedRows,
    scope: Scope,
    condition: TypedExpression | None,
    chosen: Sequence[Item],
) -> PlannedRows:
    """Plan a SELECT with aggregates or GROUP BY."""
    text, having = planner.text, node.args.get("having")
    sets, window_call = _sets(planner, node)
    if window_call is not None:
        rows, condition = group_window(planner, rows, scope, window_call, condition), None
        scope = Scope(rows.relation.fields, scope.sources)
    rows, condition, of = _with_filters(planner, rows, scope, condition, [*(item.node for item in chosen), having])
    planner = attrs.evolve(planner, hinted=planner.hinted.of_scopes(scope))
    compiled = [tuple(dict.fromkeys(of.compile(key) for key in one)) for one in sets]
    if sets and node.args.get("group") and node.args["group"].args.get("all") is False:  # GROUP BY DISTINCT
        compiled = list({frozenset(one): one for one in reversed(compiled)}.values())
    if len(compiled) > 1 and window_call is None:
        rows = closed_sessions(planner, rows, node)
    rows, condition, keys = _expanded(planner, rows, condition, compiled)
    for item in chosen:
        if item.column is not None and item.column not in keys.keys:
            raise text.error(
                item.node, f"Expression '{item.name}' is not being grouped", "Name the keys and aggregates."
            )
    nodes = [item.node for item in chosen if item.column is None] + ([having.this] if having else [])
    aggregates = [aggregate for part in nodes for one in calls_in(part) if (aggregate := aggregate_of(of, one))]
    calls = list(dict.fromkeys(aggregates))
    groups = grouped(planner, rows, condition, list(keys.columns), calls, window_call, node)
    groups.known.update((key, groups.known[column]) for key, column in zip(keys.keys, keys.columns, strict=False))
    groups, of_groups = _with_queries(planner, groups, of, (window_call, keys), nodes)
    kept = of_groups.compile(having.this) if having else None
    chosen = [item if item.column is None else item._replace(column=groups.column(item.column)) for item in chosen]
    if has_frames(chosen):
        return with_frames(planner, groups.rows, of_groups, kept, chosen)
    expressions = [item.column or of_groups.compile(item.node) for item in chosen]
    relation = projected(groups.rows.relation, expressions, [item.name for item in chosen], kept, planner.ttl_ms)
    return PlannedRows(relation, rewindowed(groups.rows.window, expressions))


def _with_filters(
    planner: SelectPlanner,
    rows: PlannedRows,
    scope: Scope,
    condition: TypedExpression | None,
    nodes: Iterable[exp.Expr | None],
) -> tuple[PlannedRows, TypedExpression | None, ExpressionCompiler]:
    """Join the queries in FILTER; return the rows, the condition that is still to be applied, and the rows' compiler."""
    from kafkastream.sql.planner.subqueries.subqueries import answered, has_query

    calls = (one for part in nodes if part is not None for one in calls_in(part))
    filters = [one.expression.this for one in calls if isinstance(one, exp.Filter) and has_query(one.expression)]
    if not filters:
        return rows, condition, planner.compiler(scope)
    if rows.window is not None:
        what = "A query in FILTER is not supported in windows."
        raise planner.text.refused(filters[0], what, "Join the tables before the window.")
    met = attrs.evolve(rows, relation=filtered(rows.relation, [] if condition is None else [condition], planner.ttl_ms))
    rows, answers = answered(planner, met, scope, filters, planner.compiler(scope).compile)
    return rows, None, planner.compiler(attrs.evolve(scope, fields=rows.relation.fields), answers)


def _with_queries(
    planner: SelectPlanner,
    groups: Grouped,
    of: ExpressionCompiler,
    known: tuple[exp.Anonymous | None, GroupingSets],
    nodes: Sequence[exp.Expr],
) -> tuple[Grouped, _OfGroups]:
    """Join the queries in expressions over groups; return the groups and the compiler of these expressions."""
    from kafkastream.sql.planner.subqueries.subqueries import answered

    compiler = _OfGroups(planner, of, groups, *known)
    rows, answers = answered(planner, groups.rows, Scope(groups.rows.relation.fields, ()), nodes, compiler.compile)
    groups = groups._replace(rows=rows)
    return groups, _OfGroups(planner, of, groups, *known, answers)


def _sets(planner: SelectPlanner, node: exp.Select) -> tuple[list[tuple[exp.Expr, ...]], exp.Anonymous | None]:
    """Return the keys of each grouping set, and the call of an older group window."""
    group = node.args.get("group")
    if not group:
        return [()], None
    text = planner.text
    text.only(group, "expressions", "all")
    windows = [key for key in group.expressions if is_call(key, "TUMBLE", "HOP", "SESSION")]
    if len(windows) > 1:
        raise text.error(windows[1], "Only a single window group function may be used in GROUP BY", "Take one.")
    sets = key_sets(planner, [key for key in group.expressions if key not in windows])
    return sets, windows[0] if windows else None


def _expanded(
    planner: SelectPlanner,
    rows: PlannedRows,
    condition: TypedExpression | None,
    sets: Sequence[Sequence[TypedExpression]],
) -> tuple[PlannedRows, TypedExpression | None, GroupingSets]:
    """Return the rows once for each grouping set, the condition that is still to be applied, and the keys."""
    if len(sets) > 1:
        rows, found = expanded(planner, rows, condition, sets)
        return rows, None, found
    keys = tuple(dict.fromkeys(sets[0]))
    return rows, condition, GroupingSets(keys, (frozenset(range(len(keys))),), keys)


def grouped(
    planner: SelectPlanner,
    rows: PlannedRows,
    condition: TypedExpression | None,
    keys: list[TypedExpression],
    calls: list[RequestedAggregate],
    window_call: exp.Anonymous | None = None,
    node: exp.Expr | None = None,
) -> Grouped:
    """Plan the groups of rows that meet a condition."""
    places = set(map(column_of, keys))
    if rows.window and window_call is None and not _has_sessions_of(rows.window, places):
        rows = closed_sessions(planner, rows, node)
    window = rows.window
    if window and (window_call is not None or {window.start, window.end} <= places):
        return _windowed(planner, rows, condition, keys, calls)
    before, calls_by_place = with_arguments(planner, rows.relation, condition, keys, calls)
    check_changes(planner, calls, before.changelog)
    key = tuple(range(len(keys)))
    counts = row_counts(window_call)
    operation: GroupAggregate | CountWindowAggregate
    if counts:
        operation = CountWindowAggregate(calls=calls_by_place, keys=len(keys), size=counts[-1], slide=counts[0])
    else:
        check_group(planner, calls)
        ttl_ms = planner.hinted.sides(planner.ttl_ms)[0]
        operation = GroupAggregate(calls=calls_by_place, keys=len(keys), ttl_ms=ttl_ms)
    relation = Stateful(
        merged=(normalized(before, planner.ttl_ms),),
        keys=(key,),
        operation=operation,
        fields=(*(attrs.evolve(field, time=None) for field in before.fields[: len(keys)]), *result_fields(calls)),
        changelog=ChangelogMode.APPEND if counts else ChangelogMode.RETRACT,
        upsert_key=None if counts else key,
    )
    return Grouped(PlannedRows(relation), _places([*keys, *calls]))


def _has_sessions_of(window: WindowColumns, keys: set[int | None]) -> bool:
    """Return whether groups are the sessions of partitions, which the aggregate then finds itself."""
    own = keys - {window.start, window.end, window.time}
    return {window.start, window.end} <= keys and set(window.partition or ()) == own


def _windowed(
    planner: SelectPlanner,
    rows: PlannedRows,
    condition: TypedExpression | None,
    keys: list[TypedExpression],
    calls: list[RequestedAggregate],
) -> Grouped:
    """Plan groups of windows; bounds and ``window_time`` are columns after the aggregates."""
    window = rows.window
    assert window is not None
    own = [key for key in keys if column_of(key) not in {window.start, window.end, window.time} - {None}]
    is_session = window.gap_ms is not None
    if is_session:
        check_sessions(planner, calls)
    bounds = [
        reference(rows.relation, place) for place in ((window.column,) if is_session else (window.start, window.end))
    ]
    before, by_place = with_arguments(planner, rows.relation, condition, [*own, *bounds], calls)
    check_changes(planner, calls, before.changelog)
    key = tuple(range(len(own)))
    operation = (
        SessionAggregate(
            calls=by_place, keys=len(own), gap_ms=window.gap_ms or 0, time=window.attribute, zone=window.zone
        )
        if is_session
        else WindowAggregate(calls=by_place, keys=len(own), time=window.attribute, zone=window.zone)
    )
    start = len(own) + len(calls)
    stamps = (Field("window_start", _STAMP.not_null()), Field("window_end", _STAMP.not_null()))
    relation: Relation = Stateful(
        merged=(before,),
        keys=(key,),
        operation=operation,
        fields=(*(attrs.evolve(one, time=None) for one in before.fields[: len(own)]), *result_fields(calls), *stamps),
        upsert_key=(*key, start, start + 1),
    )
    after = _with_time(relation, window, start)
    known = _places([*own, *calls])
    for at, place in enumerate((window.start, window.end, window.time)):
        if place is not None:
            known[reference(rows.relation, place)] = start + at
    result = attrs.evolve(window, start=start, end=start + 1, time=start + 2, gap_ms=None)
    return Grouped(PlannedRows(after, result), known)


def _with_time(relation: Relation, window: WindowColumns, start: int) -> Relation:
    """Add ``window_time``, the last instant of the window, which is a time attribute."""
    type_ = DataType.of(Kind.TIMESTAMP_LTZ if window.is_local else Kind.TIMESTAMP, 3).not_null()
    last = Call("$WINDOW_TIME", (reference(relation, start + 1),), type_)
    names = [field.name for field in relation.fields]
    after = projected(relation, [*references(relation), last], [*names, "window_time"])
    return attrs.evolve(after, fields=(*after.fields[:-1], Field("window_time", type_, window.attribute)))


def _places(columns: Sequence[TypedExpression | RequestedAggregate]) -> dict[TypedExpression | RequestedAggregate, int]:
    """Places of the columns that represent these."""
    return {one: at for at, one in enumerate(columns)}
