"""Entries of FROM that are evaluated for each row of those before them: UNNEST, table functions, LATERAL queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
from sqlglot import exp

from kafkastream.sql.expressions.aggregate_calls import calls_in, find_user_aggregates
from kafkastream.sql.expressions.column_scope import Scope
from kafkastream.sql.plan.expression import Call, ColumnRef, calls_user, conjunction
from kafkastream.sql.plan.functions.window_functions import elements
from kafkastream.sql.plan.operations import JoinKind
from kafkastream.sql.plan.plan_builder import PlannedRows, normalized, projected, reference, references
from kafkastream.sql.plan.relations import Explode, Field
from kafkastream.sql.planner.joins.join_conditions import conjuncts
from kafkastream.sql.planner.joins.lateral_queries import plan_lateral_query
from kafkastream.sql.planner.table_functions import plan_table_function, with_computed_column, without_column
from kafkastream.sql.types import DataType, Kind, RowField

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["is_lateral", "plan_lateral"]


_ORDINALITY = "ORDINALITY"


def is_lateral(node: exp.Expr) -> bool:
    """Return whether an entry of FROM may refer to the entries before it."""
    return isinstance(node, exp.Unnest | exp.Lateral)


def plan_lateral(
    planner: SelectPlanner, rows: PlannedRows, scope: Scope, join: exp.Join, kind: JoinKind
) -> tuple[PlannedRows, Scope, list[exp.Expr]]:
    """Plan a join with such an entry; return the conditions of an inner join, too, which filter its rows."""
    text, node, on = planner.text, join.this, join.args.get("on")
    message = "UNNEST" if isinstance(node, exp.Unnest) else "LATERAL"
    if kind not in (JoinKind.INNER, JoinKind.LEFT):
        raise text.refused(
            join, f"A {kind.value} join with {message} is not possible.", "Write CROSS JOIN or LEFT JOIN."
        )
    outer = kind is JoinKind.LEFT
    is_true = on is None or (isinstance(on, exp.Boolean) and bool(on.this))
    if outer and not is_true:
        raise text.refused(on, f"{message} is joined ON TRUE.", "Write the condition into WHERE.")
    conditions = [] if is_true or on is None else list(conjuncts(on))
    if isinstance(node, exp.Unnest):
        return (*_plan_unnest(planner, rows, scope, node, outer=outer), conditions)
    text.only(node, "this", "alias")
    if isinstance(node.this, exp.Subquery):
        return (*_plan_lateral_subquery(planner, rows, scope, join, kind), conditions)
    return (*plan_table_function(planner, rows, scope, node, outer=outer), conditions)


def _plan_lateral_subquery(
    planner: SelectPlanner, rows: PlannedRows, scope: Scope, join: exp.Join, kind: JoinKind
) -> tuple[PlannedRows, Scope]:
    """Plan a join with a query: over the rows of a function or of UNNEST for each row, or over tables."""
    select = join.this.this.this
    first = select.args["from_"].this if isinstance(select, exp.Select) and select.args.get("from_") else None
    if first is None or not is_lateral(first):
        return plan_lateral_query(planner, rows, scope, join, kind)
    for clause in ("joins", "group", "having", "distinct", "with_", "order", "limit", "offset", "windows"):
        if select.args.get(clause):
            message = (
                f"{clause.rstrip('_').upper()} in a query after LATERAL over UNNEST or a function is not supported."
            )
            raise planner.text.refused(join.this, message, "Join UNNEST or the function itself.")
    find_user_aggregates(planner.compiler(scope), select)
    for expression in select.expressions:
        if next(calls_in(expression), None) is not None:
            message = "Aggregates in a query after LATERAL over UNNEST or a function are not supported."
            raise planner.text.refused(
                expression, message, "CARDINALITY counts; else write a Python function of the array."
            )
    return _plan_over_elements(planner, rows, scope, join, kind, select)


def _plan_over_elements(
    planner: SelectPlanner, rows: PlannedRows, scope: Scope, join: exp.Join, kind: JoinKind, select: exp.Select
) -> tuple[PlannedRows, Scope]:
    """Plan a query whose FROM has a function or UNNEST only."""
    from kafkastream.sql.planner.select import selected_items

    text, first, outer = planner.text, select.args["from_"].this, kind is JoinKind.LEFT
    plan_elements = _plan_unnest if isinstance(first, exp.Unnest) else plan_table_function
    inner, both = plan_elements(planner, rows, scope.outer(), first, outer=outer)
    compiler = planner.compiler(both)
    where = select.args.get("where")
    where_conditions = [compiler.compile(conjunct) for conjunct in conjuncts(where.this)] if where else []
    items = selected_items(text, both, select.expressions)
    added = [item.column or compiler.compile(item.node) for item in items]
    width = len(rows.relation.fields)
    if not all(isinstance(expression, ColumnRef) and expression.place >= width for expression in added):
        message = "A query after LATERAL selects columns of UNNEST or of a function only; Flink returns wrong rows for others."
        raise text.refused(join.this, message, "Compute in the outer SELECT.")
    if outer and where_conditions:
        message = "LEFT JOIN LATERAL with UNNEST or a function takes no WHERE here."
        raise text.refused(join.this, message, "Filter the array before, in a Python function.")
    names = join.this.alias_column_names or [item.name for item in items]
    if len(names) != len(added):
        raise text.error(
            join.this, f"{len(names)} column names are given for {len(added)} columns.", "Name each column."
        )
    relation = inner.relation
    result = projected(
        relation,
        [*references(relation)[:width], *added],
        [*(field.name for field in relation.fields[:width]), *names],
        conjunction(where_conditions),
        planner.ttl_ms,
    )
    fields = Scope.of(result.fields[width:], join.this.alias)
    return attrs.evolve(rows, relation=result), attrs.evolve(scope.joined(fields), fields=result.fields)


def _plan_unnest(
    planner: SelectPlanner, rows: PlannedRows, scope: Scope, node: exp.Unnest, *, outer: bool
) -> tuple[PlannedRows, Scope]:
    """Plan ``CROSS JOIN UNNEST(array) AS t (c)``: each row once per element of a column."""
    text = planner.text
    text.only(node, "expressions", "alias", "offset")
    if len(node.expressions) != 1:
        raise text.refused(node, "UNNEST takes one array, map or multiset.", "Join an UNNEST for each.")
    value = planner.compiler(scope).compile(node.expressions[0])
    columns = list(elements(value.type))
    if not columns:
        message = f"Cannot apply 'UNNEST' to arguments of type 'UNNEST(<{value.type}>)'"
        raise text.error(node, message, "It takes an ARRAY, a MAP or a MULTISET.")
    offset = node.args.get("offset")
    if offset:
        columns.append(RowField(_ORDINALITY, DataType.of(Kind.INT).not_null()))
    array = Call("$UNNEST", (value,), DataType.of(Kind.ARRAY, parts=(DataType.of(Kind.ROW, fields=tuple(columns)),)))
    names = (
        [alias_column.name for alias_column in node.args["alias"].args.get("columns") or ()]
        if node.args.get("alias")
        else []
    )
    if isinstance(offset, exp.Identifier):
        names = [*names, offset.name]
    if names and len(names) != len(columns):
        message = f"{len(names)} column names are given for the {len(columns)} columns of UNNEST."
        raise text.error(node, message, "Name each column.")
    added = tuple(
        Field(names[index] if names else column.name, column.type.nullable() if outer else column.type)
        for index, column in enumerate(columns)
    )
    relation = normalized(rows.relation, planner.ttl_ms)
    array_column = None
    if calls_user(array):
        relation, array_column = with_computed_column(relation, array)
    exploded = Explode(
        input=relation,
        array=array if array_column is None else reference(relation, array_column),
        outer=outer,
        fields=(*relation.fields, *added),
        changelog=relation.changelog,
    )
    result = exploded if array_column is None else without_column(exploded, array_column)
    return PlannedRows(result, rows.window), scope.joined(Scope.of(added, node.alias))
