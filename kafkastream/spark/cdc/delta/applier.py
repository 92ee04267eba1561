"""Creates and alters Delta Lake tables as schemas change, on the driver."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Final, final

import attrs
from pyspark.sql import Column as SparkColumn
from pyspark.sql import functions
from pyspark.sql.types import DataType as SparkType
from pyspark.sql.types import StructField, StructType

from kafkastream.cdc.changes import AddColumns, AlterColumnTypes, CreateTable, SchemaChange
from kafkastream.cdc.merge import widened_type
from kafkastream.cdc.sinks import SchemaChangeRefusedError
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.spark.cdc.delta.connection import active, insisting, translated_delta_errors
from kafkastream.spark.cdc.delta.tables import DeltaTables, ExistingTable, delta_fields, delta_type, quoted
from kafkastream.spark.session.session import local_frame
from kafkastream.spark.sql.formats.spark_types import flink_type
from kafkastream.spark.sql.formats.value_texts import utc_text
from kafkastream.sql.types import DataType, Kind

__all__ = ["DeltaMetadataApplier", "cast_column", "holds"]

_PROPERTY: Final = "delta."
_WHOLE: Final = ("tinyint", "smallint", "int", "bigint")
_FLOATING: Final = ("float", "double")


@final
@attrs.frozen
class DeltaMetadataApplier:
    """Applies changes of schemas to Delta Lake tables, each in a transaction; a repeated change changes nothing.

    An existing table is adopted: missing columns are added, and a column whose type cannot hold the values is refused.
    A type is changed by rewriting the table, unless type widening is enabled for it.

    Args:
        tables: The tables.
    """

    tables: DeltaTables

    def apply(self, change: SchemaChange) -> None:
        """Apply a change.

        Raises:
            SchemaChangeRefusedError: Delta cannot take it, or an existing table does not hold the values.
            SinkError: The path cannot be read or written.
        """
        with active(self.tables.session):
            insisting(partial(self._apply, change))

    def _apply(self, change: SchemaChange) -> None:
        table, path = change.table, self.tables.path(change.table)
        with translated_delta_errors(f"table {table}, {path}"):
            existing = self.tables.existing(table)
            if isinstance(change, CreateTable):
                self._create(table, change.schema, existing)
            elif existing is None:
                raise SchemaChangeRefusedError("there is no such table any more", where=f"table {table}, {path}")
            else:
                self._alter(change, existing)

    def close(self) -> None:
        """Return; the session stays."""

    def _create(self, table: TableId, schema: TableSchema, existing: ExistingTable | None) -> None:
        fields = delta_fields(table, schema.columns)
        other = [name for name in schema.options if not name.startswith(_PROPERTY)]
        if other:
            raise SchemaChangeRefusedError(
                f"{other[0]!r} is not a property of a Delta Lake table",
                where=f"table {table}, table-options",
                now=f"Properties begin with {_PROPERTY!r}, such as delta.appendOnly.",
            )
        if existing is None:
            self._check_apart(table, fields)
            self._append(table, fields, partition_by=schema.partition_key, options=schema.options)
        else:
            self._add(table, fields, existing)

    def _alter(self, change: AddColumns | AlterColumnTypes, existing: ExistingTable) -> None:
        match change:
            case AddColumns(table=table, columns=columns):
                self._add(table, delta_fields(table, columns), existing)
            case AlterColumnTypes(table=table, types=types):
                self._change_types(table, types, existing)

    def _add(self, table: TableId, fields: list[StructField], existing: ExistingTable) -> None:
        known = {field.name: field.dataType for field in existing.schema.fields}
        for field in fields:
            if field.name in known and not holds(known[field.name], field.dataType):
                raise SchemaChangeRefusedError(
                    f"the existing column {field.name!r} has the type {known[field.name].simpleString()}, which does not "
                    f"hold {field.dataType.simpleString()}",
                    where=f"table {table}, {self.tables.path(table)}",
                    now="Change its type, or write to another table by a route.",
                )
        missing = [field for field in fields if field.name not in known]
        if missing:
            self._check_apart(table, [*existing.schema.fields, *missing])
            self._append(table, [*existing.schema.fields, *missing])

    def _change_types(self, table: TableId, types: Mapping[str, DataType], existing: ExistingTable) -> None:
        known = {field.name: field.dataType for field in existing.schema.fields}
        missing = [name for name in types if name not in known]
        if missing:
            raise SchemaChangeRefusedError(
                f"there is no column {missing[0]!r} whose type could change", where=f"table {table}"
            )
        new = {name: delta_type(type_) for name, type_ in types.items() if not holds(known[name], delta_type(type_))}
        if not new:
            return
        if existing.widens and all(_widens(known[name], type_) for name, type_ in new.items()):
            changed = [
                StructField(field.name, new.get(field.name, field.dataType), metadata=field.metadata)
                for field in existing.schema.fields
            ]
            self._append(table, changed)
        else:
            self._rewrite(table, existing, new)

    def _append(
        self,
        table: TableId,
        fields: list[StructField],
        partition_by: Iterable[str] = (),
        options: Mapping[str, str] | None = None,
    ) -> None:
        """Append no rows, by which the table gets a schema."""
        nothing = local_frame(self.tables.session, [], StructType(fields))
        writer = nothing.write.format("delta").mode("append").option("mergeSchema", "true").options(**(options or {}))
        writer.partitionBy(*partition_by).save(self.tables.path(table))

    def _rewrite(self, table: TableId, existing: ExistingTable, types: Mapping[str, SparkType]) -> None:
        """Rewrite the whole table in one transaction, whose earlier version stays readable."""
        path = self.tables.path(table)
        columns = [
            cast_column(functions.col(quoted(field.name)), field.dataType, types.get(field.name, field.dataType)).alias(
                field.name, metadata=field.metadata
            )
            for field in existing.schema.fields
        ]
        frame = self.tables.session.read.format("delta").load(path).select(*columns)
        writer = frame.write.format("delta").mode("overwrite").option("overwriteSchema", "true")
        writer.partitionBy(*existing.partition_columns).save(path)

    def _check_apart(self, table: TableId, fields: Iterable[StructField]) -> None:
        seen: dict[str, str] = {}
        for field in fields:
            other = seen.setdefault(field.name.lower(), field.name)
            if other != field.name:
                raise SchemaChangeRefusedError(
                    f"Delta Lake cannot distinguish the columns {other!r} and {field.name!r}",
                    where=f"table {table}",
                    now="Give one another name by a projection in a transform rule.",
                )


def holds(existing: SparkType, wanted: SparkType) -> bool:
    """Return whether a column's type holds each value of another type unchanged."""
    if existing == wanted:
        return True
    common = widened_type(flink_type(existing), flink_type(wanted))
    return common.kind is not Kind.VARCHAR and delta_type(common) == existing


def _widens(of: SparkType, to: SparkType) -> bool:
    """Return whether Delta widens a column from one type to another by itself."""
    both = of.simpleString(), to.simpleString()
    return any(set(both) <= set(family) for family in (_WHOLE, _FLOATING))


def cast_column(column: SparkColumn, of: SparkType, to: SparkType) -> SparkColumn:
    """Return a column's values in another type, as rows of that type have them (``cdc.fitting``)."""
    if of == to:
        return column
    match flink_type(of).kind, flink_type(to).kind:
        case Kind.TIMESTAMP_LTZ, Kind.VARCHAR:
            return functions.concat(utc_text(column), functions.lit("Z"))
        case Kind.VARBINARY, Kind.VARCHAR:
            return functions.base64(column)
        case Kind.TIMESTAMP, Kind.TIMESTAMP_LTZ:
            return functions.concat(column.cast("string"), functions.lit("Z")).cast(to)
        case Kind.DATE, Kind.TIMESTAMP_LTZ:
            return functions.concat(column.cast("string"), functions.lit(" 00:00:00Z")).cast(to)
        case _:
            return column.cast(to)
