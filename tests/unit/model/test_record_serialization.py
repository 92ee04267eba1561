from __future__ import annotations

from typing import Any

import pytest

from kafkastream.model.connectors.record_serialization import (
    KafkaRecordSerializationSchema,
    KafkaSinkContext,
    ProducerRecord,
)
from kafkastream.model.formats import InitializationContext


class Even(KafkaRecordSerializationSchema[int]):
    def __init__(self, topic: str) -> None:
        self.topic = topic

    def serialize(self, element: int, context: KafkaSinkContext, timestamp: int | None) -> ProducerRecord | None:
        return ProducerRecord(str(self.topic), str(element).encode()) if element % 2 == 0 else None


def test_a_schema_of_ones_own_needs_no_open() -> None:
    context = KafkaSinkContext(0, 1, lambda _: [0])
    schema = Even("even")
    schema.open(InitializationContext(), context)
    assert [schema.serialize(number, context, None) for number in (1, 2)] == [None, ProducerRecord("even", b"2")]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"topic": None}, "Topic cannot be null."),
        ({"timestamp": -1}, "Invalid timestamp: -1. Timestamp should always be non-negative or null."),
        ({"partition": -1}, "Invalid partition: -1. Partition number should always be non-negative or null."),
    ],
)
def test_records_have_javas_rules(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match="^" + said.replace(".", r"\.") + "$"):
        ProducerRecord(**{"topic": "t", "value": None, **fields})


def test_records_are_values() -> None:
    one = ProducerRecord("t", None, headers=[("h", b"1")])
    assert {one} == {ProducerRecord("t", None, headers=(("h", b"1"),))}
