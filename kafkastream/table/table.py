"""A query as a table, at PyFlink's path."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from kafkastream.sql.catalog import name_of
from kafkastream.sql.query.relations import Relation
from kafkastream.sql.syntax.statements import Insert
from kafkastream.sql.table import Expression
from kafkastream.table.explaining import explained
from kafkastream.table.table_result import TableResult
from kafkastream.table.table_schema import TableSchema

if TYPE_CHECKING:
    from kafkastream.table.environment import TableEnvironment

__all__ = ["Table"]


@final
class Table:
    """What a query gives; nothing runs before ``execute``.

    Differs from PyFlink: there are no methods for parts of queries (``select``, ``where``); write them in SQL.
    """

    def __init__(self, t_env: TableEnvironment, query: Expression, relation: Relation) -> None:
        self._t_env = t_env
        self._query = query
        self._relation = relation

    def get_schema(self) -> TableSchema:
        """The columns."""
        fields = self._relation.fields
        return TableSchema([field.name for field in fields], [field.type for field in fields])

    getSchema = get_schema

    def print_schema(self) -> None:
        """Print the columns."""
        print(self.get_schema())  # noqa: T201

    printSchema = print_schema

    def execute(self) -> TableResult:
        """Run the query; its rows come with ``collect`` or ``print`` of the result.

        Raises:
            KafkastreamError: The job cannot start.
        """
        return self._t_env._show(self._t_env._planner.shown(self._query))

    def execute_insert(self, table_path: str, overwrite: bool = False) -> TableResult:
        """Write the rows to a table; the job has started when this returns.

        Raises:
            DefinitionError: The table has other columns, or takes no changes.
            KafkastreamError: The job cannot start.
        """
        return self._t_env._start([self._t_env._planner.insert(self._insert(table_path, overwrite=overwrite))])

    executeInsert = execute_insert

    def explain(self) -> str:
        """What would run."""
        return explained([self._t_env._planner.shown(self._query)])

    def _insert(self, table_path: str, *, overwrite: bool) -> Insert:
        if overwrite:
            from kafkastream.errors import UnsupportedFeatureError

            raise UnsupportedFeatureError("INSERT OVERWRITE: a topic's records stay", now="Leave overwrite out.")
        return Insert(target=name_of(table_path), query=self._query)
