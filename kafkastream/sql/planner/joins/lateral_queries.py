"""Queries after LATERAL, whose conditions compare their columns with those of the entries of FROM before them.

Such a query becomes a join: it is planned without these conditions, with the columns that they need appended, and joined
ON them. Aggregates and the first n rows are taken for each value of these columns, as in Flink's planner.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import attrs
from sqlglot import exp

from kafkastream.errors import DefinitionError
from kafkastream.sql.expressions.aggregate_calls import calls_in, find_user_aggregates
from kafkastream.sql.expressions.aggregate_names import AGGREGATES
from kafkastream.sql.expressions.column_scope import NamedTable, Scope, name_parts
from kafkastream.sql.plan.expression import ColumnRef, Literal, TypedExpression
from kafkastream.sql.plan.functions import call
from kafkastream.sql.plan.operations import JoinKind
from kafkastream.sql.plan.plan_builder import PlannedRows, projected, reference, references
from kafkastream.sql.plan.relations import Field
from kafkastream.sql.planner.joins.join_conditions import conjuncts, join_conditions
from kafkastream.sql.types import DataType, Kind

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["lateral_query"]

_ZERO: Final = Literal(0, DataType.of(Kind.BIGINT).not_null())
_NUMBER: Final = "$number"
_REST: Final = ("with_", "windows", "qualify", "hint", "offset")
_NOW: Final = "Write a query without LATERAL, and join it ON its condition."


class _Item(NamedTuple):
    """A selected column: its name, its expression, and whether columns outside of the query occur in it."""

    name: str
    node: exp.Expr
    is_outer: bool


def lateral_query(
    planner: SelectPlanner, rows: PlannedRows, scope: Scope, join: exp.Join, kind: JoinKind
) -> tuple[PlannedRows, Scope]:
    """Plan a join with a query after LATERAL."""
    from kafkastream.sql.planner.joins.joins import of_two
    from kafkastream.sql.planner.select import from_rows

    node = join.this
    select = _select(planner, node)
    _, inner, _ = from_rows(planner, select, [])
    find_user_aggregates(planner.compiler(inner), select)
    query = _Query(planner, select, inner)
    items = list(query.items())
    outer = [query.with_hidden(item.node) if item.is_outer else None for item in items]
    conditions = [query.with_hidden(one) for one in query.correlated]
    _check(planner, query, items, node, kind)
    own = planner.query(query.rewritten([item for item in items if not item.is_outer]))
    width, count = len(rows.relation.fields), sum(not item.is_outer for item in items)
    hidden = NamedTable("", tuple((f"${at}", count + at) for at in range(len(query.hidden))))
    found = join_conditions(planner, scope, Scope(own.relation.fields, (hidden,)), conditions)
    both = of_two(planner, (rows, own), found, kind, join).relation
    fields = both.fields
    of = planner.compiler(Scope(fields, scope.joined(Scope(own.relation.fields, (hidden,))).sources))
    places = iter(range(width, width + count))
    expressions: list[TypedExpression] = [*references(both)[:width]]
    expressions += [
        of.compile(one) if one is not None else _value(reference(both, next(places)), item, query, kind)
        for one, item in zip(outer, items, strict=True)
    ]
    names = _names(planner, node, items)
    result = projected(both, expressions, [*(field.name for field in fields[:width]), *names])
    added = tuple(Field(one.name, one.type, one.time) for one in result.fields[width:])
    return PlannedRows(result), attrs.evolve(scope.joined(Scope.of(added, node.alias)), fields=result.fields)


def _value(column: ColumnRef, item: _Item, query: _Query, kind: JoinKind) -> TypedExpression:
    """Return a column of the query; where no row is counted, an outer join has none, and COUNT is 0."""
    counts = kind is JoinKind.LEFT and query.has_aggregate_of_all and _aggregate_name(item.node) == "COUNT"
    return call("COALESCE", column, _ZERO) if counts else column


def _aggregate_name(node: exp.Expr) -> str:
    """Return the name of the built-in aggregate that an expression is, perhaps with FILTER; empty for others."""
    inner = node.this if isinstance(node, exp.Filter) else node
    name = inner.name.upper() if isinstance(inner, exp.Anonymous) else ""
    return name if name in AGGREGATES else ""


def _select(planner: SelectPlanner, node: exp.Expr) -> exp.Select:
    select = node.this.this
    if not isinstance(select, exp.Select) or not select.args.get("from_"):
        raise planner.text.refused(node, "LATERAL takes a SELECT with a FROM.", _NOW)
    for clause in _REST:
        if select.args.get(clause):
            what = f"{clause.rstrip('_').upper()} in a query after LATERAL is not supported."
            raise planner.text.refused(node, what, _NOW)
    return select


def _names(planner: SelectPlanner, node: exp.Expr, items: Sequence[_Item]) -> list[str]:
    names = node.alias_column_names
    if names and len(names) != len(items):
        what = f"{len(names)} column names are given for {len(items)} columns."
        raise planner.text.error(node, what, "Name each column.")
    return list(names) or [item.name for item in items]


class _Query:
    """A query after LATERAL, in parts.

    Args:
        planner: Planner of the query around it.
        select: The query.
        inner: Scope of its own FROM.

    Attributes:
        own: Conditions of WHERE on its own columns.
        correlated: Its other conditions.
        hidden: Expressions over its own columns that are appended to its columns.
    """

    def __init__(self, planner: SelectPlanner, select: exp.Select, inner: Scope) -> None:
        self._planner = planner
        self._inner = inner
        self.select = select
        where = select.args.get("where")
        nodes = list(conjuncts(where.this)) if where else []
        self.correlated = [one for one in nodes if self.is_outer(one)]
        self.own = [one for one in nodes if one not in self.correlated]
        self.hidden: list[exp.Expr] = []

    @property
    def is_grouped(self) -> bool:
        """True if rows are aggregated or made distinct."""
        select = self.select
        parts = [*select.expressions, *([select.args["having"]] if select.args.get("having") else [])]
        is_aggregate = any(next(calls_in(one), None) is not None for one in parts)
        return is_aggregate or bool(select.args.get("group") or select.args.get("distinct"))

    @property
    def has_aggregate_of_all(self) -> bool:
        """True if rows are aggregated without GROUP BY."""
        return self.is_grouped and not (self.select.args.get("group") or self.select.args.get("distinct"))

    @property
    def is_top(self) -> bool:
        """True if only the first rows are taken."""
        return bool(self.select.args.get("limit") or self.select.args.get("order"))

    def items(self) -> Iterator[_Item]:
        """Yield the selected columns; ``*`` as the columns of FROM."""
        from kafkastream.sql.planner.select import selected_items

        for name, node, column in selected_items(self._planner.text, self._inner, self.select.expressions):
            if column is not None:
                yield _Item(name, exp.column(exp.to_identifier(name, quoted=True)), is_outer=False)
            else:
                yield _Item(name, node, self.is_outer(node))

    def is_outer(self, node: exp.Expr) -> bool:
        """Return whether an expression has a column of an outer query, one that its own FROM lacks."""
        return any(not self._is_own(one) for one in _columns_of(node))

    def _is_own(self, node: exp.Expr) -> bool:
        try:
            self._inner.resolve(self._planner.text, node)
        except DefinitionError:
            return False
        return True

    def with_hidden(self, node: exp.Expr) -> exp.Expr:
        """Return an expression with hidden columns instead of the parts that it needs of the query.

        A side of an equation is one column.
        """
        if isinstance(node, exp.EQ):
            sides = [self._hidden(one) if self._is_all_own(one) else self.with_hidden(one) for one in _sides(node)]
            return exp.EQ(this=sides[0], expression=sides[1])
        if _is_column(node):
            return self._hidden(node) if self._is_own(node) else node.copy()
        changed = node.copy()
        for one in list(_columns_of(changed)):
            if self._is_own(one):
                one.replace(self._hidden(one.copy()))
        return changed

    def binds(self, node: exp.Expr) -> bool:
        """Return whether a condition is an equation of own columns with others, which gives each group its rows."""
        if not isinstance(node, exp.EQ):
            return False
        own = list(map(self._is_all_own, _sides(node)))
        rest = [one for side, is_own in zip(_sides(node), own, strict=True) if not is_own for one in _columns_of(side)]
        return any(own) and not any(map(self._is_own, rest))

    def _is_all_own(self, node: exp.Expr) -> bool:
        return next(_columns_of(node), None) is not None and not self.is_outer(node)

    def _hidden(self, node: exp.Expr) -> exp.Expr:
        if node not in self.hidden:
            self.hidden.append(node.copy())
        return exp.column(exp.to_identifier(f"${self.hidden.index(node)}", quoted=True))

    def rewritten(self, items: Sequence[_Item]) -> exp.Expr:
        """Return the query without its correlated conditions, and with hidden columns; of the first rows of each."""
        select = self.select.copy()
        select.set("where", exp.Where(this=exp.and_(*self.own, copy=True)) if self.own else None)
        columns = [*(item.node for item in items), *self.hidden]
        named = [exp.alias_(one.copy(), f"$c{at}", quoted=True) for at, one in enumerate(columns)]
        if self.is_grouped and self.hidden and not select.args.get("distinct"):
            group = select.args.get("group") or exp.Group(expressions=[])
            group.set("expressions", [*group.expressions, *(one.copy() for one in self.hidden)])
            select.set("group", group)
        order, limit = select.args.pop("order", None), select.args.pop("limit", None)
        if order is None or limit is None:
            select.set("expressions", [*named[: len(items)], *self._renamed(named[len(items) :])])
            return select
        number = exp.Window(
            this=exp.Anonymous(this="ROW_NUMBER", expressions=[]),
            partition_by=[one.copy() for one in self.hidden],
            order=exp.Order(expressions=[self._ordered(one, items) for one in order.expressions]),
            over="OVER",
        )
        select.set("expressions", [*named, exp.alias_(number, _NUMBER, quoted=True)])
        taken = [exp.column(exp.to_identifier(one.alias, quoted=True)) for one in named]
        bound = exp.LTE(this=exp.column(exp.to_identifier(_NUMBER, quoted=True)), expression=limit.expression.copy())
        return exp.Select(
            expressions=[*taken[: len(items)], *self._renamed(taken[len(items) :])],
            from_=exp.From(this=select.subquery("$top")),
            where=exp.Where(this=bound),
        )

    def _renamed(self, columns: Sequence[exp.Expr]) -> list[exp.Expr]:
        return [exp.alias_(one.unalias(), f"${at}", quoted=True) for at, one in enumerate(columns)]

    def _ordered(self, one: exp.Expr, items: Sequence[_Item]) -> exp.Expr:
        """Return a part of ORDER BY; the name of a selected column refers to its expression."""
        ordered = one.copy()
        by_name = {item.name: item.node for item in items}
        if _is_column(ordered.this) and not self._is_own(ordered.this) and ordered.this.name in by_name:
            ordered.set("this", by_name[ordered.this.name].copy())
        return ordered


def _check(planner: SelectPlanner, query: _Query, items: Sequence[_Item], node: exp.Expr, kind: JoinKind) -> None:
    """Refuse what no join can give."""
    text, has_outer = planner.text, any(item.is_outer for item in items)
    if has_outer and (kind is not JoinKind.INNER or query.is_grouped or query.is_top):
        what = "A query after LATERAL can refer to columns outside of it only in its WHERE clause."
        raise text.refused(node, what, "Compute with them in the outer SELECT.")
    if (query.is_grouped or query.is_top) and not all(map(query.binds, query.correlated)):
        what = "A query after LATERAL with aggregates or a limit can compare columns outside of it only by equality."
        raise text.refused(node, what, _NOW)
    is_plain = not query.select.args.get("having") and all(_aggregate_name(item.node) for item in items)
    if query.has_aggregate_of_all and query.correlated and kind is not JoinKind.INNER and not is_plain:
        what = "LEFT JOIN LATERAL takes built-in aggregates of all rows alone, without HAVING."
        raise text.refused(node, what, "Write LEFT JOIN (SELECT k, COUNT(*) AS n FROM b GROUP BY k) AS b ON a.k = b.k.")
    order, limit = query.select.args.get("order"), query.select.args.get("limit")
    if query.is_top and (query.is_grouped or not order or not limit or not limit.expression.is_int):
        what = "A query after LATERAL needs both ORDER BY and LIMIT, with a number, and cannot then have aggregates."
        raise text.refused(node, what, "ROW_NUMBER() OVER (PARTITION BY .. ORDER BY ..) <= n takes the first rows.")


def _sides(node: exp.EQ) -> tuple[exp.Expr, exp.Expr]:
    return node.this, node.expression


def _is_column(node: exp.Expr) -> bool:
    return name_parts(node) is not None


def _columns_of(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the names of columns in an expression, each with its table."""
    if _is_column(node):
        yield node
        return
    for child in node.iter_expressions():
        yield from _columns_of(child)
