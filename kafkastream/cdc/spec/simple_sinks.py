"""Sinks ``delta``, ``print`` and ``values``."""

from __future__ import annotations

from typing import ClassVar, Final, final

import attrs

from kafkastream.cdc.spec.section import TYPE, SectionOptions, SectionType
from kafkastream.cdc.spec.sink import PipelineSink
from kafkastream.cdc.tables import TableId
from kafkastream.errors import DefinitionError
from kafkastream.options.option import Option
from kafkastream.options.parsers import boolean, text
from kafkastream.secret_masking import masked
from kafkastream.sql.connectors.print import PRINT_IDENTIFIER, STANDARD_ERROR
from kafkastream.sql.option_group import OptionGroup
from kafkastream.sql.settings import options_of, read_settings, setting

__all__ = [
    "DELTA",
    "PRINT",
    "VALUES",
    "DeltaSink",
    "PrintSink",
    "ValuesSink",
    "delta_column_problem",
    "delta_table_problem",
]

_LONGEST_FOLDER: Final = 255
_LOG_FOLDER: Final = "_delta_log"
_REFUSED_IN_COLUMNS: Final = " ,;{}()\n\t="
"""Characters that Delta accepts in column names only with column mapping, which older readers do not support."""


def delta_table_problem(table: TableId) -> str | None:
    """Return why a Delta Lake table cannot have a name, whose parts are folders; None if it can."""
    for part in table.parts:
        if part in ("", ".", "..", _LOG_FOLDER) or "/" in part or "\0" in part:
            return f"a folder of a table cannot have the name {part[:_LONGEST_FOLDER]!r}"
        if len(part.encode(errors="surrogatepass")) > _LONGEST_FOLDER:
            return f"a folder cannot have a name of more than {_LONGEST_FOLDER} bytes"
    return None


def delta_column_problem(name: str) -> str | None:
    """Return why Delta Lake can have no column of this name; None if it can."""
    refused = [character for character in name if character in _REFUSED_IN_COLUMNS]
    if refused or not name:
        because = f", because of the character {refused[0]!r}" if refused else ""
        return f"Delta Lake does not allow the column {name[:_LONGEST_FOLDER]!r}{because}"
    return None


PATH: Final = Option[str](
    key="path",
    parse=text,
    default="",
    doc="Directory of the tables: a path or URL that the driver and all workers can write to; `db.t` is at "
    "`<path>/db/t`.",
    deprecated_keys=("warehouse",),
)
PRINT_ENABLED: Final = Option[bool](
    key="print.enabled", parse=boolean, default=True, doc="Whether changes are also printed."
)
ERROR_ON_SCHEMA_CHANGE: Final = Option[bool](
    key="error.on.schema.change",
    parse=boolean,
    default=False,
    doc="Whether the sink refuses schema changes, for tests.",
)


@final
@attrs.frozen(kw_only=True)
class DeltaSink(PipelineSink):
    """Sink that writes to Delta Lake tables in a directory.

    Raises:
        DefinitionError: The path is missing.
    """

    engine_module: ClassVar[str] = "kafkastream.spark.cdc.delta_sink"
    path: str = setting(PATH)

    def __attrs_post_init__(self) -> None:
        if not self.path:
            raise DefinitionError(f"'{PATH.key}' is empty", where="Delta sink of a pipeline")

    def table_problem(self, table: TableId) -> str | None:
        """Return why there can be no folder for a table; None if there can."""
        return delta_table_problem(table)

    def column_problem(self, name: str) -> str | None:
        """Return why Delta Lake can have no column of this name; None if it can."""
        return delta_column_problem(name)

    def conflict(self, table: TableId, other: TableId) -> str | None:
        """Return why a table cannot be beside another one: its folder would be in the other's, or around it."""
        shorter = min(len(table.parts), len(other.parts))
        if table != other and table.parts[:shorter] == other.parts[:shorter]:
            inner, outer = (table, other) if len(table.parts) > shorter else (other, table)
            return f"the folder of {inner} would be in that of the table {outer}"
        return None

    def compared_column(self, name: str) -> str:
        """Return a column's name in lower case: Delta Lake has no two that differ only in case."""
        return name.lower()

    @property
    def target_text(self) -> str:
        """Directory of the tables."""
        return f"Delta Lake tables in {masked(self.path)}"


@final
@attrs.frozen(kw_only=True)
class PrintSink(PipelineSink):
    """Sink that prints changes on the driver."""

    engine_module: ClassVar[str] = "kafkastream.spark.cdc.appliers"
    print_identifier: str | None = setting(PRINT_IDENTIFIER)
    standard_error: bool = setting(STANDARD_ERROR)


@final
@attrs.frozen(kw_only=True)
class ValuesSink(PipelineSink):
    """Sink that collects changes in the driver's memory, for tests."""

    engine_module: ClassVar[str] = "kafkastream.spark.cdc.appliers"
    prints: bool = setting(PRINT_ENABLED)
    error_on_schema_change: bool = setting(ERROR_ON_SCHEMA_CHANGE)


def _delta(options: SectionOptions) -> DeltaSink:
    with options.reading():
        return DeltaSink(**read_settings(DeltaSink, options.get))


def _print(options: SectionOptions) -> PrintSink:
    return PrintSink(**read_settings(PrintSink, options.get))


def _values(options: SectionOptions) -> ValuesSink:
    return ValuesSink(**read_settings(ValuesSink, options.get))


DELTA: Final = SectionType(
    OptionGroup("delta", options_of(DeltaSink), required=(PATH,), common=(TYPE,)),
    _delta,
    "Delta Lake tables below a path.",
)
PRINT: Final = SectionType(
    OptionGroup("print", options_of(PrintSink), common=(TYPE,)), _print, "Standard output of the driver."
)
VALUES: Final = SectionType(
    OptionGroup("values", options_of(ValuesSink), common=(TYPE,)), _values, "The driver's memory, for tests."
)
