"""A column of Kafka values to what a deserializer of Kafka's Java client gives."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from kafkastream.model.formats.kafka_deserializers import FixedSize, KafkaDeserializer
from kafkastream.spark.worker.batches import each

__all__ = ["deserialize_values"]


def deserialize_values(deserializer: KafkaDeserializer, values: pa.Array) -> Sequence[Any]:
    """Deserialize each value to one element; null to None.

    Raises:
        ElementError: With the index of the value that could not be read.
    """
    read, data = deserializer.deserialize, values.to_pylist()
    if isinstance(read, FixedSize) and set(map(_length, data)) == {read.size}:
        return struct.unpack(f">{len(data)}{read.code}", b"".join(data))
    return each(lambda one: None if one is None else read(one), data)


def _length(one: bytes | None) -> int:
    return -1 if one is None else len(one)
