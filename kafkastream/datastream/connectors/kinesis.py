"""Kinesis, at PyFlink's path: its classes can be imported, and are refused when they are used."""

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

_INSTEAD: Final = "Only Kafka is read and written: bring the stream into a topic with Kafka Connect, or write to one and take it from there."


class FlinkKinesisConsumer(StandIn, instead=_INSTEAD):
    """Reads a Kinesis stream."""


class KinesisDeserializationSchema(StandIn, instead=_INSTEAD):
    """Decodes records of Kinesis."""


class KinesisShardAssigner(StandIn, instead=_INSTEAD):
    """Assigns shards to subtasks."""


class WatermarkTracker(StandIn, instead=_INSTEAD):
    """Aligns watermarks of shards."""


class PartitionKeyGenerator(StandIn, instead=_INSTEAD):
    """Chooses the partition key of an element."""


class KinesisStreamsSink(StandIn, instead=_INSTEAD):
    """Writes to a Kinesis stream."""


class KinesisStreamsSinkBuilder(StandIn, instead=_INSTEAD):
    """Builds a ``KinesisStreamsSink``."""


class KinesisFirehoseSink(StandIn, instead=_INSTEAD):
    """Writes to Kinesis Firehose."""


class KinesisFirehoseSinkBuilder(StandIn, instead=_INSTEAD):
    """Builds a ``KinesisFirehoseSink``."""
