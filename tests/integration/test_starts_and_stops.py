"""Where a source begins and stops, on a real broker: every initializer with every way to stop."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import pytest
from confluent_kafka import Producer

from kafkastream.common import SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.datastream import DataStream, StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    FlinkKafkaConsumer,
    KafkaOffsetResetStrategy,
    KafkaOffsetsInitializer,
    KafkaSourceBuilder,
    KafkaSubscriber,
    KafkaTopicPartition,
    PartitionOffsetsRetriever,
)
from kafkastream.errors import UnknownOffsetsError, UnsupportedFeatureError
from kafkastream.kafka.admin import Cluster
from kafkastream.kafka.groups import Group
from kafkastream.testing import KafkaBroker, Record, wait_until
from kafkastream.testing.pytest_plugin import NewTopic
from tests.integration.conftest import Parts

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.integration.conftest import Read

START = KafkaOffsetsInitializer
LENGTHS = (6, 3, 0)
BEGAN_MS = round(time.time() * 1000) - 3_600_000  # not long ago, or the broker's retention deletes the records


@attrs.frozen
class Filled:
    """A topic with partitions of different lengths, one of them empty; record ``p-o`` is from second ``o``."""

    name: str
    kafka: KafkaBroker

    def partition(self, number: int) -> KafkaTopicPartition:
        return KafkaTopicPartition(self.name, number)

    def offsets(self, *offsets: int) -> dict[KafkaTopicPartition, int]:
        return {self.partition(number): offset for number, offset in enumerate(offsets)}

    def commit(self, group: str, offsets: Mapping[KafkaTopicPartition, int]) -> None:
        Group({"bootstrap.servers": self.kafka.bootstrap_servers, "group.id": group}).commit(offsets)

    def committed(self, group: str) -> dict[int, int]:
        found = self.cluster(group).committed_offsets([self.partition(number) for number in range(len(LENGTHS))])
        return {partition.partition: offset for partition, offset in found.items()}

    def cluster(self, group: str) -> Cluster:
        return Cluster({"bootstrap.servers": self.kafka.bootstrap_servers, "group.id": group})


@pytest.fixture
def filled(kafka: KafkaBroker, new_topic: NewTopic) -> Filled:
    return fill(new_topic(partitions=len(LENGTHS)), kafka)


@pytest.fixture(scope="module")
def only_read(kafka: KafkaBroker) -> Filled:
    """One topic for all jobs that change nothing: neither records nor committed offsets."""
    name = f"only-read-{BEGAN_MS}"
    kafka.create_topic(name, partitions=len(LENGTHS))
    return fill(name, kafka)


def fill(name: str, kafka: KafkaBroker) -> Filled:
    topic = Filled(name, kafka)
    kafka.produce(
        topic.name,
        [
            Record(f"{partition}-{offset}", partition=partition, timestamp_ms=BEGAN_MS + 1000 * offset)
            for partition, length in enumerate(LENGTHS)
            for offset in range(length)
        ],
    )
    topic.commit(f"{topic.name}-all", topic.offsets(2, 1, 0))
    topic.commit(f"{topic.name}-some", topic.offsets(2))
    return topic


STARTS = {
    "earliest": (0, 0, 0),
    "latest": LENGTHS,
    "timestamp": (3, 3, 0),
    "committed": (2, 1, 0),
    "committed or earliest": (2, 0, 0),
    "committed or latest": (2, 3, 0),
    "offsets": (4, 2, 0),
    "some offsets": (2, 1, 0),
}
STOPS = {
    "latest": LENGTHS,
    "timestamp": (5, 3, 0),
    "committed": (2, 1, 0),
    "offsets": (5, 0, 0),
}
BOUNDS = tuple(itertools.product(STARTS, STOPS))


def initializer(kind: str, topic: Filled, offsets: tuple[int, ...]) -> KafkaOffsetsInitializer:
    match kind:
        case "earliest":
            return START.earliest()
        case "latest":
            return START.latest()
        case "timestamp":
            return START.timestamp(BEGAN_MS + 1000 * offsets[0])
        case "committed":
            return START.committed_offsets()
        case "committed or earliest":
            return START.committed_offsets(KafkaOffsetResetStrategy.EARLIEST)
        case "committed or latest":
            return START.committed_offsets(KafkaOffsetResetStrategy.LATEST)
        case "offsets":
            return START.offsets(topic.offsets(*offsets))
        case _:
            return START.offsets({topic.partition(1): offsets[1]}, KafkaOffsetResetStrategy.EARLIEST)


@pytest.fixture(scope="module", params=["bounded", "unbounded"])
def values_by_bounds(request: pytest.FixtureRequest, spark: SparkSession, only_read: Filled) -> dict[str, list[str]]:
    """What the sources give, by start and stop: one job reads them all, beside each other."""
    env = StreamExecutionEnvironment.get_execution_environment()
    first, *others = (read_between(env, only_read, start, stop, request.param) for start, stop in BOUNDS)
    values: dict[str, list[str]] = {f"{start} to {stop}": [] for start, stop in BOUNDS}
    for element in first.union(*others).execute_and_collect():
        bounds, value = element.split(": ")
        values[bounds].append(value)
    return values


def read_between(env: StreamExecutionEnvironment, topic: Filled, start: str, stop: str, way: str) -> DataStream[str]:
    """The values from ``start`` to ``stop``, each behind the names of both."""
    builder = (
        Parts(topic.kafka)
        .unbound(topic.name)
        .set_group_id(f"{topic.name}-{'some' if knows_some(start, stop) else 'all'}")
        .set_starting_offsets(initializer(start, topic, STARTS[start]))
    )
    stopping = initializer(stop, topic, STOPS[stop])
    bounded = builder.set_bounded(stopping) if way == "bounded" else builder.set_unbounded(stopping)
    bounds = f"{start} to {stop}"
    stream = env.from_source(Parts(topic.kafka).text(bounded), WatermarkStrategy.no_watermarks(), bounds)
    return stream.map(f"{bounds}: {{}}".format, Types.STRING())


def knows_some(start: str, stop: str) -> bool:
    """Whether the source's group has an offset of one partition only."""
    return start.startswith("committed or") and stop != "committed"


@pytest.mark.parametrize(("start", "stop"), BOUNDS)
def test_every_start_with_every_stop(values_by_bounds: Mapping[str, list[str]], start: str, stop: str) -> None:
    starts = STARTS[start if knows_some(start, stop) or not start.startswith("committed or") else "committed"]
    expected = [
        f"{partition}-{offset}"
        for partition, (first, end) in enumerate(zip(starts, STOPS[stop], strict=True))
        for offset in range(first, end)
    ]
    assert sorted(values_by_bounds[f"{start} to {stop}"]) == expected


def test_without_a_committed_offset_and_a_strategy_the_partitions_are_named(
    read: Read, parts: Parts, filled: Filled
) -> None:
    builder = parts.unbound(filled.name).set_group_id(f"{filled.name}-some")
    builder.set_starting_offsets(START.committed_offsets())
    with pytest.raises(UnknownOffsetsError) as raised:
        read(parts.text(builder)).execute_and_collect()
    assert f"{filled.name}-1, {filled.name}-2" in raised.value.what


def test_initializer_of_ones_own(read: Read, parts: Parts, filled: Filled) -> None:
    class LastOfEach(KafkaOffsetsInitializer):
        def get_partition_offsets(
            self,
            partitions: Collection[KafkaTopicPartition],
            partition_offsets_retriever: PartitionOffsetsRetriever,
        ) -> Mapping[KafkaTopicPartition, int]:
            ends = partition_offsets_retriever.end_offsets(partitions)
            return {partition: max(0, end - 1) for partition, end in ends.items()}

        def get_auto_offset_reset_strategy(self) -> KafkaOffsetResetStrategy:
            return KafkaOffsetResetStrategy.EARLIEST

    builder = parts.unbound(filled.name).set_starting_offsets(LastOfEach()).set_bounded(START.latest())
    assert sorted(read(parts.text(builder)).execute_and_collect()) == ["0-5", "1-2"]


@pytest.mark.parametrize("way", ["bounded", "unbounded"])
def test_stop_behind_the_end_is_waited_for(read: Read, parts: Parts, filled: Filled, way: str) -> None:
    stop = START.offsets(filled.offsets(7, 4, 1))
    builder = parts.unbound(filled.name)
    source = parts.text(builder.set_bounded(stop) if way == "bounded" else builder.set_unbounded(stop))
    later = [
        Record(f"{partition}-{LENGTHS[partition] + more}", partition=partition)
        for partition in range(3)
        for more in range(2)
    ]
    with read(source).execute_and_collect() as elements:
        seen = [next(elements) for _ in range(sum(LENGTHS))]
        threading.Timer(0.5, filled.kafka.produce, [filled.name, later]).start()
        seen += list(elements)
    assert sorted(set(seen)) == sorted([*(f"0-{o}" for o in range(7)), *(f"1-{o}" for o in range(4)), "2-0"])
    assert len(seen) == len(set(seen))


def test_records_behind_the_stop_are_left_to_the_next_run(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, filled: Filled, tmp_path: Path
) -> None:
    env.enable_checkpointing(1000).get_checkpoint_config().set_checkpoint_storage_dir(tmp_path.as_uri())
    runs = []
    for stops in ((2, 1, 0), (2, 1, 0), (5, 3, 0)):
        stopping = START.offsets(filled.offsets(*stops))
        source = parts.text(parts.unbound(filled.name).set_group_id(filled.name).set_bounded(stopping))
        runs.append(sorted(read(source).execute_and_collect("daily")))
        assert filled.committed(filled.name) == dict(enumerate(stops))
    assert runs == [["0-0", "0-1", "1-0"], [], ["0-2", "0-3", "0-4", "1-1", "1-2"]]


def test_offsets_follow_what_was_processed(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, filled: Filled, new_topic: NewTopic
) -> None:
    target = new_topic()
    env.enable_checkpointing(100)
    source = parts.text(parts.unbound(filled.name).set_group_id(filled.name))
    read(source).map(str.upper, Types.STRING()).sink_to(parts.sink(target))
    job = env.execute_async("follow")
    try:
        wait_until(lambda: filled.committed(filled.name) == {0: 6, 1: 3, 2: 0}, 30, "the committed offsets")
        filled.kafka.produce(filled.name, [Record("more", partition=2)])
        wait_until(lambda: filled.committed(filled.name) == {0: 6, 1: 3, 2: 1}, 30, "the committed offsets")
        assert len(parts.values(target)) == sum(LENGTHS) + 1
    finally:
        job.cancel().result()


@pytest.mark.parametrize(
    ("properties", "checkpointing", "commits"),
    [
        ({}, True, True),
        ({"commit.offsets.on.checkpoint": "false"}, True, False),
        ({}, False, False),
        ({"enable.auto.commit": "true"}, False, True),
    ],
    ids=["checkpointing", "switched off", "without checkpointing", "auto commit"],
)
def test_offsets_are_committed_when_flink_would(
    env: StreamExecutionEnvironment,
    read: Read,
    parts: Parts,
    filled: Filled,
    properties: Mapping[str, str],
    *,
    checkpointing: bool,
    commits: bool,
) -> None:
    if checkpointing:
        env.enable_checkpointing(60_000)
    builder: KafkaSourceBuilder[str] = parts.unbound(filled.name).set_group_id(filled.name).set_properties(properties)
    assert len(list(read(parts.text(builder.set_bounded(START.latest()))).execute_and_collect())) == sum(LENGTHS)
    assert filled.committed(filled.name) == (dict(enumerate(LENGTHS)) if commits else {})


def test_subscriber_of_ones_own(read: Read, parts: Parts, filled: Filled) -> None:
    class Shortest(KafkaSubscriber):
        def get_subscribed_topic_partitions(self, admin_client: Any) -> Collection[KafkaTopicPartition]:
            assert filled.name in admin_client.list_topics().topics
            return {filled.partition(1), filled.partition(2)}

    builder = parts.unbound().set_kafka_subscriber(Shortest())
    assert sorted(read(parts.text(builder.set_bounded(START.latest()))).execute_and_collect()) == ["1-0", "1-1", "1-2"]


def test_subscriber_of_ones_own_that_is_to_discover_is_refused(parts: Parts) -> None:
    class Nothing(KafkaSubscriber):
        def get_subscribed_topic_partitions(self, admin_client: Any) -> Collection[KafkaTopicPartition]:
            return ()

    with pytest.raises(UnsupportedFeatureError, match="Nothing cannot discover partitions"):
        parts.text(parts.unbound().set_kafka_subscriber(Nothing()))


@contextmanager
def transaction(kafka: KafkaBroker, topic: str, *values: str) -> Iterator[Callable[[], None]]:
    """An open transaction that has written ``values``; what it yields commits it."""
    producer = Producer({"bootstrap.servers": kafka.bootstrap_servers, "transactional.id": topic, "log_level": 0})
    producer.init_transactions()
    producer.begin_transaction()
    for value in values:
        producer.produce(topic, value, partition=0)
    producer.flush()
    yield producer.commit_transaction


ISOLATED_STOPS = tuple(itertools.product(("latest", "offsets", "timestamp"), ("read_committed", "read_uncommitted")))


@pytest.fixture(scope="module")
def values_before_a_marker(spark: SparkSession, kafka: KafkaBroker) -> Mapping[str, list[str]]:
    """What sources give of a partition that ends with the marker of a transaction, all in one job."""
    topic = f"marked-{BEGAN_MS}"
    kafka.create_topic(topic)
    with transaction(kafka, topic, "a", "b") as commit:
        commit()
    env = StreamExecutionEnvironment.get_execution_environment()
    first, *others = (read_to_the_marker(env, Parts(kafka), topic, *both) for both in ISOLATED_STOPS)
    values: dict[str, list[str]] = {" ".join(both): [] for both in ISOLATED_STOPS}
    for element in first.union(*others).execute_and_collect():
        name, value = element.split(": ")
        values[name].append(value)
    return values


def read_to_the_marker(
    env: StreamExecutionEnvironment, parts: Parts, topic: str, stop: str, isolation: str
) -> DataStream[str]:
    """The values up to ``stop``, each behind the names of stop and isolation."""
    stopping = {
        "latest": START.latest(),
        "offsets": START.offsets({KafkaTopicPartition(topic, 0): 3}),
        "timestamp": START.timestamp(4_000_000_000_000),
    }[stop]
    builder = parts.unbound(topic).set_property("isolation.level", isolation).set_bounded(stopping)
    stream = env.from_source(parts.text(builder), WatermarkStrategy.no_watermarks(), f"{stop} {isolation}")
    return stream.map(f"{stop} {isolation}: {{}}".format, Types.STRING())


@pytest.mark.parametrize(("stop", "isolation"), ISOLATED_STOPS)
def test_partition_that_ends_with_a_transaction_marker_ends_the_job(
    values_before_a_marker: Mapping[str, list[str]], stop: str, isolation: str
) -> None:
    assert values_before_a_marker[f"{stop} {isolation}"] == ["a", "b"]


def test_open_transaction_is_waited_for_when_only_committed_records_are_read(
    read: Read, parts: Parts, topic: str
) -> None:
    parts.kafka.produce(topic, ["before"])
    builder = parts.unbound(topic).set_property("isolation.level", "read_committed").set_bounded(START.latest())
    source = parts.text(builder)
    with transaction(parts.kafka, topic, "inside") as commit, read(source).execute_and_collect() as elements:
        assert next(elements) == "before"
        commit()
        assert list(elements) == ["inside"]


def test_start_behind_an_open_transaction(read: Read, parts: Parts, new_topic: NewTopic) -> None:
    topic = new_topic(partitions=2)
    parts.kafka.produce(topic, [Record("before", partition=0)])
    builder = parts.unbound(topic).set_property("isolation.level", "read_committed")
    source = parts.text(builder.set_starting_offsets(START.latest()))
    with transaction(parts.kafka, topic, "inside") as commit, read(source).execute_and_collect() as elements:
        for value in ("beside", "again"):  # two micro-batches, while partition 0 starts behind what may be read
            parts.kafka.produce(topic, [Record(value, partition=1)])
            assert next(elements) == value
        commit()
        parts.kafka.produce(topic, [Record("after", partition=0)])
        assert next(elements) == "after"


def test_consumer_of_flink_1_goes_on_where_its_group_stands(
    env: StreamExecutionEnvironment, filled: Filled, kafka: KafkaBroker
) -> None:
    group = f"{filled.name}-some"
    properties = {"bootstrap.servers": kafka.bootstrap_servers, "group.id": group, "auto.offset.reset": "earliest"}
    properties["auto.commit.interval.ms"] = "100"
    consumer = FlinkKafkaConsumer(filled.name, SimpleStringSchema(), properties)
    expected = ["0-2", "0-3", "0-4", "0-5", "1-0", "1-1", "1-2"]
    with env.add_source(consumer).execute_and_collect() as elements:
        assert sorted(next(elements) for _ in expected) == expected
        wait_until(lambda: filled.committed(group) == {0: 6, 1: 3, 2: 0}, 30, "the commit of the client's own kind")
