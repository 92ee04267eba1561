"""Plain Avro records, without file header and registry."""

from __future__ import annotations

import enum
import json
from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Final, final

import attrs

from kafkastream.extras import AVRO
from kafkastream.options.option import Option
from kafkastream.options.parsers import boolean, enum_member, text
from kafkastream.sql.formats.avro_types import avro_type
from kafkastream.sql.formats.format import Format
from kafkastream.sql.settings import setting
from kafkastream.sql.types import RowField

__all__ = ["AvroEncoding", "AvroFormat", "AvroRecordFormat"]


class AvroEncoding(enum.Enum):
    """Encoding of a record."""

    BINARY = "binary"
    JSON = "json"


ENCODING: Final = Option[AvroEncoding](
    key="encoding",
    parse=enum_member(AvroEncoding),
    default=AvroEncoding.BINARY,
    doc="Encoding of a record: Avro's `binary` or its `json` encoding.",
)
CODEC: Final = Option[str | None](
    key="codec",
    parse=text,
    default=None,
    doc="Compression of files. No effect: a Kafka record is not a file.",
)
TIMESTAMP_MAPPING_LEGACY: Final = Option[bool](
    key="timestamp_mapping.legacy",
    parse=boolean,
    default=True,
    doc=(
        "Whether TIMESTAMP and TIMESTAMP_LTZ both become Avro's `timestamp`; otherwise TIMESTAMP becomes "
        "`local-timestamp`."
    ),
)


class AvroRecordFormat(Format):
    """A format whose messages hold an Avro record."""

    __slots__ = ()

    def __attrs_post_init__(self) -> None:
        AVRO.imported()

    @abstractmethod
    def schema_of(self, fields: Sequence[RowField]) -> str:
        """Return the schema of a record with these fields.

        Raises:
            ValueError: A type has no counterpart in Avro, or the configured schema does not fit.
        """

    def problem_with(self, fields: Sequence[RowField]) -> str | None:
        """Return the error of ``schema_of``, if it raises one."""
        try:
            self.schema_of(fields)
        except ValueError as error:
            return str(error)
        return None


@final
@attrs.frozen(kw_only=True)
class AvroFormat(AvroRecordFormat):
    """An Avro record with the schema that Flink derives from the table's."""

    identifier: ClassVar[str] = "avro"
    engine_module: ClassVar[str] = "kafkastream.spark.sql.formats.avro_messages"
    encoding: AvroEncoding = setting(ENCODING)
    codec: str | None = setting(CODEC)
    timestamp_mapping_legacy: bool = setting(TIMESTAMP_MAPPING_LEGACY)

    def schema_of(self, fields: Sequence[RowField]) -> str:
        """Return the schema that Flink derives.

        Raises:
            ValueError: A type has no counterpart in Avro.
        """
        return json.dumps(avro_type(fields, legacy=self.timestamp_mapping_legacy), separators=(",", ":"))
