"""``TableEnvironment``: declares tables and executes SQL statements, at PyFlink's path."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import attrs

from kafkastream.datastream.early_checks import check_early, import_engine
from kafkastream.datastream.handing_over import hand_over
from kafkastream.errors import DefinitionError
from kafkastream.metrics.standing import Pace
from kafkastream.model.common.row import Row
from kafkastream.model.common.stand_ins import Refused
from kafkastream.model.graph.job_graph import JobGraph
from kafkastream.model.job.job_result import JobClient, JobSettings
from kafkastream.model.job.job_settings import job_settings
from kafkastream.options.job import JOB_NAME
from kafkastream.options.table_config import DML_SYNC
from kafkastream.sql.catalog import SessionCatalog, name_of
from kafkastream.sql.plan.planning_catalog import View
from kafkastream.sql.syntax.parser import parse, parse_one
from kafkastream.sql.syntax.statements import Insert, Query, Statement
from kafkastream.sql.table import Expression, TableDefinition
from kafkastream.sql.types import DataType, Kind
from kafkastream.table.environment_settings import EnvironmentSettings
from kafkastream.table.explain_detail import ExplainDetail
from kafkastream.table.session.catalog_environment import CatalogEnvironment
from kafkastream.table.session.descriptor_environment import DescriptorEnvironment
from kafkastream.table.session.explain import explain_plans
from kafkastream.table.session.function_environment import FunctionEnvironment
from kafkastream.table.session.session_planner import Plan, SessionPlanner
from kafkastream.table.session.statements import Interpreter
from kafkastream.table.table import Table
from kafkastream.table.table_config import TableConfig
from kafkastream.table.table_result import TableResult

if TYPE_CHECKING:
    from kafkastream.table.statement_set import StatementSet

__all__ = ["TableEnvironment"]


class TableEnvironment(FunctionEnvironment, CatalogEnvironment, DescriptorEnvironment):
    """Entry point of Flink SQL: declares tables and executes statements.

    Differs from PyFlink: tables, views and catalogs live as long as the environment.
    No JVM starts before the first job; planning needs none.

    Example:
        >>> t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
        >>> t_env.execute_sql("CREATE TABLE seen (id BIGINT) WITH ('connector' = 'print')").print()
        OK
        >>> t_env.list_tables()
        ['seen']
    """

    _j_tenv = Refused()

    def __init__(self, config: TableConfig) -> None:
        super().__init__()
        self._config = config
        self._catalog = SessionCatalog()
        self._numbers = itertools.count()
        self._planner = SessionPlanner(self._catalog, config)

    @staticmethod
    def create(environment_settings: EnvironmentSettings) -> TableEnvironment:
        """Create an environment.

        Args:
            environment_settings: Settings, or a ``Configuration`` with Flink's keys.
        """
        return TableEnvironment(TableConfig(environment_settings.get_configuration()))

    def get_config(self) -> TableConfig:
        """Return the settings; changes apply to jobs that are started afterwards."""
        return self._config

    getConfig = get_config

    def execute_sql(self, stmt: str) -> TableResult:
        """Execute one statement.

        INSERT starts a job and returns at once: ``TableResult.wait`` waits for its end. A query starts when its rows
        are taken with ``TableResult.print`` or ``collect``.

        Args:
            stmt: Statement, with or without a semicolon at its end.

        Raises:
            DefinitionError: The statement is invalid; the error names line and column.
            UnsupportedFeatureError: The statement uses a feature that is not supported; the error names an alternative.
            KafkastreamError: The job cannot start.
        """
        return self._execute(parse_one(stmt))

    executeSql = execute_sql

    def sql_query(self, query: str) -> Table:
        """Return a query as a table, which can be executed, inserted into another table, or registered as a view.

        Args:
            query: SELECT, VALUES, WITH or a set operation.

        Raises:
            DefinitionError: The text is not a query, or an invalid one.
            UnsupportedFeatureError: The query uses a feature that is not supported.
        """
        statement = parse_one(query)
        if not isinstance(statement, Query):
            raise DefinitionError(
                "Unsupported SQL query! sqlQuery() only accepts a single SQL query.", now="Use execute_sql."
            )
        return self._table(statement.query)

    sqlQuery = sql_query

    def explain_sql(self, stmt: str, *extra_details: ExplainDetail) -> str:
        """Return the plan of a statement, as EXPLAIN prints it.

        Args:
            stmt: Query or INSERT.
            extra_details: No effect: the plan has the changelog mode in any case, and no costs.

        Raises:
            DefinitionError: The statement is invalid.
            UnsupportedFeatureError: The statement is neither a query nor an INSERT, or uses a feature that is not
                supported.
        """
        statement = parse_one(stmt)
        if not isinstance(statement, (Query, Insert)):
            raise DefinitionError("only queries and INSERT can be explained", now="Use execute_sql.")
        return explain_plans(self._planner, self._interpreter.plans(statement))

    explainSql = explain_sql

    def from_path(self, path: str) -> Table:
        """Return a table or view by name.

        Args:
            path: Name, with or without catalog and database.

        Raises:
            DefinitionError: No table or view has this name.
        """
        name = name_of(path)
        self._catalog.get(name, f"from_path({path!r})")
        return self._all_of(self._catalog.path(name))

    fromPath = from_path

    def create_temporary_view(self, view_path: str, table_or_data_stream: Table, *fields_or_schema: Any) -> None:
        """Register a query as a temporary view.

        Args:
            view_path: Name, with or without catalog and database.
            table_or_data_stream: Query, as returned by ``sql_query``.
            fields_or_schema: None for a query; a stream needs a ``StreamTableEnvironment``.

        Raises:
            DefinitionError: A temporary table or view of this name exists, or the object is not a query.
        """
        table = table_or_data_stream
        if not isinstance(table, Table) or fields_or_schema:
            raise DefinitionError(
                "only a Table can become a view here",
                where=f"create_temporary_view({view_path!r})",
                now="A stream needs a StreamTableEnvironment.",
            )
        view = View(table._query, tuple(table._names))
        name = name_of(view_path)
        self._catalog.create(name, view, f"view {view_path}", temporary=True, if_not_exists=False)

    createTemporaryView = create_temporary_view

    def create_view(self, view_path: str, table: Table, ignore_if_exists: bool = False) -> None:
        """Register a query as a view, like ``CREATE VIEW``.

        Differs from Flink: the view lives as long as the environment.

        Args:
            view_path: Name, with or without catalog and database.
            table: Query.
            ignore_if_exists: Keep an existing view of this name instead of raising.

        Raises:
            DefinitionError: A table or view of this name exists.
        """
        view = View(table._query, tuple(table._names))
        where = f"create_view({view_path!r})"
        self._catalog.create(name_of(view_path), view, where, temporary=False, if_not_exists=ignore_if_exists)

    createView = create_view

    def drop_temporary_view(self, view_path: str) -> bool:
        """Drop a temporary view, and return whether it existed.

        Args:
            view_path: Name, with or without catalog and database.
        """
        return self._drop_temporary(view_path, View)

    dropTemporaryView = drop_temporary_view

    def drop_temporary_table(self, table_path: str) -> bool:
        """Drop a temporary table, and return whether it existed.

        Args:
            table_path: Name, with or without catalog and database.
        """
        return self._drop_temporary(table_path, TableDefinition)

    dropTemporaryTable = drop_temporary_table

    def drop_view(self, view_path: str, ignore_if_not_exists: bool = True) -> bool:
        """Drop a view, and return whether it existed.

        Args:
            view_path: Name, with or without catalog and database.
            ignore_if_not_exists: Return False instead of raising.

        Raises:
            DefinitionError: No view has this name.
        """
        name = name_of(view_path)
        return self._catalog.drop(name, View, view_path, temporary=False, if_exists=ignore_if_not_exists)

    dropView = drop_view

    def drop_table(self, table_path: str, ignore_if_not_exists: bool = True) -> bool:
        """Drop a table, and return whether it existed; its topic or its files stay.

        Args:
            table_path: Name, with or without catalog and database.
            ignore_if_not_exists: Return False instead of raising.

        Raises:
            DefinitionError: No table has this name.
        """
        name = name_of(table_path)
        return self._catalog.drop(name, TableDefinition, table_path, temporary=False, if_exists=ignore_if_not_exists)

    dropTable = drop_table

    def create_statement_set(self) -> StatementSet:
        """Create a set of INSERT statements that start and stop together."""
        from kafkastream.table.statement_set import StatementSet

        return StatementSet(self)

    createStatementSet = create_statement_set

    def list_tables(self) -> list[str]:
        """Return the names of tables and views in the current database."""
        return list(self._catalog.names())

    listTables = list_tables

    def list_views(self) -> list[str]:
        """Return the names of views in the current database."""
        return list(self._catalog.names(View))

    listViews = list_views

    def list_catalogs(self) -> list[str]:
        """Return the names of catalogs."""
        return list(self._catalog.catalogs)

    listCatalogs = list_catalogs

    def list_databases(self) -> list[str]:
        """Return the names of databases in the current catalog."""
        return list(self._catalog.databases)

    listDatabases = list_databases

    def get_current_catalog(self) -> str:
        """Return the catalog of names without one."""
        return self._catalog.current[0]

    getCurrentCatalog = get_current_catalog

    def get_current_database(self) -> str:
        """Return the database of names without one."""
        return self._catalog.current[1]

    getCurrentDatabase = get_current_database

    def use_database(self, database_name: str) -> None:
        """Set the database of names without one.

        Raises:
            DefinitionError: The current catalog has no such database.
        """
        self._catalog.use((database_name,), f"use_database({database_name!r})")

    useDatabase = use_database

    def use_catalog(self, catalog_name: str) -> None:
        """Set the catalog of names without one.

        Raises:
            DefinitionError: No catalog has this name.
        """
        self._catalog.use_catalog(catalog_name, f"use_catalog({catalog_name!r})")

    useCatalog = use_catalog

    def _execute_all(self, text: str) -> Sequence[TableResult]:
        """Execute statements one after another."""
        return [self._execute(statement) for statement in parse(text)]

    def _execute(self, statement: Statement) -> TableResult:
        return self._interpreter.execute(statement)

    @property
    def _interpreter(self) -> Interpreter:
        return Interpreter(self._planner, self._start, self._show)

    def _table(self, query: Expression, path: tuple[str, ...] = ()) -> Table:
        kept = attrs.evolve(query, space=self._catalog.current, names=self._planner.as_it_is())
        return Table(self, kept, self._planner.query(query), path=path)

    def _start(self, plans: Sequence[Plan]) -> TableResult:
        """Start the job of INSERT statements."""
        graph, settings = self._checked_graph(plans)
        from kafkastream.spark.job import engine

        job = JobClient(engine.start(graph, settings))
        targets = [plan.target.table.identifier for plan in plans if plan.target.table is not None]
        columns = [(target, DataType.of(Kind.BIGINT)) for target in targets]
        result = TableResult(columns, [Row(*[-1] * len(targets))], job=job)
        if self._config.get_configuration().get(DML_SYNC):
            result.wait()
        return result

    def _show(self, plan: Plan) -> TableResult:
        """Start the job of a query whose rows the program collects."""
        graph, settings = self._checked_graph([plan])
        from kafkastream.spark.job import engine

        rows = engine.start_and_collect(graph, settings)
        columns = [(field.name, field.type) for field in plan.relation.fields]
        pace = Pace("collect")

        def progress() -> str:
            pace.note(rows.standing())
            return pace.text()

        return TableResult(columns, rows, is_static=False, progress=progress)

    def _checked_graph(self, plans: Sequence[Plan]) -> tuple[JobGraph, JobSettings]:
        """Return the job graph and its settings, after a check of its topics, and import the engine, which takes longer."""
        settings = job_settings(self._config.get_configuration(), self._job_name(plans))
        graph = self._planner.graph(plans)
        hand_over(graph, settings)
        check_early(graph)
        import_engine()
        return graph, settings

    def _attach(self, plans: Sequence[Plan]) -> None:
        """Add INSERT statements to the program's streams.

        Raises:
            DefinitionError: The environment has no streams.
        """
        raise DefinitionError(
            "this environment has no streams", where="attach_as_datastream", now="Use a StreamTableEnvironment."
        )

    def _job_name(self, plans: Sequence[Plan]) -> str | None:
        """Return Flink's default name of a SQL job, or None if ``pipeline.name`` is set."""
        if self._config.get_configuration().contains_key(JOB_NAME.key):
            return None
        targets = [plan.target.table.identifier for plan in plans if plan.target.table is not None]
        return f"insert-into_{','.join(targets)}" if targets else "collect"

    def _drop_temporary(self, path: str, kind: type[TableDefinition] | type[View]) -> bool:
        return self._catalog.drop(name_of(path), kind, path, temporary=True, if_exists=True)
