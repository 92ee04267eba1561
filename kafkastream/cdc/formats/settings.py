"""Common options of the formats, and the protocol of a format's reader."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, Protocol

import attrs

from kafkastream.cdc.changes import Change
from kafkastream.cdc.row_rules import RowRules
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.options.option import Option
from kafkastream.options.parsers import boolean
from kafkastream.sql.formats.json_format import IGNORE_PARSE_ERRORS, PRIMITIVE_AS_STRING
from kafkastream.sql.settings import setting

__all__ = ["DistributedSettings", "FormatReader", "FormatSettings"]

IGNORE_ERRORS: Final = attrs.evolve(
    IGNORE_PARSE_ERRORS,
    doc="Whether records that cannot be parsed are skipped silently; otherwise they fail the job.",
)
AS_STRING: Final = attrs.evolve(PRIMITIVE_AS_STRING, doc="Whether all inferred columns are STRING.")
DISTRIBUTED_TABLES: Final = Option[bool](
    key="distributed-tables",
    parse=boolean,
    default=False,
    doc=(
        "Whether the rows of a table are in several partitions. No effect: schemas are always merged over all "
        "partitions."
    ),
)


class FormatReader(Protocol):
    """Reader of the records of a format."""

    def changes(self, topic: str, key: bytes | None, value: bytes, metadata: Sequence[object]) -> Sequence[Change]:
        """Return the row changes in a record.

        Args:
            topic: Topic of the record.
            key: Key of the record.
            value: Value of the record; None for a tombstone.
            metadata: Values of the metadata columns.

        Raises:
            MisfitError: A table is unknown, or a row does not match its schema.
            MalformedRecordError: The record cannot be parsed.
        """
        ...

    def found(self, topic: str, key: bytes | None, value: bytes) -> Sequence[tuple[TableId, TableSchema]]:
        """Return the schemas inferred from the rows of a record.

        Args:
            topic: Topic of the record.
            key: Key of the record.
            value: Value of the record; None for a tombstone.

        Raises:
            MalformedRecordError: The record cannot be parsed.
        """
        ...

    def forget(self, table: TableId) -> None:
        """Forget the cached rows of a table whose schema has changed."""
        ...


@attrs.frozen(kw_only=True)
class FormatSettings:
    """Options of every format that pipelines read.

    Attributes:
        identifier: Name of the format in documents.
    """

    identifier: ClassVar[str]
    ignore_parse_errors: bool = setting(IGNORE_ERRORS)
    primitive_as_string: bool = setting(AS_STRING)

    def adapted(self, rules: RowRules) -> RowRules:
        """Return the row rules with the format's options."""
        return attrs.evolve(rules, primitive_as_string=self.primitive_as_string)


@attrs.frozen(kw_only=True)
class DistributedSettings(FormatSettings):
    """Options of formats whose records name their table."""

    distributed_tables: bool = setting(DISTRIBUTED_TABLES)
