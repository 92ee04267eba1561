"""Effect of a pipeline's transforms and routes on the schemas of its tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import chain
from typing import Final, final

import attrs

from kafkastream.cdc.changes import AddColumns, AlterColumnTypes, CreateTable, SchemaChange
from kafkastream.cdc.merge import merged
from kafkastream.cdc.projection import computes
from kafkastream.cdc.spec.kafka_sink import KafkaPipelineSink
from kafkastream.cdc.spec.kafka_source import KafkaPipelineSource
from kafkastream.cdc.spec.pipeline import PipelineSpec
from kafkastream.cdc.spec.rules import AfterTransform, RouteRule, TransformRule, first_transform
from kafkastream.cdc.spec.settings import RouteMode
from kafkastream.cdc.spec.sink import PipelineSink, SchemaChangeType
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.cdc.transforms import TransformedTable, TransformPlanner
from kafkastream.errors import DefinitionError
from kafkastream.model.connectors.subscription import TopicList

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
        topics_read: Topics of the sink's brokers that the pipeline reads.
    """

    transforms: tuple[TransformRule, ...]
    router: Router
    sink: PipelineSink
    planner: TransformPlanner | None = None
    topics_read: frozenset[str] = frozenset()

    @staticmethod
    def of(spec: PipelineSpec) -> PipelineRules:
        """Return the rules of a pipeline."""
        router = Router(spec.routes, spec.settings.route_mode)
        return PipelineRules(spec.transforms, router, spec.sink, topics_read=_topics_read(spec))

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

    def problem_of_table(self, table: TableId, known: Iterable[TableId]) -> str | None:
        """Return why the sink cannot have a table that came with a record; None if it can.

        Args:
            table: Source table.
            known: Source tables that the sink has.
        """
        try:
            targets = self.targets(table)
        except DefinitionError as error:  # a replaced part of the name has dots
            return error.what
        others = {target for other in known for target in self.targets(other)}
        problems = chain(
            map(self.sink.table_problem, targets),
            map(self._problem_of_topic, targets),
            (self.sink.conflict(target, other) for target in targets if target not in others for other in others),
        )
        return next(filter(None, problems), None)

    def _problem_of_topic(self, target: TableId) -> str | None:
        if self.topics_read and isinstance(self.sink, KafkaPipelineSink):
            topic = self.sink.topic_of(target)
            if topic in self.topics_read:
                return f"the pipeline itself reads the topic {topic!r}"
        return None

    def problems_of_columns(
        self, table: TableId, names: Iterable[str], known: Mapping[TableId, TableSchema]
    ) -> Mapping[str, str]:
        """Return why the sink cannot have columns of a table that came with a record, by their names.

        Args:
            table: Source table, whose name has been accepted.
            names: Names of its new columns; not checked if a transform computes the table's columns.
            known: Source tables that the sink has.
        """
        if self._computes_columns(table):
            return {}
        targets = set(self.targets(table))
        taken = {
            self.sink.compared_column(name): name
            for other, schema in known.items()
            if not targets.isdisjoint(self.targets(other)) and not self._computes_columns(other)
            for name in schema.names
        }
        problems: dict[str, str] = {}
        for name in names:
            other = taken.setdefault(self.sink.compared_column(name), name)
            problem = self.sink.column_problem(name)
            if problem is None and other != name:
                problem = f"the column {name!r} differs from {other!r} only in case"
            if problem is not None:
                problems[name] = problem
        return problems

    def _computes_columns(self, table: TableId) -> bool:
        rule = first_transform(self.transforms, table)
        return rule is not None and computes(rule)

    def accepted(
        self, found: Iterable[tuple[TableId, TableSchema]], known: Mapping[TableId, TableSchema]
    ) -> list[tuple[TableId, TableSchema]]:
        """Return schemas of several tasks without the names that the sink cannot have beside those of others.

        A record with such a name is malformed as soon as the sink has the others.

        Args:
            found: Schemas in order; the first of names that exclude each other counts.
            known: Source tables that the sink has.
        """
        schemas = dict(known)
        accepted = []
        for table, schema in found:
            if table not in schemas and self.problem_of_table(table, schemas) is not None:
                continue
            before = schemas.get(table)
            had = set() if before is None else set(before.names)
            names = [name for name in dict.fromkeys((*schema.primary_key, *schema.names)) if name not in had]
            problems = self.problems_of_columns(table, names, schemas)
            if problems.keys().isdisjoint(schema.primary_key):
                columns = tuple(column for column in schema.columns if column.name not in problems)
                narrowed = attrs.evolve(schema, columns=columns)
                schemas[table] = narrowed if before is None else merged(before, narrowed)
                accepted.append((table, narrowed))
        return accepted

    def sends(self, change: SchemaChange) -> bool:
        """Return whether the sink receives a change."""
        return self.sink.follows(_TYPES[type(change)])


def _topics_read(spec: PipelineSpec) -> frozenset[str]:
    """Return the topics that a pipeline reads from its sink's brokers; none if a pattern selects them."""
    if not isinstance(spec.source, KafkaPipelineSource) or not isinstance(spec.sink, KafkaPipelineSink):
        return frozenset()
    source, sink = spec.source.source, spec.sink.sink
    if set(source.bootstrap_servers.split(",")).isdisjoint(sink.bootstrap_servers.split(",")):
        return frozenset()
    return frozenset(source.subscription.topics) if isinstance(source.subscription, TopicList) else frozenset()
