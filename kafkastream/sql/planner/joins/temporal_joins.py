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
from kafkastream.sql.planner.joins.join_parts import both_fields, keyed, without_computed_keys
from kafkastream.sql.planner.joins.joins_on_pairs import pushed
from kafkastream.sql.table import ComputedColumn, MetadataColumn

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["versioned"]


def versioned(
    planner: SelectPlanner,
    rows: tuple[PlannedRows, PlannedRows],
    scopes: tuple[Scope, Scope],
    found: Conditions,
    kind: JoinKind,
    version: exp.Expr,
) -> PlannedRows:
    """Plan a temporal join."""
    text, at = planner.text, version.expression
    left, right = rows[0].relation, rows[1].relation
    if kind not in (JoinKind.INNER, JoinKind.LEFT):
        raise text.error(
            at, f"Unsupported join type {kind.value} in a temporal table join.", "Write JOIN or LEFT JOIN."
        )
    place = scopes[0].resolve(text, at) if name_parts(at) else None
    time = scopes[0].fields[place.place].time if isinstance(place, ColumnRef) else None
    if not isinstance(place, ColumnRef) or time is None:
        what = "Temporal table join currently only supports 'FOR SYSTEM_TIME AS OF' left table's time attribute field"
        raise text.error(at, what, "Declare WATERMARK FOR the column, or take PROCTIME().")
    if left.changelog is not ChangelogMode.APPEND:
        raise text.refused(at, "The left side of a temporal join must only be added to.", "Read an append-only table.")
    if time is TimeAttribute.PROCESSING and _is_read_once(right):
        return _looked_up(planner, rows, found, kind, version)
    key = right.upsert_key
    if key is None:
        what = "Temporal Table Join requires primary key in versioned table, but no primary key can be found."
        raise text.error(version, what, "Declare PRIMARY KEY (...) NOT ENFORCED on the table.")
    if not set(key) <= {column_of(one) for one in found.right}:
        names = ", ".join(right.fields[one].name for one in key)
        what = f"Temporal table's primary key [{names}] must be included in the equivalence condition of temporal join."
        raise text.error(version, what, "Add it to ON.")
    times = [one for one, field in enumerate(right.fields) if field.time is TimeAttribute.EVENT]
    if time is TimeAttribute.EVENT and not times:
        what = "Event-Time Temporal Table Join requires both primary key and row time attribute in versioned table, but no row time attribute can be found."
        raise text.error(version, what, "Declare a WATERMARK on the table.")
    is_event = time is TimeAttribute.EVENT
    query = version.parent_select
    assert isinstance(query, exp.Select)
    keeps_upserts = is_event and _keeps_upserts(right, {times[0], *_used_columns(right, query)})
    versions = right if keeps_upserts else normalized(right, planner.ttl_ms)
    (left, left_keys), (wide, right_keys) = keyed(left, found.left), keyed(versions, found.right)
    widths = len(left.fields), len(wide.fields)
    joined = Stateful(
        merged=(left, wide),
        keys=(left_keys, right_keys),
        operation=TemporalJoin(
            kind=kind,
            widths=widths,
            times=(place.place, times[0]) if is_event else (None, None),
            time=time,
            ttl_ms=planner.ttl_ms,
        ),
        fields=both_fields(left, wide, kind),
    )
    wanted = len(rows[0].relation.fields), len(right.fields)
    if kind is JoinKind.LEFT:
        return PlannedRows(_where_met(without_computed_keys(joined, wanted, widths, ()), found.rest, wanted[0]))
    return PlannedRows(without_computed_keys(joined, wanted, widths, found.rest))


def _where_met(joined: Relation, conditions: Sequence[TypedExpression], width: int) -> Relation:
    """Return joined rows with NULL in the columns of the right side, where its version does not meet further conditions."""
    condition = conjunction(conditions)
    if condition is None:
        return joined
    names = [field.name for field in joined.fields]
    checked = projected(joined, [*references(joined), condition], [*names, "$met"])
    met = reference(checked, len(names))
    columns: list[TypedExpression] = [reference(checked, at) for at in range(len(names))]
    columns[width:] = [Case((met,), (one,), typed_null(one.type), one.type) for one in columns[width:]]
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
            return _keeps_upserts(inner, frozenset().union(*(columns_in(expressions[place]) for place in used)))
        case Scan(changelog=ChangelogMode.UPSERT, expressions=expressions):
            given = [one for one in relation.table.schema.columns if not isinstance(one, ComputedColumn)]
            if expressions:
                used = frozenset().union(*(columns_in(expressions[place]) for place in used))
            return not any(isinstance(given[place], MetadataColumn) for place in used)
        case _:
            return False


def _used_columns(relation: Relation, query: exp.Select) -> list[int]:
    """Return the columns of a relation that a query names; all of them for a star."""
    names = {column.name for column in query.find_all(exp.Column)}
    return [place for place, field in enumerate(relation.fields) if query.is_star or field.name in names]


def _is_read_once(relation: Relation) -> bool:
    """Return whether rows come from files, which are all there when the job starts."""
    return isinstance(relation, Scan) and relation.table.options.get("connector") == "filesystem"


def _looked_up(
    planner: SelectPlanner,
    rows: tuple[PlannedRows, PlannedRows],
    found: Conditions,
    kind: JoinKind,
    version: exp.Expr,
) -> PlannedRows:
    """Plan a lookup join, in which a row meets all rows of a table with equal keys."""
    sides, found = pushed([one.relation for one in rows], found._replace(bound=None), kind, planner.ttl_ms)
    if not found.right:
        what = "Temporal table join requires an equality condition on fields of the table."
        raise planner.text.error(version, what, "Add ON a.k = b.k.")
    if found.null_safe or (found.rest and kind is JoinKind.LEFT):
        what = "A lookup join takes equations, and conditions of one side."
        raise planner.text.refused(version, what, "Put other conditions into WHERE.")
    (left, left_keys), (right, right_keys) = (
        keyed(one, keys) for one, keys in zip(sides, (found.left, found.right), strict=True)
    )
    widths = len(left.fields), len(right.fields)
    joined = Stateful(
        merged=(left, right),
        keys=(left_keys, right_keys),
        operation=LookupJoin(kind=kind, widths=widths),
        fields=both_fields(left, right, kind),
    )
    wanted = len(rows[0].relation.fields), len(rows[1].relation.fields)
    return PlannedRows(without_computed_keys(joined, wanted, widths, found.rest))
