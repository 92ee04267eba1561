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
from kafkastream.sql.planner.aggregates.group_windows import plan_group_window, row_counts, window_property_column
from kafkastream.sql.planner.aggregates.grouping_sets import (
    GROUPING_CALLS,
    GroupingSets,
    compile_grouping_call,
    expand_rows,
    key_sets,
)
from kafkastream.sql.planner.aggregates.user_aggregates import (
    check_group_aggregates,
    check_mergeable,
    check_retractable,
)
from kafkastream.sql.planner.over.over_aggregates import has_over_calls, plan_over_aggregates
from kafkastream.sql.planner.window_table_functions import with_closed_sessions
from kafkastream.sql.types import DataType, Kind

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner
    from kafkastream.sql.planner.select import SelectItem

__all__ = ["GroupedRows", "is_grouped", "plan_aggregation", "plan_groups"]

_STAMP = DataType.of(Kind.TIMESTAMP, 3)


def is_grouped(node: exp.Select) -> bool:
    """Return whether a SELECT has GROUP BY, HAVING or aggregates."""
    clauses = any(map(node.args.get, ("group", "having")))
    return clauses or any(next(calls_in(expression), None) is not None for expression in node.expressions)


class GroupedRows(NamedTuple):
    """Relation of groups, with the positions of its columns: keys (expressions over the input) and aggregates."""

    rows: PlannedRows
    columns: dict[TypedExpression | RequestedAggregate, int]

    def column(self, expression: TypedExpression | RequestedAggregate) -> ColumnRef:
        """Return a reference to the column of a key or an aggregate."""
        return reference(self.rows.relation, self.columns[expression])


class _GroupCompiler(ExpressionCompiler):
    """Compiles expressions over groups: keys, aggregates, and computations with them."""

    def __init__(
        self,
        planner: SelectPlanner,
        input_compiler: ExpressionCompiler,
        grouped: GroupedRows,
        window: exp.Anonymous | None,
        sets: GroupingSets,
        answers: Mapping[int, TypedExpression] = MappingProxyType({}),
    ) -> None:
        scope = Scope(grouped.rows.relation.fields, ())
        super().__init__(planner.text, scope, planner.catalog, answers)
        self._input_compiler = input_compiler
        self._grouped = grouped
        self._window = window
        self._sets = sets

    def compile(self, node: exp.Expr) -> TypedExpression:
        """Compile an expression; a column must be a key."""
        aggregate = aggregate_of(self._input_compiler, node)
        if aggregate is not None:
            return self._grouped.column(aggregate)
        if is_call(node, *GROUP_WINDOWS) and row_counts(self._window):
            message = "Window start and Window end cannot be selected for a row-count window."
            raise self.text.error(node, message, "Select an aggregate, such as MAX of a time.")
        if is_call(node, *GROUP_WINDOWS) and self._grouped.rows.window:
            column = window_property_column(self._input_compiler, node, self._window, self._grouped.rows.window)
            return reference(self._grouped.rows.relation, column)
        if is_call(node, *GROUPING_CALLS):
            return compile_grouping_call(self._input_compiler, node, self._sets, self._grouped.column)
        if next(calls_in(node), None) is None and node.find(exp.Query) is None:
            is_name = name_parts(node) is not None
            if is_name or not _calls_group_function(node):
                expression = self._input_compiler.compile(node)
                if expression in self._grouped.columns:
                    return self._grouped.column(expression)
                is_name = is_name and isinstance(expression, ColumnRef | FieldAccess)
            if is_name:
                message = f"Expression '{self.text.shown(node)}' is not being grouped"
                raise self.text.error(node, message, "Put it into GROUP BY, or take MAX(...) or LAST_VALUE(...) of it.")
        return super().compile(node)


def _calls_group_function(node: exp.Expr) -> bool:
    """Return whether an expression calls TUMBLE_START, GROUPING or a similar function, which reads a property of the group."""
    return any(is_call(call, *GROUP_WINDOWS, *GROUPING_CALLS) for call in node.find_all(exp.Anonymous))


def plan_aggregation(
    planner: SelectPlanner,
    node: exp.Select,
    rows: PlannedRows,
    scope: Scope,
    condition: TypedExpression | None,
    chosen: Sequence[SelectItem],
) -> PlannedRows:
    """Plan a SELECT with aggregates or GROUP BY."""
    text, having = planner.text, node.args.get("having")
    sets, window_call = _split_group_by(planner, node)
    if window_call is not None:
        rows, condition = plan_group_window(planner, rows, scope, window_call, condition), None
        scope = Scope(rows.relation.fields, scope.sources)
    rows, condition, compiler = _join_filter_queries(
        planner, rows, scope, condition, [*(item.node for item in chosen), having]
    )
    planner = attrs.evolve(planner, hinted=planner.hinted.of_scopes(scope))
    compiled = [tuple(dict.fromkeys(compiler.compile(key) for key in key_set)) for key_set in sets]
    if sets and node.args.get("group") and node.args["group"].args.get("all") is False:  # GROUP BY DISTINCT
        compiled = list({frozenset(key_set): key_set for key_set in reversed(compiled)}.values())
    if len(compiled) > 1 and window_call is None:
        rows = with_closed_sessions(planner, rows, node)
    rows, condition, keys = _expand_grouping_sets(planner, rows, condition, compiled)
    for item in chosen:
        if item.column is not None and item.column not in keys.keys:
            raise text.error(
                item.node, f"Expression '{item.name}' is not being grouped", "Name the keys and aggregates."
            )
    nodes = [item.node for item in chosen if item.column is None] + ([having.this] if having else [])
    aggregates = [aggregate for part in nodes for call in calls_in(part) if (aggregate := aggregate_of(compiler, call))]
    calls = list(dict.fromkeys(aggregates))
    groups = plan_groups(planner, rows, condition, list(keys.columns), calls, window_call, node)
    groups.columns.update((key, groups.columns[column]) for key, column in zip(keys.keys, keys.columns, strict=False))
    groups, of_groups = _join_group_queries(planner, groups, compiler, (window_call, keys), nodes)
    having_condition = of_groups.compile(having.this) if having else None
    chosen = [item if item.column is None else item._replace(column=groups.column(item.column)) for item in chosen]
    if has_over_calls(chosen):
        return plan_over_aggregates(planner, groups.rows, of_groups, having_condition, chosen)
    expressions = [item.column or of_groups.compile(item.node) for item in chosen]
    relation = projected(
        groups.rows.relation, expressions, [item.name for item in chosen], having_condition, planner.ttl_ms
    )
    return PlannedRows(relation, rewindowed(groups.rows.window, expressions))


def _join_filter_queries(
    planner: SelectPlanner,
    rows: PlannedRows,
    scope: Scope,
    condition: TypedExpression | None,
    nodes: Iterable[exp.Expr | None],
) -> tuple[PlannedRows, TypedExpression | None, ExpressionCompiler]:
    """Join the queries in FILTER; return the rows, the condition that is still to be applied, and the rows' compiler."""
    from kafkastream.sql.planner.subqueries.subqueries import has_query, join_subqueries

    calls = (call for part in nodes if part is not None for call in calls_in(part))
    filters = [call.expression.this for call in calls if isinstance(call, exp.Filter) and has_query(call.expression)]
    if not filters:
        return rows, condition, planner.compiler(scope)
    if rows.window is not None:
        message = "A query in FILTER is not supported in windows."
        raise planner.text.refused(filters[0], message, "Join the tables before the window.")
    met = attrs.evolve(rows, relation=filtered(rows.relation, [] if condition is None else [condition], planner.ttl_ms))
    rows, answers = join_subqueries(planner, met, scope, filters, planner.compiler(scope).compile)
    return rows, None, planner.compiler(attrs.evolve(scope, fields=rows.relation.fields), answers)


def _join_group_queries(
    planner: SelectPlanner,
    groups: GroupedRows,
    input_compiler: ExpressionCompiler,
    grouping: tuple[exp.Anonymous | None, GroupingSets],
    nodes: Sequence[exp.Expr],
) -> tuple[GroupedRows, _GroupCompiler]:
    """Join the queries in expressions over groups; return the groups and the compiler of these expressions."""
    from kafkastream.sql.planner.subqueries.subqueries import join_subqueries

    group_compiler = _GroupCompiler(planner, input_compiler, groups, *grouping)
    rows, answers = join_subqueries(
        planner, groups.rows, Scope(groups.rows.relation.fields, ()), nodes, group_compiler.compile
    )
    groups = groups._replace(rows=rows)
    return groups, _GroupCompiler(planner, input_compiler, groups, *grouping, answers)


def _split_group_by(
    planner: SelectPlanner, node: exp.Select
) -> tuple[list[tuple[exp.Expr, ...]], exp.Anonymous | None]:
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


def _expand_grouping_sets(
    planner: SelectPlanner,
    rows: PlannedRows,
    condition: TypedExpression | None,
    sets: Sequence[Sequence[TypedExpression]],
) -> tuple[PlannedRows, TypedExpression | None, GroupingSets]:
    """Return the rows once for each grouping set, the condition that is still to be applied, and the keys."""
    if len(sets) > 1:
        rows, grouping_sets = expand_rows(planner, rows, condition, sets)
        return rows, None, grouping_sets
    keys = tuple(dict.fromkeys(sets[0]))
    return rows, condition, GroupingSets(keys, (frozenset(range(len(keys))),), keys)


def plan_groups(
    planner: SelectPlanner,
    rows: PlannedRows,
    condition: TypedExpression | None,
    keys: list[TypedExpression],
    calls: list[RequestedAggregate],
    window_call: exp.Anonymous | None = None,
    node: exp.Expr | None = None,
) -> GroupedRows:
    """Plan the groups of rows that meet a condition."""
    key_columns = set(map(column_of, keys))
    if rows.window and window_call is None and not _are_sessions_of_keys(rows.window, key_columns):
        rows = with_closed_sessions(planner, rows, node)
    window = rows.window
    if window and (window_call is not None or {window.start, window.end} <= key_columns):
        return _plan_window_groups(planner, rows, condition, keys, calls)
    input_relation, placed_calls = with_arguments(planner, rows.relation, condition, keys, calls)
    check_retractable(planner, calls, input_relation.changelog)
    key = tuple(range(len(keys)))
    counts = row_counts(window_call)
    operation: GroupAggregate | CountWindowAggregate
    if counts:
        operation = CountWindowAggregate(calls=placed_calls, keys=len(keys), size=counts[-1], slide=counts[0])
    else:
        check_group_aggregates(planner, calls)
        ttl_ms = planner.hinted.sides(planner.ttl_ms)[0]
        operation = GroupAggregate(calls=placed_calls, keys=len(keys), ttl_ms=ttl_ms)
    relation = Stateful(
        merged=(normalized(input_relation, planner.ttl_ms),),
        keys=(key,),
        operation=operation,
        fields=(
            *(attrs.evolve(field, time=None) for field in input_relation.fields[: len(keys)]),
            *result_fields(calls),
        ),
        changelog=ChangelogMode.APPEND if counts else ChangelogMode.RETRACT,
        upsert_key=None if counts else key,
    )
    return GroupedRows(PlannedRows(relation), _column_indexes([*keys, *calls]))


def _are_sessions_of_keys(window: WindowColumns, keys: set[int | None]) -> bool:
    """Return whether the keys are exactly the partition and bounds of sessions, which the aggregate then computes itself."""
    other_keys = keys - {window.start, window.end, window.time}
    return {window.start, window.end} <= keys and set(window.partition or ()) == other_keys


def _plan_window_groups(
    planner: SelectPlanner,
    rows: PlannedRows,
    condition: TypedExpression | None,
    keys: list[TypedExpression],
    calls: list[RequestedAggregate],
) -> GroupedRows:
    """Plan groups of windows; bounds and ``window_time`` are columns after the aggregates."""
    window = rows.window
    assert window is not None
    plain_keys = [key for key in keys if column_of(key) not in {window.start, window.end, window.time} - {None}]
    is_session = window.gap_ms is not None
    if is_session:
        check_mergeable(planner, calls)
    bounds = [
        reference(rows.relation, column) for column in ((window.column,) if is_session else (window.start, window.end))
    ]
    input_relation, placed_calls = with_arguments(planner, rows.relation, condition, [*plain_keys, *bounds], calls)
    check_retractable(planner, calls, input_relation.changelog)
    key = tuple(range(len(plain_keys)))
    operation = (
        SessionAggregate(
            calls=placed_calls, keys=len(plain_keys), gap_ms=window.gap_ms or 0, time=window.attribute, zone=window.zone
        )
        if is_session
        else WindowAggregate(calls=placed_calls, keys=len(plain_keys), time=window.attribute, zone=window.zone)
    )
    start = len(plain_keys) + len(calls)
    stamps = (Field("window_start", _STAMP.not_null()), Field("window_end", _STAMP.not_null()))
    relation: Relation = Stateful(
        merged=(input_relation,),
        keys=(key,),
        operation=operation,
        fields=(
            *(attrs.evolve(field, time=None) for field in input_relation.fields[: len(plain_keys)]),
            *result_fields(calls),
            *stamps,
        ),
        upsert_key=(*key, start, start + 1),
    )
    after = _with_window_time(relation, window, start)
    columns = _column_indexes([*plain_keys, *calls])
    for offset, column in enumerate((window.start, window.end, window.time)):
        if column is not None:
            columns[reference(rows.relation, column)] = start + offset
    result = attrs.evolve(window, start=start, end=start + 1, time=start + 2, gap_ms=None)
    return GroupedRows(PlannedRows(after, result), columns)


def _with_window_time(relation: Relation, window: WindowColumns, start: int) -> Relation:
    """Add ``window_time``, the last millisecond of the window, as a time attribute."""
    type_ = DataType.of(Kind.TIMESTAMP_LTZ if window.is_local else Kind.TIMESTAMP, 3).not_null()
    last = Call("$WINDOW_TIME", (reference(relation, start + 1),), type_)
    names = [field.name for field in relation.fields]
    after = projected(relation, [*references(relation), last], [*names, "window_time"])
    return attrs.evolve(after, fields=(*after.fields[:-1], Field("window_time", type_, window.attribute)))


def _column_indexes(
    columns: Sequence[TypedExpression | RequestedAggregate],
) -> dict[TypedExpression | RequestedAggregate, int]:
    """Return the position of each column."""
    return {column: index for index, column in enumerate(columns)}
