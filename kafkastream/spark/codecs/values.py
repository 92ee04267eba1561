"""A column of Kafka values to elements, by the schema's fastest way that gives the same elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from kafkastream.spark.batches import ElementError, each
from kafkastream.spec.formats import ByteArraySchema, DeserializationSchema, SimpleStringSchema

__all__ = ["decode_values"]


def decode_values(schema: DeserializationSchema[Any], values: pa.Array) -> Sequence[Any]:
    """The elements of a binary column; None where the schema drops the record.

    Raises:
        ElementError: With the index of the value that could not be decoded.
    """
    if values.null_count:
        raise ElementError(values.is_null().index(True).as_py()) from ValueError(
            "the record's value is null (a tombstone)"
        )
    if isinstance(schema, SimpleStringSchema) and schema.is_utf8:
        return _utf8(values)
    if isinstance(schema, ByteArraySchema):
        return values.to_pylist()
    return each(schema.deserialize, values.to_pylist())


def _utf8(values: pa.Array) -> Sequence[str]:
    """Arrow checks and decodes a whole column; only a bad one is looked at value by value, to name the culprit."""
    try:
        return values.cast(pa.string()).to_pylist()
    except pa.ArrowInvalid:
        return each(bytes.decode, values.to_pylist())
