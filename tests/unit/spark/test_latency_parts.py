"""Pure parts of the latency mode: its settings, its parts, its records, and who gets which partitions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from typing import final

import attrs
import pyarrow as pa
import pytest

from kafkastream.common import Configuration, Duration, Encoder, SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.datastream import DataStream, StreamExecutionEnvironment
from kafkastream.datastream.connectors.file_system import FileSink
from kafkastream.datastream.connectors.kafka import KafkaSource, KafkaTopicPartition
from kafkastream.errors import DefinitionError
from kafkastream.kafka.properties import consumer_properties
from kafkastream.kafka.transactions import Marker
from kafkastream.model.graph.job_graph import JobGraph
from kafkastream.model.job.job_result import LatencySettings
from kafkastream.model.job.job_settings import job_settings
from kafkastream.spark.checkpoint.reached_offsets import ReachedFile, ReachedReader
from kafkastream.spark.exchange.epoch_link import DriverLink, DriverLostError, Share, TaskJoin, Tidings
from kafkastream.spark.job.epoch_server import EpochServer, ListenerAddress
from kafkastream.spark.job.latency_mode import latency_refusal
from kafkastream.spark.worker.fetched_records import arrow_of
from kafkastream.spark.worker.slot_names import SlotNames
from kafkastream.testing import wait_until
from tests.toy_sink import JsonLineSink
from tests.toy_source import LineSource

INTERVAL = "execution.buffer-timeout.interval"
P0, P1 = KafkaTopicPartition("t", 0), KafkaTopicPartition("t", 1)


def settings(**values: str) -> LatencySettings | None:
    configuration = Configuration()
    for key, value in values.items():
        configuration.set_string(key, value)
    return job_settings(configuration, "job").latency


def test_latency_mode_is_on_if_a_buffer_timeout_is_set() -> None:
    assert settings() is None
    assert settings(**{INTERVAL: "0"}) == settings(**{"execution.buffer-timeout": "100 ms"}) == LatencySettings()
    assert settings(**{INTERVAL: "-1"}) is None
    assert settings(**{INTERVAL: "0", "execution.buffer-timeout.enabled": "false"}) is None
    own = {"execution.checkpointing.interval": "1 s", "kafkastream.latency.epoch": "1 min"}
    assert settings(**{INTERVAL: "0", **own}) == LatencySettings(epoch_ms=60_000, checkpoint_ms=1000)
    with pytest.raises(DefinitionError, match="too short for an epoch"):
        settings(**{INTERVAL: "0", "kafkastream.latency.epoch": "0"})


def test_an_environment_switches_it_on_and_off() -> None:
    env = StreamExecutionEnvironment.get_execution_environment().set_buffer_timeout(5)
    assert job_settings(env.get_configuration(), "job").latency == LatencySettings()
    assert job_settings(env.set_buffer_timeout(-1).get_configuration(), "job").latency is None


def test_consumers_wait_for_nothing_and_lose_nothing() -> None:
    java = {"bootstrap.servers": "here:1", "group.id": "g", "client.id.prefix": "g", "fetch.max.wait.ms": "7"}
    own = consumer_properties(java, loses=False)
    assert own["auto.offset.reset"] == "error"
    assert own["isolation.level"] == "read_uncommitted"
    assert (own["fetch.wait.max.ms"], own["client.id"]) == ("7", "g")
    committed = consumer_properties({**java, "isolation.level": "read_committed"}, loses=True)
    assert (committed["isolation.level"], committed["auto.offset.reset"]) == ("read_committed", "earliest")


@final
@attrs.frozen
class Polled:
    """A record of Kafka's client."""

    at: int
    content: bytes | None
    named: list[tuple[str, bytes | None]] | None = None

    def offset(self) -> int:
        return self.at

    def timestamp(self) -> tuple[int, int]:
        return 1, 1000 + self.at

    def key(self) -> bytes:
        return b"k"

    def value(self) -> bytes | None:
        return self.content

    def headers(self) -> list[tuple[str, bytes | None]] | None:
        return self.named


def test_records_have_the_columns_that_spark_gives() -> None:
    columns = ("topic", "partition", "offset", "timestamp", "value", "key", "headers", "timestampType")
    arrow = arrow_of(3, P1, [Polled(5, b"v", [("h", None)]), Polled(6, None)], columns)
    assert arrow.to_pylist() == [
        {
            "source": 3,
            "topic": "t",
            "partition": 1,
            "offset": 5,
            "timestamp": 1005,
            "value": b"v",
            "key": b"k",
            "headers": [{"key": "h", "value": None}],
            "timestampType": 0,
        },
        {
            "source": 3,
            "topic": "t",
            "partition": 1,
            "offset": 6,
            "timestamp": 1006,
            "value": None,
            "key": b"k",
            "headers": [],
            "timestampType": 0,
        },
    ]
    assert arrow.schema.field("offset").type == pa.int64()


def test_the_number_of_epochs_is_above_all_micro_batches_of_its_checkpoint() -> None:
    first = SlotNames("id").started("one", has_begun=False)
    later = first.started("two", has_begun=False)
    assert Marker(first.of_batch(10**11)) < Marker(first.of_epochs, 7) < Marker(later.of_batch(0))


def test_spark_reads_the_offsets_that_were_reached() -> None:
    file = ReachedFile.temporary()
    try:
        file.write({P1: 7, P0: 3})
        reader = ReachedReader(file)
        assert reader.latestOffset({}, None) == {"t": {"0": 3, "1": 7}}  # type: ignore[arg-type]
        assert list(reader.partitions({}, {"t": {"0": 3}})) == []
    finally:
        file.remove()


@pytest.fixture
def told() -> list[Tidings]:
    return []


@pytest.fixture
def server(told: list[Tidings]) -> Iterator[EpochServer]:
    server = EpochServer(ListenerAddress(), told.append, lambda _: None)
    yield server
    server.close()


def share(number: int) -> Share:
    return Share({number: {P0: number}})


Links = Callable[[], DriverLink]


@pytest.fixture
def links(server: EpochServer) -> Iterator[Links]:
    with ExitStack() as stack:
        yield lambda: stack.enter_context(closing(DriverLink.to(server.endpoint)))


def test_a_worker_gets_the_partitions_that_it_had_before(links: Links, server: EpochServer) -> None:
    for workers in (("a", "b"), ("b", "a")):
        epoch = server.begin(2, share)
        tasks = [links() for _ in workers]
        found = [
            link.join(TaskJoin(epoch, task, worker))
            for task, (link, worker) in enumerate(zip(tasks, workers, strict=True))
        ]
        assert found == [share("ab".index(worker)) for worker in workers]
        for link in tasks:
            link.close()
        server.quiet(10)


def test_another_attempt_takes_over_and_the_first_gives_up(
    links: Links, server: EpochServer, told: list[Tidings]
) -> None:
    epoch = server.begin(1, share)
    first, second = (links() for _ in range(2))
    assert first.join(TaskJoin(epoch, 0, "a")) == second.join(TaskJoin(epoch, 0, "b")) == share(0)
    with pytest.raises(DriverLostError):
        wait_until(first.is_to_end, 10, "the end of the first")
    assert not server.has_recovered
    second.tell(Tidings(reached={0: {P0: 9}}, is_safe=True))
    second.close()
    server.quiet(10)
    assert told == [Tidings(reached={0: {P0: 9}}, is_safe=True)]
    assert server.has_recovered


def test_tasks_are_asked_to_end_and_later_ones_have_nothing_to_do(links: Links, server: EpochServer) -> None:
    epoch = server.begin(2, share)
    link, late = (links() for _ in range(2))
    link.join(TaskJoin(epoch, 0, "a"))
    assert not link.is_to_end()
    server.end()
    assert wait_until(link.is_to_end, 10, "the request")
    assert late.join(TaskJoin(epoch, 1, "b")) == Share()


def source() -> KafkaSource[str]:
    builder = KafkaSource.builder().set_bootstrap_servers("here:1").set_topics("t").set_group_id("g")
    return builder.set_value_only_deserializer(SimpleStringSchema()).build()


def part(build: Callable[[DataStream[str]], object], strategy: WatermarkStrategy[str] | None = None) -> JobGraph:
    env = StreamExecutionEnvironment.get_execution_environment()
    build(env.from_source(source(), strategy or WatermarkStrategy.no_watermarks(), "records"))
    return env._graph()


def test_parts_without_a_shuffle_are_taken() -> None:
    assert latency_refusal(part(lambda stream: stream.map(str.upper).filter(bool).print())) is None
    union = part(lambda stream: stream.union(stream.map(str.upper)).print())
    assert latency_refusal(union) is None


def test_other_parts_stay_in_micro_batches_with_a_reason() -> None:
    keyed = part(lambda stream: stream.key_by(str).reduce(lambda one, _: one).name("count").print())
    assert latency_refusal(keyed) == "operator 'count' takes elements by key, or has state"
    files = part(lambda stream: stream.sink_to(FileSink.for_row_format("/f", Encoder.simple_string_encoder()).build()))
    assert "is a FileSink, which writes by the micro-batch" in (latency_refusal(files) or "")
    aligned = WatermarkStrategy.for_monotonous_timestamps().with_watermark_alignment("g", Duration.of_seconds(1))
    assert latency_refusal(part(lambda stream: stream.print(), aligned)) == "source 'records' has watermark alignment"
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_collection(["a"], Types.STRING()).print()
    assert latency_refusal(env._graph()) == "it reads no topic"
    committing = part(lambda stream: stream.sink_to(JsonLineSink("/out")).name("lines"))
    assert latency_refusal(committing) == "sink 'lines' has a committer, which commits by the micro-batch"
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_source(LineSource("/in"), WatermarkStrategy.no_watermarks(), "lines").print()
    assert latency_refusal(env._graph()) == "source 'lines' is a LineSource, which is read by the micro-batch"
