"""What mypy knows of a job that is written with the builders."""

from __future__ import annotations

from typing_extensions import reveal_type

from kafkastream.common import SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.common.serialization import ByteArraySchema
from kafkastream.datastream import MapFunction, StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)

env = StreamExecutionEnvironment.get_execution_environment()

source = (
    KafkaSource.builder()
    .set_bootstrap_servers("localhost:9092")
    .set_topics("in")
    .set_group_id("g")
    .set_starting_offsets(KafkaOffsetsInitializer.earliest())
    .set_bounded(KafkaOffsetsInitializer.latest())
    .set_value_only_deserializer(SimpleStringSchema())
    .build()
)
reveal_type(source)  # reveals: KafkaSource[str]

java_source = (
    KafkaSource.builder()
    .setBootstrapServers("localhost:9092")
    .setTopics("in")
    .setValueOnlyDeserializer(ByteArraySchema())
    .setGroupId("g")
    .build()
)
reveal_type(java_source)  # reveals: KafkaSource[bytes]

KafkaSource.builder().set_topic("in")  # error: has no attribute "set_topic"
KafkaSource.builder().set_group_id(7)  # error: expected "str"

lines = env.from_source(source, WatermarkStrategy.no_watermarks(), "src")
reveal_type(lines)  # reveals: DataStream[str]

words = lines.flat_map(lambda line: line.split(), Types.STRING())
reveal_type(words)  # reveals: DataStream[str]
reveal_type(words.map(len))  # reveals: DataStream[int]
reveal_type(words.map(str.upper, Types.STRING()))  # reveals: DataStream[str]
reveal_type(words.filter(lambda word: len(word) > 1))  # reveals: DataStream[str]
reveal_type(words.execute_and_collect(limit=3))  # reveals: list[str]
reveal_type(words.union(words))  # reveals: DataStream[str]


class Length(MapFunction[str, int]):
    """A rich function."""

    def map(self, value: str) -> int:
        """Count."""
        return len(value)


reveal_type(words.map(Length()))  # reveals: DataStream[int]
words.map(len).map(Length())  # error: incompatible type "Length"
words.mapp(len)  # error: has no attribute "mapp"

serializer = (
    KafkaRecordSerializationSchema.builder()
    .set_topic("out")
    .set_value_serialization_schema(SimpleStringSchema())
    .build()
)
sink = KafkaSink.builder().set_bootstrap_servers("localhost:9092").set_record_serializer(serializer).build()
reveal_type(sink)  # reveals: KafkaSink[str]
words.sink_to(sink)
words.map(len).sink_to(sink)  # error: incompatible type "KafkaSink[str]"; expected "KafkaSink[int]"
