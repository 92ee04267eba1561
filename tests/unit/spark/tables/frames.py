"""Tables from DDL, their records as frames of Spark, and what comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame, Row, SparkSession

from kafkastream.spark.plan.table_encoder import encoded_records
from kafkastream.spark.plan.table_scan import scanned
from kafkastream.spark.session.session import local_frame
from kafkastream.sql.connectors import KafkaTableSink, KafkaTableSource, sink_of, source_of
from kafkastream.sql.syntax.parser import parse_one
from kafkastream.sql.syntax.statements import CreateTable
from kafkastream.sql.table import TableDefinition

__all__ = ["read", "records", "table", "written"]

_RECORDS = (
    "source int, topic string, partition int, offset bigint, timestamp bigint, timestampType int, "
    "key binary, value binary, headers array<struct<key:string,value:binary>>"
)
_AT = 1_700_000_000_123


def table(columns: str, options: Mapping[str, str], connector: str = "kafka") -> TableDefinition:
    """A table of the topic ``t``."""
    given = {"connector": connector, "topic": "t", "properties.bootstrap.servers": "localhost:9", **options}
    if connector == "kafka":
        given.setdefault("scan.startup.mode", "earliest-offset")
    texts = ", ".join("'{}' = '{}'".format(key, value.replace("'", "''")) for key, value in given.items())
    statement = parse_one(f"CREATE TABLE t ({columns}) WITH ({texts})")
    assert isinstance(statement, CreateTable)
    return statement.definition


def records(
    spark: SparkSession,
    values: Sequence[str | bytes | None],
    keys: Sequence[str | bytes | None] = (),
    headers: Sequence[Sequence[tuple[str, bytes]] | None] = (),
) -> DataFrame:
    """Records as Spark's source gives them, whose offsets are their places here."""
    rows = [
        (0, "t", 3, offset, _AT, 0, _bytes(key), _bytes(value), header)
        for offset, (value, key, header) in enumerate(
            zip(values, keys or [None] * len(values), headers or [None] * len(values), strict=True)
        )
    ]
    return local_frame(spark, rows, _RECORDS)


def read(
    spark: SparkSession,
    definition: TableDefinition,
    values: Sequence[str | bytes | None],
    keys: Sequence[str | bytes | None] = (),
    headers: Sequence[Sequence[tuple[str, bytes]] | None] = (),
) -> list[tuple[Any, ...]]:
    """The offset of each row's record, its kind where it has one, and its columns."""
    source = source_of(definition)
    assert isinstance(source, KafkaTableSource)
    found = scanned(records(spark, values, keys, headers), definition, source)
    position = ["__source", "__topic", "__partition", "__timestamp"]
    return [_plain(row) for row in found.drop(*position).collect()]


def written(
    rows: DataFrame, definition: TableDefinition, *names: str, drops_nulls: bool = False
) -> list[tuple[Any, ...]]:
    """These columns of the records, bytes as text."""
    sink = sink_of(definition)
    assert isinstance(sink, KafkaTableSink)
    found = encoded_records(rows, definition, sink, drops_nulls=drops_nulls)
    return [tuple(_text(row[name]) for name in names) for row in found.collect()]


def _bytes(value: str | bytes | None) -> bytes | None:
    return value.encode() if isinstance(value, str) else value


def _text(value: Any) -> Any:
    return bytes(value).decode() if isinstance(value, (bytes, bytearray)) else _plain(value)


def _plain(value: Any) -> Any:
    match value:
        case Row():
            return tuple(map(_plain, value))
        case list():
            return list(map(_plain, value))
        case dict():
            return {_plain(key): _plain(item) for key, item in value.items()}
        case bytearray():
            return bytes(value)
        case _:
            return value
