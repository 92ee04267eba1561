"""From statements to jobs: tables are resolved, queries planned, and what they insert becomes a graph."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.graph.job_graph import JobGraph
from kafkastream.options.table_config import IDLE_TIMEOUT, NOT_NULL_ENFORCER, STATE_TTL
from kafkastream.sql.catalog import SessionCatalog
from kafkastream.sql.connectors import TableSink, sink_of
from kafkastream.sql.expressions.built_in_names import is_built_in
from kafkastream.sql.plan.insert_rows import inserted, written_columns
from kafkastream.sql.plan.planning_catalog import ResolvedTable, Typing, View
from kafkastream.sql.plan.query_node import QuerySettings, Target, query_graph
from kafkastream.sql.plan.relations import Relation
from kafkastream.sql.plan.sink_changes import consumed
from kafkastream.sql.plan.spark_type_names import spark_type
from kafkastream.sql.planner.query_planner import planned
from kafkastream.sql.planner.schema_resolution import resolved
from kafkastream.sql.session_functions import NamedFunction, SessionFunctions
from kafkastream.sql.syntax.statements import Insert
from kafkastream.sql.table import Expression, TableDefinition
from kafkastream.table.table_config import TableConfig

__all__ = ["Plan", "Planner"]


@final
@attrs.frozen
class Plan:
    """A query, and where its rows go.

    Args:
        relation: The query, as the sink takes it.
        target: The sink.
    """

    relation: Relation
    target: Target = attrs.field(factory=Target)


@final
@attrs.frozen
class Planner:
    """Plans queries on the tables of a session (``kafkastream.sql.plan.planning_catalog.Catalog``).

    Args:
        catalog: The tables and views.
        config: The session's settings.
        typing: Makes what knows the types of Spark's expressions, when it is needed.
        functions: The functions of the user.
    """

    catalog: SessionCatalog
    config: TableConfig
    typing: Callable[[], Typing]
    functions: SessionFunctions = attrs.field(factory=SessionFunctions)

    def table(self, path: tuple[str, ...]) -> ResolvedTable | View | None:
        """What a name in a query means."""
        found = self.catalog.find(path)
        return resolved(found, self.typing(), self) if isinstance(found, TableDefinition) else found

    def tables(self) -> Sequence[str]:
        """The names that are known."""
        return self.catalog.names()

    def function(self, path: tuple[str, ...]) -> NamedFunction | None:
        """The function of the user that a name means, by Flink's order: system functions, built-in ones, the others."""
        system = self.functions.find_system(path[0]) if len(path) == 1 else None
        if system is not None or (len(path) == 1 and is_built_in(path[0])):
            return system
        return self.functions.find(self.catalog.path(path))

    def of(self, query: Expression) -> Planner:
        """One that knows what the names in a query mean."""
        planner: Planner = self if query.names is None else query.names
        space = query.space
        return planner if space is None else attrs.evolve(planner, catalog=attrs.evolve(planner.catalog, current=space))

    def as_it_is(self) -> Planner:
        """One whose names keep their meaning, whatever is created and dropped from now on."""
        return attrs.evolve(self, catalog=self.catalog.copy(), functions=self.functions.copy())

    def query(self, text: Expression) -> Relation:
        """A query.

        Raises:
            KafkastreamError: It cannot be understood, or not be run.
        """
        catalog, zone = self.of(text), self.config.get_local_timezone()
        return planned(text, catalog, self.typing(), zone=zone, ttl_ms=self._ttl_ms)

    def shown(self, text: Expression) -> Plan:
        """A query whose rows come to the calling program; errors as with ``query``."""
        return Plan(consumed(self.query(text), None, None, self._ttl_ms))

    def insert(self, statement: Insert) -> Plan:
        """What an INSERT writes.

        Raises:
            KafkastreamError: The query or the table is wrong, or they do not fit.
        """
        where = f"INSERT INTO {'.'.join(statement.target)}, {statement.position}"
        self.catalog.check_writable(statement.target, where)
        definition = self.catalog.get(statement.target, where)
        if not isinstance(definition, TableDefinition):
            raise DefinitionError(
                f"'{'.'.join(statement.target)}' is a view, and cannot be written", where=where, now="Name a table."
            )
        definition = attrs.evolve(definition, options=FrozenMap({**definition.options, **statement.options}))
        sink = sink_of(definition)
        return self.written(self.query(statement.query), definition, sink, statement)

    def written(self, relation: Relation, definition: TableDefinition, sink: TableSink, statement: Insert) -> Plan:
        """The rows of a query as a table takes them."""
        types = [spark_type(column.type) for column in written_columns(definition)]
        rows = inserted(relation, definition, statement.columns, types, statement.position)
        changes = consumed(rows, sink, definition, self._ttl_ms, statement.position)
        return Plan(changes, Target(sink, definition))

    def graph(self, plans: Sequence[Plan]) -> JobGraph:
        """The job of queries that start and stop together."""
        ids, settings = itertools.count(1), self.settings
        graphs = [query_graph(plan.relation, plan.target, settings, ids) for plan in plans]
        return JobGraph(tuple(itertools.chain.from_iterable(graph.nodes for graph in graphs))).with_dead_letters()

    @property
    def settings(self) -> QuerySettings:
        """How queries are to run, by the session's settings."""
        configuration = self.config.get_configuration()
        return QuerySettings(
            time_zone=self.config.get_local_timezone(),
            idle_timeout_ms=configuration.get(IDLE_TIMEOUT),
            drops_null=configuration.get(NOT_NULL_ENFORCER) == "DROP",
            functions=FrozenMap(self.functions.known),
        )

    @property
    def _ttl_ms(self) -> int:
        return self.config.get_configuration().get(STATE_TTL)
