"""What a table environment does with tables that are declared without SQL."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

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
from kafkastream.table.planning import Planner
from kafkastream.table.schema import Schema
from kafkastream.table.table import Table
from kafkastream.table.table_descriptor import TableDescriptor

__all__ = ["DeclaringEnvironment"]


class DeclaringEnvironment(ABC):
    """The methods of ``TableEnvironment`` that take descriptors and rows."""

    _planner: Planner

    def __init__(self) -> None:
        self._unnamed = itertools.count(1)

    def from_descriptor(self, descriptor: TableDescriptor) -> Table:
        """A table that has no name; each call makes another one.

        Raises:
            DefinitionError: It has no columns, or they are wrong.
        """
        return self._all_of(self._inline(descriptor, "from_descriptor"))

    fromDescriptor = from_descriptor

    def create_table(self, path: str, descriptor: TableDescriptor, ignoreIfExists: bool = False) -> None:  # noqa: N803 - PyFlink's
        """Declare a table, as ``CREATE TABLE`` does, or leave what has its name already.

        Raises:
            DefinitionError: There is something of this name, or the descriptor is wrong.
        """
        self._declare(
            name_of(path), descriptor, f"create_table({path!r})", temporary=False, if_not_exists=ignoreIfExists
        )

    createTable = create_table

    def create_temporary_table(self, path: str, descriptor: TableDescriptor, ignoreIfExists: bool = False) -> None:  # noqa: N803 - PyFlink's
        """Declare a table that hides one of its name, as ``CREATE TEMPORARY TABLE`` does; errors as with ``create_table``."""
        where = f"create_temporary_table({path!r})"
        self._declare(name_of(path), descriptor, where, temporary=True, if_not_exists=ignoreIfExists)

    createTemporaryTable = create_temporary_table

    def from_elements(
        self, elements: Iterable[Any], schema: DataType | Sequence[str] | None = None, verify_schema: bool = True
    ) -> Table:
        """Rows that the program holds itself, as a table.

        Same as PyFlink's: without types these are found by the values (``int`` is BIGINT, ``datetime`` TIMESTAMP_LTZ), and
        columns without names are ``_1``, ``_2`` and so on. Differs: there are no expressions; values are always checked,
        when the query runs; beside a table of Kafka they need an operation with state in the query, such as a join.

        Args:
            elements: Rows, tuples, lists or dicts; for a type that is no ROW, the values of the one column ``value``.
            schema: The columns as a ROW, or their names.
            verify_schema: Has no effect.

        Raises:
            DefinitionError: The types cannot be told.
            UnsupportedFeatureError: There are no elements of such a type.

        Example:
            >>> from kafkastream.table import EnvironmentSettings, TableEnvironment
            >>> t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
            >>> t_env.from_elements([(1, "pen"), (2, "ink")], ["id", "name"]).print_schema()
            root
             |-- id: BIGINT
             |-- name: STRING
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
        """Declare a table where it is used; tells what it is called."""
        name = self._planner.catalog.path((anonymous(descriptor._options["connector"], next(self._unnamed)),))
        self._declare(name, descriptor, where, temporary=True)
        return name

    def _all_of(self, name: tuple[str, ...]) -> Table:
        return self._table(Expression(f"SELECT * FROM {quoted(*name)}"))  # noqa: S608 - the user's own

    def _of_stream(self, stream: TableStream, declared: TableSchema, where: str) -> Table:
        """A stream as a table whose name nobody knows."""
        schema = Schema(stream_schema(stream.type_info, declared, where))._checked(where)
        path = self._planner.catalog.path((anonymous("datastream_source", next(self._unnamed)),))
        definition = TableDefinition(path, schema, stream=stream)
        self._planner.catalog.create(path, definition, where, temporary=True, if_not_exists=False)
        return self._all_of(path)

    @abstractmethod
    def _table(self, query: Expression) -> Table: ...
