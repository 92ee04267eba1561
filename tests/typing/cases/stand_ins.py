"""What mypy knows of names that cannot be had: they are types like any other, and all that they have is ``Any``."""

from __future__ import annotations

from typing_extensions import reveal_type

from kafkastream.common import Encoder
from kafkastream.common.typeinfo import BasicTypeInfo, ListTypeInfo, TypeInformation
from kafkastream.datastream import Partitioner, SourceFunction
from kafkastream.datastream.connectors.file_system import FileSink, OutputFileConfig, RollingPolicy
from kafkastream.datastream.connectors.kafka import FlinkKafkaConsumer
from kafkastream.datastream.window import mod_inverse
from kafkastream.table.expressions import col


class ByLength(Partitioner):
    """Subclasses are checked like those of any class."""

    def partition(self, key: str, num_partitions: int) -> int:
        """Choose a partition."""
        return len(key) % num_partitions


def written(path: str, config: OutputFileConfig | None = None) -> FileSink:
    """Return a sink of files."""
    builder = FileSink.for_row_format(path, Encoder.simple_string_encoder())
    reveal_type(builder)  # reveals: Any
    policy: RollingPolicy = RollingPolicy.default_rolling_policy()
    sink: FileSink = builder.with_rolling_policy(policy).build()
    return sink or FileSink(path, config=config)


def read(consumer: FlinkKafkaConsumer[str]) -> SourceFunction:
    """Return a source of Flink 1.x."""
    return consumer


partitioner: Partitioner = ByLength()
numbers: TypeInformation[list[int]] = ListTypeInfo(BasicTypeInfo.INT_TYPE_INFO())
mod_inverse(3)
col("a").alias("b")
