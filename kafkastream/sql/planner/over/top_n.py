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
from kafkastream.sql.planner.over.courses import replaced_by
from kafkastream.sql.planner.over.over_frames import with_named_windows
from kafkastream.sql.types import DataType, Kind

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["ranked"]

_RANKS = ("ROW_NUMBER", "RANK", "DENSE_RANK")
_BIGINT = DataType.of(Kind.BIGINT).not_null()
_SWAPPED: Mapping[type[exp.Expr], type[exp.Expr]] = {
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


def ranked(
    planner: SelectPlanner, node: exp.Select, first: exp.Expr, conditions: list[exp.Expr]
) -> tuple[PlannedRows, Scope, list[exp.Expr]] | None:
    """Plan the rows with the wanted row numbers; None if FROM has no such query."""
    inside, inner = planner.definition(first)
    found = _ranking(inner, inside) if inner is not None and inside is not None else None
    if found is None or first.alias_column_names or all(_bound(one, found.name) is None for one in conditions):
        return None
    text = planner.text
    if not is_call(found.window.this, "ROW_NUMBER"):
        what = f"{found.window.this.name.upper()}() on streaming table is not supported currently"
        raise text.error(first, what, "Take ROW_NUMBER().")
    low, high, rest = _bounds(planner, found.name, conditions, first)
    assert inside is not None
    rows = inside.query(_with_columns(found))
    partition, order = found.window.args.get("partition_by") or [], found.window.args["order"].expressions
    width = len(rows.relation.fields) - len(partition) - len(order)
    relation, places = _without_doubles(rows.relation, width)
    relation = normalized(relation, planner.ttl_ms)
    keys = tuple(dict.fromkeys(places[: len(partition)]))
    orders = tuple(
        Order(place, bool(one.args.get("desc")), not one.args.get("nulls_first"))
        for place, one in zip(places[len(partition) :], order, strict=True)
    )
    number = max(at for at, field in enumerate(relation.fields[:width]) if field.name == found.name)
    is_told = low < high and _names(node, rest, found.name)
    with_number = _numbered(inside, relation, rows, keys, orders, (low, high), is_told)
    value: TypedExpression = ColumnRef(len(relation.fields), _BIGINT) if is_told else Literal(high, _BIGINT)
    expressions = [value if at == number else reference(relation, at) for at in range(width)]
    result = projected(with_number, expressions, [field.name for field in relation.fields[:width]])
    if low == high or is_told:
        shown = result.fields
    else:
        shown = tuple(attrs.evolve(one, name="") if at == number else one for at, one in enumerate(result.fields))
    alias = first.alias or (first.name if isinstance(first, exp.Table) else "")
    window = rewindowed(rows.window, expressions)
    text.only(found.window, "this", "partition_by", "order", "over")
    return PlannedRows(attrs.evolve(result, fields=shown), window), Scope.of(shown, alias), rest


def _ranking(select: exp.Expr, planner: SelectPlanner) -> _Ranking | None:
    while isinstance(select, exp.Subquery) and not select.args.get("with_"):
        select = select.this
    if not isinstance(select, exp.Select):
        return None
    select = with_named_windows(planner.text, select)
    numbers = [
        one
        for one in select.expressions
        if isinstance(one, exp.Alias) and isinstance(one.this, exp.Window) and is_call(one.this.this, *_RANKS)
    ]
    if len(numbers) != 1 or any(map(select.args.get, ("distinct", "order", "limit", "offset"))):
        return None
    window = numbers[0].this
    if not window.args.get("order") or not window.args.get("over"):
        raise planner.text.error(window, "ROW_NUMBER() needs ORDER BY in OVER (...).", "Add an ORDER BY clause.")
    return _Ranking(select, window, numbers[0].alias)


def _with_columns(found: _Ranking) -> exp.Select:
    """Return the query with a column for the row number, followed by the partition and order columns."""
    select = found.select.copy()
    columns = [
        exp.alias_(exp.Literal.number(2**40), found.name, quoted=True)
        if isinstance(one, exp.Alias) and one.alias == found.name and isinstance(one.this, exp.Window)
        else one
        for one in select.expressions
    ]
    behind = [
        *(found.window.args.get("partition_by") or []),
        *(one.this for one in found.window.args["order"].expressions),
    ]
    select.set(
        "expressions", [*columns, *(exp.alias_(one.copy(), f"${at}", quoted=True) for at, one in enumerate(behind))]
    )
    return select


def _numbered(
    planner: SelectPlanner,
    relation: Relation,
    rows: PlannedRows,
    keys: tuple[int, ...],
    orders: tuple[Order, ...],
    bounds: tuple[int, int],
    is_told: bool,
) -> Relation:
    """Return the rows with the wanted row numbers."""
    fields, window = relation.fields, rows.window
    time = fields[orders[0].column].time if len(orders) == 1 else None
    is_append = relation.changelog is ChangelogMode.APPEND
    partition = set(keys)
    is_windowed = window is not None and window.gap_ms is None and {window.start, window.end} <= partition
    number = (Field("rn", _BIGINT),) if is_told else ()
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
        what = "StreamPhysicalWindowRank doesn't support consuming update and delete changes"
        raise planner.text.error(None, what, "Leave window_end out of PARTITION BY, or read append-only tables.")
    windows = window.end if is_windowed and window is not None else None
    by_number = (*keys, len(fields)) if is_told else keys if bounds[0] == bounds[1] else relation.upsert_key
    return Stateful(
        merged=(relation,),
        keys=(keys,),
        operation=TopN(
            order=orders,
            first=bounds[0],
            last=bounds[1],
            with_number=is_told,
            window=windows,
            ttl_ms=0 if windows is not None else planner.ttl_ms,
            time=TimeAttribute.EVENT if window is None else window.attribute,
            zone="UTC" if window is None else window.zone,
            replaced_by=replaced_by(relation, keys, orders),
        ),
        fields=(*(fields if windows is not None else without_times(fields)), *number),
        changelog=ChangelogMode.RETRACT if windows is None else ChangelogMode.APPEND,
        upsert_key=by_number,
    )


def _without_doubles(relation: Relation, width: int) -> tuple[Relation, list[int]]:
    """Drop columns from ``width`` on that repeat earlier ones; return the relation and the position of each."""
    if not isinstance(relation, Project):
        return relation, list(range(width, len(relation.fields)))
    kept = list(range(width))
    for at in range(width, len(relation.fields)):
        if relation.expressions[at] not in [relation.expressions[one] for one in kept]:
            kept.append(at)
    expressions = tuple(relation.expressions[at] for at in kept)
    places = [expressions.index(one) for one in relation.expressions[width:]]
    fields = tuple(relation.fields[at] for at in kept)
    return attrs.evolve(relation, expressions=expressions, fields=fields), places


def _bounds(
    planner: SelectPlanner, name: str, conditions: Sequence[exp.Expr], first: exp.Expr
) -> tuple[int, int, list[exp.Expr]]:
    """Return the first and last row number that the conditions allow, and the conditions on other columns."""
    low, high, rest = 1, None, []
    for one in conditions:
        found = _bound(one, name)
        if found is None:
            rest.append(one)
            continue
        low = max(low, found[0])
        high = found[1] if high is None else min(high, found[1] if found[1] is not None else high)
    if high is None or high < low:
        what = f"ROW_NUMBER() is only supported with a condition that bounds it, such as {name} <= 10."
        raise planner.text.refused(
            conditions[0] if conditions else first, what, f"Add WHERE {name} <= n around the query."
        )
    return low, high, rest


def _bound(node: exp.Expr, name: str) -> tuple[int, int | None] | None:
    if isinstance(node, exp.Between) and _is_number(node.this, name):
        low, high = node.args["low"], node.args["high"]
        return (int(low.name), int(high.name)) if low.is_int and high.is_int else None
    kind = type(node)
    if kind not in _SWAPPED:
        return None
    value, other = node.this, node.expression
    if _is_number(other, name):
        kind, value, other = _SWAPPED[kind], other, value
    if not _is_number(value, name) or not (isinstance(other, exp.Literal) and other.is_int):
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


def _is_number(node: exp.Expr, name: str) -> bool:
    parts = name_parts(node)
    return bool(parts) and len(parts or ()) <= 2 and (parts or [])[-1].name == name


def _names(node: exp.Select, rest: Sequence[exp.Expr], name: str) -> bool:
    """Return whether the outer query reads the row number other than in the conditions that make it a top-N."""
    clauses = (node.args.get(clause) for clause in ("group", "having", "order"))
    parts = [*node.expressions, *rest, *filter(None, clauses)]
    return any(
        isinstance(one, exp.Star) or (isinstance(one, exp.Column) and one.name == name)
        for part in parts
        for one in part.walk()
    )
