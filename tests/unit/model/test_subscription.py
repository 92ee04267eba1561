from __future__ import annotations

import pickle

import pytest

from kafkastream.errors import DefinitionError
from kafkastream.model.connectors.subscription import (
    PartitionSet,
    Subscription,
    TopicList,
    TopicPartition,
    TopicPattern,
)


@pytest.mark.parametrize(
    ("subscription", "shown"),
    [
        (TopicList(["b", "a", "b"]), "topics b, a"),
        (TopicPattern("a.*"), "topic pattern a.*"),
        (PartitionSet([TopicPartition("t", 10), TopicPartition("t", 2)]), "partitions t-2, t-10"),
    ],
)
def test_subscriptions_are_values_that_can_be_read(subscription: Subscription, shown: str) -> None:
    assert str(subscription) == shown
    assert pickle.loads(pickle.dumps(subscription)) == subscription


def test_order_of_partitions_does_not_matter() -> None:
    one, two = TopicPartition("t", 0), TopicPartition("t", 1)
    assert PartitionSet([one, two]) == PartitionSet({two, one})


@pytest.mark.parametrize("kind", [TopicList, PartitionSet])
def test_reading_nothing_is_refused(kind: type[TopicList] | type[PartitionSet]) -> None:
    with pytest.raises(DefinitionError, match="the subscription is empty"):
        kind([])
