"""``TablePipeline``: a query and its sink table, at PyFlink's path."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn, final

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.sql.syntax.statements import Insert
from kafkastream.table.compiled_plan import CompiledPlan
from kafkastream.table.explain_detail import ExplainDetail
from kafkastream.table.object_paths import ObjectIdentifier
from kafkastream.table.session.explain import explain_plans
from kafkastream.table.table_result import TableResult

if TYPE_CHECKING:
    from kafkastream.table.environment import TableEnvironment

__all__ = [
    "CompiledPlan",
    "ExplainDetail",
    "TablePipeline",
    "TableResult",
]


@final
class TablePipeline:
    """Query and its sink table, made by ``Table.insert_into``.

    Args:
        t_env: Environment.
        insert: INSERT statement.
    """

    def __init__(self, t_env: TableEnvironment, insert: Insert) -> None:
        self._t_env = t_env
        self._insert = insert

    def execute(self) -> TableResult:
        """Start a job that inserts the rows, and return at once.

        Raises:
            KafkastreamError: The job cannot start.
        """
        return self._t_env._start([self._t_env._planner.insert(self._insert)])

    def explain(self, *extra_details: ExplainDetail) -> str:
        """Return the plan, as EXPLAIN prints it.

        Args:
            extra_details: No effect: the plan has the changelog mode in any case, and no costs.

        Raises:
            DefinitionError: The columns do not match, or the sink table does not take changes.
        """
        return explain_plans(self._t_env._planner, [self._t_env._planner.insert(self._insert)])

    def print_explain(self, *extra_details: ExplainDetail) -> None:
        """Print the plan.

        Args:
            extra_details: No effect: the plan has the changelog mode in any case, and no costs.
        """
        print(self.explain(*extra_details))  # noqa: T201

    printExplain = print_explain

    def get_sink_identifier(self) -> ObjectIdentifier:
        """Return the name of the sink table."""
        return ObjectIdentifier(*self._t_env._catalog.path(self._insert.target))

    getSinkIdentifier = get_sink_identifier

    def compile_plan(self) -> NoReturn:
        """Refused: a job resumes from its checkpoint directory.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise UnsupportedFeatureError(
            "compiled plans", where="TablePipeline.compile_plan", now="Execute the statement again: the job resumes."
        )

    compilePlan = compile_plan
