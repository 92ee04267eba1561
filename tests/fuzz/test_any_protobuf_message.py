"""Hostile Protobuf: whatever the bytes are, a decoder returns a row or raises ``ValueError``."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

from google.protobuf import descriptor_pb2, struct_pb2
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.model.formats.protobuf import ProtobufDeserializationSchema
from kafkastream.spark.sql.formats.protobuf_messages import protobuf_decoder
from kafkastream.sql.connectors import KafkaTableSource, source_of
from kafkastream.sql.formats import ProtobufFormat
from tests.unit.spark.tables.frames import table

_modules: tuple[Any, Any] = descriptor_pb2, struct_pb2  # the stubs lack some of their classes
DescriptorProto: Final = _modules[0].DescriptorProto
Struct: Final = _modules[1].Struct

NUMBERS: Final = st.sampled_from([0, 1, 2, 127, 128, 10**6, 2**31, 2**32 - 1, 2**63, 2**64 - 1])


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def nested(tag: bytes, depth: int) -> bytes:
    message = b""
    for _ in range(depth):
        message = tag + varint(len(message)) + message
    return message


TAGS: Final = st.builds(
    lambda field, wire: varint(field << 3 | wire), st.integers(1, 20) | st.just(2**29 - 1), st.integers(0, 7)
)
HOSTILE: Final = st.lists(
    NUMBERS.map(varint)
    | TAGS
    | st.binary(max_size=12)
    | st.builds(nested, st.sampled_from([b"\x0a", b"\x12", b"\x1a", b"\x2a"]), st.integers(1, 2_000))
    | st.builds(
        bytes.__mul__, st.sampled_from([b"\x0a\0", b"\x1a\0", b"\x7b", b"\x7c", b"\0", b"\xff"]), st.integers(1, 9_000)
    )
    | st.builds(lambda tag, data: tag + varint(len(data)) + data, TAGS, st.binary(max_size=40)),
    max_size=6,
).map(b"".join)
HONEST: Final = (
    DescriptorProto(name="Order", field=[{"name": "id", "number": 1}], nested_type=[DescriptorProto(name="Line")]),
    Struct(),
)
HONEST[1].update({"id": 7, "lines": [{"x": None}, True, "text"]})


def mutated(message: bytes, hostile: bytes, places: tuple[int, int]) -> bytes:
    start, end = sorted(place % (len(message) + 1) for place in places)
    return message[:start] + hostile + message[end:]


MESSAGES: Final = HOSTILE | st.builds(
    mutated,
    st.sampled_from(HONEST).map(lambda message: message.SerializeToString()),
    HOSTILE,
    st.tuples(st.integers(0, 99), st.integers(0, 99)),
)
COLUMNS: Final = {
    "google.protobuf.descriptor_pb2:DescriptorProto": "name STRING, reserved_name ARRAY<STRING>, "
    "field ARRAY<ROW<name STRING, `number` INT, type STRING>>, nested_type ARRAY<ROW<name STRING>>, "
    "options ROW<map_entry BOOLEAN>",
    "google.protobuf.struct_pb2:Struct": "fields MAP<STRING, ROW<string_value STRING, number_value DOUBLE, "
    "list_value ROW<`values` ARRAY<ROW<bool_value BOOLEAN, null_value INT>>>>>",
}


def decoder(name: str) -> Any:
    source = source_of(table(COLUMNS[name], {"format": "protobuf", "protobuf.message-class-name": name}))
    assert isinstance(source, KafkaTableSource)
    settings = source.value.format
    assert isinstance(settings, ProtobufFormat)
    return protobuf_decoder(source.value, settings).opened()


DECODERS: Final = {name: decoder(name) for name in COLUMNS}


@given(MESSAGES, st.sampled_from(list(COLUMNS)))
def test_rows_of_tables(message: bytes, name: str) -> None:
    with suppress(ValueError):
        DECODERS[name](message)


@given(MESSAGES, st.sampled_from([DescriptorProto, Struct]))
def test_messages_of_the_datastream_api(message: bytes, kind: Any) -> None:
    with suppress(DecodeError):
        ProtobufDeserializationSchema(kind).deserialize(message)
