"""How many messages of each partition a sample has."""

from __future__ import annotations

import pytest

from kafkastream.kafka.topics import messages_per_partition
from kafkastream.model.connectors.subscription import TopicPartition


@pytest.mark.parametrize(
    ("available", "most", "expected"),
    [
        ([], 10, []),
        ([0, 0], 10, [0, 0]),
        ([500, 500, 500], 10, [4, 3, 3]),
        ([1, 500, 2], 10, [1, 7, 2]),
        ([500, 500, 500], 1, [1, 0, 0]),
        ([2, 3], 10, [2, 3]),
    ],
)
def test_shares(available: list[int], most: int, expected: list[int]) -> None:
    found = messages_per_partition({TopicPartition("t", number): count for number, count in enumerate(available)}, most)
    assert [found[TopicPartition("t", number)] for number in range(len(available))] == expected
