"""Kinesis connector, at PyFlink's path: importable, and refused when it is used."""

from __future__ import annotations

from typing import Final

from kafkastream.common.watermark_strategy import AssignerWithPeriodicWatermarksWrapper
from kafkastream.model.common.endpoints import SourceFunction
from kafkastream.model.common.stand_ins import StandIn
from kafkastream.model.formats import DeserializationSchema, SerializationSchema

__all__ = [
    "AssignerWithPeriodicWatermarksWrapper",
    "DeserializationSchema",
    "FlinkKinesisConsumer",
    "KinesisDeserializationSchema",
    "KinesisFirehoseSink",
    "KinesisFirehoseSinkBuilder",
    "KinesisShardAssigner",
    "KinesisStreamsSink",
    "KinesisStreamsSinkBuilder",
    "PartitionKeyGenerator",
    "SerializationSchema",
    "SourceFunction",
    "WatermarkTracker",
]

_INSTEAD: Final = "Use Kafka as source or sink, and copy the topic from or to Kinesis with Kafka Connect."


class FlinkKinesisConsumer(StandIn, instead=_INSTEAD):
    """Source of a Kinesis stream."""


class KinesisDeserializationSchema(StandIn, instead=_INSTEAD):
    """Deserialization schema of Kinesis records."""


class KinesisShardAssigner(StandIn, instead=_INSTEAD):
    """Assignment of shards to subtasks."""


class WatermarkTracker(StandIn, instead=_INSTEAD):
    """Alignment of the shards' watermarks."""


class PartitionKeyGenerator(StandIn, instead=_INSTEAD):
    """Partition key of an element."""


class KinesisStreamsSink(StandIn, instead=_INSTEAD):
    """Sink to a Kinesis stream."""


class KinesisStreamsSinkBuilder(StandIn, instead=_INSTEAD):
    """Builder of a ``KinesisStreamsSink``."""


class KinesisFirehoseSink(StandIn, instead=_INSTEAD):
    """Sink to Kinesis Firehose."""


class KinesisFirehoseSinkBuilder(StandIn, instead=_INSTEAD):
    """Builder of a ``KinesisFirehoseSink``."""
