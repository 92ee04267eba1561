"""What mypy knows of names that cannot be had: they are types like any other, and all that they have is ``Any``."""

from __future__ import annotations

from typing_extensions import reveal_type

from kafkastream.common.typeinfo import BasicTypeInfo, ListTypeInfo, TypeInformation
from kafkastream.datastream import Partitioner, SourceFunction
from kafkastream.datastream.connectors.kafka import FlinkKafkaConsumer
from kafkastream.datastream.connectors.pulsar import PulsarSink, PulsarSinkBuilder, TopicRoutingMode
from kafkastream.datastream.window import mod_inverse
from kafkastream.table.expressions import col


class ByLength(Partitioner):
    """Subclasses are checked like those of any class."""

    def partition(self, key: str, num_partitions: int) -> int:
        """Choose a partition."""
        return len(key) % num_partitions


def written(url: str, other: PulsarSinkBuilder | None = None) -> PulsarSink:
    """Return a sink of Pulsar's."""
    builder = PulsarSink.builder()
    reveal_type(builder)  # reveals: Any
    mode: TopicRoutingMode = TopicRoutingMode.ROUND_ROBIN
    sink: PulsarSink = builder.set_service_url(url).set_topic_routing_mode(mode).build()
    return sink or PulsarSink(url, other=other)


def read(consumer: FlinkKafkaConsumer[str]) -> SourceFunction:
    """Return a source of Flink 1.x."""
    return consumer


partitioner: Partitioner = ByLength()
numbers: TypeInformation[list[int]] = ListTypeInfo(BasicTypeInfo.INT_TYPE_INFO())
mod_inverse(3)
col("a").alias("b")
