"""The test kit's broker is a real one, keeps what it is told to keep, and leaves nothing behind."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from confluent_kafka import KafkaError as KafkaClientError
from confluent_kafka import Producer

from kafkastream.errors import DeliveryError, KafkaError, SetupError, UnknownTopicError
from kafkastream.testing import ConsumedRecord, EmbeddedKafka, KafkaBroker, Record, wait_until
from kafkastream.testing.pytest_plugin import NewTopic

OWNER = """
import signal
from kafkastream.testing import EmbeddedKafka
kafka = EmbeddedKafka().start()
print(kafka.bootstrap_servers, kafka.directory, flush=True)
signal.pause()
"""


def listens(address: str) -> bool:
    host, _, port = address.partition(":")
    with socket.socket() as client:
        return client.connect_ex((host, int(port))) == 0


def values(records: list[ConsumedRecord]) -> list[bytes | None]:
    return [record.value for record in records]


def transactional_producer(kafka: KafkaBroker, topic: str) -> Producer:
    producer = Producer({"bootstrap.servers": kafka.bootstrap_servers, "transactional.id": topic})
    producer.init_transactions(30)
    return producer


def test_record_comes_back_as_it_was_written(kafka: KafkaBroker, topic: str) -> None:
    headers = [("trace", b"1"), ("trace", b"2"), ("empty", None)]
    kafka.produce(topic, [Record("v", key="k", headers=headers, timestamp_ms=1_700_000_000_123)])
    assert kafka.consume(topic) == [
        ConsumedRecord(
            topic=topic,
            partition=0,
            offset=0,
            key=b"k",
            value=b"v",
            headers=tuple(headers),
            timestamp_ms=1_700_000_000_123,
            timestamp_type="CreateTime",
        )
    ]


@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4", "zstd"])
def test_a_topic_may_limit_what_compressed_batches_become(kafka: KafkaBroker, new_topic: NewTopic, codec: str) -> None:
    """The advice of docs/malformed-records.md: brokers check the compressed size, unless the topic is uncompressed."""
    client = {"bootstrap.servers": kafka.bootstrap_servers, "compression.type": codec, "message.max.bytes": 10**8}
    reasons: list[KafkaClientError | None] = []
    for config in ({}, {"compression.type": "uncompressed"}):
        producer = Producer(client)
        producer.produce(new_topic(config=config), b"0" * 4 * 2**20, on_delivery=lambda error, _: reasons.append(error))
        producer.flush(30)
    accepted, refused = reasons
    assert accepted is None
    assert refused is not None
    assert refused.name() == "MSG_SIZE_TOO_LARGE"


def test_tombstones_and_empty_values_differ(kafka: KafkaBroker, topic: str) -> None:
    kafka.produce(topic, [Record(None, key="k"), "", b"\x00"])
    assert values(kafka.consume(topic)) == [None, b"", b"\x00"]


def test_broker_can_set_the_time(kafka: KafkaBroker, new_topic: NewTopic) -> None:
    topic = new_topic(config={"message.timestamp.type": "LogAppendTime"})
    kafka.produce(topic, [Record("v", timestamp_ms=5)])
    (record,) = kafka.consume(topic)
    assert record.timestamp_type == "LogAppendTime"
    assert record.timestamp_ms > 5


def test_records_are_read_by_partition_and_offset(kafka: KafkaBroker, new_topic: NewTopic) -> None:
    topic = new_topic(partitions=3)
    places = kafka.produce(topic, [Record(str(number), partition=2 - number % 3) for number in range(9)])
    assert places == tuple((2 - number % 3, number // 3) for number in range(9))
    assert values(kafka.consume(topic)) == [b"2", b"5", b"8", b"1", b"4", b"7", b"0", b"3", b"6"]


def test_keys_go_where_java_sends_them(kafka: KafkaBroker, new_topic: NewTopic) -> None:
    topic = new_topic(partitions=10)
    # Java: (Utils.murmur2(key) & 0x7fffffff) % 10, with the hashes that Kafka's own UtilsTest names
    known = {"21": -973932308, "foobar": -790332482, "a-little-bit-long-string": -985981536}
    places = kafka.produce(topic, [Record(None, key=key) for key in known])
    assert [partition for partition, _ in places] == [(code & 0x7FFFFFFF) % 10 for code in known.values()]


def test_many_records_keep_their_order(kafka: KafkaBroker, topic: str) -> None:
    written = [str(number).encode() for number in range(150_000)]
    kafka.produce(topic, written)
    assert values(kafka.consume(topic)) == written


def test_empty_topic_has_no_records(kafka: KafkaBroker, topic: str) -> None:
    assert kafka.consume(topic) == []


def test_markers_at_the_end_do_not_delay_the_reader(kafka: KafkaBroker, topic: str) -> None:
    producer = transactional_producer(kafka, topic)
    producer.begin_transaction()
    producer.produce(topic, "committed")
    producer.commit_transaction(30)
    producer.begin_transaction()
    producer.produce(topic, "aborted")
    producer.flush()
    producer.abort_transaction(30)
    assert values(kafka.consume(topic)) == [b"committed"]
    assert values(kafka.consume(topic, isolation="read_uncommitted")) == [b"committed", b"aborted"]


def test_open_transaction_ends_the_committed_records(kafka: KafkaBroker, topic: str) -> None:
    kafka.produce(topic, ["before"])
    producer = transactional_producer(kafka, topic)
    producer.begin_transaction()
    producer.produce(topic, "open")
    producer.flush()
    kafka.produce(topic, ["after"])
    assert values(kafka.consume(topic)) == [b"before"]
    assert values(kafka.consume(topic, isolation="read_uncommitted")) == [b"before", b"open", b"after"]
    producer.abort_transaction(30)
    assert values(kafka.consume(topic, count=2)) == [b"before", b"after"]


def test_reader_waits_for_the_records_it_was_told_of(kafka: KafkaBroker, topic: str) -> None:
    kafka.produce(topic, ["one"])
    with pytest.raises(TimeoutError, match="2 records in topic"):
        kafka.consume(topic, count=2, timeout_s=0.3)


def test_added_partitions_can_be_used(kafka: KafkaBroker, topic: str) -> None:
    kafka.add_partitions(topic, 3)
    assert kafka.produce(topic, [Record("v", partition=2)]) == ((2, 0),)


def test_deleted_topic_is_gone(kafka: KafkaBroker) -> None:
    kafka.create_topic("short-lived")
    kafka.delete_topic("short-lived")
    with pytest.raises(UnknownTopicError, match="short-lived"):
        kafka.consume("short-lived")


def test_refusals_are_told(kafka: KafkaBroker, topic: str) -> None:
    with pytest.raises(KafkaError, match="already exists"):
        kafka.create_topic(topic)
    with pytest.raises(DeliveryError, match="1 of 1 records could not be written to topic 'no-such-topic'"):
        kafka.produce("no-such-topic", ["lost"])


def test_topics_have_readable_names(topic: str, new_topic: NewTopic) -> None:
    assert topic.startswith("test_topics_have_readable_names-")
    assert new_topic() != topic


def test_restart_keeps_data_and_address() -> None:
    with EmbeddedKafka() as kafka:
        address = kafka.bootstrap_servers
        kafka.create_topic("kept")
        kafka.produce("kept", ["before"])
        kafka.stop(keep_data=True)
        assert not kafka.is_running()
        assert not listens(address)
        kafka.start()
        kafka.produce("kept", ["after"])
        assert values(kafka.consume("kept")) == [b"before", b"after"]
        assert kafka.bootstrap_servers == address
        directory = kafka.directory
    assert not directory.exists()
    assert not listens(address)


def test_broker_ends_with_its_killed_owner() -> None:
    with subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        address, _, directory = owner.stdout.readline().strip().partition(" ")
        assert listens(address)
        owner.send_signal(signal.SIGKILL)
    wait_until(lambda: not listens(address), 10, "the broker's end")
    wait_until(lambda: not Path(directory).exists(), 10, "the end of the broker's directory")


def test_failed_start_shows_the_log_and_leaves_nothing() -> None:
    kafka = EmbeddedKafka(properties={"log.retention.hours": "soon"})
    with pytest.raises(SetupError, match="ended while it started") as raised:
        kafka.start()
    assert "Invalid value soon for configuration log.retention.hours" in raised.value.where
    assert not kafka.is_running()


def test_taken_port_is_told(kafka: KafkaBroker) -> None:
    port = int(kafka.bootstrap_servers.rpartition(":")[2])
    with pytest.raises(SetupError, match=f"port {port} is in use"):
        EmbeddedKafka(port=port).start()


def test_command_line_runs_a_broker_until_ctrl_c() -> None:
    command = [sys.executable, "-m", "kafkastream", "broker", "--topic", "orders:4"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[-1]
        assert len(KafkaBroker(address).produce("orders", [Record("v", partition=3)])) == 1
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (0, "Stopped.\n")
    assert not listens(address)
