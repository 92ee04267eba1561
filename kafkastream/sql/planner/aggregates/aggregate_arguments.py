"""Arguments of aggregates as columns of an operation's input."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kafkastream.sql.expressions.aggregate_calls import RequestedAggregate
from kafkastream.sql.plan.expression import TRUE, TypedExpression
from kafkastream.sql.plan.operations import AggregateCall
from kafkastream.sql.plan.plan_builder import column_of, projected
from kafkastream.sql.plan.relations import Field, Relation

if TYPE_CHECKING:
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["result_fields", "with_arguments"]


def with_arguments(
    planner: SelectPlanner,
    relation: Relation,
    condition: TypedExpression | None,
    first: Sequence[TypedExpression],
    calls: Sequence[RequestedAggregate],
) -> tuple[Relation, tuple[AggregateCall, ...]]:
    """Project the input of an aggregation: key columns first, then the distinct arguments of the calls."""
    wanted = [input_ for call in calls for input_ in call.inputs]
    columns = [*first, *(argument for argument in dict.fromkeys(wanted) if argument not in {*first})] or [TRUE]
    names: list[str] = []
    for column in columns:
        index = column_of(column)
        names.append(f"EXPR${len(names)}" if index is None else relation.fields[index].name)
    input_relation = projected(relation, columns, names, condition, planner.ttl_ms)
    return input_relation, tuple(call.placed(columns, planner.zone) for call in calls)


def result_fields(calls: Sequence[RequestedAggregate]) -> list[Field]:
    """Return the columns of the results of calls."""
    return [Field(call.call.name, call.call.type) for call in calls]
