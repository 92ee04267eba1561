from __future__ import annotations

import pickle
from collections.abc import Collection, Mapping

import attrs
import pytest

from kafkastream.errors import DefinitionError, UnknownOffsetsError
from kafkastream.model.connectors.offsets_initializers import (
    OffsetResetStrategy,
    OffsetsInitializer,
    PartitionOffsetsRetriever,
    starting_offsets,
    stopping_offsets,
)
from kafkastream.model.connectors.subscription import TopicPartition

EARLIEST, LATEST, NONE = OffsetResetStrategy.EARLIEST, OffsetResetStrategy.LATEST, OffsetResetStrategy.NONE
PARTITION = TopicPartition("t", 0)


@pytest.mark.parametrize(
    ("initializer", "strategy"),
    [
        (OffsetsInitializer.earliest(), EARLIEST),
        (OffsetsInitializer.latest(), LATEST),
        (OffsetsInitializer.timestamp(0), LATEST),
        (OffsetsInitializer.committed_offsets(), NONE),
        (OffsetsInitializer.committed_offsets(LATEST), LATEST),
        (OffsetsInitializer.offsets({PARTITION: 1}), EARLIEST),
        (OffsetsInitializer.offsets({PARTITION: 1}, NONE), NONE),
    ],
    ids=str,
)
def test_initializers_are_values_with_flinks_reset_strategy(
    initializer: OffsetsInitializer, strategy: OffsetResetStrategy
) -> None:
    assert initializer.get_auto_offset_reset_strategy() is strategy
    assert pickle.loads(pickle.dumps(initializer)) == initializer
    assert hash(initializer) == hash(pickle.loads(pickle.dumps(initializer)))


def test_initializers_differ_by_kind_and_content() -> None:
    assert len({OffsetsInitializer.earliest(), OffsetsInitializer.latest(), OffsetsInitializer.earliest()}) == 2
    assert OffsetsInitializer.timestamp(1) != OffsetsInitializer.timestamp(2)
    assert OffsetsInitializer.offsets({PARTITION: 1}) != OffsetsInitializer.offsets({PARTITION: 2})


def test_strategies_have_pyflinks_numbers() -> None:
    assert [(strategy.name, strategy.value) for strategy in OffsetResetStrategy] == [
        ("LATEST", 0),
        ("EARLIEST", 1),
        ("NONE", 2),
    ]


def test_negative_timestamps_are_refused() -> None:
    with pytest.raises(DefinitionError, match="the offsets timestamp -1 is negative"):
        OffsetsInitializer.timestamp(-1)


def test_markers_are_taken_and_other_negative_offsets_refused() -> None:
    OffsetsInitializer.offsets({TopicPartition("t", number): -number for number in range(4)})
    with pytest.raises(DefinitionError, match=r"Invalid starting offset \{'t-0': -4\}"):
        OffsetsInitializer.offsets({PARTITION: -4})


def test_only_committed_offsets_need_a_group() -> None:
    assert OffsetsInitializer.earliest().needs_group_for() is None
    assert OffsetsInitializer.offsets({PARTITION: 1}).needs_group_for() is None
    assert OffsetsInitializer.offsets({PARTITION: -3}).needs_group_for() == (
        "because partition t-0 is initialized with committed offset"
    )
    assert OffsetsInitializer.committed_offsets().needs_group_for() == "using committed offset for offsets initializer"


Partitions = Collection[TopicPartition]
Offsets = Mapping[TopicPartition, int]
OTHER = TopicPartition("t", 1)


@attrs.frozen
class Brokers:
    """Answers that are known beforehand: two partitions with offsets 10 to 19."""

    committed: Offsets = attrs.field(factory=dict)
    found: Offsets = attrs.field(factory=dict)

    def committed_offsets(self, partitions: Partitions) -> Offsets:
        return {partition: self.committed[partition] for partition in partitions if partition in self.committed}

    def beginning_offsets(self, partitions: Partitions) -> Offsets:
        return dict.fromkeys(partitions, 10)

    def end_offsets(self, partitions: Partitions) -> Offsets:
        return dict.fromkeys(partitions, 20)

    def offsets_for_times(self, timestamps_to_search: Offsets) -> Offsets:
        return {partition: self.found[partition] for partition in timestamps_to_search if partition in self.found}


def started(initializer: OffsetsInitializer, brokers: PartitionOffsetsRetriever) -> list[int]:
    found = starting_offsets(initializer, [PARTITION, OTHER], brokers)
    return [found[PARTITION], found[OTHER]]


def stopped(initializer: OffsetsInitializer, brokers: PartitionOffsetsRetriever) -> list[int]:
    found = stopping_offsets(initializer, [PARTITION, OTHER], brokers)
    return [found[PARTITION], found[OTHER]]


COMMITTED = Brokers(committed={PARTITION: 15})


@pytest.mark.parametrize(
    ("initializer", "brokers", "starts"),
    [
        (OffsetsInitializer.earliest(), Brokers(), [10, 10]),
        (OffsetsInitializer.latest(), Brokers(), [20, 20]),
        (OffsetsInitializer.timestamp(5), Brokers(found={OTHER: 12}), [20, 12]),
        (OffsetsInitializer.committed_offsets(EARLIEST), COMMITTED, [15, 10]),
        (OffsetsInitializer.committed_offsets(LATEST), COMMITTED, [15, 20]),
        (OffsetsInitializer.offsets({OTHER: 12}), COMMITTED, [15, 12]),
        (OffsetsInitializer.offsets({OTHER: 12}), Brokers(), [10, 12]),
        (OffsetsInitializer.offsets({OTHER: 12}, LATEST), Brokers(), [20, 12]),
        (OffsetsInitializer.offsets({PARTITION: -1, OTHER: -2}), Brokers(), [20, 10]),
        (OffsetsInitializer.offsets({PARTITION: -3, OTHER: -3}, LATEST), COMMITTED, [15, 20]),
    ],
    ids=str,
)
def test_starting_offsets_are_flinks(
    initializer: OffsetsInitializer, brokers: PartitionOffsetsRetriever, starts: list[int]
) -> None:
    assert started(initializer, brokers) == starts


@pytest.mark.parametrize("offset", [9, 21])
def test_starting_offset_out_of_range_is_reset(offset: int) -> None:
    assert started(OffsetsInitializer.offsets({PARTITION: offset, OTHER: 20}, EARLIEST), Brokers()) == [10, 20]
    assert started(OffsetsInitializer.offsets({PARTITION: offset, OTHER: 10}, LATEST), Brokers()) == [20, 10]
    with pytest.raises(UnknownOffsetsError, match="Cannot find initial offsets for partitions: t-0"):
        started(OffsetsInitializer.offsets({PARTITION: offset, OTHER: 10}, NONE), Brokers())


def test_without_strategy_a_missing_committed_offset_fails() -> None:
    with pytest.raises(UnknownOffsetsError, match="Cannot find initial offsets for partitions: t-1"):
        started(OffsetsInitializer.committed_offsets(), COMMITTED)


@pytest.mark.parametrize(
    ("initializer", "brokers", "stops"),
    [
        (OffsetsInitializer.latest(), Brokers(), [20, 20]),
        (OffsetsInitializer.timestamp(5), Brokers(found={OTHER: 12}), [20, 12]),
        (OffsetsInitializer.committed_offsets(), Brokers(committed={PARTITION: 15, OTHER: 16}), [15, 16]),
        (OffsetsInitializer.offsets({OTHER: 12}), COMMITTED, [15, 12]),
        (OffsetsInitializer.offsets({OTHER: 12}, EARLIEST), Brokers(), [20, 12]),
        (OffsetsInitializer.offsets({OTHER: 99}, NONE), COMMITTED, [15, 99]),
    ],
    ids=str,
)
def test_stopping_offsets_are_flinks(
    initializer: OffsetsInitializer, brokers: PartitionOffsetsRetriever, stops: list[int]
) -> None:
    assert stopped(initializer, brokers) == stops


def test_stop_at_a_committed_offset_needs_one_whatever_the_strategy() -> None:
    with pytest.raises(UnknownOffsetsError, match="t-1"):
        stopped(OffsetsInitializer.committed_offsets(LATEST), COMMITTED)


def test_initializer_of_ones_own_may_leave_out_partitions_and_use_markers() -> None:
    class Halfway(OffsetsInitializer):
        def get_partition_offsets(
            self, partitions: Partitions, partition_offsets_retriever: PartitionOffsetsRetriever
        ) -> Offsets:
            begins = partition_offsets_retriever.beginning_offsets(partitions)
            ends = partition_offsets_retriever.end_offsets(partitions)
            return {PARTITION: (begins[PARTITION] + ends[PARTITION]) // 2}

        def get_auto_offset_reset_strategy(self) -> OffsetResetStrategy:
            return LATEST

    assert started(Halfway(), Brokers()) == [15, 20]
    assert started(Halfway(), Brokers(committed={OTHER: 11})) == [15, 11]
