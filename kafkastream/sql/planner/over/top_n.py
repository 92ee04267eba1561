"""Deduplication and top-N: ``ROW_NUMBER() OVER (...)`` in a query, and a condition on it in the outer query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import attrs
from sqlglot import exp

from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.expressions.column_scope import Scope, name_parts
from kafkastream.sql.expressions.function_calls import is_call
from kafkastream.sql.plan.expression import ColumnRef, Literal, TypedExpression
from kafkastream.sql.plan.operations import Deduplicate, Keep, Order, TimeAttribute, TopN
from kafkastream.sql.plan.plan_builder import PlannedRows, normalized, projected, reference, rewindowed, without_times
from kafkastream.sql.plan.relations import Field, Project, Relation, Stateful
from kafkastream.sql.planner.over.monotonicity import replacement_key
from kafkastream.sql.planner.over.over_frames import inline_named_windows
from kafkastream.sql.types import DataType, Kind

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["plan_top_n"]

_RANK_FUNCTIONS = ("ROW_NUMBER", "RANK", "DENSE_RANK")
_BIGINT = DataType.of(Kind.BIGINT).not_null()
_MIRRORED: Mapping[type[exp.Expr], type[exp.Expr]] = {
    exp.EQ: exp.EQ,
    exp.LT: exp.GT,
    exp.LTE: exp.GTE,
    exp.GT: exp.LT,
    exp.GTE: exp.LTE,
}


class _Ranking(NamedTuple):
    """A query with row numbers: selected columns, partitioning, order, and the name of the row number."""

    select: exp.Select
    window: exp.Window
    name: str


def plan_top_n(
    planner: SelectPlanner, node: exp.Select, first: exp.Expr, conditions: list[exp.Expr]
) -> tuple[PlannedRows, Scope, list[exp.Expr]] | None:
    """Plan a query with ROW_NUMBER in FROM and a condition on the number as Top-N; None if FROM has no such query."""
    inner_planner, inner = planner.find_definition(first)
    ranking = _find_ranking(inner, inner_planner) if inner is not None and inner_planner is not None else None
    if (
        ranking is None
        or first.alias_column_names
        or all(_row_number_bound(condition, ranking.name) is None for condition in conditions)
    ):
        return None
    text = planner.text
    if not is_call(ranking.window.this, "ROW_NUMBER"):
        message = f"{ranking.window.this.name.upper()}() on streaming table is not supported currently"
        raise text.error(first, message, "Take ROW_NUMBER().")
    low, high, rest = _split_bounds(planner, ranking.name, conditions, first)
    assert inner_planner is not None
    rows = inner_planner.plan(_with_sort_columns(ranking))
    partition, order = ranking.window.args.get("partition_by") or [], ranking.window.args["order"].expressions
    width = len(rows.relation.fields) - len(partition) - len(order)
    relation, columns = _without_repeated_columns(rows.relation, width)
    relation = normalized(relation, planner.ttl_ms)
    keys = tuple(dict.fromkeys(columns[: len(partition)]))
    orders = tuple(
        Order(column, bool(key.args.get("desc")), not key.args.get("nulls_first"))
        for column, key in zip(columns[len(partition) :], order, strict=True)
    )
    number_column = max(index for index, field in enumerate(relation.fields[:width]) if field.name == ranking.name)
    has_number = low < high and _reads_row_number(node, rest, ranking.name)
    with_number = _top_n_relation(inner_planner, relation, rows, keys, orders, (low, high), has_number)
    value: TypedExpression = ColumnRef(len(relation.fields), _BIGINT) if has_number else Literal(high, _BIGINT)
    expressions = [value if index == number_column else reference(relation, index) for index in range(width)]
    result = projected(with_number, expressions, [field.name for field in relation.fields[:width]])
    if low == high or has_number:
        shown = result.fields
    else:  # the outer query does not read the number, and the operator does not emit it
        shown = tuple(
            attrs.evolve(field, name="") if index == number_column else field
            for index, field in enumerate(result.fields)
        )
    alias = first.alias or (first.name if isinstance(first, exp.Table) else "")
    window = rewindowed(rows.window, expressions)
    text.only(ranking.window, "this", "partition_by", "order", "over")
    return PlannedRows(attrs.evolve(result, fields=shown), window), Scope.of(shown, alias), rest


def _find_ranking(select: exp.Expr, planner: SelectPlanner) -> _Ranking | None:
    while isinstance(select, exp.Subquery) and not select.args.get("with_"):
        select = select.this
    if not isinstance(select, exp.Select):
        return None
    select = inline_named_windows(planner.text, select)
    numbers = [
        expression
        for expression in select.expressions
        if isinstance(expression, exp.Alias)
        and isinstance(expression.this, exp.Window)
        and is_call(expression.this.this, *_RANK_FUNCTIONS)
    ]
    if len(numbers) != 1 or any(map(select.args.get, ("distinct", "order", "limit", "offset"))):
        return None
    window = numbers[0].this
    if not window.args.get("order") or not window.args.get("over"):
        raise planner.text.error(window, "ROW_NUMBER() needs ORDER BY in OVER (...).", "Add an ORDER BY clause.")
    return _Ranking(select, window, numbers[0].alias)


def _with_sort_columns(ranking: _Ranking) -> exp.Select:
    """Return the query with a column for the row number, followed by the partition and order columns."""
    select = ranking.select.copy()
    # 2**40 is a placeholder of type BIGINT: the operator computes the number
    columns = [
        exp.alias_(exp.Literal.number(2**40), ranking.name, quoted=True)
        if isinstance(expression, exp.Alias)
        and expression.alias == ranking.name
        and isinstance(expression.this, exp.Window)
        else expression
        for expression in select.expressions
    ]
    sort_columns = [
        *(ranking.window.args.get("partition_by") or []),
        *(expression.this for expression in ranking.window.args["order"].expressions),
    ]
    select.set(
        "expressions",
        [
            *columns,
            *(
                exp.alias_(expression.copy(), f"${number}", quoted=True)
                for number, expression in enumerate(sort_columns)
            ),
        ],
    )
    return select


def _top_n_relation(
    planner: SelectPlanner,
    relation: Relation,
    rows: PlannedRows,
    keys: tuple[int, ...],
    orders: tuple[Order, ...],
    bounds: tuple[int, int],
    has_number: bool,
) -> Relation:
    """Return the rows between two row numbers: by a deduplication for the first or last row by time, otherwise by a Top-N."""
    fields, window = relation.fields, rows.window
    time = fields[orders[0].column].time if len(orders) == 1 else None
    is_append = relation.changelog is ChangelogMode.APPEND
    partition = set(keys)
    is_windowed = window is not None and window.gap_ms is None and {window.start, window.end} <= partition
    number = (Field("rn", _BIGINT),) if has_number else ()
    if bounds == (1, 1) and time is not None and is_append and not is_windowed:
        keep = Keep.LAST if orders[0].descending else Keep.FIRST
        never_changes = keep is Keep.FIRST and time is TimeAttribute.PROCESSING
        return Stateful(
            merged=(relation,),
            keys=(keys,),
            operation=Deduplicate(
                keep=keep,
                time=time,
                column=orders[0].column if time is TimeAttribute.EVENT else None,
                ttl_ms=planner.ttl_ms,
            ),
            fields=fields,
            changelog=ChangelogMode.APPEND if never_changes else ChangelogMode.RETRACT,
            upsert_key=keys,
        )
    if is_windowed and not is_append:
        message = "StreamPhysicalWindowRank doesn't support consuming update and delete changes"
        raise planner.text.error(None, message, "Leave window_end out of PARTITION BY, or read append-only tables.")
    windows = window.end if is_windowed and window is not None else None
    by_number = (*keys, len(fields)) if has_number else keys if bounds[0] == bounds[1] else relation.upsert_key
    return Stateful(
        merged=(relation,),
        keys=(keys,),
        operation=TopN(
            order=orders,
            first=bounds[0],
            last=bounds[1],
            with_number=has_number,
            window=windows,
            ttl_ms=0 if windows is not None else planner.ttl_ms,
            time=TimeAttribute.EVENT if window is None else window.attribute,
            zone="UTC" if window is None else window.zone,
            replaced_by=replacement_key(relation, keys, orders),
        ),
        fields=(*(fields if windows is not None else without_times(fields)), *number),
        changelog=ChangelogMode.RETRACT if windows is None else ChangelogMode.APPEND,
        upsert_key=by_number,
    )


def _without_repeated_columns(relation: Relation, width: int) -> tuple[Relation, list[int]]:
    """Drop columns from ``width`` on that repeat earlier ones; return the relation and the position of each."""
    if not isinstance(relation, Project):
        return relation, list(range(width, len(relation.fields)))
    remaining = list(range(width))
    for index in range(width, len(relation.fields)):
        if relation.expressions[index] not in [relation.expressions[other] for other in remaining]:
            remaining.append(index)
    expressions = tuple(relation.expressions[index] for index in remaining)
    indexes = [expressions.index(expression) for expression in relation.expressions[width:]]
    fields = tuple(relation.fields[index] for index in remaining)
    return attrs.evolve(relation, expressions=expressions, fields=fields), indexes


def _split_bounds(
    planner: SelectPlanner, name: str, conditions: Sequence[exp.Expr], first: exp.Expr
) -> tuple[int, int, list[exp.Expr]]:
    """Return the first and last row number that the conditions allow, and the conditions on other columns."""
    low, high, rest = 1, None, []
    for condition in conditions:
        bounds = _row_number_bound(condition, name)
        if bounds is None:
            rest.append(condition)
            continue
        low = max(low, bounds[0])
        high = bounds[1] if high is None else min(high, bounds[1] if bounds[1] is not None else high)
    if high is None or high < low:
        message = f"ROW_NUMBER() is only supported with a condition that bounds it, such as {name} <= 10."
        raise planner.text.refused(
            conditions[0] if conditions else first, message, f"Add WHERE {name} <= n around the query."
        )
    return low, high, rest


def _row_number_bound(node: exp.Expr, name: str) -> tuple[int, int | None] | None:
    if isinstance(node, exp.Between) and _is_row_number(node.this, name):
        low, high = node.args["low"], node.args["high"]
        return (int(low.name), int(high.name)) if low.is_int and high.is_int else None
    kind = type(node)
    if kind not in _MIRRORED:
        return None
    value, other = node.this, node.expression
    if _is_row_number(other, name):
        kind, value, other = _MIRRORED[kind], other, value
    if not _is_row_number(value, name) or not (isinstance(other, exp.Literal) and other.is_int):
        return None
    limit = int(other.name)
    bounds: dict[type[exp.Expr], tuple[int, int | None]] = {
        exp.EQ: (limit, limit),
        exp.LTE: (1, limit),
        exp.LT: (1, limit - 1),
        exp.GTE: (limit, None),
        exp.GT: (limit + 1, None),
    }
    return bounds[kind]


def _is_row_number(node: exp.Expr, name: str) -> bool:
    parts = name_parts(node)
    return bool(parts) and len(parts or ()) <= 2 and (parts or [])[-1].name == name


def _reads_row_number(node: exp.Select, rest: Sequence[exp.Expr], name: str) -> bool:
    """Return whether the outer query reads the row number other than in the conditions that make it a top-N."""
    clauses = (node.args.get(clause) for clause in ("group", "having", "order"))
    parts = [*node.expressions, *rest, *filter(None, clauses)]
    return any(
        isinstance(child, exp.Star) or (isinstance(child, exp.Column) and child.name == name)
        for part in parts
        for child in part.walk()
    )
