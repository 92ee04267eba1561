from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.model.formats import ByteArraySchema, DeserializationSchema, SimpleStringSchema
from kafkastream.spark.worker.batches import ElementError
from kafkastream.spark.worker.value_decoders import decode_values


class Slow(DeserializationSchema[str]):
    def deserialize(self, message: bytes) -> str:
        return message.decode()


def column(values: Sequence[bytes | None]) -> Any:
    return pa.array(values, pa.binary())


@given(st.lists(st.text(st.characters(codec="utf-8"))))
def test_fast_way_gives_what_the_slow_one_gives(texts: list[str]) -> None:
    values = column([text.encode() for text in texts])
    assert decode_values(SimpleStringSchema(), values) == decode_values(Slow(), values) == texts


@given(st.lists(st.binary()))
def test_bytes_stay_as_they_are(data: list[bytes]) -> None:
    assert decode_values(ByteArraySchema(), column(data)) == data


@given(st.lists(st.binary(), min_size=1))
def test_both_ways_name_the_same_culprit(data: list[bytes]) -> None:
    def culprit(schema: DeserializationSchema[str]) -> tuple[int, type | None] | None:
        try:
            decode_values(schema, column(data))
        except ElementError as error:
            return error.index, type(error.__cause__)
        return None

    assert culprit(SimpleStringSchema()) == culprit(Slow())


@pytest.mark.parametrize(
    "schema", [SimpleStringSchema(), ByteArraySchema(), Slow()], ids=lambda schema: type(schema).__name__
)
def test_tombstones_fail_with_their_place(schema: DeserializationSchema[Any]) -> None:
    with pytest.raises(ElementError) as raised:
        decode_values(schema, column([b"a", None, b"b", None]))
    assert raised.value.index == 1
    assert "tombstone" in str(raised.value.__cause__)
