from __future__ import annotations

import pickle
from typing import Any

import pytest

from kafkastream.model.connectors.partitioners import FlinkFixedPartitioner, KafkaPartitioner, RoundRobinPartitioner


def chosen(partitioner: KafkaPartitioner[Any], partitions: list[int], topic: str = "t") -> int:
    return partitioner.partition("any", None, None, topic, partitions)


def opened(subtask: int, parallelism: int) -> FlinkFixedPartitioner[Any]:
    partitioner: FlinkFixedPartitioner[Any] = FlinkFixedPartitioner()
    partitioner.open(subtask, parallelism)
    return partitioner


def test_a_subtask_has_one_partition() -> None:
    assert [chosen(opened(subtask, 4), [0, 1, 2]) for subtask in range(4)] == [0, 1, 2, 0]
    assert {chosen(opened(1, 2), [0, 1, 2]) for _ in range(9)} == {1}


def test_subtasks_and_partitions_must_be_there() -> None:
    with pytest.raises(ValueError, match=r"^Id of this subtask cannot be negative\.$"):
        opened(-1, 4)
    with pytest.raises(ValueError, match=r"^Number of subtasks must be larger than 0\.$"):
        opened(0, 0)
    with pytest.raises(ValueError, match=r"^Partitions of the target topic is empty\.$"):
        chosen(opened(0, 1), [])


def test_partitions_take_turns_in_each_topic() -> None:
    partitioner: RoundRobinPartitioner[Any] = RoundRobinPartitioner()
    assert [chosen(partitioner, [0, 1]) for _ in range(3)] == [0, 1, 0]
    assert [chosen(partitioner, [0, 1], "other") for _ in range(3)] == [0, 1, 0]
    assert chosen(partitioner, [0, 1]) == 1


@pytest.mark.parametrize("kind", [FlinkFixedPartitioner, RoundRobinPartitioner])
def test_all_of_a_kind_are_equal(kind: type[KafkaPartitioner[Any]]) -> None:
    one, other = kind(), kind()
    one.open(3, 4)
    chosen(one, [0, 1])
    assert {one} == {other}
    assert pickle.loads(pickle.dumps(one)) == other
    assert FlinkFixedPartitioner() != RoundRobinPartitioner()
