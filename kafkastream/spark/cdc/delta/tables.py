"""Delta Lake tables below a path: their locations, and the tables that exist."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, final

import attrs
from pyspark.sql import SparkSession
from pyspark.sql.types import DataType as SparkType
from pyspark.sql.types import StringType, StructField, StructType

from kafkastream.cdc.sinks import SchemaChangeRefusedError
from kafkastream.cdc.spec.simple_sinks import delta_column_problem, delta_table_problem
from kafkastream.cdc.tables import Column, TableId
from kafkastream.spark.cdc.delta.connection import active
from kafkastream.spark.internals.jvm import java_class, java_path, java_session
from kafkastream.spark.sql.formats.spark_types import spark_type
from kafkastream.sql.type_families import CONSTRUCTED
from kafkastream.sql.types import DataType, Kind

__all__ = ["DeltaTables", "ExistingTable", "delta_fields", "delta_type", "quoted", "table_path"]

_LOG: Final = "org.apache.spark.sql.delta.DeltaLog"
_WIDENS: Final = "delta.enableTypeWidening"
_SEPARATOR: Final = "\x1f"
_AS_TEXT: Final = CONSTRUCTED | {Kind.TIME}


@final
@attrs.frozen
class ExistingTable:
    """An existing Delta table.

    Args:
        schema: Its columns.
        partition_columns: Names of the columns that it is partitioned by.
        widens: Whether its column types can be widened without a rewrite (``delta.enableTypeWidening``).
    """

    schema: StructType
    partition_columns: tuple[str, ...]
    widens: bool


@final
@attrs.frozen
class DeltaTables:
    """Delta Lake tables below a path.

    Args:
        session: Session that reads and alters them.
        root: The path.
    """

    session: SparkSession
    root: str

    def path(self, table: TableId) -> str:
        """Return where a table is.

        Raises:
            SchemaChangeRefusedError: A part of its name cannot be that of a folder.
        """
        return table_path(self.root, table)

    def handle(self, table: TableId, session: SparkSession | None = None) -> Any:
        """Return Delta's own handle of a table, in another session if one is given."""
        of = session or self.session
        return self._delta.forPath(java_session(of), self.path(table))

    def existing(self, table: TableId) -> ExistingTable | None:
        """Return schema and properties of a table; None if it does not exist.

        Raises:
            SchemaChangeRefusedError: Something else is at its path.
        """
        path = self.path(table)
        if not self._delta.isDeltaTable(java_session(self.session), path):
            self._check_free(table, path)
            return None
        schema = self.session.read.format("delta").load(path).schema
        log = java_class(self.session, _LOG).forTable(java_session(self.session), path)
        metadata = log.unsafeVolatileSnapshot().metadata()
        partition_columns = metadata.partitionColumns().mkString(_SEPARATOR)
        widens = metadata.configuration().get(_WIDENS)
        return ExistingTable(
            schema,
            tuple(partition_columns.split(_SEPARATOR)) if partition_columns else (),
            bool(widens.isDefined() and widens.get() == "true"),
        )

    def last_version(self, table: TableId, application: str) -> int | None:
        """Return the last transaction of an application that a table holds, as ``existing`` has last found it; None if it holds none."""
        log = java_class(self.session, _LOG).forTable(java_session(self.session), self.path(table))
        with active(self.session):
            found = log.unsafeVolatileSnapshot().transactions().get(application)
        return int(found.get()) if found.isDefined() else None

    def _check_free(self, table: TableId, path: str) -> None:
        folder = java_path(self.session, path)
        files = folder.getFileSystem(java_session(self.session).sessionState().newHadoopConf())
        if files.exists(folder) and len(files.listStatus(folder)):
            raise SchemaChangeRefusedError(
                "the table's path has files that are not a Delta Lake table",
                where=f"table {table}, {path}",
                now="Move them away, or write to another table by a route.",
            )

    @property
    def _delta(self) -> Any:
        return java_class(self.session, "io.delta.tables.DeltaTable")


def table_path(root: str, table: TableId) -> str:
    """Return where a table is below a path.

    Raises:
        SchemaChangeRefusedError: A part of its name cannot be that of a folder.

    Example:
        >>> table_path("s3a://lake/tables/", TableId.parse("shop.orders"))
        's3a://lake/tables/shop/orders'
    """
    if problem := delta_table_problem(table):
        raise SchemaChangeRefusedError(problem, where=f"table {table}", now="Give it another name by a route.")
    return "/".join((root.rstrip("/"), *table.parts))


def delta_type(of: DataType) -> SparkType:
    """Return the type of a column in Delta, which has none for TIME; nested values are their JSON, as in rows.

    Example:
        >>> delta_type(DataType.of(Kind.TIME, 3)).simpleString()
        'string'
        >>> delta_type(DataType.of(Kind.DECIMAL, 5, 2)).simpleString()
        'decimal(5,2)'
    """
    return StringType() if of.kind in _AS_TEXT else spark_type(of)


def delta_fields(table: TableId, columns: Iterable[Column]) -> list[StructField]:
    """Return columns as Delta has them.

    Raises:
        SchemaChangeRefusedError: Delta cannot have a column of that name.
    """
    for column in columns:
        if problem := delta_column_problem(column.name):
            raise SchemaChangeRefusedError(
                problem, where=f"table {table}", now="Give it another name by a projection in a transform rule."
            )
    return [
        StructField(one.name, delta_type(one.type), metadata={"comment": one.comment} if one.comment else {})
        for one in columns
    ]


def quoted(name: str) -> str:
    """Return a name as SQL has it.

    Example:
        >>> quoted("a`b")
        '`a``b`'
    """
    return f"`{name.replace('`', '``')}`"
