"""Options of all connectors, and checks that several share."""

from __future__ import annotations

from typing import Final

from kafkastream.options.option import Option
from kafkastream.options.parsers import integer, positive, text
from kafkastream.sql.table_options import TableOptions

__all__ = ["COMMON_OPTIONS", "CONNECTOR", "SCAN_PARALLELISM", "SINK_PARALLELISM", "check_no_written_metadata"]

CONNECTOR: Final = Option[str | None](
    key="connector",
    parse=text,
    default=None,
    doc="Identifier of the table's connector.",
)
PROPERTY_VERSION: Final = Option[int](
    key="property-version",
    parse=integer,
    default=1,
    doc="Version of the options. No effect: only one exists.",
)
SCAN_PARALLELISM: Final = Option[int | None](
    key="scan.parallelism",
    parse=positive,
    default=None,
    doc="Number of subtasks that read; by default, the job's parallelism.",
)
SINK_PARALLELISM: Final = Option[int | None](
    key="sink.parallelism",
    parse=positive,
    default=None,
    doc="Number of subtasks that write; by default, that of the operator before the sink.",
)
COMMON_OPTIONS: Final = (CONNECTOR, PROPERTY_VERSION)


def check_no_written_metadata(options: TableOptions) -> None:
    """Refuse metadata columns that are not VIRTUAL, for sinks without metadata.

    Raises:
        DefinitionError: There is such a column.
    """
    definition = options.definition
    persisted = [column.name for column in definition.schema.metadata if not column.is_virtual]
    if persisted:
        raise options.column_refusal(
            f"Table '{definition.identifier}' declares persistable metadata columns, but the underlying "
            "DynamicTableSink doesn't implement the SupportsWritingMetadata interface. If the column should not be "
            "persisted, it can be declared with the VIRTUAL keyword.",
            persisted[0],
        )
