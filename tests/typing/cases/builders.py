"""What mypy knows of a job that is written with the builders."""

from __future__ import annotations

from typing_extensions import reveal_type

from kafkastream.common import SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.common.serialization import ByteArraySchema
from kafkastream.datastream import MapFunction, StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    FlinkKafkaProducer,
    KafkaOffsetsInitializer,
    KafkaPartitioner,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSinkContext,
    KafkaSource,
    ProducerRecord,
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
words.map(len).sink_to(sink)  # error: incompatible type "KafkaSink[str]"; expected "Sink[int]"

payloads = KafkaRecordSerializationSchema.builder().set_topic("out").set_value_serialization_schema(ByteArraySchema())
reveal_type(payloads.build())  # reveals: BuiltRecordSerializationSchema[bytes]
of_bytes = KafkaSink.builder().set_bootstrap_servers("localhost:9092").set_record_serializer(payloads.build()).build()
words.sink_to(of_bytes)  # error: incompatible type "KafkaSink[bytes]"; expected "Sink[str]"


class Lengths(KafkaRecordSerializationSchema[int]):
    """A schema of one's own."""

    def serialize(self, element: int, context: KafkaSinkContext, timestamp: int | None) -> ProducerRecord | None:
        """Skip the empty."""
        return ProducerRecord("out", str(element).encode()) if element else None


lengths = KafkaSink.builder().set_bootstrap_servers("localhost:9092").set_record_serializer(Lengths()).build()
reveal_type(lengths)  # reveals: KafkaSink[int]
words.map(len).sink_to(lengths)
words.sink_to(lengths)  # error: incompatible type "KafkaSink[int]"; expected "Sink[str]"
ProducerRecord("out", "text")  # error: expected "bytes | None"


class Any0(KafkaPartitioner[object]):
    """Whatever the element."""

    def partition(
        self, record: object, key: bytes | None, value: bytes | None, target_topic: str, partitions: list[int]
    ) -> int:
        """The first."""
        return partitions[0]


partitioned = KafkaRecordSerializationSchema.builder().set_topic("out").set_partitioner(Any0())
partitioned.set_partitioner("fixed")  # error: expected "KafkaPartitioner[Any]"
partitioned.set_kafka_value_serializer(ByteArraySchema())  # error: expected "str"
named = "org.apache.kafka.common.serialization.StringSerializer"
reveal_type(partitioned.setKafkaValueSerializer(named).build())  # reveals: BuiltRecordSerializationSchema[Any]

legacy = FlinkKafkaProducer("out", SimpleStringSchema(), {"bootstrap.servers": "localhost:9092"})
reveal_type(legacy)  # reveals: FlinkKafkaProducer[str]
words.add_sink(legacy)
words.map(len).add_sink(legacy)  # error: incompatible type "FlinkKafkaProducer[str]"
