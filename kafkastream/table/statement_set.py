"""``StatementSet``: INSERT statements that start and stop together, at PyFlink's path."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn, final

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.sql.syntax.parser import parse_one
from kafkastream.sql.syntax.statements import Insert
from kafkastream.table.session.explain import explain_plans
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
    """Set of INSERT statements that are executed as one job.

    Differs from Flink: each INSERT is a query of its own and reads its tables itself, even those that others read too.
    """

    def __init__(self, t_env: TableEnvironment) -> None:
        self._t_env = t_env
        self._inserts: list[Insert] = []

    def add_insert_sql(self, stmt: str) -> StatementSet:
        """Add an INSERT statement.

        Args:
            stmt: INSERT INTO ... SELECT or VALUES.

        Raises:
            DefinitionError: The statement is not an INSERT, or is invalid.
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
        """Add an INSERT of a table's rows.

        Args:
            target_path_or_descriptor: Name of the sink table, or its descriptor.
            table: Query whose rows are inserted.
            overwrite: Not supported.

        Raises:
            DefinitionError: The columns do not match, or the sink table does not take changes.
            UnsupportedFeatureError: With ``overwrite``.
        """
        self._inserts.append(table._insert(target_path_or_descriptor, "add_insert", overwrite=overwrite))
        return self

    addInsert = add_insert

    def add(self, table_pipeline: TablePipeline) -> StatementSet:
        """Add a query and its sink table.

        Args:
            table_pipeline: Query with its sink table, from ``Table.insert_into``.
        """
        self._inserts.append(table_pipeline._insert)
        return self

    def explain(self, *extra_details: ExplainDetail) -> str:
        """Return the plans of all statements, as EXPLAIN prints them.

        Args:
            extra_details: No effect: the plan has the changelog mode in any case, and no costs.
        """
        planner = self._t_env._planner
        return explain_plans(planner, [planner.insert(statement) for statement in self._inserts])

    def print_explain(self, *extra_details: ExplainDetail) -> None:
        """Print the plans of all statements.

        Args:
            extra_details: No effect: the plan has the changelog mode in any case, and no costs.
        """
        print(self.explain(*extra_details))  # noqa: T201

    printExplain = print_explain

    def attach_as_datastream(self) -> None:
        """Add all statements to the streams of a ``StreamTableEnvironment``, whose ``execute`` starts them, and empty the
        set.

        Raises:
            DefinitionError: The environment has no streams.
        """
        plans = [self._t_env._planner.insert(one) for one in self._inserts]
        self._t_env._attach(plans)
        self._inserts = []

    attachAsDataStream = attach_as_datastream

    def compile_plan(self) -> NoReturn:
        """Refused: a job resumes from its checkpoint directory.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise UnsupportedFeatureError(
            "compiled plans", where="StatementSet.compile_plan", now="Execute the statements again: the job resumes."
        )

    compilePlan = compile_plan

    def execute(self) -> TableResult:
        """Start all statements as one job, and empty the set.

        Raises:
            DefinitionError: The set is empty.
            KafkastreamError: The job cannot start.
        """
        if not self._inserts:
            raise DefinitionError("the statement set is empty", now="Add an INSERT.")
        plans = [self._t_env._planner.insert(one) for one in self._inserts]
        self._inserts = []
        return self._t_env._start(plans)
