"""Statements that start and stop together, at PyFlink's path."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from kafkastream.errors import DefinitionError
from kafkastream.sql.syntax.parser import parse_one
from kafkastream.sql.syntax.statements import Insert
from kafkastream.table.explaining import explained
from kafkastream.table.table import Table
from kafkastream.table.table_descriptor import TableDescriptor
from kafkastream.table.table_result import TableResult

if TYPE_CHECKING:
    from kafkastream.table.environment import TableEnvironment

from kafkastream.table.compiled_plan import CompiledPlan
from kafkastream.table.explain_detail import ExplainDetail
from kafkastream.table.table_pipeline import TablePipeline

__all__ = [
    "CompiledPlan",
    "ExplainDetail",
    "StatementSet",
    "TablePipeline",
]


@final
class StatementSet:
    """Collects INSERTs, and starts them as one job.

    Differs from Flink: each INSERT is a query of its own and reads its tables itself; they start and stop together.
    """

    def __init__(self, t_env: TableEnvironment) -> None:
        self._t_env = t_env
        self._inserts: list[Insert] = []

    def add_insert_sql(self, stmt: str) -> StatementSet:
        """Add an INSERT statement.

        Raises:
            DefinitionError: It is no INSERT, or is wrong.
        """
        statement = parse_one(stmt)
        if not isinstance(statement, Insert):
            raise DefinitionError("Only insert statement is supported now.", now="Use execute_sql for others.")
        self._inserts.append(statement)
        return self

    addInsertSql = add_insert_sql

    def add_insert(
        self, target_path_or_descriptor: str | TableDescriptor, table: Table, overwrite: bool = False
    ) -> StatementSet:
        """Add the rows of a table; arguments as with ``Table.execute_insert``."""
        self._inserts.append(table._insert(target_path_or_descriptor, "add_insert", overwrite=overwrite))
        return self

    addInsert = add_insert

    def explain(self) -> str:
        """What would run."""
        return explained([self._t_env._planner.insert(one) for one in self._inserts])

    def execute(self) -> TableResult:
        """Start all; the set is empty then.

        Raises:
            KafkastreamError: The job cannot start.
        """
        if not self._inserts:
            raise DefinitionError("the statement set is empty", now="Add an INSERT.")
        plans = [self._t_env._planner.insert(one) for one in self._inserts]
        self._inserts = []
        return self._t_env._start(plans)
