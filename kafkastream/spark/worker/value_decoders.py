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
from kafkastream.spark.worker.batches import ElementError, each
from kafkastream.spark.worker.json_rows import decode_json_rows

__all__ = ["decode_values", "deserialize_values"]

Decode = Callable[[Any, pa.Array], Sequence[Any]]


def decode_values(schema: DeserializationSchema[Any], values: pa.Array) -> Sequence[Any]:
    """Return the elements of a binary column; None if the schema drops the record.

    Raises:
        ElementError: A value cannot be decoded; with its index.
    """
    decode: Decode = _COLUMN_DECODERS.get(type(schema), _one_by_one)
    if not values.null_count:
        return decode(schema, values)
    if schema.drops_tombstones:
        return _around_nulls(decode, schema, values)
    raise ElementError(values.is_null().index(True).as_py()) from ValueError("the record's value is null (a tombstone)")


def _around_nulls(decode: Decode, schema: object, values: pa.Array) -> Sequence[Any]:
    places = values.is_valid().to_pylist()
    out: list[Any] = [None] * len(places)
    present = [place for place, is_valid in enumerate(places) if is_valid]
    try:
        decoded = decode(schema, values.drop_null())
    except ElementError as error:
        raise ElementError(present[error.index]) from error.__cause__
    for place, element in zip(present, decoded, strict=True):
        out[place] = element
    return out


def _one_by_one(schema: DeserializationSchema[Any], values: pa.Array) -> Sequence[Any]:
    return each(schema.deserialize, values.to_pylist())


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
