"""Methods of ``TableEnvironment`` that declare tables without SQL: from descriptors, and from rows."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from kafkastream.model.common.watermark_strategy import WatermarkStrategy
from kafkastream.model.graph.job_graph import CollectionSource, SourceNode
from kafkastream.sql.catalog import anonymous, name_of
from kafkastream.sql.connectors.stream import stream_schema
from kafkastream.sql.inferred_types import inferred_row
from kafkastream.sql.quoting import quoted
from kafkastream.sql.table import Expression, PhysicalColumn, TableDefinition, TableSchema
from kafkastream.sql.table_stream import TableStream
from kafkastream.sql.type_information import row_type_info
from kafkastream.sql.types import DataType, Kind, RowField
from kafkastream.table.api.pandas_rows import pandas_rows
from kafkastream.table.schema import Schema
from kafkastream.table.session.session_planner import SessionPlanner
from kafkastream.table.table import Table
from kafkastream.table.table_descriptor import TableDescriptor

if TYPE_CHECKING:
    import pandas

__all__ = ["DescriptorEnvironment"]


class DescriptorEnvironment(ABC):
    """Part of ``TableEnvironment`` that takes table descriptors and rows."""

    _planner: SessionPlanner

    def __init__(self) -> None:
        self._unnamed = itertools.count(1)

    def from_descriptor(self, descriptor: TableDescriptor) -> Table:
        """Return an anonymous table of a descriptor; each call creates another one.

        Args:
            descriptor: Table with columns.

        Raises:
            DefinitionError: The descriptor has no columns, or is invalid.
        """
        return self._all_of(self._inline(descriptor, "from_descriptor"))

    fromDescriptor = from_descriptor

    def create_table(self, path: str, descriptor: TableDescriptor, ignoreIfExists: bool = False) -> None:  # noqa: N803 - PyFlink's
        """Create a table, like ``CREATE TABLE``.

        Differs from Flink: the table lives as long as the environment.

        Args:
            path: Name, with or without catalog and database.
            descriptor: Table with columns.
            ignoreIfExists: Keep an existing table of this name instead of raising.

        Raises:
            DefinitionError: A table or view of this name exists, or the descriptor is invalid.
        """
        self._declare(
            name_of(path), descriptor, f"create_table({path!r})", temporary=False, if_not_exists=ignoreIfExists
        )

    createTable = create_table

    def create_temporary_table(self, path: str, descriptor: TableDescriptor, ignoreIfExists: bool = False) -> None:  # noqa: N803 - PyFlink's
        """Create a temporary table, like ``CREATE TEMPORARY TABLE``; it hides a permanent one of its name.

        Args:
            path: Name, with or without catalog and database.
            descriptor: Table with columns.
            ignoreIfExists: Keep an existing temporary table of this name instead of raising.

        Raises:
            DefinitionError: A temporary table or view of this name exists, or the descriptor is invalid.
        """
        where = f"create_temporary_table({path!r})"
        self._declare(name_of(path), descriptor, where, temporary=True, if_not_exists=ignoreIfExists)

    createTemporaryTable = create_temporary_table

    def from_elements(
        self, elements: Iterable[Any], schema: DataType | Sequence[str] | None = None, verify_schema: bool = True
    ) -> Table:
        """Create a table of rows that the program holds.

        Same as in PyFlink: without types, they are inferred from the values (``int`` is BIGINT, ``datetime``
        TIMESTAMP_LTZ), and columns without names are ``_1``, ``_2`` and so on.
        Differs from PyFlink: values are always verified, when the query runs; in one
        query with a Kafka table, such a table needs a stateful operation, such as a join.

        Args:
            elements: Rows, tuples, lists or dicts; for a type other than ROW, the values of the single column
                ``value``.
            schema: Columns as a ROW type, or their names.
            verify_schema: No effect; values are always verified.

        Raises:
            DefinitionError: The types cannot be inferred.
            UnsupportedFeatureError: A type cannot be held in such a table.

        Example:
            >>> from kafkastream.table import EnvironmentSettings, TableEnvironment
            >>> t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
            >>> t_env.from_elements([(1, "pen"), (2, "ink")], ["id", "name"]).print_schema()
            (
              `id` BIGINT,
              `name` STRING
            )
        """
        rows: tuple[Any, ...] = tuple(elements)
        if not isinstance(schema, DataType):
            schema = inferred_row(rows, schema)
        elif schema.kind is not Kind.ROW:
            rows = tuple((value,) for value in rows)
            schema = DataType.of(Kind.ROW, fields=(RowField("value", schema),))
        type_info = row_type_info((field.name, field.type) for field in schema.fields)
        source = SourceNode(
            id=1, name="Elements", source=CollectionSource(rows), watermarks=WatermarkStrategy.no_watermarks()
        )
        columns = TableSchema(tuple(PhysicalColumn(field.name, field.type) for field in schema.fields))
        return self._of_stream(TableStream((source,), type_info), columns, "from_elements")

    fromElements = from_elements

    def from_pandas(
        self,
        pdf: pandas.DataFrame,
        schema: DataType | Sequence[str] | Sequence[DataType] | None = None,
        splits_num: int = 1,
    ) -> Table:
        """Create a table of the rows of a DataFrame; NaN and None are NULL, as in PyFlink.

        Differs from PyFlink: times have 6 fractional digits where PyFlink has 9.

        Args:
            pdf: DataFrame; its index is left out.
            schema: Columns as a ROW type, their names, or their types; by default, those of the DataFrame.
            splits_num: No effect; rows are read as one part.

        Raises:
            DefinitionError: ``pdf`` is not a DataFrame, or the columns do not match.
            UnsupportedFeatureError: A type cannot be held in such a table.

        Example:
            >>> import pandas
            >>> from kafkastream.table import EnvironmentSettings, TableEnvironment
            >>> t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
            >>> t_env.from_pandas(pandas.DataFrame({"id": [1, 2], "name": ["pen", None]})).print_schema()
            (
              `id` BIGINT,
              `name` STRING
            )
        """
        return self.from_elements(*pandas_rows(pdf, schema))

    fromPandas = from_pandas

    def _declare(
        self,
        name: tuple[str, ...],
        descriptor: TableDescriptor,
        where: str,
        *,
        temporary: bool,
        if_not_exists: bool = False,
    ) -> None:
        definition = descriptor._definition(self._planner.catalog.path(name), where)
        self._planner.catalog.create(name, definition, where, temporary=temporary, if_not_exists=if_not_exists)

    def _inline(self, descriptor: TableDescriptor, where: str) -> tuple[str, ...]:
        """Create an anonymous table of a descriptor, and return its path."""
        name = self._planner.catalog.path((anonymous(descriptor._options["connector"], next(self._unnamed)),))
        self._declare(name, descriptor, where, temporary=True)
        return name

    def _all_of(self, name: tuple[str, ...]) -> Table:
        return self._table(Expression(f"SELECT * FROM {quoted(*name)}"), name)  # noqa: S608 - the user's own

    def _of_stream(self, stream: TableStream, declared: TableSchema, where: str) -> Table:
        """Create an anonymous table of a stream."""
        whole = stream_schema(stream.type_info, declared, where)
        schema = Schema(whole)._checked(where)
        path = self._planner.catalog.path((anonymous("datastream_source", next(self._unnamed)),))
        definition = TableDefinition(path, schema, stream=stream)
        self._planner.catalog.create(path, definition, where, temporary=True, if_not_exists=False)
        if len(whole.columns) == len(declared.columns) or not declared.physical:
            return self._all_of(path)
        names = ", ".join(quoted(column.name) for column in declared.columns)
        return self._table(Expression(f"SELECT {names} FROM {quoted(*path)}"))  # noqa: S608 - the user's own

    @abstractmethod
    def _table(self, query: Expression, path: tuple[str, ...] = ()) -> Table: ...
