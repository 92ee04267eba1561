from __future__ import annotations

import pickle

import pyarrow as pa
import pytest

from kafkastream.model.connectors.record_deserialization import (
    ConsumerRecord,
    KafkaRecordDeserializationSchema,
    TimestampType,
)
from kafkastream.spark.worker.batches import Batch
from kafkastream.spark.worker.record_decoders import CollectionDecoder, RecordDecoder, owner_subtask, subtask_of

# Java's String.hashCode
HASHES = {
    "in": 105 * 31 + 110,
    "out": (111 * 31 + 117) * 31 + 116,
    "orders": -1008770331,
    "polygenelubricants": -(2**31),
}


class KeyAndTwice(KafkaRecordDeserializationSchema[ConsumerRecord]):
    def deserialize(self, record: ConsumerRecord) -> list[ConsumerRecord]:
        return [record] * int(record.key or b"0")


@pytest.mark.parametrize("topic", HASHES)
@pytest.mark.parametrize("parallelism", [1, 2, 3, 7, 128])
def test_owner_is_that_of_flinks_formula(topic: str, parallelism: int) -> None:
    product = HASHES[topic] * 31
    start = (product & 0x7FFFFFFF) % parallelism
    for partition in (0, 1, 5, 200):
        assert owner_subtask(topic, partition, parallelism) == (start + partition) % parallelism


def test_characters_beyond_16_bits_count_as_java_counts_them() -> None:
    high, low = 0xD83D, 0xDE00  # the surrogates of U+1F600
    start = (((high * 31 + low) * 31) & 0x7FFFFFFF) % 10
    assert owner_subtask("\U0001f600", 0, 10) == start


def test_collections_belong_to_the_first_subtask() -> None:
    assert subtask_of(pa.RecordBatch.from_pydict({"source": [1], "value": [b""]}), 4) == 0
    kafka = pa.RecordBatch.from_pydict({"source": [1], "topic": ["in"], "partition": [3]})
    assert subtask_of(kafka, 4) == owner_subtask("in", 3, 4)


def test_records_come_whole_with_their_times() -> None:
    headers = [[("h", b"1"), ("h", None)], None, []]
    kind = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
    arrow = pa.RecordBatch.from_pydict(
        {
            "topic": pa.array(["t"] * 3),
            "partition": pa.array([4] * 3, pa.int32()),
            "offset": pa.array([7, 8, 9], pa.int64()),
            "timestamp": pa.array([70, 80, 90], pa.int64()),
            "timestampType": pa.array([0, 1, 0], pa.int32()),
            "key": pa.array([b"2", None, b"1"], pa.binary()),
            "value": pa.array([b"v", b"dropped", None], pa.binary()),
            "headers": pa.array([one and [{"key": k, "value": v} for k, v in one] for one in headers], kind),
        }
    )
    first = ConsumerRecord(
        topic="t", partition=4, offset=7, timestamp=70, key=b"2", value=b"v", headers=(("h", b"1"), ("h", None))
    )
    last = ConsumerRecord(topic="t", partition=4, offset=9, timestamp=90, key=b"1")
    decoder = RecordDecoder(KeyAndTwice())
    assert decoder.decode(arrow) == Batch([first, first, last], [70, 70, 90], [0, 0, 2])
    assert first.timestamp_type is TimestampType.CREATE_TIME
    assert decoder.position(arrow, 1) == "topic t, partition 4, offset 8"


def test_elements_of_a_collection_are_counted_from_one() -> None:
    arrow = pa.RecordBatch.from_pydict({"value": [pickle.dumps("a"), pickle.dumps(None)]})
    decoder = CollectionDecoder()
    for _ in range(2):
        decoder.begin()
        for number in (2, 4):
            assert decoder.decode(arrow) == Batch(["a", None], [None, None], range(2))
            assert decoder.position(arrow, 1) == f"element {number} of the collection"
