"""Headers that no honest program writes: many, large, without a value, with a name that is not UTF-8."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterable
from typing import TYPE_CHECKING

import pytest

from kafkastream.common import Types, WatermarkStrategy
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    ConsumerRecord,
    KafkaOffsetsInitializer,
    KafkaRecordDeserializationSchema,
)
from kafkastream.testing import Record
from kafkastream.testing.pytest_plugin import NewTopic

if TYPE_CHECKING:
    from tests.integration.conftest import Parts

MANY = 100_000
TIME_MS = 1_700_000_000_000
HEADERS: list[list[tuple[str, bytes | None]]] = [
    [("h", None)] * MANY,
    [("größe 订单\n", b"\xff"), ("", b""), ("null", None)],
    [("large", b"x" * 900_000)],
]


class Described(KafkaRecordDeserializationSchema[str]):
    """The number of headers, and the first one."""

    def deserialize(self, record: ConsumerRecord) -> Iterable[str]:
        name, value = record.headers[0]
        yield f"{len(record.headers)} {name!r} {None if value is None else len(value)}"


@pytest.mark.parametrize("in_latency", [False, True], ids=["micro-batch", "latency"])
def test_records_are_read_whatever_their_headers(
    env: StreamExecutionEnvironment, parts: Parts, new_topic: NewTopic, *, in_latency: bool
) -> None:
    topic, out, dead = new_topic(1), new_topic(1), new_topic(1)
    parts.kafka.produce(topic, [Record("v", headers=headers) for headers in HEADERS])
    _write_with_header(parts.kafka.bootstrap_servers, topic, b"\xff\xfe")
    if in_latency:
        env.set_buffer_timeout(0)
    builder = parts.unbound(topic).set_bounded(KafkaOffsetsInitializer.latest()).set_dead_letter_topic(dead)
    source = builder.set_deserializer(Described()).build()
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "in", Types.STRING())
    stream.sink_to(parts.sink(out))
    env.execute("headers")
    expected = [f"{MANY} 'h' None", "3 'größe 订单\\n' 1", "1 'large' 900000"]
    letters = parts.kafka.consume(dead)
    if in_latency:
        (letter,) = letters
        assert b"not UTF-8" in (dict(letter.headers)["kafkastream.error.reason"] or b"")
    else:
        assert letters == []
        expected.append("1 '\ufffd\ufffd' 1")
    assert parts.values(out) == sorted(expected)


def _write_with_header(servers: str, topic: str, name: bytes) -> None:
    """Write a record as no client does, by Kafka's protocol: https://kafka.apache.org/protocol.html."""
    body = b"\0" + _varint(0) * 2 + _varint(-1) + _varint(1) + b"v" + _varint(1)
    body += _varint(len(name)) + name + _varint(1) + b"1"
    attributes = struct.pack(">hiqqqhii", 0, 0, TIME_MS, TIME_MS, -1, -1, -1, 1) + _varint(len(body)) + body
    batch = struct.pack(">ibI", -1, 2, _crc32c(attributes)) + attributes
    records = struct.pack(">qi", 0, len(batch)) + batch
    request = struct.pack(">hhi", 0, 3, 1) + _text("test") + struct.pack(">hhii", -1, 1, 10_000, 1) + _text(topic)
    request += struct.pack(">iii", 1, 0, len(records)) + records
    host, _, port = servers.partition(",")[0].rpartition(":")
    with socket.create_connection((host, int(port))) as connection, connection.makefile("rb") as stream:
        connection.sendall(struct.pack(">i", len(request)) + request)
        answer = stream.read(int.from_bytes(stream.read(4), "big"))
    assert answer[4 + 4 + 2 + len(topic) + 4 + 4 :][:2] == b"\0\0", answer  # no error


def _text(text: str) -> bytes:
    return struct.pack(">h", len(text)) + text.encode()


def _varint(number: int) -> bytes:
    number = (number << 1) ^ (number >> 63)
    parts = []
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*parts, number])


def _crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ 0x82F63B78 * (crc & 1)
    return crc ^ 0xFFFFFFFF
