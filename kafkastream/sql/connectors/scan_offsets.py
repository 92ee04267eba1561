"""Starting and stopping offsets of a Kafka table, from its options."""

from __future__ import annotations

import re
from typing import Final, TypeVar

from kafkastream.model.connectors.offsets_initializers import OffsetResetStrategy, OffsetsInitializer
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.options.option import Option
from kafkastream.sql.connectors.kafka_options import (
    BOUNDED,
    BOUNDED_MODE,
    PROPERTIES,
    STARTUP,
    STARTUP_MODE,
    TOPIC,
    BoundedMode,
    ScanEnd,
    StartupMode,
)
from kafkastream.sql.table_options import Declaration, GivenOptions

__all__ = ["AUTO_OFFSET_RESET", "starting_offsets", "stopping_offsets"]

T = TypeVar("T")

AUTO_OFFSET_RESET: Final = "auto.offset.reset"
_PARTITION_OFFSET: Final = re.compile(r"partition:([+-]?\d+),offset:([+-]?\d+)", re.ASCII)


def starting_offsets(options: GivenOptions[Declaration]) -> OffsetsInitializer:
    """Return the starting offsets of a table without a checkpoint; the group's offsets if no option is set.

    Raises:
        DefinitionError: An option that the mode needs is missing or wrong.
    """
    match options.get(STARTUP_MODE):
        case StartupMode.EARLIEST_OFFSET:
            return OffsetsInitializer.earliest()
        case StartupMode.LATEST_OFFSET:
            return OffsetsInitializer.latest()
        case StartupMode.GROUP_OFFSETS:
            return OffsetsInitializer.committed_offsets(_reset_strategy(options))
        case StartupMode.TIMESTAMP:
            return _timestamp(options, STARTUP)
        case StartupMode.SPECIFIC_OFFSETS:
            return _specific(options, STARTUP)


def stopping_offsets(options: GivenOptions[Declaration]) -> OffsetsInitializer | None:
    """Return the stopping offsets of a table, if it is bounded.

    Raises:
        DefinitionError: An option that the mode needs is missing or wrong.
    """
    match options.get(BOUNDED_MODE):
        case BoundedMode.UNBOUNDED:
            return None
        case BoundedMode.LATEST_OFFSET:
            return OffsetsInitializer.latest()
        case BoundedMode.GROUP_OFFSETS:
            return OffsetsInitializer.committed_offsets()
        case BoundedMode.TIMESTAMP:
            return _timestamp(options, BOUNDED)
        case BoundedMode.SPECIFIC_OFFSETS:
            return _specific(options, BOUNDED)


def _reset_strategy(options: GivenOptions[Declaration]) -> OffsetResetStrategy:
    """Return the strategy for partitions without a committed offset; NONE, which fails, if no option is set."""
    text = options.under(PROPERTIES).get(AUTO_OFFSET_RESET, OffsetResetStrategy.NONE.name)
    names = [strategy.name for strategy in OffsetResetStrategy]
    if text.upper() not in names:
        key = PROPERTIES.prefix + AUTO_OFFSET_RESET
        raise options.refusal(
            f"{AUTO_OFFSET_RESET} can not be set to {options.shown(key)}. Valid values: [{','.join(names).lower()}]",
            key,
        )
    return OffsetResetStrategy[text.upper()]


def _timestamp(options: GivenOptions[Declaration], end: ScanEnd) -> OffsetsInitializer:
    millis = _needed(options, end, end.timestamp)
    with options.reading(end.timestamp.key):
        return OffsetsInitializer.timestamp(millis)


def _specific(options: GivenOptions[Declaration], end: ScanEnd) -> OffsetsInitializer:
    text, topics = _needed(options, end, end.offsets), options.get(TOPIC)
    if len(topics) != 1:
        raise options.refusal(
            "Currently Kafka source only supports specific offset for single topic.",
            end.offsets.key,
            now="Give one 'topic', and no 'topic-pattern'.",
        )
    # As in Java, empty parts at the end do not count.
    pairs = [_PARTITION_OFFSET.fullmatch(pair) for pair in text.rstrip(";").split(";")]
    if not all(pairs):
        raise options.refusal(
            f"Invalid properties '{end.offsets.key}' should follow the format "
            f"'partition:0,offset:42;partition:1,offset:300', but is {options.shown(end.offsets.key)}.",
            end.offsets.key,
        )
    with options.reading(end.offsets.key):
        return OffsetsInitializer.offsets(
            {TopicPartition(topics[0], int(pair[1])): int(pair[2]) for pair in pairs if pair}
        )


def _needed(options: GivenOptions[Declaration], end: ScanEnd, option: Option[T | None]) -> T:
    value = options.get(option)
    if value is None:
        raise options.refusal(
            f"'{option.key}' is required in '{options.get(end.mode).value}' {end.name} mode but missing.",
            end.mode.key,
            now=option.doc,
        )
    return value
