from __future__ import annotations

import pickle
from typing import Any

import pytest
from google.protobuf.message import DecodeError
from google.protobuf.struct_pb2 import Struct
from google.protobuf.wrappers_pb2 import StringValue

from kafkastream.errors import DefinitionError
from kafkastream.model.formats import ProtobufDeserializationSchema, ProtobufSerializationSchema


def test_messages_are_read_by_their_class() -> None:
    schema = ProtobufDeserializationSchema(StringValue)
    assert schema.deserialize(StringValue(value="a").SerializeToString()) == StringValue(value="a")
    assert pickle.loads(pickle.dumps(schema)) == schema


def test_bytes_that_are_no_message_fail() -> None:
    with pytest.raises(DecodeError):
        ProtobufDeserializationSchema(StringValue).deserialize(b"\xff")


@pytest.mark.parametrize("given", [StringValue(), str, None])
def test_what_is_no_class_of_messages_is_refused(given: Any) -> None:
    with pytest.raises(DefinitionError, match="is not a class of Protobuf messages"):
        ProtobufDeserializationSchema(given)


def test_messages_are_written_bare() -> None:
    schema = pickle.loads(pickle.dumps(ProtobufSerializationSchema()))
    assert schema.serialize(StringValue(value="a")) == b"\x0a\x01a"
    assert schema.serialize(None) is None


def test_equal_messages_give_equal_bytes() -> None:
    one, other = Struct(), Struct()
    one.update({"a": 1, "b": 2})
    other.update({"b": 2, "a": 1})
    assert ProtobufSerializationSchema().serialize(one) == ProtobufSerializationSchema().serialize(other)


@pytest.mark.parametrize(
    ("given", "says"), [({}, "of type dict"), ("a", "of type str"), (StringValue, "the class String")]
)
def test_what_is_no_message_is_refused(given: Any, says: str) -> None:
    with pytest.raises(TypeError, match=f"writes Protobuf messages, the element is {says}"):
        ProtobufSerializationSchema().serialize(given)
