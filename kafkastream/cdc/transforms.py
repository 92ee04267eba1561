"""Transform rules planned for a table: output columns, and typed expressions that compute them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import final

import attrs

from kafkastream.cdc.projection import HIDDEN, transform_query
from kafkastream.cdc.spec.rules import TransformRule
from kafkastream.cdc.tables import Column, TableSchema
from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.expressions.built_in_names import is_built_in
from kafkastream.sql.plan.expression import TypedExpression
from kafkastream.sql.plan.planning_catalog import ResolvedTable
from kafkastream.sql.plan.relations import Field, Project, Relation, Scan
from kafkastream.sql.planner.query_planner import plan_query
from kafkastream.sql.session_functions import NamedFunction
from kafkastream.sql.table import Expression, PhysicalColumn, TableDefinition
from kafkastream.sql.table import TableSchema as SqlSchema
from kafkastream.sql.types import DataType

__all__ = ["Step", "TransformPlanner", "TransformedTable"]


@final
@attrs.frozen
class Step:
    """Projection of columns.

    Args:
        expressions: Expression of each output column.
        condition: Filter; None for all rows.
    """

    expressions: tuple[TypedExpression, ...]
    condition: TypedExpression | None = None


@final
@attrs.frozen
class TransformedTable:
    """Table after a transform rule.

    Args:
        schema: Output columns, in order.
        steps: Projections from the table's columns, followed by the hidden ones, to the output.
    """

    schema: TableSchema
    steps: tuple[Step, ...]


@final
@attrs.frozen
class TransformPlanner:
    """Plans transform rules with SQL's planner; implements ``kafkastream.sql.plan.planning_catalog.Catalog``.

    Args:
        zone: Time zone of the pipeline.
        functions: User-defined functions by upper-case name.
    """

    zone: str = "UTC"
    functions: Mapping[str, NamedFunction] = FrozenMap()

    def transformed(self, rule: TransformRule, schema: TableSchema) -> TransformedTable:
        """Plan a rule for a table.

        Raises:
            DefinitionError: An expression is invalid.
            UnsupportedFeatureError: An expression uses an aggregate, or a feature that SQL queries do not support.
        """
        query = transform_query(rule, schema.names)
        catalog = _OneTable(_resolved(schema), self.functions)
        where = f"transform, source-table {rule.source_table.text}"
        try:
            relation = plan_query(Expression(query, of=where), catalog, zone=self.zone)
        except (DefinitionError, UnsupportedFeatureError) as error:
            raise type(error)(error.what, where=where, now=error.now) from None
        columns = tuple(Column(field.name, field.type.nullable()) for field in relation.fields)
        return TransformedTable(TableSchema(columns), _steps(relation, where))


def _steps(relation: Relation, where: str) -> tuple[Step, ...]:
    steps: list[Step] = []
    while isinstance(relation, Project):
        steps.append(Step(relation.expressions, relation.condition))
        relation = relation.input
    if not isinstance(relation, Scan):
        raise UnsupportedFeatureError(
            "an aggregate or a subquery in a transform rule",
            where=where,
            now="Rules work row by row; aggregate in the sink's database, or by INSERT INTO … SELECT in Flink SQL.",
        )
    return tuple(reversed(steps))


def _resolved(schema: TableSchema) -> ResolvedTable:
    hidden = [Column(name, DataType.string().not_null()) for name in HIDDEN]
    columns = [*schema.columns, *hidden]
    definition = TableDefinition(("t",), SqlSchema(tuple(PhysicalColumn(one.name, one.type) for one in columns)))
    return ResolvedTable(definition, ChangelogMode.APPEND, tuple(Field(one.name, one.type) for one in columns))


@final
@attrs.frozen
class _OneTable:
    """Catalog of the table ``t`` and user-defined functions."""

    known: ResolvedTable
    functions: Mapping[str, NamedFunction]

    @property
    def database(self) -> str:
        return "default_database"

    def table(self, path: tuple[str, ...]) -> ResolvedTable | None:
        return self.known if path == ("t",) else None

    def tables(self) -> Sequence[str]:
        return ("t",)

    def function(self, path: tuple[str, ...]) -> NamedFunction | None:
        if len(path) != 1 or is_built_in(path[0]):
            return None
        return self.functions.get(path[0].upper())

    def of(self, query: Expression) -> _OneTable:
        return self
