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
from kafkastream.sql.planner.over.monotonicity import replacement_key

if TYPE_CHECKING:
    from kafkastream.sql.parser.parsed_query import QueryText
    from kafkastream.sql.planner.query_planner import SelectPlanner
    from kafkastream.sql.planner.select import SelectItem

__all__ = ["Ordering", "ordering_of", "plan_limit", "plan_order_by", "plan_order_by_columns"]


class Ordering(NamedTuple):
    """``ORDER BY`` of a SELECT.

    Args:
        items: Selected columns, followed by those that only order the rows.
        orders: Order by the positions of these columns.
        width: Number of selected columns.
    """

    items: tuple[SelectItem, ...]
    orders: tuple[Order, ...]
    width: int


def ordering_of(planner: SelectPlanner, node: exp.Select, chosen: Sequence[SelectItem], *, is_top: bool) -> Ordering:
    """Return the order of a SELECT; as in Flink, a nested query without a limit has none."""
    if not node.args.get("order") or not (is_top or _is_limited(planner.text, node)):
        return Ordering(tuple(chosen), (), len(chosen))
    items, orders = list(chosen), []
    for key in node.args["order"].expressions:
        column = _selected_column(planner.text, key.this, chosen)
        if column is None:
            column = len(items)
            items.append(chosen[0]._replace(name=f"$order{column}", node=_with_aliases(key.this, chosen), column=None))
        orders.append(_to_order(planner.text, key, column))
    return Ordering(tuple(items), tuple(orders), len(chosen))


def plan_order_by_columns(planner: SelectPlanner, node: exp.Expr, rows: PlannedRows, *, is_top: bool) -> PlannedRows:
    """Plan ORDER BY and LIMIT of a set operation, of VALUES or of a query in parentheses."""
    if not node.args.get("order") or not (is_top or _is_limited(planner.text, node)):
        return plan_limit(planner, node, rows, ())
    relation, text = rows.relation, planner.text
    compiler = planner.compiler(Scope.of(relation.fields))
    columns, orders = references(relation), []
    for key in node.args["order"].expressions:
        column = _ordinal_column(text, key.this, len(relation.fields))
        value = compiler.compile(key.this) if column is None else columns[column]
        if value not in columns:
            columns.append(value)
        orders.append(_to_order(text, key, columns.index(value)))
    names = [field.name for field in relation.fields]
    wider = projected(relation, columns, [*names, *(f"$order{number}" for number in range(len(names), len(columns)))])
    return _first_columns(plan_limit(planner, node, attrs.evolve(rows, relation=wider), orders), len(names))


def plan_order_by(planner: SelectPlanner, node: exp.Select, rows: PlannedRows, ordering: Ordering) -> PlannedRows:
    """Plan ORDER BY and LIMIT of a SELECT, and drop the columns that only order its rows."""
    rows, orders = _without_repeated_columns(rows, ordering)
    if node.args.get("distinct"):
        wrong = next((index for index, order in enumerate(orders) if order.column >= ordering.width), None)
        if wrong is not None:
            key = node.args["order"].expressions[wrong].this
            message = f"Expression '{planner.text.shown(key)}' is not in the select clause"
            raise planner.text.error(key, message, "Order by columns that SELECT DISTINCT returns.")
        planner.text.only(node.args["distinct"])
        rows = PlannedRows(planner.deduplicate(rows.relation))
    return _first_columns(plan_limit(planner, node, rows, orders), ordering.width)


def plan_limit(planner: SelectPlanner, node: exp.Expr, rows: PlannedRows, orders: Sequence[Order]) -> PlannedRows:
    """Plan LIMIT and OFFSET over ordered rows, as a Top-N (OFFSET alone as a sort); without either, only the order."""
    if not _is_limited(planner.text, node):
        return _sort_rows(planner, node, rows, orders) if orders else rows
    text = planner.text
    offset, fetch = _parse_offset(text, node.args.get("offset")), _parse_fetch(text, node.args.get("limit"))
    relation = normalized(rows.relation, planner.ttl_ms)
    if fetch is None and not is_bounded(relation):
        message = "FETCH is missed, which on streaming table is not supported."
        raise text.refused(node.args["offset"], message, "Write LIMIT n OFFSET m, or read bounded tables.")
    if fetch is None:
        sort = Sort(order=tuple(orders), moment=SortMoment.END, skipped=offset)
        return attrs.evolve(rows, relation=_sort_in_one_task(relation, sort, without_times(relation.fields)))
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
            replaced_by=replacement_key(relation, (), orders),
        ),
        fields=relation.fields if only_adds else without_times(relation.fields),
        changelog=ChangelogMode.APPEND if only_adds else ChangelogMode.RETRACT,
        upsert_key=relation.upsert_key,
    )
    return attrs.evolve(rows, relation=top)


def _sort_rows(planner: SelectPlanner, node: exp.Expr, rows: PlannedRows, orders: Sequence[Order]) -> PlannedRows:
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
        message = (
            "ORDER BY without a limit is only supported by a time attribute, ascending, on rows that never change."
        )
        now = (
            "A stream has no end to sort at: add LIMIT n, order by time, or read bounded tables ('scan.bounded.mode')."
        )
        raise text.refused(key, message, now)
    fields = relation.fields if by_time else without_times(relation.fields)
    return attrs.evolve(rows, relation=_sort_in_one_task(relation, sort, fields))


def _sort_in_one_task(relation: Relation, sort: Sort, fields: tuple[Field, ...]) -> Stateful:
    """Sort the rows in one task."""
    return Stateful(merged=(relation,), keys=((),), operation=sort, fields=fields, upsert_key=relation.upsert_key)


def _without_repeated_columns(rows: PlannedRows, ordering: Ordering) -> tuple[PlannedRows, list[Order]]:
    """Drop columns that only order the rows and equal selected ones."""
    relation, width = rows.relation, ordering.width
    if not isinstance(relation, Project):
        return rows, list(ordering.orders)
    selected = [*dict.fromkeys(relation.expressions[:width])]
    remaining = [*range(width)]
    new_indexes = {}
    for index in range(width, len(relation.expressions)):
        expression = relation.expressions[index]
        if expression in selected and not calls_user(expression):
            new_indexes[index] = relation.expressions.index(expression)
        else:
            new_indexes[index] = len(remaining)
            remaining.append(index)
    orders = [attrs.evolve(order, column=new_indexes.get(order.column, order.column)) for order in ordering.orders]
    if len(remaining) == len(relation.expressions):
        return rows, orders
    expressions = tuple(relation.expressions[index] for index in remaining)
    fields = tuple(relation.fields[index] for index in remaining)
    return attrs.evolve(rows, relation=attrs.evolve(relation, expressions=expressions, fields=fields)), orders


def _first_columns(rows: PlannedRows, width: int) -> PlannedRows:
    """Return the first columns of rows."""
    relation = rows.relation
    if len(relation.fields) == width:
        return rows
    columns = references(relation)[:width]
    names = [field.name for field in relation.fields[:width]]
    return PlannedRows(projected(relation, columns, names), rewindowed(rows.window, columns))


def _selected_column(text: QueryText, node: exp.Expr, chosen: Sequence[SelectItem]) -> int | None:
    """Return the selected column that a key of ORDER BY refers to, by number or name; None for other keys."""
    column = _ordinal_column(text, node, len(chosen))
    parts = name_parts(node)
    if column is not None or not parts or len(parts) > 1:
        return column
    columns = [index for index, item in enumerate(chosen) if item.name == parts[0].name]
    return columns[0] if len(columns) == 1 else None


def _ordinal_column(text: QueryText, node: exp.Expr, width: int) -> int | None:
    if not isinstance(node, exp.Literal) or not node.is_int:
        return None
    if not 0 < int(node.name) <= width:
        raise text.error(node, "Ordinal out of range", f"The query has {width} columns.")
    return int(node.name) - 1


def _with_aliases(node: exp.Expr, chosen: Sequence[SelectItem]) -> exp.Expr:
    """Return a key of ORDER BY with the names of selected columns replaced by their expressions."""
    named = {item.name: item.node for item in chosen if item.column is None}

    def substitute(expression: exp.Expr) -> exp.Expr:
        parts = name_parts(expression) if isinstance(expression, exp.Column) else None
        is_name = parts is not None and len(parts) == 1 and parts[0].name in named
        return named[expression.name].copy() if is_name else expression

    return node.copy().transform(substitute)


def _to_order(text: QueryText, node: exp.Ordered, column: int) -> Order:
    text.only(node, "this", "desc", "nulls_first")
    return Order(column, bool(node.args.get("desc")), not node.args.get("nulls_first"))


def _is_limited(text: QueryText, node: exp.Expr) -> bool:
    """Return whether a query has an OFFSET, or a LIMIT other than LIMIT ALL."""
    return bool(node.args.get("offset")) or _parse_fetch(text, node.args.get("limit")) is not None


def _parse_offset(text: QueryText, node: exp.Expr | None) -> int:
    return 0 if node is None else _parse_count(text, node, node.args["expression"])


def _parse_fetch(text: QueryText, node: exp.Expr | None) -> int | None:
    if node is None:
        return None
    options = node.args.get("limit_options")
    if options is not None and (options.args.get("percent") or options.args.get("with_ties")):
        raise text.error(node, "PERCENT and WITH TIES are not part of Flink SQL.", "Write FETCH FIRST n ROWS ONLY.")
    if isinstance(node, exp.Fetch):
        count = node.args.get("count")
        return 1 if count is None else _parse_count(text, node, count)
    count = node.args["expression"]
    if isinstance(count, exp.Column) and count.name.upper() == "ALL":
        return None
    return _parse_count(text, node, count)


def _parse_count(text: QueryText, clause: exp.Expr, node: exp.Expr) -> int:
    """Return a number that is written out; Flink cuts off its fraction."""
    if not isinstance(node, exp.Literal) or not node.is_number:
        raise text.error(clause, "LIMIT, OFFSET and FETCH take a whole number.", "Write the number itself.")
    return int(Decimal(node.name))
