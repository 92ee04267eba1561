"""Writes micro-batches to Delta Lake tables: a MERGE or an append for each table, exactly once."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import partial
from typing import Final, final

import attrs
from pyspark.sql import Column, DataFrame, functions
from pyspark.sql.types import DataType as SparkType
from pyspark.sql.types import StringType

from kafkastream.cdc.book import SchemaBook
from kafkastream.cdc.sinks import MetadataApplier, SinkError
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.spark.cdc.delta.applier import DeltaMetadataApplier, cast_column, holds
from kafkastream.spark.cdc.delta.connection import active, insisting, prepared, translated_delta_errors
from kafkastream.spark.cdc.delta.tables import DeltaTables, delta_type, quoted
from kafkastream.spark.cdc.frame_sink import ORDER, MicroBatch
from kafkastream.spark.cdc.messages import table_text
from kafkastream.spark.cdc.transforms import parsed_as
from kafkastream.spark.internals.jvm import java_frame
from kafkastream.spark.session.query_settings import own_settings
from kafkastream.sql.plan.relations import column
from kafkastream.sql.types import DataType

__all__ = ["DeltaWriter"]

_APPLICATION: Final = "spark.databricks.delta.write.txnAppId"
_VERSION: Final = "spark.databricks.delta.write.txnVersion"
_ADAPTIVE: Final = "spark.sql.adaptive.enabled"
"""Adaptive query execution: off in streaming queries, but a MERGE of few rows is much faster with it."""

_GONE, _ROW, _PLACE, _LAST = "gone", "row", "place", "last"


@final
@attrs.frozen
class DeltaWriter:
    """Writes micro-batches to tables; each table's transaction log records the last micro-batch written.

    Args:
        tables: The tables.
    """

    tables: DeltaTables

    @property
    def applier(self) -> MetadataApplier:
        """Changes the tables."""
        return DeltaMetadataApplier(self.tables)

    def write(self, rows: DataFrame, book: SchemaBook, batch: MicroBatch) -> None:
        """Write a micro-batch, table by table; tables that already contain it are skipped.

        Raises:
            SinkError: A table without a primary key receives an UPDATE or a DELETE, or a table cannot be written.
        """
        session = prepared(rows.sparkSession)
        with active(session), own_settings(session, {_ADAPTIVE: "true"}):
            found = {row[0] for row in rows.select("table").distinct().collect()}
            for table in sorted(book.sinks):
                if table_text(table) in found:
                    application = _application(f"kafkastream {book.job} {batch.query} {table}")
                    settings = {_APPLICATION: application, _VERSION: str(batch.number)}
                    with own_settings(session, settings):
                        insisting(partial(self._write_once, rows, table, book.sinks[table], application, batch.number))

    def _place(self, table: TableId) -> str:
        return f"table {table}, {self.tables.path(table)}"

    def _has_written(self, table: TableId, application: str, number: int) -> bool:
        """Return whether a table contains a micro-batch; fail if it contains a later one, since records would be lost."""
        last = self.tables.last_version(table, application)
        if last is not None and last > number:
            raise SinkError(
                f"the table already has micro-batch {last} of this job, but its checkpoint continues with {number}",
                where=self._place(table),
                now="Restore the newest checkpoint, or begin with a new one and a new table.",
            )
        return last == number

    def _write_once(self, rows: DataFrame, table: TableId, schema: TableSchema, application: str, number: int) -> None:
        """Write the rows of a table, unless it already contains the micro-batch."""
        with translated_delta_errors(self._place(table)):
            types = self._types(table, schema)
            if not self._has_written(table, application, number):
                self._write(rows.where(functions.col("table") == table_text(table)), table, schema, types)

    def _types(self, table: TableId, schema: TableSchema) -> Sequence[SparkType]:
        """Return the column types of a table, which may be wider than the types of the rows.

        Raises:
            SinkError: Somebody else has dropped the table or a column, or made a column narrower.
        """
        existing = self.tables.existing(table)
        if existing is None:
            raise self._changed(table, "there is no such table any more", "Create it again")
        found = {field.name: field.dataType for field in existing.schema.fields}
        for name, wanted in ((one.name, delta_type(one.type)) for one in schema.columns):
            if name not in found:
                raise self._changed(table, f"there is no column {name!r} any more", "Add it again")
            if not holds(found[name], wanted) and not isinstance(found[name], StringType):
                what = f"column {name!r} has the type {found[name].simpleString()}, which does not hold {wanted.simpleString()}"
                raise self._changed(table, what, "Change its type back")
        return [found[name] for name in schema.names]

    def _changed(self, table: TableId, what: str, mend: str) -> SinkError:
        now = f"{mend}, and start again; or give the pipeline another name, with which it starts from the beginning."
        return SinkError(what, where=self._place(table), now=now)

    def _write(self, rows: DataFrame, table: TableId, schema: TableSchema, types: Sequence[SparkType]) -> None:
        if schema.primary_key:
            self._merge(rows, table, schema, types)
        else:
            self._append(rows, table, schema, types)

    def _append(self, rows: DataFrame, table: TableId, schema: TableSchema, types: Sequence[SparkType]) -> None:
        refused = functions.raise_error(
            functions.concat(
                functions.lit("a table without primary key cannot take "),
                functions.col("operation"),
                functions.lit(
                    "; define primary-keys in a transform rule, or write deletes and updates as rows by SOFT_DELETE"
                ),
            )
        )
        after = functions.when(functions.col("operation") == "INSERT", _parsed("after", schema)).otherwise(refused)
        values = rows.select(after.alias(_ROW)).select(*_values(functions.col(_ROW), schema, types))
        values.toDF(*schema.names).write.format("delta").mode("append").save(self.tables.path(table))

    def _merge(self, rows: DataFrame, table: TableId, schema: TableSchema, types: Sequence[SparkType]) -> None:
        keys = [schema.names.index(name) for name in schema.primary_key]
        source = _folded(rows, table, schema, types, keys)
        target = self.tables.handle(table, rows.sparkSession).alias("t")
        same = " AND ".join(f"t.{quoted(schema.names[place])} = s.{column(place)}" for place in keys)
        values = {quoted(name): f"s.{column(place)}" for place, name in enumerate(schema.names)}
        merge = target.merge(java_frame(source.alias("s")), same)
        merge = merge.whenMatched(f"s.{_GONE}").delete().whenMatched().updateExpr(values)
        merge.whenNotMatched(f"NOT s.{_GONE}").insertExpr(values).execute()


def _application(name: str) -> str:
    """Return the name by which a table's log identifies the job, without what Spark replaces in values of settings.

    Spark reads ``${env:HOME}`` as an environment variable:
    https://github.com/apache/spark/blob/v4.2.1/common/utils/src/main/scala/org/apache/spark/internal/config/ConfigReader.scala

    Example:
        >>> _application("kafkastream 5d2f q orders"), _application("${env:HOME}")
        ('kafkastream 5d2f q orders', '$ {env:HOME} 5c03c1cf')
    """
    if "${" not in name:
        return name
    return f"{name.replace('${', '$ {')} {hashlib.sha256(name.encode()).hexdigest()[:8]}"


def _folded(
    rows: DataFrame, table: TableId, schema: TableSchema, types: Sequence[SparkType], keys: Sequence[int]
) -> DataFrame:
    """Return the last row of each key and whether it was deleted; an UPDATE counts as a delete and an insert."""
    halves = [
        _half(half, schema, gone=gone, place=place) for half, gone, place in (("before", True, 0), ("after", False, 1))
    ]
    changes = rows.select(functions.explode(functions.array_compact(functions.array(*halves))).alias("change"))
    row = functions.col(f"change.{_ROW}")
    values = _values(row, schema, types)
    for place in keys:
        missing = functions.raise_error(functions.lit(f"key column {schema.names[place]!r} of table {table} is NULL"))
        values[place] = functions.when(values[place].isNull(), missing).otherwise(values[place])
    typed = changes.select(
        functions.col(f"change.{_PLACE}").alias(_PLACE),
        functions.col(f"change.{_GONE}").alias(_GONE),
        *(value.alias(column(place)) for place, value in enumerate(values)),
    )
    others = [one for one in typed.columns if one not in {_PLACE, *map(column, keys)}]
    last = functions.max_by(functions.struct(*others), _PLACE).alias(_LAST)
    folded = typed.groupBy(*map(column, keys)).agg(last)
    return folded.select(*map(column, keys), *(functions.col(f"{_LAST}.{one}").alias(one) for one in others))


def _half(half: str, schema: TableSchema, *, gone: bool, place: int) -> Column:
    """Return the before or the after image of each change, as a deleted or inserted row."""
    whole = functions.struct(
        (functions.col(ORDER) * 2 + place).alias(_PLACE),
        functions.lit(gone).alias(_GONE),
        _parsed(half, schema).alias(_ROW),
    )
    return functions.when(functions.col(half).isNotNull(), whole)


def _parsed(half: str, schema: TableSchema) -> Column:
    fields = (f"{column(place)} {_parsed_as(one.type)}" for place, one in enumerate(schema.columns))
    return functions.from_json(functions.col(half).cast("string"), ", ".join(fields))


def _parsed_as(kind: DataType) -> str:
    return "string" if isinstance(delta_type(kind), StringType) else parsed_as(kind)


def _values(row: Column, schema: TableSchema, types: Sequence[SparkType]) -> list[Column]:
    """Return the values of a row in the types of the table."""
    own = [delta_type(one.type) for one in schema.columns]
    return [
        cast_column(row.getField(column(place)).cast(of), of, to)
        for place, (of, to) in enumerate(zip(own, types, strict=True))
    ]
