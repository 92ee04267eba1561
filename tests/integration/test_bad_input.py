"""What is wrong is said: which error, where, what now; and what had been written is still there."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kafkastream.common import JobStatus, SerializationSchema, SimpleStringSchema, Types
from kafkastream.datastream import MapFunction, RuntimeContext, StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
    KafkaTopicPartition,
)
from kafkastream.errors import (
    BrokerUnreachableError,
    DefinitionError,
    DeliveryError,
    DeserializationError,
    JobError,
    KafkaError,
    KafkastreamError,
    SerializationError,
    UnknownTopicError,
    UserFunctionError,
    WorkerDependencyError,
)
from kafkastream.testing import EmbeddedKafka, Record, wait_until
from kafkastream.testing.pytest_plugin import NewTopic

if TYPE_CHECKING:
    from kafkastream.table import TableEnvironment
    from tests.integration.conftest import Parts, Read

LOG_APPEND_TIME = {"message.timestamp.type": "LogAppendTime"}
ANY_TIME = {"message.timestamp.after.max.ms": str(2**63 - 1)}


def parsed(value: str) -> str:
    return str(int(value))


class OpenFails(MapFunction[Any, Any]):
    def open(self, runtime_context: RuntimeContext) -> None:
        raise ConnectionError("no database")

    def map(self, value: Any) -> Any:
        return value


class CloseFails(MapFunction[Any, Any]):
    def map(self, value: Any) -> Any:
        return value

    def close(self) -> None:
        raise ConnectionError("no database")


class OddFails(SerializationSchema[int]):
    def serialize(self, element: int) -> bytes:
        if element % 2:
            raise ValueError("odd")
        return str(element).encode()


class NoBytes(SerializationSchema[int]):
    def serialize(self, element: int) -> bytes:
        return element  # type: ignore[return-value]  # what this test is about


@pytest.fixture(scope="module")
def dead_address() -> Iterator[str]:
    """An address that answers nobody, and that nobody else takes."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{taken.getsockname()[1]}"


def failure(kind: type[KafkastreamError], env: StreamExecutionEnvironment) -> KafkastreamError:
    """The error of exactly this kind that the job ends with."""
    with pytest.raises(KafkastreamError) as raised:
        env.execute("bad job")
    assert type(raised.value) is kind, raised.value
    return raised.value


def test_all_that_a_source_lacks_is_said_at_once() -> None:
    with pytest.raises(DefinitionError) as raised:
        KafkaSource.builder().set_starting_offsets(KafkaOffsetsInitializer.committed_offsets()).build()
    assert raised.value.what.split("; ") == [
        "Property bootstrap.servers is required but not provided",
        "No subscribe mode is specified, should be one of topics, topic pattern and partition set",
        "Deserialization schema is required but not provided",
        "Property group.id is required when using committed offset for offsets initializer",
    ]
    assert str(raised.value).startswith("[invalid-definition] ")


def test_second_subscription_is_refused() -> None:
    builder = KafkaSource.builder().set_topics("a")
    with pytest.raises(DefinitionError, match="Cannot use topic pattern for consumption because a TopicListSubscriber"):
        builder.set_topic_pattern("b.*")


@pytest.mark.parametrize("place", ["source", "sink"])
def test_property_that_kafkas_client_refuses(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str, place: str
) -> None:
    if place == "source":
        source = parts.text(parts.unbound(topic).set_property("isolation.level", "read_everything"))
        read(source).map(str.upper).print()
    else:
        env.from_collection(["a"], Types.STRING()).sink_to(parts.sink(topic, properties={"client.dns.lookup": "seven"}))
    error = failure(DefinitionError, env)
    assert ("isolation.level" if place == "source" else "client.dns.lookup") in error.what


@pytest.mark.parametrize("key", ["receive.buffer.bytes", "buffer.memory"])
def test_property_that_is_no_number(env: StreamExecutionEnvironment, parts: Parts, topic: str, key: str) -> None:
    env.from_collection(["a"], Types.STRING()).sink_to(parts.sink(topic, properties={key: "much"}))
    assert f"{key} = 'much'" in failure(DefinitionError, env).what


def test_property_that_only_javas_client_refuses(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str
) -> None:
    parts.kafka.produce(topic, ["a"])
    read(parts.text(parts.unbound(topic).set_property("max.poll.records", "many"))).map(str.upper).print()
    assert "max.poll.records" in failure(DefinitionError, env).what


def test_topics_that_do_not_exist_cannot_be_read(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str
) -> None:
    read(parts.bounded(topic, "no-such-topic", "nor-this")).print()
    error = failure(UnknownTopicError, env)
    assert error.what == "topic no-such-topic, nor-this does not exist on the Kafka brokers"
    assert error.where == f"bootstrap.servers {parts.kafka.bootstrap_servers}"


def test_partition_that_does_not_exist_cannot_be_read(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str
) -> None:
    read(parts.text(parts.unbound().set_partitions([KafkaTopicPartition(topic, 1)]))).print()
    assert f"partition {topic}-1 does not exist" in failure(UnknownTopicError, env).what


def test_topic_that_does_not_exist_cannot_be_written(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str
) -> None:
    parts.kafka.produce(topic, ["a"])
    read(parts.bounded(topic)).sink_to(parts.sink("no-such-topic", properties={"max.block.ms": "1000"}))
    error = failure(DeliveryError, env)
    assert "Unknown topic" in error.what
    assert error.where == f"topic no-such-topic, record b'a', bootstrap.servers {parts.kafka.bootstrap_servers}"
    assert error.now == "Create the topic, or check its name."


def test_broker_that_is_down_is_told_with_its_address(
    env: StreamExecutionEnvironment, read: Read, dead_address: str
) -> None:
    builder = KafkaSource.builder().set_bootstrap_servers(dead_address).set_topics("any")
    builder.set_property("default.api.timeout.ms", "1500").set_value_only_deserializer(SimpleStringSchema())
    read(builder.build()).print()
    error = failure(BrokerUnreachableError, env)
    assert error.where == f"bootstrap.servers {dead_address}"
    assert "within 1.5 s" in error.what


def test_pattern_on_a_broker_that_is_down(env: StreamExecutionEnvironment, read: Read, dead_address: str) -> None:
    builder = KafkaSource.builder().set_bootstrap_servers(dead_address).set_topic_pattern("any.*")
    builder.set_property("default.api.timeout.ms", "1500").set_value_only_deserializer(SimpleStringSchema())
    read(builder.build()).print()
    assert failure(BrokerUnreachableError, env).where == f"bootstrap.servers {dead_address}"


def test_sink_whose_broker_is_down(env: StreamExecutionEnvironment, parts: Parts, dead_address: str) -> None:
    impatient = {"delivery.timeout.ms": "1500", "request.timeout.ms": "1000", "linger.ms": "0"}
    builder = KafkaSink.builder().set_bootstrap_servers(dead_address).set_kafka_producer_config(impatient)
    sink = builder.set_record_serializer(parts.serializer("any")).build()
    env.from_collection(["a"], Types.STRING()).sink_to(sink)
    error = failure(DeliveryError, env)
    assert dead_address in error.where
    assert "delivery.timeout.ms" in error.now


@pytest.mark.parametrize("passes_through", [False, True], ids=["Python", "pass-through"])
@pytest.mark.parametrize(
    ("value", "reason"), [(b"\xff\xfe", "(?i)utf-8"), (None, "value is null")], ids=["not UTF-8", "tombstone"]
)
def test_record_that_is_no_text(
    env: StreamExecutionEnvironment,
    read: Read,
    parts: Parts,
    new_topic: NewTopic,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    value: bytes | None,
    reason: str,
    *,
    passes_through: bool,
) -> None:
    source, target = new_topic(), new_topic(config=LOG_APPEND_TIME if passes_through else {})
    env.get_checkpoint_config().set_checkpoint_storage_dir(tmp_path.as_uri())
    parts.kafka.produce(source, ["before"])

    def build() -> None:
        stream = read(parts.bounded(source))
        (stream if passes_through else stream.map(str, Types.STRING())).sink_to(parts.sink(target))

    build()
    env.execute("bad job")
    parts.kafka.produce(source, [Record(value)])
    build()
    error = failure(DeserializationError, env)
    assert error.where == f"topic {source}, partition 0, offset 1"
    assert "failed to deserialize a record" in error.what
    assert re.search(reason, error.what)
    assert "Fix or skip the record" in error.now
    assert parts.values(target) == ["before"]
    assert "java." not in capfd.readouterr().err


@pytest.mark.parametrize(
    ("time_ms", "reason"),
    [(1_700_000_000_000_000_000, "1700000000000000000 ms, is beyond"), (-62_135_596_800_000, "before 1901")],
    ids=["nanoseconds", "year 1"],
)
def test_record_whose_time_spark_cannot_hold(
    env: StreamExecutionEnvironment,
    t_env: TableEnvironment,
    read: Read,
    parts: Parts,
    new_topic: NewTopic,
    time_ms: int,
    reason: str,
) -> None:
    topic = new_topic(config=ANY_TIME)
    times = (5, -1, -7, 9_000_000_000_000_000, time_ms)
    parts.kafka.produce(topic, [Record(str(time), timestamp_ms=time) for time in times])
    read(parts.bounded(topic)).print()
    error = failure(DeserializationError, env)
    assert (error.where, re.search(reason, error.what) is None) == (f"topic {topic}, partition 0, offset 4", False)
    assert "latency mode" in f"{error}"
    t_env.execute_sql(
        f"CREATE TABLE times (v STRING, ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp') WITH ('connector' = 'kafka', "
        f"'topic' = '{topic}', 'properties.bootstrap.servers' = '{parts.kafka.bootstrap_servers}', 'format' = 'raw', "
        "'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset')"
    )
    with pytest.raises(DeserializationError, match=reason), t_env.execute_sql("SELECT * FROM times").collect() as rows:
        list(rows)
    t_env.execute_sql("DROP TABLE times")


def test_function_that_raises_is_named_with_its_record(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, new_topic: NewTopic
) -> None:
    source, target = new_topic(partitions=2), new_topic()
    values = [Record("1", partition=0), Record("2", partition=1), Record("three", partition=1)]
    parts.kafka.produce(source, values)
    read(parts.bounded(source)).map(parsed, Types.STRING()).name("parse").sink_to(parts.sink(target))
    error = failure(UserFunctionError, env)
    assert error.what == (
        "the function of operator 'parse' raised ValueError: invalid literal for int() with base 10: 'three'"
    )
    assert error.where == f"topic {source}, partition 1, offset 1; element 'three'"
    assert "Traceback (most recent call last)" in error.now
    assert "return str(int(value))" in error.now
    assert "kafkastream/spark" not in error.now
    assert set(parts.values(target)) <= {"1", "2"}


@pytest.mark.parametrize(("function", "method"), [(OpenFails(), "open"), (CloseFails(), "close")])
def test_function_that_cannot_open_or_close(env: StreamExecutionEnvironment, function: Any, method: str) -> None:
    env.from_elements(1).map(function).name("lookup").print()
    error = failure(UserFunctionError, env)
    assert error.what == f"{method} of operator 'lookup' raised ConnectionError: no database"
    assert 'raise ConnectionError("no database")' in error.now


def test_stop_iteration_of_a_function_swallows_no_elements(env: StreamExecutionEnvironment) -> None:
    env.from_elements([1], [], [2]).map(lambda numbers: next(iter(numbers))).name("first").print()
    error = failure(UserFunctionError, env)
    assert "the function of operator 'first' raised StopIteration" in error.what
    assert error.where == "element 2 of the collection; element []"


def test_function_that_cannot_be_sent(env: StreamExecutionEnvironment) -> None:
    lock = threading.Lock()
    env.from_elements(1).map(lambda value: (value, lock)).name("locked").print()
    error = failure(DefinitionError, env)
    assert "the function of operator 'locked' cannot be sent to Spark's workers" in error.what
    assert "open()" in error.now


def test_module_that_the_workers_lack(
    env: StreamExecutionEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "only_on_the_driver.py").write_text("def twice(value):\n    return 2 * value\n")
    monkeypatch.syspath_prepend(tmp_path)
    import only_on_the_driver  # type: ignore[import-not-found]  # made above

    env.from_elements(1).map(only_on_the_driver.twice).print()
    error = failure(WorkerDependencyError, env)
    assert "lack the module 'only_on_the_driver'" in error.what
    assert "--py-files" in error.now


def test_module_that_a_function_imports_late(env: StreamExecutionEnvironment) -> None:
    def use(value: int) -> int:
        import no_such_module  # type: ignore[import-not-found]  # what this test is about

        return int(no_such_module.twice(value))

    env.from_elements(1).map(use).name("late").print()
    assert "raised ModuleNotFoundError: No module named 'no_such_module'" in failure(UserFunctionError, env).what


def test_two_jobs_of_one_name_do_not_share_their_progress(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str, tmp_path: Path
) -> None:
    env.get_checkpoint_config().set_checkpoint_storage_dir(tmp_path.as_uri())
    parts.kafka.produce(topic, ["a"])
    read(parts.endless(topic)).map(str.upper).print()
    first = env.execute_async("bad job")
    wait_until(lambda: list(tmp_path.glob("bad-job-*/*/commits/0")), 60, "the first job's start")
    read(parts.endless(topic)).map(str.upper).print()
    error = failure(JobError, env)
    assert error.what.startswith("job 'bad job' runs already, as process")
    assert "another name" in error.now
    assert first.get_job_status().result() is JobStatus.RUNNING
    first.cancel().result(60)


def test_record_that_is_too_large(env: StreamExecutionEnvironment, parts: Parts, new_topic: NewTopic) -> None:
    small, large = new_topic(config={"max.message.bytes": "1000"}), new_topic()
    for topic, size in ((small, 5_000), (large, 2_000_000)):
        env.from_collection(["before"], Types.STRING()).sink_to(parts.sink(topic))
        env.execute()
        text = "ab" * (size // 2)
        env.from_collection([text], Types.STRING()).sink_to(parts.sink(topic)).name("files")
        error = failure(DeliveryError, env)
        assert "sink 'files' could not write a record" in error.what
        assert f"topic {topic}" in error.where
        assert "max.request.size" in error.now
        assert parts.values(topic) == ["before"]


@pytest.mark.parametrize(
    ("schema", "elements", "reason"),
    [
        (SimpleStringSchema(), ["a", 2], "the element is of type int"),
        (OddFails(), [2, 3], "odd"),
        (NoBytes(), [2, 3], "serialize returned no bytes, its result is of type int"),
    ],
    ids=["not a str", "raises", "returns no bytes"],
)
def test_element_that_the_sink_cannot_write(
    env: StreamExecutionEnvironment, parts: Parts, topic: str, schema: Any, elements: list[Any], reason: str
) -> None:
    env.from_collection(elements).sink_to(parts.sink(topic, schema)).name("numbers")
    error = failure(SerializationError, env)
    assert "sink 'numbers' failed to serialize an element" in error.what
    assert reason in error.what
    assert "of the collection; element " in error.where


def test_topic_selector_that_returns_no_topic(env: StreamExecutionEnvironment, parts: Parts) -> None:
    builder = KafkaRecordSerializationSchema.builder().set_topic_selector(lambda _: None)  # type: ignore[arg-type,return-value]
    serializer = builder.set_value_serialization_schema(SimpleStringSchema()).build()
    env.from_collection(["a"], Types.STRING()).sink_to(parts.sink_of(serializer))
    assert "the topic selector returned no name of a topic" in failure(SerializationError, env).what


def test_failed_part_ends_the_whole_job(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, new_topic: NewTopic
) -> None:
    good, bad = new_topic(), new_topic()
    parts.kafka.produce(bad, ["many"])
    read(parts.endless(good), "good").map(str.upper).print()
    read(parts.endless(bad), "bad").map(int).print()
    assert "many" in failure(UserFunctionError, env).what


def test_no_secret_is_told(env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str) -> None:
    jaas = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="hidden-1";'
    secrets = {"sasl.jaas.config": jaas, "ssl.key.password": "hidden-2", "ssl.keystore.password": "hidden-3"}
    builder = parts.unbound(topic).set_properties(secrets)
    for properties in ({"security.protocol": "SASL_SSL"}, {"isolation.level": "wrong"}, {"max.poll.records": "many"}):
        source = parts.text(builder.set_properties(properties))
        assert "hidden" not in repr(source)
        read(source).map(str.upper).print()
        with pytest.raises(KafkastreamError) as raised:
            env.execute()
        assert "hidden" not in str(raised.value)
        assert "hidden" not in repr(raised.value)
    with pytest.raises(DefinitionError) as refused:
        builder.set_property("ssl.truststore.password", b"hidden-4")  # type: ignore[arg-type]  # what this test is about
    assert "hidden" not in str(refused.value)


def test_broker_that_stops_while_the_job_runs(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str
) -> None:
    with EmbeddedKafka() as other:
        other.create_topic("in")
        other.produce("in", ["before"])
        builder = KafkaSource.builder().set_bootstrap_servers(other.bootstrap_servers).set_topics("in")
        for key in ("default.api.timeout.ms", "request.timeout.ms"):
            builder.set_property(key, "1500")
        source = builder.set_value_only_deserializer(SimpleStringSchema()).build()
        read(source).map(str.upper, Types.STRING()).sink_to(parts.sink(topic))
        client = env.execute_async("bad job")
        wait_until(lambda: parts.values(topic), 60, "the first record")
        other.stop()
        with pytest.raises(KafkaError) as raised:
            client.get_job_execution_result().result(90)
    assert type(raised.value) is BrokerUnreachableError
    assert other.bootstrap_servers in raised.value.where
    assert parts.values(topic) == ["BEFORE"]
