"""``UNION``, ``INTERSECT`` and ``EXCEPT``, each also with ``ALL``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import attrs
from sqlglot import exp

from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.expressions.common_types import common_type
from kafkastream.sql.plan.casts import typed_null
from kafkastream.sql.plan.expression import TRUE, Call, Cast, TypedExpression
from kafkastream.sql.plan.functions import call
from kafkastream.sql.plan.operations import AggregateCall, AggregateFunction, GroupAggregate, Join, JoinKind
from kafkastream.sql.plan.plan_builder import normalized, projected, reference, references, without_times
from kafkastream.sql.plan.relations import Explode, Field, Relation, Stateful, Union
from kafkastream.sql.types import DataType, Kind, RowField

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["plan_set_operation", "union_all"]

_BIGINT: Final = DataType.of(Kind.BIGINT).not_null()
_BOOLEAN: Final = DataType.of(Kind.BOOLEAN)
_COPY: Final = RowField("copy", DataType.of(Kind.INT).not_null())
_COPIES: Final = DataType.of(Kind.ARRAY, parts=(DataType.of(Kind.ROW, fields=(_COPY,)).not_null(),))


def plan_set_operation(planner: SelectPlanner, node: exp.SetOperation) -> Relation:
    """Plan a set operation, with the names of the first query and the common types of both.

    As in Flink, NULL equals NULL here: INTERSECT and EXCEPT are a semi join and an anti join, whose rows are then
    deduplicated; with ALL, the copies of each row are counted on both sides.
    """
    planner.text.only(node, "this", "expression", "distinct", "with_", "order", "limit", "offset")
    sides = _plan_operands(planner, node, _operands(node))
    is_distinct = bool(node.args.get("distinct"))
    if isinstance(node, exp.Union):
        together = union_all(sides)
        return planner.deduplicate(together) if is_distinct else together
    left, right = sides
    if is_distinct:
        return planner.deduplicate(_semi_or_anti_join(planner, left, right, _JOIN_KINDS[type(node)]))
    return _repeat_by_counts(planner, left, right, _JOIN_KINDS[type(node)])


_JOIN_KINDS: Final = {exp.Intersect: JoinKind.SEMI, exp.Except: JoinKind.ANTI}


def union_all(sides: Sequence[Relation]) -> Relation:
    """Return the rows of all sides, which have the same types."""
    merged: list[Relation] = []
    for side in sides:
        merged.extend(side.merged if isinstance(side, Union) else (side,))
    fields = tuple(
        attrs.evolve(columns[0], time=columns[0].time if len({column.time for column in columns}) == 1 else None)
        for columns in zip(*(side.fields for side in sides), strict=True)
    )
    is_append = all(side.changelog is ChangelogMode.APPEND for side in sides)
    changelog = ChangelogMode.APPEND if is_append else ChangelogMode.RETRACT
    return Union(merged=tuple(merged), fields=fields, changelog=changelog)


def _operands(node: exp.SetOperation) -> list[exp.Expr]:
    """Return the queries of a set operation; all of a chain of equal unions, which may be long."""
    operands, left = [node.expression], node.this
    while isinstance(node, exp.Union) and isinstance(left, exp.Union) and _is_plain(left, like=node):
        operands.append(left.expression)
        left = left.this
    return [left, *reversed(operands)]


def _is_plain(node: exp.Union, *, like: exp.Union) -> bool:
    others = {name for name, value in node.args.items() if value} - {"this", "expression", "distinct"}
    return not others and bool(node.args.get("distinct")) is bool(like.args.get("distinct"))


def _plan_operands(planner: SelectPlanner, node: exp.SetOperation, operands: Sequence[exp.Expr]) -> list[Relation]:
    """Plan all queries, with their common types."""
    sides = [planner.plan(operand).relation for operand in operands]
    if len({len(side.fields) for side in sides}) > 1:
        name = type(node).__name__.upper()
        raise planner.text.error(node, f"Column count mismatch in {name}", "Let both queries have as many columns.")
    types = [
        common_type(planner.text, node, [field.type for field in column])
        for column in zip(*(side.fields for side in sides), strict=True)
    ]
    return [normalized(_with_types(side, types), planner.ttl_ms) for side in sides]


def _with_types(relation: Relation, types: Sequence[DataType]) -> Relation:
    if [field.type for field in relation.fields] == list(types):
        return relation
    expressions = [
        reference(relation, index)
        if field.type.nullable() == type_.nullable()
        else Cast(reference(relation, index), type_)
        for index, (field, type_) in enumerate(zip(relation.fields, types, strict=True))
    ]
    cast = projected(relation, expressions, [field.name for field in relation.fields])
    fields = tuple(attrs.evolve(field, type=type_) for field, type_ in zip(cast.fields, types, strict=True))
    return attrs.evolve(cast, fields=fields)


def _semi_or_anti_join(planner: SelectPlanner, left: Relation, right: Relation, kind: JoinKind) -> Relation:
    """Return the left rows with (SEMI) or without (ANTI) an equal right row."""
    all_columns = tuple(range(len(left.fields)))
    is_append = kind is JoinKind.SEMI and all(side.changelog is ChangelogMode.APPEND for side in (left, right))
    return Stateful(
        merged=(left, right),
        keys=(all_columns, all_columns),
        operation=Join(
            kind=kind, widths=(len(all_columns), len(all_columns)), ttl_ms=planner.ttl_ms, null_safe=all_columns
        ),
        fields=without_times(left.fields),
        changelog=ChangelogMode.APPEND if is_append else ChangelogMode.RETRACT,
        upsert_key=left.upsert_key,
    )


def _repeat_by_counts(planner: SelectPlanner, left: Relation, right: Relation, kind: JoinKind) -> Relation:
    """Return each row as often as INTERSECT ALL or EXCEPT ALL does: the smaller of its counts, or their difference."""
    width = len(left.fields)
    together = union_all([_with_side_marks(left, 0), _with_side_marks(right, 1)])
    all_columns = tuple(range(width))
    calls = tuple(
        AggregateCall(function=AggregateFunction.COUNT, type=_BIGINT, argument=width + side, argument_type=_BOOLEAN)
        for side in (0, 1)
    )
    counted = Stateful(
        merged=(together,),
        keys=(all_columns,),
        operation=GroupAggregate(calls=calls, keys=width, ttl_ms=planner.ttl_ms),
        fields=(*without_times(left.fields), Field("left", _BIGINT), Field("right", _BIGINT)),
        changelog=ChangelogMode.RETRACT,
        upsert_key=all_columns,
    )
    counts = [reference(counted, width), reference(counted, width + 1)]
    copies = call("LEAST", *counts) if kind is JoinKind.SEMI else call("-", *counts)
    exploded = Explode(
        input=counted,
        array=Call("$COPIES", (copies,), _COPIES),
        fields=(*counted.fields, Field(_COPY.name, _COPY.type)),
        changelog=ChangelogMode.RETRACT,
    )
    return projected(exploded, references(exploded)[:width], [field.name for field in left.fields])


def _with_side_marks(relation: Relation, side: int) -> Relation:
    """Add a column for each side, by which its rows are counted: TRUE in its rows, NULL in those of the other."""
    marks: list[TypedExpression] = [typed_null(_BOOLEAN), typed_null(_BOOLEAN)]
    marks[side] = TRUE
    names = [*(field.name for field in relation.fields), "left", "right"]
    marked = projected(relation, [*references(relation), *marks], names)
    fields = (*marked.fields[:-2], *(attrs.evolve(field, type=_BOOLEAN) for field in marked.fields[-2:]))
    return attrs.evolve(marked, fields=fields)
