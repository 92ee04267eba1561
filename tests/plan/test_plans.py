"""What Spark is asked to run: the plan and the options that a source or a job becomes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from kafkastream.common import SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.common.serialization import ByteArraySchema
from kafkastream.datastream import DataStream, StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    KafkaOffsetsInitializer,
    KafkaRecordDeserializationSchema,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
    KafkaSourceBuilder,
    KafkaTopicPartition,
)
from kafkastream.spark.compile import task_plan
from kafkastream.spark.passthrough import pass_through
from kafkastream.spark.reports import REPORT_SCHEMA
from kafkastream.spark.streams import KafkaInput, kafka_frame, resolve
from kafkastream.spec.graph import SourceNode
from kafkastream.testing import KafkaBroker, Record
from kafkastream.testing.pytest_plugin import NewTopic

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

LOG_APPEND_TIME = {"message.timestamp.type": "LogAppendTime"}
PYTHON_NODE = re.compile(r"MapInArrow|MapInPandas|\w*Python\w*")
Explain = Callable[["DataFrame"], str]


@pytest.fixture
def explain(capsys: pytest.CaptureFixture[str]) -> Explain:
    def text(frame: DataFrame) -> str:
        capsys.readouterr()
        frame.explain(extended=True)
        return capsys.readouterr().out

    return text


def builder(kafka: KafkaBroker) -> KafkaSourceBuilder[str]:
    servers = KafkaSource.builder().set_bootstrap_servers(kafka.bootstrap_servers)
    return servers.set_value_only_deserializer(SimpleStringSchema())


def resolved(source: KafkaSource[Any], node_id: int = 1) -> KafkaInput:
    strategy = WatermarkStrategy.no_watermarks()
    return resolve(SourceNode(id=node_id, name="source", source=source, watermarks=strategy), source)


def copied(kafka: KafkaBroker, topic_in: str, topic_out: str, schema: Any = None) -> DataStream[Any]:
    """A job that copies a topic; the stream before its sink."""
    env = StreamExecutionEnvironment.get_execution_environment()
    both = schema or SimpleStringSchema()
    source = (
        builder(kafka).set_topics(topic_in).set_deserializer(KafkaRecordDeserializationSchema.value_only(both)).build()
    )
    records = KafkaRecordSerializationSchema.builder().set_topic(topic_out).set_value_serialization_schema(both).build()
    sink = KafkaSink.builder().set_bootstrap_servers(kafka.bootstrap_servers).set_record_serializer(records).build()
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "source")
    stream.sink_to(sink)
    return stream


def test_topics_are_subscribed_from_the_offsets_of_the_start(kafka: KafkaBroker, new_topic: NewTopic) -> None:
    topic = new_topic(partitions=2)
    kafka.produce(topic, [Record("a", partition=1)])
    latest = builder(kafka).set_topics(topic).set_starting_offsets(KafkaOffsetsInitializer.latest())
    found = resolved(latest.build())
    assert found.options == {
        "kafka.bootstrap.servers": kafka.bootstrap_servers,
        "subscribe": topic,
        "startingOffsets": f'{{"{topic}": {{"0": 0, "1": 1}}}}',
        "includeHeaders": "false",
    }
    assert (found.stops, found.ends) == (None, False)


def test_without_discovery_the_partitions_are_fixed(kafka: KafkaBroker, new_topic: NewTopic) -> None:
    topic = new_topic(partitions=2)
    fixed = builder(kafka).set_topics(topic).set_property("partition.discovery.interval.ms", "-1")
    assert resolved(fixed.build()).options["assign"] == f'{{"{topic}": [0, 1]}}'


def test_partitions_are_assigned(kafka: KafkaBroker, new_topic: NewTopic) -> None:
    topic = new_topic(partitions=3)
    options = resolved(builder(kafka).set_partitions([KafkaTopicPartition(topic, 1)]).build()).options
    assert options["assign"] == f'{{"{topic}": [1]}}'
    assert options["startingOffsets"] == f'{{"{topic}": {{"1": 0}}}}'


def test_patterns_are_left_to_spark(kafka: KafkaBroker) -> None:
    found = resolved(builder(kafka).set_topic_pattern("a|b").set_bounded(KafkaOffsetsInitializer.latest()).build())
    assert found.options["subscribePattern"] == "^(?:a|b)$"
    assert (found.options["startingOffsets"], found.ends) == ("earliest", True)


def test_stop_is_a_condition_on_offsets(spark: SparkSession, kafka: KafkaBroker, topic: str, explain: Explain) -> None:
    kafka.produce(topic, ["a", "b"])
    bounded = resolved(builder(kafka).set_topics(topic).set_bounded(KafkaOffsetsInitializer.latest()).build())
    assert bounded.stops == {KafkaTopicPartition(topic, 0): 2}
    endless = resolved(builder(kafka).set_topics(topic).build(), node_id=2)
    plan = explain(kafka_frame(spark, [bounded, endless], None))
    assert re.search(rf"topic#\d+ = {re.escape(topic)}.*partition#\d+ = 0.*offset#\d+L < .*2", plan)


def test_end_of_bounded_input_is_left_to_spark(
    spark: SparkSession, kafka: KafkaBroker, topic: str, explain: Explain
) -> None:
    bounded = resolved(builder(kafka).set_topics(topic).set_bounded(KafkaOffsetsInitializer.latest()).build())
    assert bounded.ends
    assert "Filter" not in explain(kafka_frame(spark, [bounded], None))


def test_columns_are_those_that_the_schemas_need(spark: SparkSession, kafka: KafkaBroker, topic: str) -> None:
    frame = kafka_frame(spark, [resolved(builder(kafka).set_topics(topic).build())], per_batch=10)
    assert frame.columns == ["source", "topic", "partition", "offset", "timestamp", "value"]
    assert dict(frame.dtypes)["timestamp"] == "bigint"


@pytest.mark.parametrize("schema", [SimpleStringSchema(), ByteArraySchema()], ids=["text", "bytes"])
def test_pass_through_has_no_python_node(
    spark: SparkSession, kafka: KafkaBroker, new_topic: NewTopic, explain: Explain, schema: Any
) -> None:
    stream = copied(kafka, new_topic(), new_topic(config=LOG_APPEND_TIME), schema)
    graph = stream.get_execution_environment()._graph()
    through = pass_through(graph)
    assert through is not None
    source = graph.sources[0]
    assert isinstance(source.source, KafkaSource)
    plan = explain(kafka_frame(spark, [resolve(source, source.source)], None).selectExpr(through.value))
    assert "value#" in plan
    assert PYTHON_NODE.search(plan) is None


def test_all_functions_are_one_python_node(
    spark: SparkSession, kafka: KafkaBroker, new_topic: NewTopic, explain: Explain
) -> None:
    stream = copied(kafka, new_topic(), new_topic(config=LOG_APPEND_TIME))
    words = stream.flat_map(str.split, Types.STRING()).filter(bool)
    words.map(str.upper).union(words.map(str.lower)).print()
    graph = stream.get_execution_environment()._graph()
    assert pass_through(graph) is None
    source = graph.sources[0]
    assert isinstance(source.source, KafkaSource)
    frame = kafka_frame(spark, [resolve(source, source.source)], None)
    tasks = frame.mapInArrow(task_plan(graph, "run", 1, ends=False).function(), REPORT_SCHEMA)
    physical = explain(tasks).partition("== Physical Plan ==")[2]
    assert [node for node in PYTHON_NODE.findall(physical) if "Arrow" in node] == ["MapInArrow"]


def changed(stream: DataStream[Any]) -> None:
    stream.map(str.upper).print()


def timed(stream: DataStream[Any]) -> None:
    strategy = WatermarkStrategy.no_watermarks().with_timestamp_assigner(lambda _, __: 0)
    stream.assign_timestamps_and_watermarks(strategy).print()


@pytest.mark.parametrize("change", [changed, timed, lambda stream: stream.print()], ids=["map", "times", "two sinks"])
def test_a_job_that_does_more_does_not_pass_through(
    kafka: KafkaBroker, new_topic: NewTopic, change: Callable[[DataStream[Any]], None]
) -> None:
    stream = copied(kafka, new_topic(), new_topic(config=LOG_APPEND_TIME))
    env = stream.get_execution_environment()
    assert pass_through(env._graph()) is not None
    change(stream)
    assert pass_through(env._graph()) is None


def test_topics_that_keep_the_producers_time_are_not_passed_through(kafka: KafkaBroker, new_topic: NewTopic) -> None:
    stream = copied(kafka, new_topic(), new_topic())
    assert pass_through(stream.get_execution_environment()._graph()) is None


def test_watermarks_without_an_assigner_pass_through(kafka: KafkaBroker, new_topic: NewTopic) -> None:
    source, target = new_topic(), new_topic(config=LOG_APPEND_TIME)
    stream = copied(kafka, source, target)
    env = stream.get_execution_environment()
    sink = env._graph().sinks[0].sink
    assert isinstance(sink, KafkaSink)
    env._drop_sinks()
    stream.assign_timestamps_and_watermarks(WatermarkStrategy.for_monotonous_timestamps()).sink_to(sink)
    assert pass_through(env._graph()) is not None
