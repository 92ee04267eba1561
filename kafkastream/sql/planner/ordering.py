"""``ORDER BY``, ``LIMIT``, ``OFFSET`` and ``FETCH``."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

import attrs
from sqlglot import exp

from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.expressions.column_scope import Scope, name_parts
from kafkastream.sql.plan.expression import FALSE, calls_user
from kafkastream.sql.plan.operations import Order, Sort, TimeAttribute, TopN
from kafkastream.sql.plan.plan_builder import (
    PlannedRows,
    filtered,
    normalized,
    projected,
    references,
    rewindowed,
    without_times,
)
from kafkastream.sql.plan.relations import Field, Project, Relation, Stateful
from kafkastream.sql.plan.sort_operation import SortMoment
from kafkastream.sql.plan.source_compatibility import is_bounded
from kafkastream.sql.planner.over.courses import replaced_by

if TYPE_CHECKING:
    from kafkastream.sql.parser.parsed_query import QueryText
    from kafkastream.sql.planner.query_planner import SelectPlanner
    from kafkastream.sql.planner.select import Item

__all__ = ["Ordering", "limited", "ordered", "ordered_columns", "ordering_of"]


class Ordering(NamedTuple):
    """``ORDER BY`` of a SELECT.

    Args:
        items: Selected columns, followed by those that only order the rows.
        orders: Order by the positions of these columns.
        width: Number of selected columns.
    """

    items: tuple[Item, ...]
    orders: tuple[Order, ...]
    width: int


def ordering_of(planner: SelectPlanner, node: exp.Select, chosen: Sequence[Item], *, is_top: bool) -> Ordering:
    """Return the order of a SELECT; as in Flink, none in a query inside of another one that has no limit."""
    if not node.args.get("order") or not (is_top or _is_limited(planner.text, node)):
        return Ordering(tuple(chosen), (), len(chosen))
    items, orders = list(chosen), []
    for one in node.args["order"].expressions:
        place = _selected(planner.text, one.this, chosen)
        if place is None:
            place = len(items)
            items.append(chosen[0]._replace(name=f"$order{place}", node=_with_aliases(one.this, chosen), column=None))
        orders.append(_order(planner.text, one, place))
    return Ordering(tuple(items), tuple(orders), len(chosen))


def ordered_columns(planner: SelectPlanner, node: exp.Expr, rows: PlannedRows, *, is_top: bool) -> PlannedRows:
    """Return the rows of a set operation, of VALUES or of a query in parentheses, in the order of their columns."""
    if not node.args.get("order") or not (is_top or _is_limited(planner.text, node)):
        return limited(planner, node, rows, ())
    relation, text = rows.relation, planner.text
    of = planner.compiler(Scope.of(relation.fields))
    columns, orders = references(relation), []
    for one in node.args["order"].expressions:
        place = _ordinal(text, one.this, len(relation.fields))
        value = of.compile(one.this) if place is None else columns[place]
        if value not in columns:
            columns.append(value)
        orders.append(_order(text, one, columns.index(value)))
    names = [field.name for field in relation.fields]
    wider = projected(relation, columns, [*names, *(f"$order{at}" for at in range(len(names), len(columns)))])
    return _first(limited(planner, node, attrs.evolve(rows, relation=wider), orders), len(names))


def ordered(planner: SelectPlanner, node: exp.Select, rows: PlannedRows, ordering: Ordering) -> PlannedRows:
    """Return the rows of a SELECT in their order, without the columns that only order them."""
    rows, orders = _without_doubles(rows, ordering)
    if node.args.get("distinct"):
        wrong = next((at for at, one in enumerate(orders) if one.column >= ordering.width), None)
        if wrong is not None:
            key = node.args["order"].expressions[wrong].this
            what = f"Expression '{planner.text.shown(key)}' is not in the select clause"
            raise planner.text.error(key, what, "Order by columns that SELECT DISTINCT returns.")
        planner.text.only(node.args["distinct"])
        rows = PlannedRows(planner.distinct(rows.relation))
    return _first(limited(planner, node, rows, orders), ordering.width)


def limited(planner: SelectPlanner, node: exp.Expr, rows: PlannedRows, orders: Sequence[Order]) -> PlannedRows:
    """Return the rows in an order, or the first ones."""
    if not _is_limited(planner.text, node):
        return _sorted(planner, node, rows, orders) if orders else rows
    text = planner.text
    offset, fetch = _offset(text, node.args.get("offset")), _fetch(text, node.args.get("limit"))
    relation = normalized(rows.relation, planner.ttl_ms)
    if fetch is None and not is_bounded(relation):
        what = "FETCH is missed, which on streaming table is not supported."
        raise text.refused(node.args["offset"], what, "Write LIMIT n OFFSET m, or read bounded tables.")
    if fetch is None:
        sort = Sort(order=tuple(orders), moment=SortMoment.END, skipped=offset)
        return attrs.evolve(rows, relation=_at_once(relation, sort, without_times(relation.fields)))
    if fetch == 0:
        return attrs.evolve(rows, relation=filtered(relation, [FALSE]))
    only_adds = relation.changelog is ChangelogMode.APPEND and not orders
    top = Stateful(
        merged=(relation,),
        keys=((),),
        operation=TopN(
            order=tuple(orders),
            first=offset + 1,
            last=offset + fetch,
            with_number=False,
            ttl_ms=planner.ttl_ms,
            replaced_by=replaced_by(relation, (), orders),
        ),
        fields=relation.fields if only_adds else without_times(relation.fields),
        changelog=ChangelogMode.APPEND if only_adds else ChangelogMode.RETRACT,
        upsert_key=relation.upsert_key,
    )
    return attrs.evolve(rows, relation=top)


def _sorted(planner: SelectPlanner, node: exp.Expr, rows: PlannedRows, orders: Sequence[Order]) -> PlannedRows:
    """Return all rows in an order: by time, or of bounded input."""
    relation, text, key = normalized(rows.relation, planner.ttl_ms), planner.text, node.args["order"].expressions[0]
    first = relation.fields[orders[0].column]
    by_time = first.time is not None and not orders[0].descending and relation.changelog is ChangelogMode.APPEND
    if by_time and first.time is TimeAttribute.PROCESSING and len(orders) == 1:
        return rows
    if by_time:
        is_event = first.time is TimeAttribute.EVENT
        moment = SortMoment.WATERMARK if is_event else SortMoment.CLOCK
        sort = Sort(order=tuple(orders[1:]), moment=moment, column=orders[0].column if is_event else None)
    elif is_bounded(relation):
        sort = Sort(order=tuple(orders), moment=SortMoment.END)
    else:
        what = "ORDER BY without a limit is only supported by a time attribute, ascending, on rows that never change."
        now = (
            "A stream has no end to sort at: add LIMIT n, order by time, or read bounded tables ('scan.bounded.mode')."
        )
        raise text.refused(key, what, now)
    fields = relation.fields if by_time else without_times(relation.fields)
    return attrs.evolve(rows, relation=_at_once(relation, sort, fields))


def _at_once(relation: Relation, sort: Sort, fields: tuple[Field, ...]) -> Stateful:
    """Return the sorted rows, all of which go through one task."""
    return Stateful(merged=(relation,), keys=((),), operation=sort, fields=fields, upsert_key=relation.upsert_key)


def _without_doubles(rows: PlannedRows, ordering: Ordering) -> tuple[PlannedRows, list[Order]]:
    """Drop columns that only order the rows and equal selected ones."""
    relation, width = rows.relation, ordering.width
    if not isinstance(relation, Project):
        return rows, list(ordering.orders)
    known = [*dict.fromkeys(relation.expressions[:width])]
    kept = [*range(width)]
    places = {}
    for at in range(width, len(relation.expressions)):
        expression = relation.expressions[at]
        if expression in known and not calls_user(expression):
            places[at] = relation.expressions.index(expression)
        else:
            places[at] = len(kept)
            kept.append(at)
    orders = [attrs.evolve(one, column=places.get(one.column, one.column)) for one in ordering.orders]
    if len(kept) == len(relation.expressions):
        return rows, orders
    expressions = tuple(relation.expressions[at] for at in kept)
    fields = tuple(relation.fields[at] for at in kept)
    return attrs.evolve(rows, relation=attrs.evolve(relation, expressions=expressions, fields=fields)), orders


def _first(rows: PlannedRows, width: int) -> PlannedRows:
    """Return the first columns of rows."""
    relation = rows.relation
    if len(relation.fields) == width:
        return rows
    columns = references(relation)[:width]
    names = [field.name for field in relation.fields[:width]]
    return PlannedRows(projected(relation, columns, names), rewindowed(rows.window, columns))


def _selected(text: QueryText, node: exp.Expr, chosen: Sequence[Item]) -> int | None:
    """Return the selected column that a key names, by its number or its name; None for other keys."""
    place = _ordinal(text, node, len(chosen))
    parts = name_parts(node)
    if place is not None or not parts or len(parts) > 1:
        return place
    found = [at for at, item in enumerate(chosen) if item.name == parts[0].name]
    return found[0] if len(found) == 1 else None


def _ordinal(text: QueryText, node: exp.Expr, width: int) -> int | None:
    if not isinstance(node, exp.Literal) or not node.is_int:
        return None
    if not 0 < int(node.name) <= width:
        raise text.error(node, "Ordinal out of range", f"The query has {width} columns.")
    return int(node.name) - 1


def _with_aliases(node: exp.Expr, chosen: Sequence[Item]) -> exp.Expr:
    """Return a key with the names of selected columns replaced by their expressions."""
    named = {item.name: item.node for item in chosen if item.column is None}

    def substituted(one: exp.Expr) -> exp.Expr:
        parts = name_parts(one) if isinstance(one, exp.Column) else None
        is_name = parts is not None and len(parts) == 1 and parts[0].name in named
        return named[one.name].copy() if is_name else one

    return node.copy().transform(substituted)


def _order(text: QueryText, node: exp.Ordered, place: int) -> Order:
    text.only(node, "this", "desc", "nulls_first")
    return Order(place, bool(node.args.get("desc")), not node.args.get("nulls_first"))


def _is_limited(text: QueryText, node: exp.Expr) -> bool:
    """Return whether a query has an OFFSET, or a LIMIT other than LIMIT ALL."""
    return bool(node.args.get("offset")) or _fetch(text, node.args.get("limit")) is not None


def _offset(text: QueryText, node: exp.Expr | None) -> int:
    return 0 if node is None else _count(text, node, node.args["expression"])


def _fetch(text: QueryText, node: exp.Expr | None) -> int | None:
    if node is None:
        return None
    options = node.args.get("limit_options")
    if options is not None and (options.args.get("percent") or options.args.get("with_ties")):
        raise text.error(node, "PERCENT and WITH TIES are not part of Flink SQL.", "Write FETCH FIRST n ROWS ONLY.")
    if isinstance(node, exp.Fetch):
        count = node.args.get("count")
        return 1 if count is None else _count(text, node, count)
    count = node.args["expression"]
    if isinstance(count, exp.Column) and count.name.upper() == "ALL":
        return None
    return _count(text, node, count)


def _count(text: QueryText, clause: exp.Expr, node: exp.Expr) -> int:
    """Return a number that is written out; Flink cuts off its fraction."""
    if not isinstance(node, exp.Literal) or not node.is_number:
        raise text.error(clause, "LIMIT, OFFSET and FETCH take a whole number.", "Write the number itself.")
    return int(Decimal(node.name))
