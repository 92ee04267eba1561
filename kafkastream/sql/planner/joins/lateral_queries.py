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
from kafkastream.sql.planner.joins.join_conditions import classify_join_conditions, conjuncts
from kafkastream.sql.types import DataType, Kind

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["plan_lateral_query"]

_ZERO: Final = Literal(0, DataType.of(Kind.BIGINT).not_null())
_NUMBER: Final = "$number"
_REFUSED_CLAUSES: Final = ("with_", "windows", "qualify", "hint", "offset")
_ADVICE: Final = "Write a query without LATERAL, and join it ON its condition."


class _LateralItem(NamedTuple):
    """A selected column: its name, its expression, and whether columns outside of the query occur in it."""

    name: str
    node: exp.Expr
    is_outer: bool


def plan_lateral_query(
    planner: SelectPlanner, rows: PlannedRows, scope: Scope, join: exp.Join, kind: JoinKind
) -> tuple[PlannedRows, Scope]:
    """Plan a join with a query after LATERAL."""
    from kafkastream.sql.planner.joins.joins import join_inputs
    from kafkastream.sql.planner.select import plan_from

    node = join.this
    select = _checked_select(planner, node)
    _, inner, _ = plan_from(planner, select, [])
    find_user_aggregates(planner.compiler(inner), select)
    query = _LateralQuery(planner, select, inner)
    items = list(query.items())
    outer = [query.with_hidden(item.node) if item.is_outer else None for item in items]
    conditions = [query.with_hidden(condition) for condition in query.correlated]
    _check_joinable(planner, query, items, node, kind)
    inner_rows = planner.plan(query.without_correlation([item for item in items if not item.is_outer]))
    width, count = len(rows.relation.fields), sum(not item.is_outer for item in items)
    hidden = NamedTable("", tuple((f"${number}", count + number) for number in range(len(query.hidden))))
    classified = classify_join_conditions(planner, scope, Scope(inner_rows.relation.fields, (hidden,)), conditions)
    both = join_inputs(planner, (rows, inner_rows), classified, kind, join).relation
    fields = both.fields
    compiler = planner.compiler(Scope(fields, scope.joined(Scope(inner_rows.relation.fields, (hidden,))).sources))
    columns = iter(range(width, width + count))
    expressions: list[TypedExpression] = [*references(both)[:width]]
    expressions += [
        compiler.compile(outer_node)
        if outer_node is not None
        else _item_value(reference(both, next(columns)), item, query, kind)
        for outer_node, item in zip(outer, items, strict=True)
    ]
    names = _column_names(planner, node, items)
    result = projected(both, expressions, [*(field.name for field in fields[:width]), *names])
    added = tuple(Field(field.name, field.type, field.time) for field in result.fields[width:])
    return PlannedRows(result), attrs.evolve(scope.joined(Scope.of(added, node.alias)), fields=result.fields)


def _item_value(column: ColumnRef, item: _LateralItem, query: _LateralQuery, kind: JoinKind) -> TypedExpression:
    """Return a column of the query; where no row is counted, an outer join has none, and COUNT is 0."""
    counts = kind is JoinKind.LEFT and query.has_aggregate_of_all and _aggregate_name(item.node) == "COUNT"
    return call("COALESCE", column, _ZERO) if counts else column


def _aggregate_name(node: exp.Expr) -> str:
    """Return the name of the built-in aggregate that an expression is, perhaps with FILTER; empty for others."""
    inner = node.this if isinstance(node, exp.Filter) else node
    name = inner.name.upper() if isinstance(inner, exp.Anonymous) else ""
    return name if name in AGGREGATES else ""


def _checked_select(planner: SelectPlanner, node: exp.Expr) -> exp.Select:
    select = node.this.this
    if not isinstance(select, exp.Select) or not select.args.get("from_"):
        raise planner.text.refused(node, "LATERAL takes a SELECT with a FROM.", _ADVICE)
    for clause in _REFUSED_CLAUSES:
        if select.args.get(clause):
            message = f"{clause.rstrip('_').upper()} in a query after LATERAL is not supported."
            raise planner.text.refused(node, message, _ADVICE)
    return select


def _column_names(planner: SelectPlanner, node: exp.Expr, items: Sequence[_LateralItem]) -> list[str]:
    names = node.alias_column_names
    if names and len(names) != len(items):
        message = f"{len(names)} column names are given for {len(items)} columns."
        raise planner.text.error(node, message, "Name each column.")
    return list(names) or [item.name for item in items]


class _LateralQuery:
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
        self.correlated = [node for node in nodes if self.is_outer(node)]
        self.own = [node for node in nodes if node not in self.correlated]
        self.hidden: list[exp.Expr] = []

    @property
    def is_grouped(self) -> bool:
        """True if rows are aggregated or made distinct."""
        select = self.select
        parts = [*select.expressions, *([select.args["having"]] if select.args.get("having") else [])]
        is_aggregate = any(next(calls_in(part), None) is not None for part in parts)
        return is_aggregate or bool(select.args.get("group") or select.args.get("distinct"))

    @property
    def has_aggregate_of_all(self) -> bool:
        """True if rows are aggregated without GROUP BY."""
        return self.is_grouped and not (self.select.args.get("group") or self.select.args.get("distinct"))

    @property
    def is_top(self) -> bool:
        """True if only the first rows are taken."""
        return bool(self.select.args.get("limit") or self.select.args.get("order"))

    def items(self) -> Iterator[_LateralItem]:
        """Yield the selected columns; ``*`` as the columns of FROM."""
        from kafkastream.sql.planner.select import selected_items

        for name, node, column in selected_items(self._planner.text, self._inner, self.select.expressions):
            if column is not None:
                yield _LateralItem(name, exp.column(exp.to_identifier(name, quoted=True)), is_outer=False)
            else:
                yield _LateralItem(name, node, self.is_outer(node))

    def is_outer(self, node: exp.Expr) -> bool:
        """Return whether an expression has a column of an outer query, one that its own FROM lacks."""
        return any(not self._is_own(column) for column in _columns_of(node))

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
            sides = [
                self._hidden_column(side) if self._is_all_own(side) else self.with_hidden(side) for side in _sides(node)
            ]
            return exp.EQ(this=sides[0], expression=sides[1])
        if _is_column(node):
            return self._hidden_column(node) if self._is_own(node) else node.copy()
        changed = node.copy()
        for column in list(_columns_of(changed)):
            if self._is_own(column):
                column.replace(self._hidden_column(column.copy()))
        return changed

    def is_key_equation(self, node: exp.Expr) -> bool:
        """Return whether a condition is an equation of own columns with others, which gives each group its rows."""
        if not isinstance(node, exp.EQ):
            return False
        are_own = list(map(self._is_all_own, _sides(node)))
        rest = [
            column
            for side, is_own in zip(_sides(node), are_own, strict=True)
            if not is_own
            for column in _columns_of(side)
        ]
        return any(are_own) and not any(map(self._is_own, rest))

    def _is_all_own(self, node: exp.Expr) -> bool:
        return next(_columns_of(node), None) is not None and not self.is_outer(node)

    def _hidden_column(self, node: exp.Expr) -> exp.Expr:
        if node not in self.hidden:
            self.hidden.append(node.copy())
        return exp.column(exp.to_identifier(f"${self.hidden.index(node)}", quoted=True))

    def without_correlation(self, items: Sequence[_LateralItem]) -> exp.Expr:
        """Return the query without its correlated conditions, and with hidden columns; of the first rows of each."""
        select = self.select.copy()
        select.set("where", exp.Where(this=exp.and_(*self.own, copy=True)) if self.own else None)
        columns = [*(item.node for item in items), *self.hidden]
        named = [exp.alias_(column.copy(), f"$c{number}", quoted=True) for number, column in enumerate(columns)]
        if self.is_grouped and self.hidden and not select.args.get("distinct"):
            group = select.args.get("group") or exp.Group(expressions=[])
            group.set("expressions", [*group.expressions, *(column.copy() for column in self.hidden)])
            select.set("group", group)
        order, limit = select.args.pop("order", None), select.args.pop("limit", None)
        if order is None or limit is None:
            select.set("expressions", [*named[: len(items)], *self._with_hidden_names(named[len(items) :])])
            return select
        number = exp.Window(
            this=exp.Anonymous(this="ROW_NUMBER", expressions=[]),
            partition_by=[column.copy() for column in self.hidden],
            order=exp.Order(
                expressions=[self._with_alias_resolved(expression, items) for expression in order.expressions]
            ),
            over="OVER",
        )
        select.set("expressions", [*named, exp.alias_(number, _NUMBER, quoted=True)])
        top_columns = [exp.column(exp.to_identifier(column.alias, quoted=True)) for column in named]
        bound = exp.LTE(this=exp.column(exp.to_identifier(_NUMBER, quoted=True)), expression=limit.expression.copy())
        return exp.Select(
            expressions=[*top_columns[: len(items)], *self._with_hidden_names(top_columns[len(items) :])],
            from_=exp.From(this=select.subquery("$top")),
            where=exp.Where(this=bound),
        )

    def _with_hidden_names(self, columns: Sequence[exp.Expr]) -> list[exp.Expr]:
        return [exp.alias_(column.unalias(), f"${number}", quoted=True) for number, column in enumerate(columns)]

    def _with_alias_resolved(self, key: exp.Expr, items: Sequence[_LateralItem]) -> exp.Expr:
        """Return a part of ORDER BY; the name of a selected column refers to its expression."""
        ordered = key.copy()
        by_name = {item.name: item.node for item in items}
        if _is_column(ordered.this) and not self._is_own(ordered.this) and ordered.this.name in by_name:
            ordered.set("this", by_name[ordered.this.name].copy())
        return ordered


def _check_joinable(
    planner: SelectPlanner, query: _LateralQuery, items: Sequence[_LateralItem], node: exp.Expr, kind: JoinKind
) -> None:
    """Refuse what no join can give."""
    text, has_outer = planner.text, any(item.is_outer for item in items)
    if has_outer and (kind is not JoinKind.INNER or query.is_grouped or query.is_top):
        message = "A query after LATERAL can refer to columns outside of it only in its WHERE clause."
        raise text.refused(node, message, "Compute with them in the outer SELECT.")
    if (query.is_grouped or query.is_top) and not all(map(query.is_key_equation, query.correlated)):
        message = "A query after LATERAL with aggregates or a limit can compare columns outside of it only by equality."
        raise text.refused(node, message, _ADVICE)
    is_plain = not query.select.args.get("having") and all(_aggregate_name(item.node) for item in items)
    if query.has_aggregate_of_all and query.correlated and kind is not JoinKind.INNER and not is_plain:
        message = "LEFT JOIN LATERAL takes built-in aggregates of all rows alone, without HAVING."
        raise text.refused(
            node, message, "Write LEFT JOIN (SELECT k, COUNT(*) AS n FROM b GROUP BY k) AS b ON a.k = b.k."
        )
    order, limit = query.select.args.get("order"), query.select.args.get("limit")
    if query.is_top and (query.is_grouped or not order or not limit or not limit.expression.is_int):
        message = "A query after LATERAL needs both ORDER BY and LIMIT, with a number, and cannot then have aggregates."
        raise text.refused(node, message, "ROW_NUMBER() OVER (PARTITION BY .. ORDER BY ..) <= n takes the first rows.")


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
