"""Kafka records of changes: topic, key, partition, headers and value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, final

import msgspec

from kafkastream.cdc.changes import Change, Row
from kafkastream.cdc.fitting import conversion
from kafkastream.cdc.rows import row_class, row_encoder
from kafkastream.cdc.spec.kafka_sink import KafkaPipelineSink, KeyFormat, MessageFormat, PartitionStrategy
from kafkastream.cdc.tables import Column, TableId, TableSchema
from kafkastream.cdc.writing.canal import CanalTable
from kafkastream.cdc.writing.debezium import DebeziumTable
from kafkastream.model.connectors.record_deserialization import Headers
from kafkastream.model.formats.csv_text import CsvDialect
from kafkastream.sql.types import DataType, Kind

__all__ = ["ChangeRecord", "TableRecords"]

BY_KEY: Final = -1
"""Partition number that leaves the choice to the key (``kafka.producer.BY_KEY``)."""
_CSV: Final = CsvDialect()
_new: Final = tuple.__new__
_NUMBERS: Final = frozenset(
    {Kind.TINYINT, Kind.SMALLINT, Kind.INT, Kind.BIGINT, Kind.FLOAT, Kind.DOUBLE, Kind.DECIMAL, Kind.BOOLEAN}
)


class ChangeRecord(NamedTuple):
    """Record to be written."""

    topic: str
    value: bytes
    key: bytes
    partition: int
    headers: Headers


@final
class TableRecords:
    """Encodes the changes of a table as records.

    Args:
        table: Name of the table in the messages.
        schema: Schema of the table.
        sink: Topics and formats of the records.
    """

    def __init__(self, table: TableId, schema: TableSchema, sink: KafkaPipelineSink) -> None:
        self._topic = sink.topic_of(table)
        self._partition = 0 if sink.partition_strategy is PartitionStrategy.ALL_TO_ZERO else BY_KEY
        self._key = _key(table, schema, sink.key_format)
        self._value = _value(table, schema, sink)
        self._headers = tuple((name, text.encode()) for name, text in _headers(table, sink).items())

    def record(self, change: Change) -> ChangeRecord:
        """Return the record of a change."""
        _, _, before, after = change
        key = self._key(before if after is None else after)
        return _new(ChangeRecord, (self._topic, self._value(change), key, self._partition, self._headers))


def _headers(table: TableId, sink: KafkaPipelineSink) -> dict[str, str]:
    names = {"namespace": table.namespace, "schemaName": table.schema, "tableName": table.table}
    return {**(names if sink.adds_table_headers else {}), **sink.custom_headers}


def _value(table: TableId, schema: TableSchema, sink: KafkaPipelineSink) -> Callable[[Change], bytes]:
    if sink.message_format is MessageFormat.CANAL_JSON:
        return CanalTable(table, schema).encode
    return DebeziumTable(table, schema, with_schema=sink.includes_schema).encode


def _key(table: TableId, schema: TableSchema, form: KeyFormat) -> Callable[[Row], bytes]:
    """Return the function from a row to its key: the table's id and the columns of its primary key, as in Flink CDC."""
    places = [schema.names.index(name) for name in schema.primary_key]
    table_id, astuple = str(table), msgspec.structs.astuple
    if form is KeyFormat.CSV:
        csv_key = _csv_key(table_id, [schema.columns[place] for place in places])
        return lambda row: csv_key([*map(astuple(row).__getitem__, places)])
    key_columns = (Column("TableId", DataType.string()), *(schema.columns[place] for place in places))
    make, encode = row_class(key_columns), row_encoder(key_columns)
    if not places:
        only = encode(make(table_id))
        return lambda _: only
    return lambda row: encode(make(table_id, *map(astuple(row).__getitem__, places)))


def _csv_key(table_id: str, columns: Sequence[Column]) -> Callable[[Sequence[Any]], bytes]:
    texts = [conversion(column.type, DataType.string()) for column in columns]
    are_texts = [column.type.kind not in _NUMBERS for column in columns]

    def key(values: Sequence[Any]) -> bytes:
        columns = [
            ("" if value is None else value if text is None else text(value), is_text)
            for value, text, is_text in zip(values, texts, are_texts, strict=True)
        ]
        return _CSV.line([(table_id, True), *columns]).encode()

    return key
