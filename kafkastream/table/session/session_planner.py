"""Planning in a session: resolves the tables of a query, plans it, and builds the job graph of INSERT statements."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.graph.job_graph import JobGraph
from kafkastream.options.job import RUNTIME_MODE
from kafkastream.options.table_config import IDLE_TIMEOUT, NOT_NULL_ENFORCER, STATE_TTL
from kafkastream.sql.catalog import SessionCatalog
from kafkastream.sql.connectors import TableSink, sink_of
from kafkastream.sql.expressions.built_in_names import is_built_in
from kafkastream.sql.plan.insert_rows import inserted
from kafkastream.sql.plan.planning_catalog import ResolvedTable, View
from kafkastream.sql.plan.query_node import QuerySettings, Target, query_graph
from kafkastream.sql.plan.relations import Relation
from kafkastream.sql.plan.sink_changes import consumed
from kafkastream.sql.planner.computed_columns import resolve_table
from kafkastream.sql.planner.query_planner import plan_query
from kafkastream.sql.session_functions import PYTHON_FUNCTIONS, NamedFunction, SessionFunctions
from kafkastream.sql.syntax.statements import Insert
from kafkastream.sql.table import Expression, TableDefinition
from kafkastream.table.environment_settings import batch_mode_error
from kafkastream.table.table_config import TableConfig

__all__ = ["Plan", "SessionPlanner"]


@final
@attrs.frozen
class Plan:
    """Query and its sink.

    Args:
        relation: Root of the query plan, with the columns and changelog of the sink.
        target: Sink; without one, rows come to the program.
    """

    relation: Relation
    target: Target = attrs.field(factory=Target)


@final
@attrs.frozen
class SessionPlanner:
    """Plans queries over the tables of a session; implements ``kafkastream.sql.plan.planning_catalog.Catalog``.

    Args:
        catalog: Tables and views.
        config: Settings of the session.
        functions: User-defined functions.
    """

    catalog: SessionCatalog
    config: TableConfig
    functions: SessionFunctions = attrs.field(factory=SessionFunctions)

    @property
    def database(self) -> str:
        """Return the name of the current database."""
        return self.catalog.current[1]

    def table(self, path: tuple[str, ...]) -> ResolvedTable | View | None:
        """Resolve the name of a table or view; None if there is none."""
        found = self.catalog.find(path)
        return resolve_table(found, self) if isinstance(found, TableDefinition) else found

    def tables(self) -> Sequence[str]:
        """Return the names of all tables and views."""
        return self.catalog.names()

    def function(self, path: tuple[str, ...]) -> NamedFunction | None:
        """Resolve the name of a user-defined function.

        Flink's order: temporary system functions, built-in functions, functions of a catalog.
        """
        system = self.functions.find_system(path[0]) if len(path) == 1 else None
        if system is not None or (len(path) == 1 and is_built_in(path[0])):
            return system
        return self.functions.find(self.catalog.path(path))

    def of(self, query: Expression) -> SessionPlanner:
        """Return a planner that resolves names as at the time and place of the query's definition."""
        planner: SessionPlanner = self if query.names is None else query.names
        space = query.space
        return planner if space is None else attrs.evolve(planner, catalog=attrs.evolve(planner.catalog, current=space))

    def as_it_is(self) -> SessionPlanner:
        """Return a snapshot, which later CREATE and DROP statements do not change."""
        return attrs.evolve(self, catalog=self.catalog.copy(), functions=self.functions.copy())

    def query(self, text: Expression, *, is_view: bool = False) -> Relation:
        """Plan a query.

        Args:
            text: The query.
            is_view: Whether the query is a view's, in which an ORDER BY without a limit means nothing.

        Raises:
            KafkastreamError: The query is invalid, or not supported.
        """
        catalog, zone = self.of(text), self.config.get_local_timezone()
        return plan_query(text, catalog, zone=zone, ttl_ms=self._ttl_ms, is_top=not is_view)

    def shown(self, text: Expression) -> Plan:
        """Plan a query whose rows the program collects.

        Raises:
            KafkastreamError: The query is invalid, or not supported.
        """
        return Plan(consumed(self.query(text), None, None, self._ttl_ms))

    def insert(self, statement: Insert) -> Plan:
        """Plan an INSERT statement.

        Raises:
            KafkastreamError: The query or the table is invalid, or the query's columns do not match the table's.
        """
        where = f"INSERT INTO {'.'.join(statement.target)}, {statement.position}"
        self.catalog.check_writable(statement.target, where)
        definition = self.catalog.get(statement.target, where)
        if not isinstance(definition, TableDefinition):
            raise DefinitionError(
                f"'{'.'.join(statement.target)}' is a view, which cannot be written to",
                where=where,
                now="Name a table.",
            )
        definition = attrs.evolve(definition, options=FrozenMap({**definition.options, **statement.options}))
        sink = sink_of(definition)
        return self.written(self.query(statement.query), definition, sink, statement)

    def written(self, relation: Relation, definition: TableDefinition, sink: TableSink, statement: Insert) -> Plan:
        """Plan the conversion of a query's rows to the columns and changelog of a sink.

        Args:
            relation: Planned query.
            definition: Sink table.
            sink: Connector of the sink table.
            statement: INSERT statement, for its columns and position.
        """
        rows = inserted(relation, definition, statement.columns, statement.position)
        changes = consumed(rows, sink, definition, self._ttl_ms, statement.position)
        return Plan(changes, Target(sink, definition))

    def graph(self, plans: Sequence[Plan]) -> JobGraph:
        """Build the job graph of queries that start and stop together.

        Raises:
            UnsupportedFeatureError: The runtime mode is not STREAMING, whose results are changes.
        """
        if self.config.get_configuration().get(RUNTIME_MODE) != RUNTIME_MODE.default:
            raise batch_mode_error(RUNTIME_MODE.key)
        ids, settings = itertools.count(1), self.settings
        graphs = [query_graph(plan.relation, plan.target, settings, ids) for plan in plans]
        return JobGraph(tuple(itertools.chain.from_iterable(graph.nodes for graph in graphs))).with_dead_letters()

    @property
    def settings(self) -> QuerySettings:
        """Execution settings of queries, read from the session's."""
        configuration = self.config.get_configuration()
        return QuerySettings(
            time_zone=self.config.get_local_timezone(),
            idle_timeout_ms=configuration.get(IDLE_TIMEOUT),
            drops_null=configuration.get(NOT_NULL_ENFORCER) == "DROP",
            functions=FrozenMap({**PYTHON_FUNCTIONS, **self.functions.known}),
        )

    @property
    def _ttl_ms(self) -> int:
        return self.config.get_configuration().get(STATE_TTL)
