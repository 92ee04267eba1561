from __future__ import annotations

import uuid

import pytest

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.types import TypeInformation, Types
from kafkastream.model.connectors.record_deserialization import ConsumerRecord, KafkaRecordDeserializationSchema

PACKAGE = "org.apache.kafka.common.serialization."
ID = uuid.UUID("123e4567-e89b-12d3-a456-426614174000")


def read(name: str, value: bytes | None, config: dict[str, str] | None = None) -> object:
    schema = KafkaRecordDeserializationSchema.value_only(PACKAGE + name, config)
    (element,) = schema.deserialize(ConsumerRecord(topic="t", partition=0, offset=0, timestamp=0, value=value))
    return element


@pytest.mark.parametrize(
    ("name", "value", "element", "type_info"),
    [
        ("StringDeserializer", "é".encode(), "é", Types.STRING()),
        ("ByteArrayDeserializer", b"\0\xff", b"\0\xff", Types.PRIMITIVE_ARRAY(Types.BYTE())),
        ("BytesDeserializer", b"\0\xff", b"\0\xff", Types.PRIMITIVE_ARRAY(Types.BYTE())),
        ("ByteBufferDeserializer", b"\0\xff", b"\0\xff", Types.PRIMITIVE_ARRAY(Types.BYTE())),
        ("ShortDeserializer", b"\xff\xfe", -2, Types.SHORT()),
        ("IntegerDeserializer", b"\x80\0\0\0", -(2**31), Types.INT()),
        ("LongDeserializer", b"\0\0\0\0\0\0\1\0", 256, Types.LONG()),
        ("FloatDeserializer", b"\x3f\xc0\0\0", 1.5, Types.FLOAT()),
        ("DoubleDeserializer", b"\x3f\xf8\0\0\0\0\0\0", 1.5, Types.DOUBLE()),
        ("BooleanDeserializer", b"\1", True, Types.BOOLEAN()),
        ("BooleanDeserializer", b"\0", False, Types.BOOLEAN()),
        ("UUIDDeserializer", str(ID).encode(), ID, Types.GENERIC(uuid.UUID)),
    ],
)
def test_each_class_reads_as_javas_does(
    name: str, value: bytes, element: object, type_info: TypeInformation[object]
) -> None:
    assert read(name, value) == element
    assert KafkaRecordDeserializationSchema.value_only(PACKAGE + name).get_produced_type() == type_info


@pytest.mark.parametrize("name", ["StringDeserializer", "LongDeserializer", "VoidDeserializer"])
def test_a_tombstone_is_an_element(name: str) -> None:
    assert read(name, None) is None


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("LongDeserializer", b"\0" * 7, "Size of data received by LongDeserializer is not 8"),
        ("IntegerDeserializer", b"", "Size of data received by IntegerDeserializer is not 4"),
        ("BooleanDeserializer", b"\2", "Unexpected byte received by BooleanDeserializer: 2"),
        ("BooleanDeserializer", b"\1\1", "Size of data received by BooleanDeserializer is not 1"),
        ("UUIDDeserializer", b"{123}", "Error parsing data into UUID"),
        ("VoidDeserializer", b"", "Data should be null for a VoidDeserializer"),
        ("StringDeserializer", b"\xff", "can't decode byte 0xff"),
    ],
)
def test_values_that_do_not_fit_fail(name: str, value: bytes, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        read(name, value)


def test_the_more_special_encoding_wins() -> None:
    encodings = {"value.deserializer.encoding": "UTF-16LE", "deserializer.encoding": "ASCII"}
    assert read("StringDeserializer", "é".encode("utf-16-le"), encodings) == "é"
    assert read("UUIDDeserializer", str(ID).encode("utf-16-le"), {"deserializer.encoding": "UTF-16LE"}) == ID
    with pytest.raises(DefinitionError, match="charset 'UTF-9' is not known"):
        read("StringDeserializer", b"", {"deserializer.encoding": "UTF-9"})


@pytest.mark.parametrize("name", ["com.example.MyDeserializer", "LongDeserializer", PACKAGE + "ListDeserializer"])
def test_other_classes_are_refused_with_those_that_work(name: str) -> None:
    with pytest.raises(UnsupportedFeatureError, match="is not available") as raised:
        KafkaRecordDeserializationSchema.value_only(name)
    assert "LongDeserializer" in raised.value.now
