from __future__ import annotations

import pickle

import pytest

from kafkastream.errors import DefinitionError
from kafkastream.spec.offsets import OffsetResetStrategy, OffsetsInitializer
from kafkastream.spec.subscription import TopicPartition

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
    assert initializer.reset_strategy is strategy
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
