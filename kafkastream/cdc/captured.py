"""Kafka records as a pipeline reads them: undecoded, with the columns that it needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, final

import attrs

from kafkastream.cdc.tables import Column
from kafkastream.model.connectors.record_deserialization import ConsumerRecord, KafkaRecordDeserializationSchema
from kafkastream.sql.types import DataType, Kind

__all__ = ["METADATA", "CapturedRecords", "metadata_column"]

_ALWAYS: Final = ("topic", "partition", "offset", "timestamp", "value")
_OF_METADATA: Final = {"timestamp-type": "timestampType", "headers": "headers", "__raw_key__": "key"}


_TYPES: Final[Mapping[str, DataType]] = {
    "topic": DataType.string(),
    "partition": DataType.of(Kind.INT),
    "offset": DataType.of(Kind.BIGINT),
    "timestamp": DataType.of(Kind.BIGINT),
    "timestamp-type": DataType.string(),
    "headers": DataType.string(),
    "leader-epoch": DataType.of(Kind.INT),
    "__raw_key__": DataType.string(),
    "__raw_value__": DataType.string(),
}
METADATA: Final = tuple(_TYPES)
"""Allowed names in ``metadata.list``."""


def metadata_column(name: str) -> Column:
    """Return the table column for a record's metadata.

    ``timestamp`` is in ms since 1970; ``headers`` is a JSON object with values as text.

    Example:
        >>> str(metadata_column("offset").type)
        'BIGINT'
    """
    return Column(name, _TYPES[name])


@final
@attrs.frozen
class CapturedRecords(KafkaRecordDeserializationSchema[ConsumerRecord]):
    """Deserialization schema that passes records on undecoded, and names the columns to read.

    Args:
        reads_keys: Read keys.
        metadata: Names of ``metadata.list``.

    Example:
        >>> CapturedRecords(reads_keys=True)._columns
        ('topic', 'partition', 'offset', 'timestamp', 'value', 'key')
    """

    reads_keys: bool = False
    metadata: tuple[str, ...] = ()

    @property
    def _columns(self) -> tuple[str, ...]:
        """Columns of Spark's Kafka source to read."""
        keys = ("key",) if self.reads_keys else ()
        more = (_OF_METADATA[name] for name in self.metadata if name in _OF_METADATA)
        return tuple(dict.fromkeys((*_ALWAYS, *keys, *more)))

    def deserialize(self, record: ConsumerRecord) -> tuple[ConsumerRecord]:
        """Return the record."""
        return (record,)
