"""Table sources and sinks, made from the options of a table by its connector.

Begin with ``connector``, the class of which each connector is a value, and ``table_endpoints``, the base classes of sources
and sinks. ``print`` is the smallest connector; the recipe is on the page of contributing.

- Each connector has a module with its name, and most have their options in another module next to it.
- ``kafka_tables`` makes the sources and sinks of ``kafka`` and ``upsert_kafka`` of parts: ``kafka_properties``,
  ``scan_offsets``, ``key_value_fields``, ``metadata``, ``table_formats``, ``table_partitioners``, ``header_filter``.
- ``stream`` is the source of a table that represents a stream of the program.

``CONNECTORS`` below is the table of all. Imported by ``sql.planner``, ``table``, ``cdc`` and the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from kafkastream.errors import DefinitionError
from kafkastream.sql.connectors.common_options import CONNECTOR
from kafkastream.sql.connectors.datagen import DATAGEN, DataGenTableSource, datagen_source
from kafkastream.sql.connectors.filesystem import (
    FILESYSTEM,
    FileTableSink,
    FileTableSource,
    filesystem_sink,
    filesystem_source,
)
from kafkastream.sql.connectors.generated import GeneratedTableSource
from kafkastream.sql.connectors.jdbc import JDBC, JdbcTableSink, jdbc_sink, jdbc_source
from kafkastream.sql.connectors.kafka import KAFKA, kafka_sink, kafka_source
from kafkastream.sql.connectors.kafka_tables import KafkaTableSink, KafkaTableSource
from kafkastream.sql.connectors.legacy import check_legacy
from kafkastream.sql.connectors.nexmark import NEXMARK, NexmarkTableSource, nexmark_source
from kafkastream.sql.connectors.print import (
    BLACKHOLE,
    PRINT,
    BlackHoleTableSink,
    PrintTableSink,
    blackhole_sink,
    print_sink,
)
from kafkastream.sql.connectors.stream import StreamTableSource, stream_source
from kafkastream.sql.connectors.table_endpoints import TableSink, TableSource
from kafkastream.sql.connectors.upsert_kafka import UPSERT_KAFKA, upsert_kafka_sink, upsert_kafka_source
from kafkastream.sql.option_group import OptionGroup
from kafkastream.sql.syntax.checks import PARTITIONS, refusal
from kafkastream.sql.table import TableDefinition
from kafkastream.sql.table_options import TableOptions, did_you_mean

__all__ = [
    "CONNECTORS",
    "BlackHoleTableSink",
    "DataGenTableSource",
    "FileTableSink",
    "FileTableSource",
    "GeneratedTableSource",
    "JdbcTableSink",
    "KafkaTableSink",
    "KafkaTableSource",
    "NexmarkTableSource",
    "PrintTableSink",
    "StreamTableSource",
    "TableSink",
    "TableSource",
    "check_partitions",
    "kafka_sink",
    "kafka_source",
    "sink_of",
    "source_of",
]

_Environ = Mapping[str, str] | None


class _Tables(NamedTuple):
    """Factories of a connector's sources and sinks."""

    connector: OptionGroup
    source: Callable[[TableDefinition, _Environ], TableSource] | None = None
    sink: Callable[[TableDefinition, _Environ], TableSink] | None = None


_TABLES: Final = {
    tables.connector.identifier: tables
    for tables in (
        _Tables(KAFKA, kafka_source, kafka_sink),
        _Tables(UPSERT_KAFKA, upsert_kafka_source, upsert_kafka_sink),
        _Tables(FILESYSTEM, filesystem_source, filesystem_sink),
        _Tables(DATAGEN, datagen_source),
        _Tables(NEXMARK, nexmark_source),
        _Tables(PRINT, sink=print_sink),
        _Tables(BLACKHOLE, sink=blackhole_sink),
        _Tables(JDBC, jdbc_source, jdbc_sink),
    )
}
CONNECTORS: Final[Mapping[str, OptionGroup]] = {name: tables.connector for name, tables in _TABLES.items()}
"""All connectors by their identifiers."""


def source_of(definition: TableDefinition, environ: Mapping[str, str] | None = None) -> TableSource:
    """Return the source of a table, as its connector makes it.

    Args:
        definition: The table.
        environ: Variables for ``${env:NAME}`` in its options; default: the environment of this process.

    Raises:
        DefinitionError: There is no such connector, or options are missing, unknown, or contradict each other.
        UnsupportedFeatureError: An option is not supported.

    Example:
        >>> from kafkastream.sql.table import PhysicalColumn, TableSchema
        >>> from kafkastream.sql.types import DataType, Kind
        >>> schema = TableSchema((PhysicalColumn("id", DataType.of(Kind.BIGINT)),))
        >>> options = {
        ...     "connector": "kafka",
        ...     "topic": "orders",
        ...     "properties.bootstrap.servers": "localhost:9092",
        ...     "scan.startup.mode": "earliest-offset",
        ...     "format": "json",
        ... }
        >>> table = source_of(TableDefinition(("orders",), schema, options))
        >>> table.source.starting_offsets, str(table.value.row_type)
        (EarliestOffsets(), 'ROW<`id` BIGINT>')
    """
    if definition.stream is not None:
        return stream_source(definition, definition.stream)
    if environ is None and not any("${" in value for value in definition.options.values()):
        return _source_alone(definition)
    return _made_source(definition, environ)


@lru_cache(maxsize=256)
def _source_alone(definition: TableDefinition) -> TableSource:
    """Return the source of a table whose options name no variables; a query may read a table thousands of times."""
    return _made_source(definition, None)


def _made_source(definition: TableDefinition, environ: Mapping[str, str] | None) -> TableSource:
    tables = _tables(definition)
    if tables.source is None:
        raise _one_way(definition, "a sink", "a source")
    return tables.source(definition, environ)


def sink_of(definition: TableDefinition, environ: Mapping[str, str] | None = None) -> TableSink:
    """Return the sink of a table, as its connector makes it; arguments and errors as of ``source_of``.

    Example:
        >>> from kafkastream.sql.table import TableSchema
        >>> sink_of(TableDefinition(("seen",), TableSchema(), {"connector": "print", "print-identifier": "seen"}))
        PrintTableSink(print_identifier='seen', standard_error=False, parallelism=None)
    """
    tables = _tables(definition)
    if tables.sink is None:
        raise _one_way(definition, "a source", "a sink")
    return tables.sink(definition, environ)


def check_partitions(definition: TableDefinition, where: str) -> None:
    """Check ``PARTITIONED BY``.

    Args:
        definition: The table.
        where: Place of the declaration, for errors.

    Raises:
        DefinitionError: The connector does not support partitions, or a column does not exist.
    """
    names = [column.name for column in definition.schema.physical]
    if definition.partitioned_by and definition.options.get(CONNECTOR.key) != FILESYSTEM.identifier:
        raise refusal(PARTITIONS, where)
    for place, name in enumerate(definition.partitioned_by):
        if name not in names:
            raise DefinitionError(
                f"Partition column '{name}' not defined in the table schema. Available columns: {names}",
                where=where,
                now=did_you_mean(name, names),
            )
        if name in definition.partitioned_by[:place]:
            raise DefinitionError(f"Partition column '{name}' is more than once in PARTITIONED BY.", where=where)


def _tables(definition: TableDefinition) -> _Tables:
    options = TableOptions(definition, definition.options)
    check_legacy(options)
    identifier = options.get(CONNECTOR)
    if identifier is None:
        raise options.refusal(
            "Table options do not contain an option key 'connector' for discovering a connector.",
            now=f"Add 'connector' = 'kafka' to WITH; there are {', '.join(sorted(_TABLES))}.",
        )
    if identifier not in _TABLES:
        raise options.refusal(
            f"Could not find any connector for identifier {identifier!r}. Available are {', '.join(sorted(_TABLES))}",
            CONNECTOR.key,
            now=did_you_mean(identifier, _TABLES),
        )
    check_partitions(definition, definition.subject)
    return _TABLES[identifier]


def _one_way(definition: TableDefinition, can_be: str, cannot_be: str) -> Exception:
    options = TableOptions(definition, definition.options)
    return options.refusal(
        f"Connector {options.get(CONNECTOR)!r} can only be used as {can_be}. It cannot be used as {cannot_be}.",
        CONNECTOR.key,
    )
