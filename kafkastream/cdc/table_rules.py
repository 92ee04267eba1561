"""Effect of a pipeline's transforms and routes on the schemas of its tables."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Final, final

import attrs

from kafkastream.cdc.changes import AddColumns, AlterColumnTypes, CreateTable, SchemaChange
from kafkastream.cdc.projection import computes
from kafkastream.cdc.spec.pipeline import PipelineSpec
from kafkastream.cdc.spec.rules import AfterTransform, RouteRule, TransformRule, first_transform
from kafkastream.cdc.spec.settings import RouteMode
from kafkastream.cdc.spec.sink import PipelineSink, SchemaChangeType
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.cdc.transforms import TransformedTable, TransformPlanner
from kafkastream.errors import DefinitionError

__all__ = ["PipelineRules", "Router"]

_MOST_CACHED: Final = 10_000
_TYPES: Final[dict[type, SchemaChangeType]] = {
    AddColumns: SchemaChangeType.ADD_COLUMN,
    AlterColumnTypes: SchemaChangeType.ALTER_COLUMN_TYPE,
    CreateTable: SchemaChangeType.CREATE_TABLE,
}


@final
@attrs.frozen
class Router:
    r"""Routes tables, with a cache of the results.

    Args:
        rules: Route rules, in order.
        mode: Apply all matching rules, or only the first.

    Example:
        >>> router = Router((RouteRule(source_table=r"shop.orders_\.*", sink_table="ods.orders"),))
        >>> [str(target) for target in router.targets(TableId.parse("shop.orders_1"))]
        ['ods.orders']
        >>> [str(target) for target in router.targets(TableId.parse("shop.customers"))]
        ['shop.customers']
    """

    rules: tuple[RouteRule, ...] = ()
    mode: RouteMode = RouteMode.ALL_MATCH

    def targets(self, table: TableId) -> tuple[TableId, ...]:
        """Return the tables that a table's rows are written to: the table itself if no rule matches."""
        if (known := self._known.get(table)) is None:
            if len(self._known) >= _MOST_CACHED:  # records may name any number of tables
                self._known.clear()
            known = self._known[table] = self._routed(table)
        return known

    @cached_property
    def _known(self) -> dict[TableId, tuple[TableId, ...]]:
        return {}

    def _routed(self, table: TableId) -> tuple[TableId, ...]:
        found = [target for rule in self.rules if (target := rule.target(table)) is not None]
        if self.mode is RouteMode.FIRST_MATCH:
            found = found[:1]
        return tuple(dict.fromkeys(found)) or (table,)


@final
@attrs.frozen
class PipelineRules:
    """Rules of a pipeline; implements ``cdc.book.TableRules``.

    Args:
        transforms: Transform rules; the first one that selects a table counts.
        router: Router of tables.
        sink: Sink, which may not receive all changes.
        planner: Planner of rules with expressions; None where none are planned.
    """

    transforms: tuple[TransformRule, ...]
    router: Router
    sink: PipelineSink
    planner: TransformPlanner | None = None

    @staticmethod
    def of(spec: PipelineSpec) -> PipelineRules:
        """Return the rules of a pipeline."""
        return PipelineRules(spec.transforms, Router(spec.routes, spec.settings.route_mode), spec.sink)

    def targets(self, table: TableId) -> tuple[TableId, ...]:
        """Return the sink tables that a source table is written to."""
        return self.router.targets(table)

    def output(self, table: TableId, schema: TableSchema) -> TableSchema:
        """Return the schema of a table's rows after its transform.

        Raises:
            DefinitionError: A key names a column that the table does not have.
        """
        rule = first_transform(self.transforms, table)
        if rule is None:
            return schema
        plan = self.planned(table, schema)
        if plan is not None:
            kept = tuple(key for key in schema.primary_key if key in plan.schema.names)
            schema = attrs.evolve(plan.schema, primary_key=kept if len(kept) == len(schema.primary_key) else ())
        keys = rule.primary_keys or schema.primary_key
        try:
            changed = attrs.evolve(
                schema,
                primary_key=keys,
                partition_key=rule.partition_keys or schema.partition_key,
                options={**schema.options, **rule.table_options},
            )
        except DefinitionError as error:
            raise DefinitionError(
                error.what, where=f"transform, source-table {rule.source_table.text}, table {table}", now=error.now
            ) from None
        columns = (
            attrs.evolve(column, type=column.type.not_null()) if column.name in keys else column
            for column in changed.columns
        )
        return attrs.evolve(changed, columns=tuple(columns))

    def planned(self, table: TableId, schema: TableSchema) -> TransformedTable | None:
        """Return the plan of a table's rule; None if it has no expressions.

        Raises:
            DefinitionError: An expression is invalid.
            UnsupportedFeatureError: An expression uses a feature that SQL queries do not support.
        """
        rule = first_transform(self.transforms, table)
        if rule is None or not computes(rule):
            return None
        assert self.planner is not None, rule
        return self.planner.transformed(rule, schema)

    @property
    def compute(self) -> bool:
        """True if a rule has expressions."""
        return any(map(computes, self.transforms))

    def deletes_softly(self, table: TableId) -> bool:
        """Return whether deletes of a table become inserts."""
        rule = first_transform(self.transforms, table)
        return rule is not None and rule.after_transform is AfterTransform.SOFT_DELETE

    def problem_of_names(self, table: TableId, columns: Iterable[str]) -> str | None:
        """Return why the sink cannot have a table or its new columns, by names that came with a record; None if it can.

        Args:
            table: Source table.
            columns: Names of its new columns; not checked if a transform computes the table's columns.
        """
        try:
            targets = self.targets(table)
        except DefinitionError as error:  # a replaced part of the name has dots
            return error.what
        rule = first_transform(self.transforms, table)
        checked = () if rule is not None and computes(rule) else columns
        problems = (*map(self.sink.table_problem, targets), *map(self.sink.column_problem, checked))
        return next(filter(None, problems), None)

    def sends(self, change: SchemaChange) -> bool:
        """Return whether the sink receives a change."""
        return self.sink.follows(_TYPES[type(change)])
