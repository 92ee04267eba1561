"""``Table``: a query, at PyFlink's path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

from kafkastream.model.common.html import html_table
from kafkastream.model.common.stand_ins import Refused
from kafkastream.sql.catalog import name_of
from kafkastream.sql.plan.operations import TimeAttribute
from kafkastream.sql.plan.relations import Field
from kafkastream.sql.quoting import quoted
from kafkastream.sql.syntax.statements import Insert
from kafkastream.table.api.column_operations import ColumnOperations
from kafkastream.table.api.data_frames import data_frame
from kafkastream.table.api.grouped_rows import Grouping
from kafkastream.table.api.joined_rows import JoinOperations
from kafkastream.table.api.row_operations import RowOperations
from kafkastream.table.expression import Expression
from kafkastream.table.resolved_columns import Column
from kafkastream.table.resolved_schema import ResolvedSchema
from kafkastream.table.session.explain import explain_plans
from kafkastream.table.table_descriptor import TableDescriptor
from kafkastream.table.table_result import TableResult
from kafkastream.table.table_schema import TableSchema

if TYPE_CHECKING:
    import pandas

from kafkastream.table.explain_detail import ExplainDetail
from kafkastream.table.grouped_tables import (
    AggregatedTable,
    FlatAggregateTable,
    GroupedTable,
    GroupWindowedTable,
    OverWindowedTable,
    WindowGroupedTable,
)
from kafkastream.table.session.session_planner import Plan
from kafkastream.table.table_pipeline import TablePipeline
from kafkastream.table.window import GroupWindow, OverWindow

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
class Table(ColumnOperations, JoinOperations, RowOperations):
    """Query; nothing runs before ``execute`` or ``execute_insert``.

    Made by ``sql_query`` and ``from_path``, and by the methods of other tables, which build the same plan as SQL does.

    Example:
        >>> from kafkastream.table import EnvironmentSettings, TableEnvironment
        >>> from kafkastream.table.expressions import col
        >>> t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
        >>> orders = t_env.from_elements([(1, 7.5), (1, 2.5), (2, 1.0)], ["customer", "price"])
        >>> totals = orders.group_by(col("customer")).select(col("customer"), col("price").sum.alias("total"))
        >>> totals.print_schema()
        (
          `customer` BIGINT,
          `total` DOUBLE
        )
    """

    _j_table = Refused()

    def __str__(self) -> str:
        """Register the query as a temporary view, and return its name for SQL text: ``f"SELECT * FROM {table}"``."""
        if not self._name:
            self._name = f"UnnamedTable${next(self._t_env._numbers)}"
            self._t_env.create_temporary_view(self._name, self)
        return self._name

    def _repr_html_(self) -> str:
        """Return names and types of the columns as a table for a notebook; the query does not run."""
        return html_table(["column", "type"], [(field.name, str(field.type)) for field in self._fields])

    def __getattr__(self, name: str) -> Expression[Any]:
        """Return the column of a name, as an expression: ``table.price``."""
        if name.startswith("_"):
            raise AttributeError(f"'Table' object has no attribute {name!r}")
        if name not in self._names:
            columns = ", ".join(self._names)
            raise AttributeError(f"The current table has no column named '{name}', available columns: [{columns}]")
        return Expression(name)

    def group_by(self, *fields: Any) -> GroupedTable:
        """Group the rows by keys; ``select`` of the result takes aggregates.

        Args:
            fields: Columns and other expressions.

        Raises:
            DefinitionError: A key is invalid.
        """
        return GroupedTable(Grouping.of(self, fields))

    groupBy = group_by

    def window(self, window: GroupWindow) -> GroupWindowedTable:
        """Put the rows into windows, which ``group_by`` of the result has to name.

        Args:
            window: Window, made by ``Tumble``, ``Slide`` or ``Session``.
        """
        return GroupWindowedTable(self, window)

    def over_window(self, *over_windows: OverWindow) -> OverWindowedTable:
        """Declare windows of the rows before each row, which ``over`` names in ``select`` of the result.

        Args:
            over_windows: Windows, made by ``Over``.
        """
        return OverWindowedTable(self, over_windows)

    overWindow = over_window

    def aggregate(self, func: Any) -> AggregatedTable:
        """Aggregate all rows with a function, whose result row becomes columns.

        Args:
            func: Call of an aggregate function, with the names of its columns: ``f(col("a")).alias("b", "c")``. A
                function alone takes the whole rows.
        """
        return AggregatedTable(Grouping(self, ()), func)

    def flat_aggregate(self, func: Any) -> FlatAggregateTable:
        """Aggregate all rows with a function that emits any number of rows.

        Args:
            func: Call of a table aggregate function, or a function alone, which takes the whole rows.
        """
        return FlatAggregateTable(Grouping(self, ()), func)

    flatAggregate = flat_aggregate

    def get_schema(self) -> TableSchema:
        """Return names and types of the columns."""
        fields = self._fields
        return TableSchema([field.name for field in fields], [field.type for field in fields])

    getSchema = get_schema

    def get_resolved_schema(self) -> ResolvedSchema:
        """Return the columns with their types."""
        return ResolvedSchema.of(Column.physical(field.name, field.type) for field in self._fields)

    getResolvedSchema = get_resolved_schema

    def print_schema(self) -> None:
        """Print names and types of the columns, as Flink does."""
        columns = ",\n".join(map(_declared, self._fields))
        print(f"(\n{columns}\n)")  # noqa: T201

    printSchema = print_schema

    def execute(self) -> TableResult:
        """Return the query's result, whose rows are taken with ``collect`` or ``print``.

        Raises:
            KafkastreamError: The job cannot start.
        """
        return self._t_env._show(self._shown)

    def to_pandas(self) -> pandas.DataFrame:
        """Run the query, which has to be bounded, and return its rows as a DataFrame.

        Rows that are updated or deleted are so in the result, too.

        Raises:
            KafkastreamError: The job cannot start, or fails.
        """
        with self.execute().collect() as rows:
            return data_frame(rows, self.get_schema(), self._t_env.get_config().get_local_timezone())

    toPandas = to_pandas

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

    def insert_into(self, table_path_or_descriptor: str | TableDescriptor, overwrite: bool = False) -> TablePipeline:
        """Return the query with its sink table, to be executed or added to a ``StatementSet``.

        Args:
            table_path_or_descriptor: Name of the sink table, or its descriptor.
            overwrite: Not supported.

        Raises:
            UnsupportedFeatureError: With ``overwrite``.
        """
        return TablePipeline(self._t_env, self._insert(table_path_or_descriptor, "insert_into", overwrite=overwrite))

    insertInto = insert_into

    def explain(self, *extra_details: ExplainDetail) -> str:
        """Return the query's plan, as EXPLAIN prints it.

        Args:
            extra_details: No effect: the plan has the changelog mode in any case, and no costs.
        """
        return explain_plans(self._t_env._planner, [self._shown])

    def print_explain(self, *extra_details: ExplainDetail) -> None:
        """Print the query's plan.

        Args:
            extra_details: As of ``explain``.
        """
        print(self.explain(*extra_details))  # noqa: T201

    printExplain = print_explain

    @property
    def _shown(self) -> Plan:
        """Plan of the query, whose rows the program collects."""
        self._relation  # noqa: B018 - the error names the method that made the table
        return self._t_env._planner.shown(self._query)

    def _insert(self, target: str | TableDescriptor, where: str, *, overwrite: bool) -> Insert:
        if overwrite:
            from kafkastream.errors import UnsupportedFeatureError

            raise UnsupportedFeatureError(
                "INSERT OVERWRITE: a topic's records stay", where=where, now="Leave overwrite out."
            )
        self._relation  # noqa: B018 - the error names the method that made the table
        if isinstance(target, str):
            return Insert(target=name_of(target), query=self._query)
        rows = self.get_schema()
        descriptor = target._behind(rows.get_field_names(), rows.get_field_data_types())
        return Insert(target=self._t_env._inline(descriptor, where), query=self._query)


def _declared(field: Field) -> str:
    time = "" if field.time is None else " *ROWTIME*" if field.time is TimeAttribute.EVENT else " *PROCTIME*"
    return f"  {quoted(field.name)} {field.type}{time}"
