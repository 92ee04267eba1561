"""Options that the formats have in common, and what a format's reader is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, Protocol

import attrs

from kafkastream.cdc.changes import Change
from kafkastream.cdc.row_rules import RowRules
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.options.option import Option
from kafkastream.options.parsers import boolean
from kafkastream.sql.formats.json import IGNORE_PARSE_ERRORS, PRIMITIVE_AS_STRING
from kafkastream.sql.settings import setting

__all__ = ["DistributedSettings", "FormatReader", "FormatSettings"]

IGNORE_ERRORS: Final = attrs.evolve(
    IGNORE_PARSE_ERRORS,
    doc="Whether records that cannot be read are left out without a word; otherwise they fail the job.",
)
AS_STRING: Final = attrs.evolve(PRIMITIVE_AS_STRING, doc="Whether all inferred columns are STRING.")
DISTRIBUTED_TABLES: Final = Option[bool](
    key="distributed-tables",
    parse=boolean,
    default=False,
    doc=(
        "Whether the rows of a table lie in several partitions. No effect: schemas are merged over all partitions anyway."
    ),
)


class FormatReader(Protocol):
    """Reader of the records of a format."""

    def changes(self, topic: str, key: bytes | None, value: bytes, metadata: Sequence[object]) -> Sequence[Change]:
        """Return the changes of rows that a record holds.

        Raises:
            MisfitError: A table is not known, or a row does not fit its schema.
            MalformedRecordError: It cannot be read.
        """
        ...

    def found(self, topic: str, key: bytes | None, value: bytes) -> Sequence[tuple[TableId, TableSchema]]:
        """Return the schemas that the rows of a record show.

        Raises:
            MalformedRecordError: It cannot be read.
        """
        ...

    def forget(self, table: TableId) -> None:
        """Look a table up again: its schema is another one."""
        ...


@attrs.frozen(kw_only=True)
class FormatSettings:
    """Options of every format that pipelines read.

    Attributes:
        identifier: The format's name in documents.
    """

    identifier: ClassVar[str]
    ignore_parse_errors: bool = setting(IGNORE_ERRORS)
    primitive_as_string: bool = setting(AS_STRING)

    def adapted(self, rules: RowRules) -> RowRules:
        """Return the rules by which records are rows, as the options of the format want them."""
        return attrs.evolve(rules, primitive_as_string=self.primitive_as_string)


@attrs.frozen(kw_only=True)
class DistributedSettings(FormatSettings):
    """Options of formats whose records name their table."""

    distributed_tables: bool = setting(DISTRIBUTED_TABLES)
