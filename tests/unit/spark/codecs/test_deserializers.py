from __future__ import annotations

import struct

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.model.formats.kafka_deserializers import kafka_deserializer
from kafkastream.spark.worker.batches import ElementError
from kafkastream.spark.worker.value_decoders import deserialize_values

LONGS = kafka_deserializer("org.apache.kafka.common.serialization.LongDeserializer", {})


@given(st.lists(st.none() | st.integers(-(2**63), 2**63 - 1)))
def test_a_column_of_numbers_is_read(numbers: list[int | None]) -> None:
    column = pa.array([None if number is None else struct.pack(">q", number) for number in numbers], pa.binary())
    assert list(deserialize_values(LONGS, column)) == numbers


@pytest.mark.parametrize("bad", [b"", b"\0" * 4, b"\0" * 16])
def test_the_culprit_is_named(bad: bytes) -> None:
    with pytest.raises(ElementError) as raised:
        deserialize_values(LONGS, pa.array([bytes(8), None, bad, bytes(8)], pa.binary()))
    assert (raised.value.index, str(raised.value.__cause__)) == (
        2,
        "Size of data received by LongDeserializer is not 8",
    )
