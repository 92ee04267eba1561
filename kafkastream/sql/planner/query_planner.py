"""Planner of queries of Flink SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, final

import attrs
from sqlglot import exp

from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.expressions.column_scope import Scope
from kafkastream.sql.expressions.common_types import common_type
from kafkastream.sql.expressions.expression_compiler import ExpressionCompiler
from kafkastream.sql.expressions.function_calls import is_call
from kafkastream.sql.parser.parsed_query import QueryText
from kafkastream.sql.plan.casts import widened
from kafkastream.sql.plan.expression import TypedExpression, calls_user
from kafkastream.sql.plan.operations import GroupAggregate
from kafkastream.sql.plan.plan_builder import (
    ONE_ROW,
    PlannedRows,
    normalized,
    projected,
    with_distinct_names,
)
from kafkastream.sql.plan.planning_catalog import Catalog, View
from kafkastream.sql.plan.relations import Field, Relation, Stateful, Union, Values
from kafkastream.sql.planner.from_clause import with_column_aliases
from kafkastream.sql.planner.hints import HintedTtls
from kafkastream.sql.planner.ordering import plan_order_by_columns
from kafkastream.sql.planner.select import plan_select
from kafkastream.sql.planner.set_operations import plan_set_operation
from kafkastream.sql.table import Expression

__all__ = ["SelectPlanner", "plan_query"]

_MODIFIERS: Final = ("order", "limit", "offset")


def plan_query(
    query: Expression, catalog: Catalog, *, zone: str = "UTC", ttl_ms: int = 0, is_top: bool = True
) -> Relation:
    """Plan a query.

    As in Flink: names, types, rows and changes.
    Differs from Flink: CURRENT_TIMESTAMP and similar functions are constant in a micro-batch; overflow of numbers fails
    the job, where Flink wraps around or returns NULL.

    Args:
        query: Query as the user wrote it.
        catalog: Tables, views and functions that it may name.
        zone: The time zone of the session (``table.local-time-zone``).
        ttl_ms: Time without a change after which state expires, in ms; 0 for never (``table.exec.state.ttl``).
        is_top: Whether the query is not nested in another one, so that its ORDER BY counts.

    Raises:
        DefinitionError: The query is invalid; the message shows the position.
        UnsupportedFeatureError: Flink supports the query, and this package does not.
    """
    text = QueryText(query)
    try:
        rows = SelectPlanner(text, catalog, zone, ttl_ms).plan(text.query(), is_top=is_top)
    except RecursionError:
        now = "Write a long chain of OR as IN (...), and put inner queries into views."
        raise text.error(None, "The query is nested too deeply.", now) from None
    return with_distinct_names(rows).relation


@final
@attrs.frozen
class WithQuery:
    """A query of WITH, with its planner."""

    planner: SelectPlanner
    cte: exp.Expr

    def rows(self) -> PlannedRows:
        """Plan the query."""
        return with_column_aliases(self.planner, self.cte, with_distinct_names(self.planner.plan(self.cte.this)))


@final
@attrs.frozen
class SelectPlanner:
    """Plans the queries of one text.

    Args:
        text: Text of the queries.
        catalog: Tables, views and functions that they may refer to.
        zone: Time zone of the session.
        ttl_ms: Time without a change after which state expires, in ms; 0 for never.
        with_queries: Queries of WITH.
        views: Views that are being planned, outermost first.
        hinted: Times to live of state by the hints of the SELECT that is being planned.
    """

    text: QueryText
    catalog: Catalog
    zone: str
    ttl_ms: int
    with_queries: Mapping[str, WithQuery] = attrs.field(factory=dict)
    views: tuple[str, ...] = ()
    hinted: HintedTtls = attrs.field(factory=HintedTtls)

    def compiler(
        self, scope: Scope, answers: Mapping[int, TypedExpression] = MappingProxyType({})
    ) -> ExpressionCompiler:
        """Return the compiler of expressions in a scope, with the values of subqueries."""
        return ExpressionCompiler(self.text, scope, self.catalog, answers)

    def plan(self, node: exp.Expr, *, is_top: bool = False) -> PlannedRows:
        """Plan a query of any form.

        Args:
            node: The query.
            is_top: Whether the query is not nested in another one.
        """
        inner = self._with_ctes(node)
        match node:
            case exp.Select():
                return plan_select(inner, node, is_top=is_top)
            case exp.SetOperation():
                rows = PlannedRows(plan_set_operation(inner, node))
            case exp.Values():
                rows = PlannedRows(inner.plan_values(node))
            case exp.Subquery() | exp.Paren():
                self.text.only(node, "this", "with_", "alias", *_MODIFIERS)
                rows = inner.plan(node.this, is_top=is_top and not any(map(node.args.get, _MODIFIERS)))
            case _:
                message = f"{type(node).__name__.upper()} of queries is not supported."
                raise self.text.refused(node, message, "Join them, or write a UNION ALL.")
        return plan_order_by_columns(inner, node, rows, is_top=is_top)

    def _with_ctes(self, node: exp.Expr) -> SelectPlanner:
        """Return a planner that also resolves the queries of WITH."""
        clause = node.args.get("with_")
        if not clause:
            return self
        if clause.args.get("recursive"):
            message = "WITH RECURSIVE is not supported; Flink has no plan for it, either."
            raise self.text.refused(clause, message, "Write as many steps as are needed, joined by UNION ALL.")
        self.text.only(clause, "expressions")
        inner = self
        for cte in clause.expressions:
            self.text.only(cte, "this", "alias")
            with_query = WithQuery(inner, cte)
            inner = attrs.evolve(inner, with_queries={**inner.with_queries, cte.alias: with_query})
        return inner

    def find_definition(self, node: exp.Expr) -> tuple[SelectPlanner | None, exp.Expr | None]:
        """Return the query that an entry of FROM refers to, with its planner; None for other entries."""
        if isinstance(node, exp.Subquery):
            return self, node.this
        path = (
            tuple(part.name for part in node.parts)
            if isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier)
            else ()
        )
        if not path:
            return None, None
        if len(path) == 1 and path[0] in self.with_queries:
            with_query = self.with_queries[path[0]]
            return (None, None) if with_query.cte.alias_column_names else (with_query.planner, with_query.cte.this)
        view = self.catalog.table(path)
        if not isinstance(view, View) or view.columns:
            return None, None
        inner = self.planner_of_view(node, path, view)
        return inner, inner.text.query()

    def planner_of_view(self, node: exp.Expr, path: tuple[str, ...], view: View) -> SelectPlanner:
        """Return the planner of a view."""
        name = ".".join(path)
        if name in self.views:
            circle = " -> ".join((*self.views[self.views.index(name) :], name))
            raise self.text.error(node, f"The view {name} reads itself: {circle}.", "Leave one of the views out.")
        catalog = self.catalog.of(view.query)
        return attrs.evolve(
            self, text=QueryText(view.query), catalog=catalog, with_queries={}, views=(*self.views, name)
        )

    def deduplicate(self, relation: Relation) -> Relation:
        """Deduplicate the rows (``DISTINCT``): each row once."""
        all_columns = tuple(range(len(relation.fields)))
        return Stateful(
            merged=(normalized(relation, self.ttl_ms),),
            keys=(all_columns,),
            operation=GroupAggregate(calls=(), keys=len(all_columns), ttl_ms=self.ttl_ms),
            fields=tuple(attrs.evolve(field, time=None) for field in relation.fields),
            changelog=ChangelogMode.RETRACT,
            upsert_key=all_columns,
        )

    def plan_values(self, node: exp.Expr) -> Relation:
        """Plan ``VALUES (...), (...)``."""
        self.text.only(node, "expressions", "alias", "with_", *_MODIFIERS)
        compiler = self.compiler(Scope((), ()))
        rows = [[compiler.compile(value) for value in _row_values(row)] for row in node.expressions]
        if len({len(row) for row in rows}) != 1:
            raise self.text.error(node, "The rows of VALUES must have as many columns as each other.")
        types = [common_type(self.text, node, [value.type for value in column]) for column in zip(*rows, strict=True)]
        cast = tuple(tuple(map(widened, row, types)) for row in rows)
        fields = tuple(Field(f"EXPR${index}", type_) for index, type_ in enumerate(types))
        if any(calls_user(value) for row in cast for value in row):
            names = [field.name for field in fields]
            single = (attrs.evolve(projected(ONE_ROW, row, names), fields=fields) for row in cast)
            return Union(merged=tuple(single), fields=fields)
        return Values(rows=cast, fields=fields)


def _row_values(row: exp.Expr) -> Sequence[exp.Expr]:
    """Return the values of a row: ``(1, 2)``, ``ROW(1, 2)`` or a single value."""
    if isinstance(row, exp.Tuple) and len(row.expressions) == 1:
        return _row_values(row.expressions[0])
    if isinstance(row, exp.Tuple) or is_call(row, "ROW"):
        return list(row.expressions)
    return [row.this if isinstance(row, exp.Paren) else row]
