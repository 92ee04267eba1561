from __future__ import annotations

import logging
import uuid

import pytest

from kafkastream.kafka.properties import client_properties, producer_properties
from kafkastream.kafka.untranslated import LOOK_UPS, SINK, untranslated

SERVERS = {"bootstrap.servers": "k:9092"}
BYTES = "org.apache.kafka.common.serialization.ByteArraySerializer"
STRINGS = "org.apache.kafka.common.serialization.StringSerializer"


def names(client: str, **java: str) -> list[str]:
    return list(untranslated({key.replace("_", "."): value for key, value in java.items()}, client, {"translated"}))


def test_what_matters_is_named() -> None:
    given = {
        "interceptor_classes": "x",
        "ssl_cipher_suites": "x",
        "translated": "x",
        "fetch_min_bytes": "1",
        "my_own": "1",
    }
    for client in (LOOK_UPS, SINK):
        assert names(client, **given) == ["interceptor.classes", "ssl.cipher.suites", "my.own"]


def test_serializers_matter_to_sinks_unless_of_bytes() -> None:
    given = {"key_serializer": BYTES, "value_serializer": STRINGS}
    assert names(LOOK_UPS, **given) == []
    assert names(SINK, **given) == ["value.serializer"]


@pytest.mark.parametrize(
    ("translate", "said"),
    [
        (client_properties, "the driver's look-ups and commits run without it"),
        (producer_properties, "the sink runs without it"),
    ],
)
def test_each_is_reported_once_without_its_value(
    caplog: pytest.LogCaptureFixture, translate: object, said: str
) -> None:
    key = f"unknown.{uuid.uuid4()}"
    assert callable(translate)
    with caplog.at_level(logging.WARNING, "kafkastream"):
        translate({**SERVERS, key: "hidden"})
        translate({**SERVERS, key: "hidden"})
    (record,) = caplog.records
    assert record.getMessage() == f"property {key}: {said} (Kafka's C client, librdkafka, has no such property)"


def test_usual_properties_are_not_reported(caplog: pytest.LogCaptureFixture) -> None:
    usual = {
        "group.id": "g",
        "client.id.prefix": "p",
        "auto.offset.reset": "earliest",
        "max.poll.records": "5",
        "metrics.num.samples": "2",
        "compression.zstd.level": "3",
        "linger.ms": "5",
        "key.serializer": BYTES,
        "sasl.kerberos.kinit.cmd": "/usr/bin/kinit",
    }
    with caplog.at_level(logging.WARNING, "kafkastream"):
        client_properties({**SERVERS, **usual})
        producer_properties({**SERVERS, **usual})
    assert caplog.records == []
