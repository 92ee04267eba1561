"""Bare Avro records: no file header, no registry."""

from __future__ import annotations

import enum
from typing import ClassVar, Final, final

import attrs

from kafkastream.options.option import Option
from kafkastream.options.parsers import boolean, enum_member, text
from kafkastream.sql.formats.format import Format
from kafkastream.sql.settings import setting

__all__ = ["AvroEncoding", "AvroFormat"]


class AvroEncoding(enum.Enum):
    """How a record is bytes."""

    BINARY = "binary"
    JSON = "json"


ENCODING: Final = Option[AvroEncoding](
    key="encoding",
    parse=enum_member(AvroEncoding),
    default=AvroEncoding.BINARY,
    doc="How a record is written: Avro's `binary` form, or its `json` form.",
)
CODEC: Final = Option[str | None](
    key="codec",
    parse=text,
    default=None,
    doc="How files are compressed. No effect: a Kafka record is no file.",
)
TIMESTAMP_MAPPING_LEGACY: Final = Option[bool](
    key="timestamp_mapping.legacy",
    parse=boolean,
    default=True,
    doc="Whether TIMESTAMP and TIMESTAMP_LTZ are both Avro's `timestamp`; otherwise TIMESTAMP is `local-timestamp`.",
)


@final
@attrs.frozen(kw_only=True)
class AvroFormat(Format):
    """An Avro record, by the schema that follows from the table's."""

    identifier: ClassVar[str] = "avro"
    encoding: AvroEncoding = setting(ENCODING)
    codec: str | None = setting(CODEC)
    timestamp_mapping_legacy: bool = setting(TIMESTAMP_MAPPING_LEGACY)
