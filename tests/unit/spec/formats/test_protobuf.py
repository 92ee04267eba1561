from __future__ import annotations

import pickle
from typing import Any

import pytest
from google.protobuf.message import DecodeError
from google.protobuf.wrappers_pb2 import StringValue

from kafkastream.errors import DefinitionError
from kafkastream.spec.formats import ProtobufDeserializationSchema


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
