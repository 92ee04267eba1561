"""What Spark is asked to run: the plan and the options that a source or a job becomes."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import DataFrame

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
from kafkastream.errors import DefinitionError, UnknownTopicError
from kafkastream.model.graph.job_graph import SourceNode
from kafkastream.spark.plan.chain_compiler import ChainCompiler
from kafkastream.spark.plan.passthrough import pass_through
from kafkastream.spark.plan.source_frames import KafkaInput, KeyedSource, source_frames, source_inputs
from kafkastream.spark.plan.task_plans import source_tasks, task_plan
from kafkastream.spark.worker.reports import REPORT_SCHEMA
from kafkastream.spark.worker.worker_cache import JobAttempt
from kafkastream.testing import KafkaBroker, Record
from kafkastream.testing.pytest_plugin import NewTopic

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

LOG_APPEND_TIME = {"message.timestamp.type": "LogAppendTime"}
PYTHON_NODE = re.compile(r"MapInArrow|MapInPandas|\w*Python\w*")
Inputs = Callable[..., tuple[KafkaInput, ...]]
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


@pytest.fixture
def inputs(spark: SparkSession) -> Inputs:
    def of(*sources: KafkaSource[Any]) -> tuple[KafkaInput, ...]:
        strategy = WatermarkStrategy.no_watermarks()
        nodes = [SourceNode(id=i, name="source", source=one, watermarks=strategy) for i, one in enumerate(sources)]
        keyed = [KeyedSource(node, one, f"source_{node.id}") for node, one in zip(nodes, sources, strict=True)]
        resolved = source_inputs(spark, keyed, {}, is_named=False)
        return tuple(one for one in resolved if isinstance(one, KafkaInput))

    return of


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


def test_topics_are_subscribed_from_the_offsets_of_the_start(
    inputs: Inputs, kafka: KafkaBroker, new_topic: NewTopic
) -> None:
    topic = new_topic(partitions=2)
    kafka.produce(topic, [Record("a", partition=1)])
    (found,) = inputs(builder(kafka).set_topics(topic).set_starting_offsets(KafkaOffsetsInitializer.latest()).build())
    assert found.options == {
        "kafka.bootstrap.servers": kafka.bootstrap_servers,
        "kafka.fetch.max.wait.ms": "10",
        "subscribe": topic,
        "startingOffsets": f'{{"{topic}": {{"0": 0, "1": 1}}}}',
        "includeHeaders": "false",
    }
    assert (found.offset_range.stops, found.ends) == (None, False)


def test_without_discovery_the_partitions_are_fixed(inputs: Inputs, kafka: KafkaBroker, new_topic: NewTopic) -> None:
    topic = new_topic(partitions=2)
    (fixed,) = inputs(builder(kafka).set_topics(topic).set_property("partition.discovery.interval.ms", "-1").build())
    assert fixed.options["assign"] == f'{{"{topic}": [0, 1]}}'


def test_partitions_are_assigned(inputs: Inputs, kafka: KafkaBroker, new_topic: NewTopic) -> None:
    topic = new_topic(partitions=3)
    (found,) = inputs(builder(kafka).set_partitions([KafkaTopicPartition(topic, 1)]).build())
    assert found.options["assign"] == f'{{"{topic}": [1]}}'
    assert found.options["startingOffsets"] == f'{{"{topic}": {{"1": 0}}}}'


def test_patterns_match_as_javas_do(inputs: Inputs, kafka: KafkaBroker, new_topic: NewTopic) -> None:
    topic = new_topic()
    pattern = f"\\Q{topic}\\E|{topic[:-1]}\\p{{Upper}}+"  # \\Q and \\p are Java's
    (found,) = inputs(builder(kafka).set_topic_pattern(pattern).build())
    assert found.options["subscribePattern"] == f"^(?:{pattern})$"
    assert found.options["startingOffsets"] == f'{{"{topic}": {{"0": 0}}}}'
    (nothing,) = inputs(builder(kafka).set_topic_pattern(topic[:-1]).build())
    assert nothing.options["startingOffsets"] == "{}"


def test_pattern_that_java_cannot_read_is_refused(inputs: Inputs, kafka: KafkaBroker) -> None:
    with pytest.raises(
        DefinitionError, match=r"topic pattern 'a\(' is not a regular expression in Java's syntax: Unclosed group"
    ):
        inputs(builder(kafka).set_topic_pattern("a(").build())


def test_stop_is_a_condition_on_offsets(
    inputs: Inputs, spark: SparkSession, kafka: KafkaBroker, topic: str, explain: Explain
) -> None:
    kafka.produce(topic, ["a", "b"])
    both = inputs(
        builder(kafka).set_topics(topic).set_bounded(KafkaOffsetsInitializer.latest()).build(),
        builder(kafka).set_topics(topic).build(),
    )
    assert both[0].offset_range.stops == {KafkaTopicPartition(topic, 0): 2}
    plan = explain(reduce(lambda one, other: one.unionByName(other), source_frames(spark, both, None).values()))
    assert re.search(
        rf"offset#\d+L < cast\(CASE WHEN \(topic#\d+ = {re.escape(topic)}\).*partition#\d+ = 0\) THEN 2", plan
    )


def test_stop_that_is_not_there_yet_is_waited_for(inputs: Inputs, kafka: KafkaBroker, topic: str) -> None:
    kafka.produce(topic, ["a"])
    partition = KafkaTopicPartition(topic, 0)
    (waits,) = inputs(
        builder(kafka).set_topics(topic).set_bounded(KafkaOffsetsInitializer.offsets({partition: 2})).build()
    )
    assert not waits.ends
    assert [waits.has_stopped({partition: reached}) for reached in (1, 2, 3)] == [False, True, True]
    assert waits.processed({partition: 3}) == {partition: 2}


def test_pattern_that_matches_nothing_and_may_not_look_again_is_refused(inputs: Inputs, kafka: KafkaBroker) -> None:
    builder_ = builder(kafka).set_topic_pattern("no such topic").set_property("partition.discovery.interval.ms", "-1")
    with pytest.raises(UnknownTopicError, match="nothing to read: no topic that exists is in topic pattern no such"):
        inputs(builder_.build())


def test_columns_are_those_that_the_schemas_need(
    inputs: Inputs, spark: SparkSession, kafka: KafkaBroker, topic: str
) -> None:
    (frame,) = source_frames(spark, inputs(builder(kafka).set_topics(topic).build()), per_batch=10).values()
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
    (frame,) = source_frames(
        spark, source_inputs(spark, [KeyedSource(source, source.source, "records")], {}, is_named=False), None
    ).values()
    plan = explain(frame.selectExpr(through.value))
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
    (frame,) = source_frames(
        spark, source_inputs(spark, [KeyedSource(source, source.source, "records")], {}, is_named=False), None
    ).values()
    plan = task_plan(source_tasks(ChainCompiler(graph, JobAttempt("run"), ends=False)), JobAttempt("run"), 1)
    tasks = frame.mapInArrow(plan.function(), REPORT_SCHEMA)
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
    env._forget_started()
    stream.assign_timestamps_and_watermarks(WatermarkStrategy.for_monotonous_timestamps()).sink_to(sink)
    assert pass_through(env._graph()) is not None
