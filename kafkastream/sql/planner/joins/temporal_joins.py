"""Temporal joins and lookup joins: ``JOIN t FOR SYSTEM_TIME AS OF o.ts``."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.expressions.column_scope import Scope, name_parts
from kafkastream.sql.plan.casts import typed_null
from kafkastream.sql.plan.expression import Case, ColumnRef, TypedExpression, columns_in, conjunction
from kafkastream.sql.plan.operations import JoinKind, LookupJoin, TemporalJoin, TimeAttribute
from kafkastream.sql.plan.plan_builder import (
    PlannedRows,
    column_of,
    normalized,
    projected,
    reference,
    references,
)
from kafkastream.sql.plan.relations import Project, Relation, Scan, Stateful
from kafkastream.sql.planner.joins.join_conditions import Conditions
from kafkastream.sql.planner.joins.join_parts import both_fields, with_key_columns, without_computed_keys
from kafkastream.sql.planner.joins.joins_on_pairs import push_down_conditions
from kafkastream.sql.table import ComputedColumn, MetadataColumn

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["plan_temporal_join"]


def plan_temporal_join(
    planner: SelectPlanner,
    rows: tuple[PlannedRows, PlannedRows],
    scopes: tuple[Scope, Scope],
    conditions: Conditions,
    kind: JoinKind,
    version: exp.Expr,
) -> PlannedRows:
    """Plan a temporal join."""
    text, time_node = planner.text, version.expression
    left, right = rows[0].relation, rows[1].relation
    if kind not in (JoinKind.INNER, JoinKind.LEFT):
        raise text.error(
            time_node, f"Unsupported join type {kind.value} in a temporal table join.", "Write JOIN or LEFT JOIN."
        )
    time_column = scopes[0].resolve(text, time_node) if name_parts(time_node) else None
    time = scopes[0].fields[time_column.place].time if isinstance(time_column, ColumnRef) else None
    if not isinstance(time_column, ColumnRef) or time is None:
        message = (
            "Temporal table join currently only supports 'FOR SYSTEM_TIME AS OF' left table's time attribute field"
        )
        raise text.error(time_node, message, "Declare WATERMARK FOR the column, or take PROCTIME().")
    if left.changelog is not ChangelogMode.APPEND:
        raise text.refused(
            time_node, "The left side of a temporal join must only be added to.", "Read an append-only table."
        )
    if time is TimeAttribute.PROCESSING and _is_read_once(right):
        return _plan_lookup_join(planner, rows, conditions, kind, version)
    key = right.upsert_key
    if key is None:
        message = "Temporal Table Join requires primary key in versioned table, but no primary key can be found."
        raise text.error(version, message, "Declare PRIMARY KEY (...) NOT ENFORCED on the table.")
    if not set(key) <= {column_of(right_key) for right_key in conditions.right}:
        names = ", ".join(right.fields[column].name for column in key)
        message = (
            f"Temporal table's primary key [{names}] must be included in the equivalence condition of temporal join."
        )
        raise text.error(version, message, "Add it to ON.")
    times = [index for index, field in enumerate(right.fields) if field.time is TimeAttribute.EVENT]
    if time is TimeAttribute.EVENT and not times:
        message = "Event-Time Temporal Table Join requires both primary key and row time attribute in versioned table, but no row time attribute can be found."
        raise text.error(version, message, "Declare a WATERMARK on the table.")
    is_event = time is TimeAttribute.EVENT
    query = version.parent_select
    assert isinstance(query, exp.Select)
    keeps_upserts = is_event and _keeps_upserts(right, {times[0], *_used_columns(right, query)})
    versions = right if keeps_upserts else normalized(right, planner.ttl_ms)
    (left, left_keys), (wide, right_keys) = (
        with_key_columns(left, conditions.left),
        with_key_columns(versions, conditions.right),
    )
    widths = len(left.fields), len(wide.fields)
    joined = Stateful(
        merged=(left, wide),
        keys=(left_keys, right_keys),
        operation=TemporalJoin(
            kind=kind,
            widths=widths,
            times=(time_column.place, times[0]) if is_event else (None, None),
            time=time,
            ttl_ms=planner.ttl_ms,
        ),
        fields=both_fields(left, wide, kind),
    )
    wanted = len(rows[0].relation.fields), len(right.fields)
    if kind is JoinKind.LEFT:
        return PlannedRows(
            _null_right_unless(without_computed_keys(joined, wanted, widths, ()), conditions.rest, wanted[0])
        )
    return PlannedRows(without_computed_keys(joined, wanted, widths, conditions.rest))


def _null_right_unless(joined: Relation, conditions: Sequence[TypedExpression], width: int) -> Relation:
    """Return the rows of a left join, with NULL in the right columns where further conditions do not hold."""
    condition = conjunction(conditions)
    if condition is None:
        return joined
    names = [field.name for field in joined.fields]
    checked = projected(joined, [*references(joined), condition], [*names, "$met"])
    met = reference(checked, len(names))
    columns: list[TypedExpression] = [reference(checked, index) for index in range(len(names))]
    columns[width:] = [Case((met,), (column,), typed_null(column.type), column.type) for column in columns[width:]]
    return projected(checked, columns, names)


def _keeps_upserts(relation: Relation, used: Collection[int]) -> bool:
    """Return whether Flink's temporal join reads upserts as they are, without a ChangelogNormalize before it.

    Flink 2.2 has one for a filter, and where the query reads metadata: FLIP-510, and the plans that it shows. Without it, a
    tombstone is a row with nothing but its key; a ChangelogNormalize gives it the columns of the row that it deletes.

    Args:
        relation: The versioned table.
        used: Columns of it that the query reads.
    """
    match relation:
        case Project(condition=None, expressions=expressions, input=inner):
            return _keeps_upserts(inner, frozenset().union(*(columns_in(expressions[column]) for column in used)))
        case Scan(changelog=ChangelogMode.UPSERT, expressions=expressions):
            physical_columns = [
                column for column in relation.table.schema.columns if not isinstance(column, ComputedColumn)
            ]
            if expressions:
                used = frozenset().union(*(columns_in(expressions[column]) for column in used))
            return not any(isinstance(physical_columns[column], MetadataColumn) for column in used)
        case _:
            return False


def _used_columns(relation: Relation, query: exp.Select) -> list[int]:
    """Return the columns of a relation that a query names; all of them for a star."""
    names = {column.name for column in query.find_all(exp.Column)}
    return [index for index, field in enumerate(relation.fields) if query.is_star or field.name in names]


def _is_read_once(relation: Relation) -> bool:
    """Return whether rows come from files, which are all there when the job starts."""
    return isinstance(relation, Scan) and relation.table.options.get("connector") == "filesystem"


def _plan_lookup_join(
    planner: SelectPlanner,
    rows: tuple[PlannedRows, PlannedRows],
    conditions: Conditions,
    kind: JoinKind,
    version: exp.Expr,
) -> PlannedRows:
    """Plan a lookup join: each left row is joined with all rows of the table that have its key."""
    sides, conditions = push_down_conditions(
        [side.relation for side in rows], conditions._replace(bound=None), kind, planner.ttl_ms
    )
    if not conditions.right:
        message = "Temporal table join requires an equality condition on fields of the table."
        raise planner.text.error(version, message, "Add ON a.k = b.k.")
    if conditions.null_safe or (conditions.rest and kind is JoinKind.LEFT):
        message = "A lookup join takes equations, and conditions of one side."
        raise planner.text.refused(version, message, "Put other conditions into WHERE.")
    (left, left_keys), (right, right_keys) = (
        with_key_columns(side, keys) for side, keys in zip(sides, (conditions.left, conditions.right), strict=True)
    )
    widths = len(left.fields), len(right.fields)
    joined = Stateful(
        merged=(left, right),
        keys=(left_keys, right_keys),
        operation=LookupJoin(kind=kind, widths=widths),
        fields=both_fields(left, right, kind),
    )
    wanted = len(rows[0].relation.fields), len(rows[1].relation.fields)
    return PlannedRows(without_computed_keys(joined, wanted, widths, conditions.rest))
