from __future__ import annotations

from collections.abc import Callable

import pytest
from confluent_kafka import Producer

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.kafka.properties import client_properties, producer_properties, transactional_properties

SERVERS = {"bootstrap.servers": "k:9092"}


def test_producers_behave_as_javas_by_default() -> None:
    assert producer_properties(SERVERS) == {
        "bootstrap.servers": "k:9092",
        "batch.size": "65536",
        "partitioner": "murmur2_random",
        "delivery.timeout.ms": "120000",
        "message.max.bytes": "1048576",
        "linger.ms": "20",
        "queue.buffering.max.messages": "0",
        "queue.buffering.max.kbytes": "131072",
        "max.in.flight.requests.per.connection": "5",
        "enable.idempotence": "true",
        "statistics.interval.ms": "200",
        "socket.nagle.disable": "true",
    }


@pytest.mark.parametrize("off", [{"register.producer.metrics": "false"}, {"flink.disable-metrics": "true"}])
def test_producers_tell_of_themselves_unless_they_are_told_not_to(off: dict[str, str]) -> None:
    assert "statistics.interval.ms" not in producer_properties({**SERVERS, **off})


def test_transactions_bound_the_time_of_delivery() -> None:
    properties = transactional_properties({**SERVERS, "transaction.timeout.ms": "10000", "max.block.ms": "5000"})
    assert properties.producer["delivery.timeout.ms"] == "10000"
    assert (properties.timeout_ms, properties.patience_s) == (10_000, 5.0)


@pytest.mark.parametrize(
    ("java", "own"),
    [
        ({"acks": "-1"}, {"acks": "-1"}),
        ({"linger.ms": "0"}, {"linger.ms": "0"}),
        ({"delivery.timeout.ms": "5000"}, {"delivery.timeout.ms": "5000"}),
        ({"batch.size": "0"}, {"batch.size": "1"}),
        ({"batch.size": "16384"}, {"batch.size": "16384"}),
        ({"buffer.memory": "33554432"}, {"queue.buffering.max.kbytes": "32768"}),
        ({"buffer.memory": "5"}, {"queue.buffering.max.kbytes": "1"}),
        ({"max.request.size": "7"}, {"message.max.bytes": "7"}),
        ({"max.block.ms": "7"}, {"topic.metadata.propagation.max.ms": "7"}),
        ({"send.buffer.bytes": "-1"}, {"socket.send.buffer.bytes": "0"}),
        ({"receive.buffer.bytes": "9"}, {"socket.receive.buffer.bytes": "9"}),
    ],
)
def test_javas_names_are_translated(java: dict[str, str], own: dict[str, str]) -> None:
    assert producer_properties({**SERVERS, **java}) == {**producer_properties(SERVERS), **own}


@pytest.mark.parametrize(
    "java",
    [
        {"enable.idempotence": "false"},
        {"enable.idempotence": "False", "max.in.flight.requests.per.connection": "6"},
        {"acks": "1"},
        {"acks": "0"},
        {"retries": "0"},
    ],
)
def test_producers_are_idempotent_unless_java_would_not_be(java: dict[str, str]) -> None:
    translated = producer_properties({**SERVERS, **java})
    assert translated == {**producer_properties(SERVERS), **java, "enable.idempotence": "false"}
    Producer(translated)  # librdkafka agrees with the combination


@pytest.mark.parametrize(
    ("java", "what"),
    [
        ({"acks": "1", "enable.idempotence": "true"}, "cannot have acks = 1"),
        ({"retries": "0", "enable.idempotence": "true"}, "cannot have retries = 0"),
        ({"max.in.flight.requests.per.connection": "6"}, "at most 5 requests in flight"),
        ({"max.in.flight.requests.per.connection": "six"}, "'six' is not a whole number"),
        ({"acks": "seven"}, "acks = 'seven' is not one of all, -1, 0, 1"),
    ],
)
def test_what_javas_idempotent_producer_refuses_is_refused(java: dict[str, str], what: str) -> None:
    with pytest.raises(DefinitionError, match=what):
        producer_properties({**SERVERS, **java})


def test_what_only_java_knows_is_left_out() -> None:
    java = {"key.serializer": "x", "group.id": "g", "isolation.level": "read_committed", "metrics.num.samples": "2"}
    assert producer_properties({**SERVERS, **java}) == producer_properties(SERVERS)


def test_other_clients_get_nothing_that_is_a_producers() -> None:
    java = {**SERVERS, "acks": "all", "group.id": "g", "linger.ms": "5", "client.id": "me", "retries": "3"}
    assert client_properties(java) == {**SERVERS, "group.id": "g", "client.id": "me"}


@pytest.mark.parametrize("key", ["batch.size", "buffer.memory", "max.request.size", "send.buffer.bytes"])
def test_numbers_must_be_numbers(key: str) -> None:
    with pytest.raises(DefinitionError, match=f"Property {key} = 'much' is not a whole number"):
        producer_properties({**SERVERS, key: "much"})


def test_a_partitioner_class_is_refused() -> None:
    with pytest.raises(UnsupportedFeatureError, match=r"partitioner\.class = org\.example\.Mine"):
        producer_properties({**SERVERS, "partitioner.class": "org.example.Mine"})


def test_a_partitioner_that_ignores_keys_is_refused() -> None:
    with pytest.raises(UnsupportedFeatureError, match=r"partitioner\.ignore\.keys = true"):
        producer_properties({**SERVERS, "partitioner.ignore.keys": "true"})
    assert producer_properties({**SERVERS, "partitioner.ignore.keys": "false"}) == producer_properties(SERVERS)


@pytest.mark.parametrize("translate", [client_properties, producer_properties])
def test_values_that_javas_client_would_look_up_are_refused(translate: Callable[[dict[str, str]], object]) -> None:
    with pytest.raises(UnsupportedFeatureError, match=r"config\.providers"):
        translate({**SERVERS, "config.providers": "file"})


@pytest.mark.parametrize(
    ("codec", "given", "level"),
    [("gzip", "9", "9"), ("lz4", "17", "12"), ("zstd", "22", "12"), ("zstd", "-5", "-1")],
)
def test_level_is_that_of_the_compression_in_use(codec: str, given: str, level: str) -> None:
    java = {**SERVERS, "compression.type": codec, f"compression.{codec}.level": given, "compression.snappy.level": "1"}
    translated = producer_properties(java)
    assert (translated["compression.type"], translated["compression.level"]) == (codec, level)
    Producer({**translated, "log_level": 0})  # librdkafka knows the level
    assert "compression.level" not in producer_properties({**java, "compression.type": "snappy"})


def test_age_of_metadata_is_refreshed_as_javas() -> None:
    translated = client_properties({**SERVERS, "metadata.max.age.ms": "5000"})
    assert translated["topic.metadata.refresh.interval.ms"] == translated["metadata.max.age.ms"] == "5000"


def test_prefix_names_the_client_as_flinks_enumerator() -> None:
    named = client_properties({**SERVERS, "client.id.prefix": "orders", "client.id": "mine"})
    assert named["client.id"] == "orders-enumerator-admin-client"


def test_security_reaches_every_client() -> None:
    jaas = 'x.PlainLoginModule required username="u" password="p";'
    java = {**SERVERS, "security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN", "sasl.jaas.config": jaas}
    for translate in (client_properties, producer_properties):
        translated = translate(java)
        assert (translated["sasl.username"], translated["sasl.password"]) == ("u", "p")
        assert "sasl.jaas.config" not in translated
        Producer({**translated, "log_level": 0})
