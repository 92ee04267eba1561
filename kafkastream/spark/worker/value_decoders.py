"""A column of Kafka values to elements, by the fastest way that gives the result of the schema or deserializer."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import pyarrow as pa

from kafkastream.model.formats import (
    ByteArraySchema,
    DeserializationSchema,
    JsonRowDeserializationSchema,
    SimpleStringSchema,
)
from kafkastream.model.formats.kafka_deserializers import FixedSize, KafkaDeserializer
from kafkastream.spark.worker.batches import ElementError, each, each_detached
from kafkastream.spark.worker.json_rows import decode_json_rows

__all__ = ["decode_values", "deserialize_values"]

Decode = Callable[[Any, pa.Array], Sequence[Any]]


def decode_values(schema: DeserializationSchema[Any], values: pa.Array) -> Sequence[Any]:
    """Return the elements of a binary column; None if the schema drops the record.

    Raises:
        ElementError: A value cannot be decoded; with its index.
    """
    decode: Decode = _COLUMN_DECODERS.get(type(schema), _one_by_one)
    if values.null_count and decode in _OF_VALUES:
        return _around_nulls(decode, schema, values)
    return decode(schema, values)


def _around_nulls(decode: Decode, schema: DeserializationSchema[Any], values: pa.Array) -> Sequence[Any]:
    try:
        of_null = each(schema.deserialize, [None])  # a tombstone
        decoded = iter(decode(schema, values.drop_null()))
    except ElementError:
        return _one_by_one(schema, values)  # which names the first value that cannot be decoded
    return [next(decoded) if is_valid else of_null[0] for is_valid in values.is_valid().to_pylist()]


def _one_by_one(schema: DeserializationSchema[Any], values: pa.Array) -> Sequence[Any]:
    return each_detached(schema.deserialize, values.to_pylist())  # a schema may return the same object again


def _text(schema: SimpleStringSchema, values: pa.Array) -> Sequence[str]:
    """Decode a whole column by Arrow; only if that fails, value by value, to find the bad one."""
    if not schema.is_utf8:
        return _one_by_one(schema, values)
    try:
        return values.cast(pa.string()).to_pylist()
    except pa.ArrowInvalid:
        return each(bytes.decode, values.to_pylist())


def _bytes(_: ByteArraySchema, values: pa.Array) -> Sequence[bytes]:
    return values.to_pylist()


_COLUMN_DECODERS: Final[Mapping[type, Decode]] = {
    SimpleStringSchema: _text,
    ByteArraySchema: _bytes,
    JsonRowDeserializationSchema: decode_json_rows,
}
_OF_VALUES: Final[frozenset[Decode]] = frozenset({_text, decode_json_rows})
"""Decoders of columns without nulls."""


def deserialize_values(deserializer: KafkaDeserializer, values: pa.Array) -> Sequence[Any]:
    """Deserialize each value as a deserializer of Kafka's Java client does; null to None.

    Raises:
        ElementError: With the index of the value that could not be read.
    """
    read, data = deserializer.deserialize, values.to_pylist()
    if isinstance(read, FixedSize) and set(map(_length, data)) == {read.size}:
        return struct.unpack(f">{len(data)}{read.code}", b"".join(data))
    return each(lambda one: None if one is None else read(one), data)


def _length(one: bytes | None) -> int:
    return -1 if one is None else len(one)
