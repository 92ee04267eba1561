"""The expected bytes are what Java's serializers of kafka-clients 4.2 write for the same elements."""

from __future__ import annotations

import math
import pickle
import struct
import uuid
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.formats import KafkaSerializerSchema
from kafkastream.model.formats.kafka_deserializers import kafka_deserializer

PACKAGE = "org.apache.kafka.common.serialization."
ID = uuid.UUID("123E4567-e89b-12d3-a456-426614174000")
MINUS_NAN = struct.unpack(">d", b"\xff\xf8\0\0\0\0\0\1")[0]


def write(name: str, element: object, config: dict[str, str] | None = None, *, is_key: bool = False) -> bytes | None:
    return KafkaSerializerSchema(PACKAGE + name, config or {}, is_key).serialize(element)


@pytest.mark.parametrize(
    ("name", "element", "written"),
    [
        ("StringSerializer", "aé", "61c3a9"),
        ("StringSerializer", "a\ud800", "613f"),
        ("StringSerializer", "", ""),
        ("ByteArraySerializer", b"\0\xff", "00ff"),
        ("BytesSerializer", bytearray(b"\0\xff"), "00ff"),
        ("ByteBufferSerializer", memoryview(b"\0\xff"), "00ff"),
        ("ShortSerializer", -2, "fffe"),
        ("ShortSerializer", 2**15 - 1, "7fff"),
        ("IntegerSerializer", -(2**31), "80000000"),
        ("IntegerSerializer", 258, "00000102"),
        ("LongSerializer", -1, "ffffffffffffffff"),
        ("LongSerializer", 2**63 - 1, "7fffffffffffffff"),
        ("FloatSerializer", 1.5, "3fc00000"),
        ("FloatSerializer", 0.1, "3dcccccd"),
        ("FloatSerializer", -0.0, "80000000"),
        ("FloatSerializer", math.nan, "7fc00000"),
        ("FloatSerializer", MINUS_NAN, "ffc00000"),
        ("FloatSerializer", math.inf, "7f800000"),
        ("FloatSerializer", 1.4e-45, "00000001"),
        ("FloatSerializer", 3.4028235e38, "7f7fffff"),
        ("DoubleSerializer", 1.5, "3ff8000000000000"),
        ("DoubleSerializer", 0.1, "3fb999999999999a"),
        ("DoubleSerializer", -0.0, "8000000000000000"),
        ("DoubleSerializer", math.nan, "7ff8000000000000"),
        ("DoubleSerializer", MINUS_NAN, "7ff8000000000000"),
        ("DoubleSerializer", -math.inf, "fff0000000000000"),
        ("DoubleSerializer", 5e-324, "0000000000000001"),
        ("DoubleSerializer", 1, "3ff0000000000000"),
        ("BooleanSerializer", True, "01"),
        ("BooleanSerializer", False, "00"),
        ("UUIDSerializer", ID, str(ID).encode().hex()),
    ],
)
def test_each_class_writes_what_javas_does(name: str, element: object, written: str) -> None:
    assert write(name, element) == bytes.fromhex(written)


@pytest.mark.parametrize(
    ("encoding", "written"),
    [
        ("UTF-8", "61c3a9"),
        ("UTF-16", "feff006100e9"),
        ("utf16", "feff006100e9"),
        ("UTF-16BE", "006100e9"),
        ("UTF-16LE", "6100e900"),
        ("UTF-32", "00000061000000e9"),
        ("UTF-32LE", "61000000e9000000"),
        ("ISO-8859-1", "61e9"),
        ("windows-1252", "61e9"),
        ("Cp037", "8151"),
    ],
)
def test_each_encoding_is_javas(encoding: str, written: str) -> None:
    config = {"serializer.encoding": encoding}
    assert write("StringSerializer", "aé", config) == bytes.fromhex(written)
    assert write("StringSerializer", "", config) == b""
    reading = kafka_deserializer(PACKAGE + "StringDeserializer", {"deserializer.encoding": encoding})
    assert reading.deserialize(bytes.fromhex(written)) == "aé"


def test_the_more_special_encoding_wins() -> None:
    encodings = {
        "key.serializer.encoding": "UTF-16LE",
        "value.serializer.encoding": "ISO-8859-1",
        "serializer.encoding": "UTF-8",
    }
    assert write("StringSerializer", "é", encodings, is_key=True) == b"\xe9\0"
    assert write("StringSerializer", "é", encodings) == b"\xe9"
    assert write("UUIDSerializer", ID, encodings, is_key=True) == str(ID).encode("utf-16-le")
    with pytest.raises(DefinitionError, match="charset 'UTF-9' is not known") as raised:
        write("StringSerializer", "", {"serializer.encoding": "UTF-9"})
    assert raised.value.where == "serializer.encoding"


@pytest.mark.parametrize("name", ["StringSerializer", "LongSerializer", "BytesSerializer", "VoidSerializer"])
def test_none_is_null(name: str) -> None:
    assert write(name, None) is None


@pytest.mark.parametrize(
    ("name", "element", "kind", "says"),
    [
        ("ShortSerializer", 2**15, ValueError, "32768 does not fit into the 16 bits of ShortSerializer"),
        ("IntegerSerializer", -(2**31) - 1, ValueError, "does not fit into the 32 bits of IntegerSerializer"),
        ("LongSerializer", 2**63, ValueError, "does not fit into the 64 bits of LongSerializer"),
        ("FloatSerializer", 3.4028235677973366e38, ValueError, "does not fit into the 32 bits of FloatSerializer"),
        ("DoubleSerializer", 10**400, ValueError, "does not fit into the 64 bits of DoubleSerializer"),
        ("LongSerializer", 1.0, TypeError, "LongSerializer writes whole numbers, the element is of type float"),
        ("IntegerSerializer", True, TypeError, "IntegerSerializer writes whole numbers, the element is of type bool"),
        ("DoubleSerializer", "1", TypeError, "DoubleSerializer writes numbers, the element is of type str"),
        ("BooleanSerializer", 1, TypeError, "BooleanSerializer writes bool, the element is of type int"),
        ("StringSerializer", b"a", TypeError, "StringSerializer writes text, the element is of type bytes"),
        ("ByteArraySerializer", 5, TypeError, "ByteArraySerializer writes bytes, the element is of type int"),
        ("UUIDSerializer", str(ID), TypeError, r"UUIDSerializer writes uuid\.UUID, the element is of type str"),
        ("VoidSerializer", "", ValueError, "Data should be null for a VoidSerializer"),
    ],
)
def test_elements_that_do_not_fit_fail(name: str, element: object, kind: type[Exception], says: str) -> None:
    with pytest.raises(kind, match=says):
        write(name, element)


@given(
    st.one_of(
        st.tuples(st.just("Long"), st.integers(-(2**63), 2**63 - 1)),
        st.tuples(st.just("Integer"), st.integers(-(2**31), 2**31 - 1)),
        st.tuples(st.just("Short"), st.integers(-(2**15), 2**15 - 1)),
        st.tuples(st.just("Double"), st.floats(allow_nan=False)),
        st.tuples(st.just("Float"), st.floats(allow_nan=False, width=32)),
        st.tuples(st.just("Boolean"), st.booleans()),
        st.tuples(st.just("String"), st.text()),
        st.tuples(st.just("UUID"), st.uuids()),
        st.tuples(st.sampled_from(["Bytes", "ByteArray", "ByteBuffer"]), st.binary()),
    )
)
def test_what_is_written_is_read_again(case: tuple[str, Any]) -> None:
    kind, element = case
    data = write(f"{kind}Serializer", element)
    assert data is not None
    assert kafka_deserializer(f"{PACKAGE}{kind}Deserializer", {}).deserialize(data) == element


def test_schemas_are_values() -> None:
    schema = KafkaSerializerSchema(PACKAGE + "LongSerializer", {"a.password": "secret"}, is_key=True)
    copy = pickle.loads(pickle.dumps(schema))
    assert copy == schema
    assert copy.serialize(1) == b"\0\0\0\0\0\0\0\1"
    assert "secret" not in repr(schema)


@pytest.mark.parametrize("name", ["com.example.MySerializer", "LongSerializer", PACKAGE + "LongDeserializer"])
def test_other_classes_are_refused_with_those_that_work(name: str) -> None:
    with pytest.raises(UnsupportedFeatureError, match="is not available") as raised:
        KafkaSerializerSchema(name)
    assert "LongSerializer" in raised.value.now
