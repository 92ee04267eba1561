"""``Table``: a query, at PyFlink's path."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from kafkastream.model.common.stand_ins import Refused
from kafkastream.sql.catalog import name_of
from kafkastream.sql.plan.relations import Relation
from kafkastream.sql.syntax.statements import Insert
from kafkastream.sql.table import Expression
from kafkastream.table.explain import explain_plans
from kafkastream.table.table_descriptor import TableDescriptor
from kafkastream.table.table_result import TableResult
from kafkastream.table.table_schema import TableSchema

if TYPE_CHECKING:
    from kafkastream.table.environment import TableEnvironment

from kafkastream.table.explain_detail import ExplainDetail
from kafkastream.table.grouped_tables import (
    AggregatedTable,
    FlatAggregateTable,
    GroupedTable,
    GroupWindowedTable,
    OverWindowedTable,
    WindowGroupedTable,
)
from kafkastream.table.table_pipeline import TablePipeline

__all__ = [
    "AggregatedTable",
    "ExplainDetail",
    "FlatAggregateTable",
    "GroupWindowedTable",
    "GroupedTable",
    "OverWindowedTable",
    "Table",
    "TablePipeline",
    "WindowGroupedTable",
]


@final
class Table:
    """Query; nothing runs before ``execute`` or ``execute_insert``.

    Differs from PyFlink: methods of the Table API (``select``, ``where``) are not supported; write the query in SQL.
    """

    _j_table = Refused()

    def __init__(self, t_env: TableEnvironment, query: Expression, relation: Relation) -> None:
        self._t_env = t_env
        self._query = query
        self._relation = relation
        self._name = ""

    def __str__(self) -> str:
        """Register the query as a temporary view, and return its name for SQL text: ``f"SELECT * FROM {table}"``."""
        if not self._name:
            self._name = f"UnnamedTable${next(self._t_env._names)}"
            self._t_env.create_temporary_view(self._name, self)
        return self._name

    def get_schema(self) -> TableSchema:
        """Return names and types of the columns."""
        fields = self._relation.fields
        return TableSchema([field.name for field in fields], [field.type for field in fields])

    getSchema = get_schema

    def print_schema(self) -> None:
        """Print names and types of the columns."""
        print(self.get_schema())  # noqa: T201

    printSchema = print_schema

    def execute(self) -> TableResult:
        """Return the query's result, whose rows are taken with ``collect`` or ``print``.

        Raises:
            KafkastreamError: The job cannot start.
        """
        return self._t_env._show(self._t_env._planner.shown(self._query))

    def execute_insert(self, table_path_or_descriptor: str | TableDescriptor, overwrite: bool = False) -> TableResult:
        """Start a job that inserts the rows into a table, and return at once.

        Args:
            table_path_or_descriptor: Name of the sink table, or its descriptor, which gets the query's columns if it
                declares no physical ones.
            overwrite: Not supported.

        Raises:
            DefinitionError: The columns do not match, or the sink table does not take changes.
            UnsupportedFeatureError: With ``overwrite``.
            KafkastreamError: The job cannot start.
        """
        insert = self._insert(table_path_or_descriptor, "execute_insert", overwrite=overwrite)
        return self._t_env._start([self._t_env._planner.insert(insert)])

    executeInsert = execute_insert

    def explain(self) -> str:
        """Return the query's plan, as EXPLAIN prints it."""
        return explain_plans([self._t_env._planner.shown(self._query)])

    def _insert(self, target: str | TableDescriptor, where: str, *, overwrite: bool) -> Insert:
        if overwrite:
            from kafkastream.errors import UnsupportedFeatureError

            raise UnsupportedFeatureError("INSERT OVERWRITE: a topic's records stay", now="Leave overwrite out.")
        if isinstance(target, str):
            return Insert(target=name_of(target), query=self._query)
        rows = self.get_schema()
        descriptor = target._behind(rows.get_field_names(), rows.get_field_data_types())
        return Insert(target=self._t_env._inline(descriptor, where), query=self._query)
