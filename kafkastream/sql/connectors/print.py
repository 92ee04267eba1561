"""The connectors ``print`` and ``blackhole``: rows are printed or discarded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, final

import attrs

from kafkastream.model.graph.job_graph import DiscardingSink, PrintSink
from kafkastream.options.option import Option
from kafkastream.options.parsers import boolean, text
from kafkastream.sql.connectors.common_options import COMMON_OPTIONS, SINK_PARALLELISM, check_no_written_metadata
from kafkastream.sql.connectors.table_endpoints import TableSink
from kafkastream.sql.option_group import OptionGroup
from kafkastream.sql.settings import options_of, read_settings, setting
from kafkastream.sql.table import TableDefinition
from kafkastream.sql.table_options import TableOptions

__all__ = [
    "BLACKHOLE",
    "PRINT",
    "PRINT_IDENTIFIER",
    "STANDARD_ERROR",
    "BlackHoleTableSink",
    "PrintTableSink",
    "blackhole_sink",
    "print_sink",
]

_ROWS: Final = "kafkastream.spark.sql.rows.sink_rows"
PRINT_IDENTIFIER: Final = Option[str | None](
    key="print-identifier",
    parse=text,
    default=None,
    doc="Text before each row.",
)
STANDARD_ERROR: Final = Option[bool](
    key="standard-error",
    parse=boolean,
    default=False,
    doc="Whether rows are printed to standard error.",
)


@final
@attrs.frozen
class PrintTableSink(TableSink):
    """Sink that prints rows on the driver."""

    engine_module: ClassVar[str] = _ROWS
    print_identifier: str | None = setting(PRINT_IDENTIFIER)
    standard_error: bool = setting(STANDARD_ERROR)
    parallelism: int | None = setting(SINK_PARALLELISM)

    @property
    def sink(self) -> PrintSink:
        """Return the print sink."""
        return PrintSink(self.print_identifier or "", to_err=self.standard_error)


@final
@attrs.frozen
class BlackHoleTableSink(TableSink):
    """Sink that discards rows."""

    engine_module: ClassVar[str] = _ROWS

    @property
    def sink(self) -> DiscardingSink:
        """Return the discarding sink."""
        return DiscardingSink()


PRINT: Final = OptionGroup("print", options_of(PrintTableSink), common=COMMON_OPTIONS)
BLACKHOLE: Final = OptionGroup("blackhole", options_of(BlackHoleTableSink), common=COMMON_OPTIONS)


def print_sink(definition: TableDefinition, environ: Mapping[str, str] | None = None) -> PrintTableSink:
    """Return the sink of a table of the connector ``print``.

    Raises:
        DefinitionError: An option is unknown or has a bad value, or a metadata column is not VIRTUAL.
    """
    options = _checked(PRINT, definition, environ)
    return PrintTableSink(**read_settings(PrintTableSink, options.get))


def blackhole_sink(definition: TableDefinition, environ: Mapping[str, str] | None = None) -> BlackHoleTableSink:
    """Return the sink of a table of the connector ``blackhole``.

    Raises:
        DefinitionError: An option is unknown, or a metadata column is not VIRTUAL.
    """
    _checked(BLACKHOLE, definition, environ)
    return BlackHoleTableSink()


def _checked(connector: OptionGroup, definition: TableDefinition, environ: Mapping[str, str] | None) -> TableOptions:
    options = TableOptions.of(definition, environ)
    connector.check(options)
    check_no_written_metadata(options)
    return options
