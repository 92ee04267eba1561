"""``GROUP BY`` and aggregates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import attrs
from sqlglot import exp

from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.expressions.aggregate_calls import Wanted, aggregate_of, calls_in
from kafkastream.sql.expressions.aggregate_names import GROUP_WINDOWS
from kafkastream.sql.expressions.column_scope import Scope, name_parts
from kafkastream.sql.expressions.expressions import Translator
from kafkastream.sql.plan.operations import (
    AggregateCall,
    GroupAggregate,
    SessionAggregate,
    WindowAggregate,
)
from kafkastream.sql.plan.plan_builder import Rows, Window, column_of, normalized, projected, rewindowed
from kafkastream.sql.plan.relations import Field, Relation, Stateful, column
from kafkastream.sql.planner.group_windows import group_window, window_property
from kafkastream.sql.types import DataType, Kind

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import Planner
    from kafkastream.sql.planner.select import Item

__all__ = ["aggregated", "is_grouped"]

_STAMP = DataType.of(Kind.TIMESTAMP, 3)
_NULL_STAMP = "cast(null as timestamp_ntz)"


def is_grouped(node: exp.Select) -> bool:
    """Whether a SELECT makes one row of many."""
    having = node.args.get("having")
    return bool(node.args.get("group")) or any(
        next(calls_in(one), None) is not None for one in (*node.expressions, *([having.this] if having else []))
    )


class _Grouped(NamedTuple):
    """A relation of groups, and what its columns stand for: expressions of the rows that came in, and aggregates."""

    rows: Rows
    known: dict[str | Wanted, int]


class _OfGroups(Translator):
    """Writes expressions over groups: their keys, their aggregates, and what is made of these."""

    def __init__(self, planner: Planner, of: Translator, grouped: _Grouped, window: exp.Anonymous | None) -> None:
        scope = Scope(grouped.rows.relation.fields, ())
        super().__init__(planner.text, scope, planner.typing, planner.catalog)
        self._of = of
        self._grouped = grouped
        self._window = window

    def sql(self, node: exp.Expr) -> str:
        """An expression; a plain column must be a key."""
        call = aggregate_of(self._of, node)
        if call is not None:
            return column(self._grouped.known[call])
        if isinstance(node, exp.Anonymous) and node.name.upper() in GROUP_WINDOWS and self._grouped.rows.window:
            return window_property(self._of, node, self._window, self._grouped.rows.window)
        if next(calls_in(node), None) is None:
            if name_parts(node) is not None or not _has_group_window(node):
                known = self._grouped.known.get(self._of.sql(node))
                if known is not None:
                    return column(known)
            if name_parts(node) is not None and "(" not in self._of.sql(node):
                what = f"Expression '{self.text.shown(node)}' is not being grouped"
                raise self.text.error(node, what, "Put it into GROUP BY, or take MAX(...) or LAST_VALUE(...) of it.")
        return super().sql(node)


def _has_group_window(node: exp.Expr) -> bool:
    return any(one.name.upper() in GROUP_WINDOWS for one in node.find_all(exp.Anonymous))


def aggregated(
    planner: Planner, node: exp.Select, rows: Rows, scope: Scope, condition: str | None, chosen: Sequence[Item]
) -> Rows:
    """The rows of a SELECT with aggregates or GROUP BY."""
    text, having = planner.text, node.args.get("having")
    keys, window_call = _keys(planner, node)
    if window_call is not None:
        rows, condition = group_window(planner, rows, scope, window_call, condition)
        scope = Scope(rows.relation.fields, scope.sources)
    of = planner.translator(scope)
    for item in chosen:
        if item.sql and not any(item.sql == of.sql(key) for key in keys):
            raise text.error(
                item.node, f"Expression '{item.name}' is not being grouped", "Name the keys and aggregates."
            )
    nodes = [item.node for item in chosen if not item.sql] + ([having.this] if having else [])
    calls = list(dict.fromkeys(aggregate_of(of, one) for part in nodes for one in calls_in(part)))
    key_sql = list(dict.fromkeys(of.sql(key) for key in keys))
    grouped = _grouped(planner, of, rows, condition, key_sql, [call for call in calls if call], bool(window_call))
    groups = _OfGroups(planner, of, grouped, window_call)
    filter_sql = groups.sql(having.this) if having else None
    expressions = [column(grouped.known[item.sql]) if item.sql else groups.sql(item.node) for item in chosen]
    names = [item.name for item in chosen]
    relation = projected(
        grouped.rows.relation, expressions, names, groups.types(expressions), filter_sql, planner.ttl_ms
    )
    return Rows(relation, rewindowed(grouped.rows.window, expressions))


def _keys(planner: Planner, node: exp.Select) -> tuple[list[exp.Expr], exp.Anonymous | None]:
    group = node.args.get("group")
    if not group:
        return [], None
    keys, windows = [], []
    for part in ("grouping_sets", "cube", "rollup", "totals", "all"):
        if group.args.get(part):
            raise planner.text.refused(
                group, f"GROUP BY {part.upper()} is not supported.", "Write a UNION ALL of groupings."
            )
    planner.text.only(group, "expressions")
    for key in group.expressions:
        if isinstance(key, exp.GroupingSets | exp.Cube | exp.Rollup):
            what = "GROUPING SETS, CUBE and ROLLUP are not supported."
            raise planner.text.refused(key, what, "Write a UNION ALL of queries, each with its GROUP BY.")
        if isinstance(key, exp.Literal):
            raise planner.text.error(key, "GROUP BY takes columns, not their numbers.", "Write the expression again.")
        if isinstance(key, exp.Anonymous) and key.name.upper() in ("TUMBLE", "HOP", "SESSION"):
            windows.append(key)
        else:
            keys.extend(key.expressions if isinstance(key, exp.Tuple) else [key])
    if len(windows) > 1:
        raise planner.text.error(windows[1], "Only a single window group function may be used in GROUP BY", "Take one.")
    return keys, windows[0] if windows else None


def _grouped(
    planner: Planner,
    of: Translator,
    rows: Rows,
    condition: str | None,
    keys: list[str],
    calls: list[Wanted],
    is_window_call: bool,
) -> _Grouped:
    window = rows.window
    bounds = {column(window.start), column(window.end)} if window else set()
    if window and (is_window_call or bounds <= set(keys)):
        return _windowed(planner, of, rows, condition, keys, calls)
    if window and window.gap_ms is not None:
        raise planner.text.refused(None, "SESSION needs GROUP BY window_start, window_end.", "Add both.")
    before, calls_by_place = _arguments(planner, of, rows.relation, condition, keys, [], calls)
    key = tuple(range(len(keys)))
    relation = Stateful(
        merged=(normalized(before, planner.ttl_ms),),
        keys=(key,),
        operation=GroupAggregate(calls=calls_by_place, keys=len(keys), ttl_ms=planner.ttl_ms),
        fields=(*(attrs.evolve(field, time=None) for field in before.fields[: len(keys)]), *_results(calls)),
        changelog=ChangelogMode.RETRACT,
        upsert_key=key,
    )
    known: dict[str | Wanted, int] = {**{sql: at for at, sql in enumerate(keys)}, **_places(calls, len(keys))}
    return _Grouped(Rows(relation), known)


def _windowed(
    planner: Planner, of: Translator, rows: Rows, condition: str | None, keys: list[str], calls: list[Wanted]
) -> _Grouped:
    """Groups of windows: the bounds are known behind the aggregates, and with them the last instant."""
    window = rows.window
    assert window is not None
    if rows.relation.changelog is not ChangelogMode.APPEND:
        what = "A window aggregate doesn't support consuming update and delete changes."
        raise planner.text.refused(None, what, "Group without a window, or aggregate before the rows change.")
    told = {column(one) for one in (window.start, window.end, window.time) if one is not None}
    own = [key for key in keys if key not in told]
    is_session = window.gap_ms is not None
    if is_session and window.partition is not None and {column(one) for one in window.partition} != set(own):
        what = "SESSION ... PARTITION BY must have the columns of GROUP BY, besides window_start and window_end, here."
        raise planner.text.refused(
            None, what, "Write SESSION(TABLE t PARTITION BY (k, l), ...) and GROUP BY k, l, window_start, ..."
        )
    bounds = [column(window.column)] if is_session else [column(window.start), column(window.end)]
    before, by_place = _arguments(planner, of, rows.relation, condition, own, bounds, calls)
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
        fields=(*(attrs.evolve(one, time=None) for one in before.fields[: len(own)]), *_results(calls), *stamps),
        upsert_key=(*key, start, start + 1),
    )
    after = _with_time(relation, window, start)
    known: dict[str | Wanted, int] = {**{sql: at for at, sql in enumerate(own)}, **_places(calls, len(own))}
    known |= {column(window.start): start, column(window.end): start + 1}
    if window.time is not None:
        known[column(window.time)] = start + 2
    result = attrs.evolve(window, start=start, end=start + 1, time=start + 2, gap_ms=None)
    return _Grouped(Rows(after, result), known)


def _with_time(relation: Relation, window: Window, start: int) -> Relation:
    """With the last instant of the window, which is a time attribute."""
    last = f"{column(start + 1)} - INTERVAL '0 00:00:00.001' DAY TO SECOND"
    type_ = DataType.of(Kind.TIMESTAMP_LTZ if window.is_local else Kind.TIMESTAMP, 3).not_null()
    sql = f"cast({last} as timestamp)" if window.is_local else f"({last})"
    every = [column(at) for at in range(len(relation.fields))]
    names = [field.name for field in relation.fields]
    types = [field.type for field in relation.fields]
    after = projected(relation, [*every, sql], [*names, "window_time"], [*types, type_])
    return attrs.evolve(after, fields=(*after.fields[:-1], Field("window_time", type_, window.attribute)))


def _arguments(
    planner: Planner,
    of: Translator,
    relation: Relation,
    condition: str | None,
    keys: Sequence[str],
    bounds: Sequence[str],
    calls: Sequence[Wanted],
) -> tuple[Relation, tuple[AggregateCall, ...]]:
    """The relation that goes into an operation: keys, bounds, then what the calls need, each once."""
    needed = list(dict.fromkeys(sql for call in calls for sql in (call.argument, call.filter) if sql))
    columns = [*keys, *bounds, *(sql for sql in needed if sql not in {*keys, *bounds})]
    columns = columns or ["true"]
    names: list[str] = []
    for sql in columns:
        place = column_of(sql)
        names.append(f"EXPR${len(names)}" if place is None else relation.fields[place].name)
    before = projected(relation, columns, names, of.types(columns), condition, planner.ttl_ms)
    placed = (
        attrs.evolve(
            call.call,
            argument=columns.index(call.argument) if call.argument else None,
            filter=columns.index(call.filter) if call.filter else None,
        )
        for call in calls
    )
    return before, tuple(placed)


def _results(calls: Sequence[Wanted]) -> list[Field]:
    return [Field(call.call.function.value, call.call.type) for call in calls]


def _places(calls: Sequence[Wanted], first: int) -> dict[str | Wanted, int]:
    return {call: first + at for at, call in enumerate(calls)}
