"""Table of a driven job: a test sends rows to it, or looks at the rows that the job has written."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Final, final

import pyarrow as pa

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.row import Row, RowKind
from kafkastream.model.common.time import Instant
from kafkastream.model.common.value_printing import shown
from kafkastream.model.common.watermark_strategy import NoWatermarks
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.graph.job_graph import JobGraph, PrintSink, SinkNode, SourceNode
from kafkastream.spark.sql.rows.arrow_types import arrow_type
from kafkastream.spark.sql.rows.wire_values import values_of
from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.connectors import KafkaTableSink, source_of
from kafkastream.sql.connectors.records import RecordsAsEncoded
from kafkastream.sql.function_values import NO_VALUE, written
from kafkastream.sql.plan.insert_rows import written_columns
from kafkastream.sql.table import Column, ComputedColumn, MetadataColumn, PhysicalColumn, TableDefinition
from kafkastream.sql.table_options import did_you_mean
from kafkastream.sql.types import DataType, Kind
from kafkastream.testing.driver.arrivals import Arrival
from kafkastream.testing.driver.capturing_sinks import WrittenRecord
from kafkastream.testing.driver.job_run import JobRun
from kafkastream.testing.driver.node_lookup import unknown_name
from kafkastream.testing.driver.sql.driven_graph import read_tables, written_tables

__all__ = ["DrivenTable", "collected_rows", "find_table", "written_records"]

RowOfTest = Mapping[str, Any] | Sequence[Any] | Row
_KINDS: Final[Mapping[str, RowKind]] = {str(kind): kind for kind in RowKind}


def find_table(run: JobRun, graph: JobGraph, name: str) -> DrivenTable:
    """Return a table that the job reads or writes.

    Args:
        run: Run of the job.
        graph: Graph of the job.
        name: Name of the table, with or without its catalog and database.

    Raises:
        DefinitionError: There is none, with those that there are.
    """
    read = list(read_tables(graph))
    sinks = [(node, query.target.table) for node, query in written_tables(graph) if query.target.table is not None]
    sources = [graph[table.node] for table in read if _is_named(table.definition, name)]
    targets = [node for node, definition in sinks if _is_named(definition, name)]
    if not sources and not targets:
        raise unknown_name(
            "table",
            name,
            [*(table.definition.name[-1] for table in read), *(definition.name[-1] for _, definition in sinks)],
        )
    definition = next(
        definition
        for definition in (*(table.definition for table in read), *(table for _, table in sinks))
        if _is_named(definition, name)
    )
    return DrivenTable(run, definition, [node for node in sources if isinstance(node, SourceNode)], targets)


def collected_rows(run: JobRun, graph: JobGraph) -> list[Row]:
    """Return the rows of queries that the program collects or prints itself."""
    return run.outputs.elements(node for node, query in written_tables(graph) if query.target.sink is None)


def written_records(run: JobRun, graph: JobGraph, topic: str, partitions: int) -> list[WrittenRecord] | None:
    """Return the records that tables have written to a topic; None if no table writes to it.

    Args:
        run: Run of the job.
        graph: Graph of the job.
        topic: Topic.
        partitions: Number of its partitions.

    Raises:
        UnsupportedFeatureError: A table writes to the topic, and there is no Spark, which writes its format.
        SerializationError: A row cannot be written in the format.
    """
    records: list[WrittenRecord] | None = None
    for node, query in written_tables(graph):
        sink, definition = query.target.sink, query.target.table
        if not isinstance(sink, KafkaTableSink) or definition is None or topic not in _topics(sink):
            continue
        if not run.has_spark:
            raise UnsupportedFeatureError(
                "a test driver writes the formats of tables with Spark alone",
                where=f"table {definition.name[-1]!r}, topic {topic!r}",
                now=f"driver.table({definition.name[-1]!r}).rows has the rows; or let JobTestDriver.of(…, spark=True) "
                "write records.",
            )
        records = records or []
        columns = written_columns(definition)
        rows = [
            (
                row.get_row_kind().value,
                *(_wire_value(value, column.type) for value, column in zip(row, columns, strict=True)),
            )
            for row in run.outputs.elements([node])
        ]
        if rows:
            written = run.spark_rows().written(query, definition, sink, rows, partitions)
            records += [record for record in written if record.topic == topic]
    return records


def _topics(sink: KafkaTableSink) -> tuple[str, ...]:
    serializer = sink.sink.record_serializer
    assert isinstance(serializer, RecordsAsEncoded)
    return serializer.topics


def _is_named(definition: TableDefinition, name: str) -> bool:
    return name in (definition.name[-1], ".".join(definition.name), definition.identifier)


@final
class DrivenTable:
    """A table of a driven job."""

    def __init__(
        self, run: JobRun, definition: TableDefinition, sources: Sequence[SourceNode], sinks: Sequence[SinkNode]
    ) -> None:
        self._run, self._definition, self._sources, self._sinks = run, definition, sources, sinks

    def send(
        self,
        row: RowOfTest,
        *,
        kind: RowKind | str | None = None,
        partition: int = 0,
        topic: str | None = None,
    ) -> None:
        """Send a row: every query that reads the table gets it.

        Args:
            row: Values of the columns that are not computed: by name, where missing ones are NULL; or in their order,
                with or without those of metadata. Times may also be texts, such as ``2024-05-01 10:00:00``.
            kind: Kind of change, ``+I``, ``-U``, ``+U`` or ``-D``; by default that of a ``Row``, else ``+I``.
            partition: Partition of the topic that it comes from.
            topic: Topic; needed if the table reads several.

        Raises:
            DefinitionError: The row does not fit the table; or the job does not read it, or its input has ended.
            JobError: A function failed on it, or a value cannot be computed.
        """
        self._check_read()
        row_kind = self._kind_of(row, kind)
        wire = (row_kind.value, *self._values(row, row_kind, partition))
        arrivals = [
            Arrival(node.id, self._split(node, topic, partition), elements=((wire, None),)) for node in self._sources
        ]
        self._run.arrive(*arrivals)

    def set_watermark(self, timestamp: int, *, partition: int = 0, topic: str | None = None) -> None:
        """Set the watermark of a partition; a lower one than it has changes nothing.

        Args:
            timestamp: Watermark in ms since 1970.
            partition: Partition of the topic.
            topic: Topic; needed if the table reads several.

        Raises:
            DefinitionError: The table has no WATERMARK, or the job does not read it.
        """
        self._check_read()
        for node in self._sources:
            if isinstance(node.watermarks.generation, NoWatermarks):
                raise DefinitionError(
                    "the table has no watermark",
                    where=self._where,
                    now="Declare it: WATERMARK FOR ts AS ts - INTERVAL …",
                )
            self._run.set_watermark(node, self._split(node, topic, partition), timestamp)

    def finish(self) -> None:
        """End the input of this table, as at the end of a bounded one: its watermark is then the last.

        Raises:
            DefinitionError: The job does not read the table.
        """
        self._check_read()
        for node in self._sources:
            self._run.end([node])

    @property
    def rows(self) -> list[Row]:
        """Changelog rows that the job has written, in their order; ``get_row_kind()`` is the kind of each.

        Raises:
            DefinitionError: The job does not write the table, or prints its rows.
        """
        if not self._sinks:
            raise DefinitionError(
                "the job does not write the table", where=self._where, now="Look at the rows of a table that it writes."
            )
        if any(isinstance(node.sink, PrintSink) for node in self._sinks):
            raise DefinitionError("the job prints the rows", where=self._where, now="driver.printed has the lines.")
        return self._run.outputs.elements(self._sinks)

    @property
    def changes(self) -> list[tuple[Any, ...]]:
        """The same rows as tuples: the kind's short form, then the values, such as ``("+U", "ann", 5)``."""
        return [(str(row.get_row_kind()), *row) for row in self.rows]

    @property
    def _where(self) -> str:
        return f"table {self._definition.name[-1]!r}"

    def _check_read(self) -> None:
        if not self._sources:
            raise DefinitionError(
                "the job does not read the table", where=self._where, now="Send rows to a table that it reads."
            )

    def _kind_of(self, row: RowOfTest, kind: RowKind | str | None) -> RowKind:
        changelog = source_of(self._definition).changelog
        if kind is None:
            kind = row.get_row_kind() if isinstance(row, Row) else RowKind.INSERT
        if isinstance(kind, str):
            if kind not in _KINDS:
                raise DefinitionError(
                    f"{kind!r} is no kind of a row", where=self._where, now=f"Kinds: {', '.join(_KINDS)}."
                )
            kind = _KINDS[kind]
        if changelog is ChangelogMode.UPSERT and kind is RowKind.INSERT:
            kind = RowKind.UPDATE_AFTER  # of each record with a value
        if kind not in changelog.kinds:
            raise DefinitionError(
                f"the table has rows of the kinds {changelog}, and this one is {kind.name}",
                where=self._where,
                now="Tables of upsert-kafka, and those with a format of changes such as debezium-json, have others.",
            )
        return kind

    def _values(self, row: RowOfTest, kind: RowKind, partition: int) -> list[Any]:
        """Return the values of the columns that are not computed, as operators have them."""
        given = self._by_name(row)
        schema = self._definition.schema
        values: list[Any] = []
        is_key_alone = kind is RowKind.DELETE and source_of(self._definition).changelog is ChangelogMode.UPSERT
        for column in _stored(self._definition):
            if is_key_alone and isinstance(column, PhysicalColumn) and column.name not in schema.primary_key:
                values.append(None)  # as of a tombstone
            else:
                values.append(self._value(column, given, partition))
        return values

    def _value(self, column: PhysicalColumn | MetadataColumn, given: Mapping[str, Any], partition: int) -> Any:
        value = given.get(column.name)
        if value is None and isinstance(column, MetadataColumn):
            value = self._metadata(column, partition)
        if value is None and not column.type.is_nullable:
            raise DefinitionError(
                f"column {column.name!r} is {column.type}, and the row has no value", where=self._where
            )
        try:
            return _wire_value(value, column.type)
        except (InvalidOperation, pa.ArrowInvalid, *NO_VALUE):
            raise DefinitionError(
                f"column {column.name!r} has the type {column.type}, and the value is {shown(value)}, a "
                f"{type(value).__name__}",
                where=self._where,
            ) from None

    def _metadata(self, column: MetadataColumn, partition: int) -> Any:
        """Return what a record sent now has; None for the metadata that a test has to give."""
        if column.key == "timestamp":
            at = datetime.datetime.fromtimestamp(self._run.now_ms / 1000, datetime.timezone.utc)
            return at.replace(tzinfo=None) if column.type.kind is Kind.TIMESTAMP else at
        if column.key == "partition":
            return partition
        return None

    def _by_name(self, row: RowOfTest) -> Mapping[str, Any]:
        columns = _stored(self._definition)
        names = [column.name for column in columns]
        if isinstance(row, Row):
            row = row.as_dict() if hasattr(row, "_fields") else list(row)
        if isinstance(row, Mapping):
            unknown = next((name for name in row if name not in names), None)
            if unknown is not None:
                raise DefinitionError(
                    f"the table has no column {unknown!r} that could be sent",
                    where=self._where,
                    now=did_you_mean(unknown, names) or f"Its columns are: {', '.join(names)}.",
                )
            return row
        if isinstance(row, str | bytes):
            raise DefinitionError(
                f"{shown(row)} is no row",
                where=self._where,
                now="Send the values of its columns; bytes for its format go to driver.send, with spark=True.",
            )
        physical = [column.name for column in columns if isinstance(column, PhysicalColumn)]
        for known in (names, physical):
            if len(row) == len(known):
                return dict(zip(known, row, strict=True))
        raise DefinitionError(
            f"the row has {len(row)} values, and the table has {len(names)} columns: {', '.join(names)}",
            where=self._where,
        )

    def _split(self, node: SourceNode, topic: str | None, partition: int) -> TopicPartition:
        if node.id in self._run.positions.ended:
            raise DefinitionError("the input of the table has ended", where=self._where)
        splits = self._run.positions.partitions(node)
        topics = list(dict.fromkeys(split.topic for split in splits))
        name = topic or (topics[0] if len(topics) == 1 else None)
        split = None if name is None else TopicPartition(name, partition)
        is_any = isinstance(node.source, KafkaSource) and not topics
        if split is None or (split not in splits and not is_any):
            raise DefinitionError(
                "which topic?" if name is None else f"the table does not read partition {partition} of {name!r}",
                where=self._where,
                now=f"It reads: {', '.join(map(str, splits)) or 'topics of a pattern'}. "
                f"JobTestDriver.of(…, partitions={{{name or 'orders'!r}: 3}}) sets how many there are.",
            )
        return split


def _stored(definition: TableDefinition) -> list[PhysicalColumn | MetadataColumn]:
    columns: Sequence[Column] = definition.schema.columns
    return [column for column in columns if not isinstance(column, ComputedColumn)]


def _wire_value(value: Any, type_: DataType) -> Any:
    """Return a value as operators have it; raises ``NO_VALUE`` for one that is not of the type."""
    if value is None:
        return None
    read = _READ.get(type_.kind)
    if read is not None:
        value = read(value)
    return values_of(pa.array([written(type_)(value)], arrow_type(type_)))[0]


def _time(value: Any) -> Any:
    return datetime.time.fromisoformat(value) if isinstance(value, str) else value


def _date(value: Any) -> Any:
    return datetime.date.fromisoformat(value) if isinstance(value, str) else value


def _stamp(value: Any) -> Any:
    return datetime.datetime.fromisoformat(value) if isinstance(value, str) else value


def _instant(value: Any) -> Any:
    if isinstance(value, Instant):
        epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
        return epoch + datetime.timedelta(seconds=value.seconds, microseconds=value.nanos // 1000)
    return _stamp(value)


def _decimal(value: Any) -> Any:
    return Decimal(str(value)) if isinstance(value, str | float) else value


_READ: Final[Mapping[Kind, Callable[[Any], Any]]] = {
    Kind.DATE: _date,
    Kind.TIME: _time,
    Kind.TIMESTAMP: _stamp,
    Kind.TIMESTAMP_LTZ: _instant,
    Kind.DECIMAL: _decimal,
}
"""Other forms of values that tests write down."""
