from __future__ import annotations

import enum
import pickle
from collections import OrderedDict
from typing import Any

import pytest

from kafkastream.errors import DefinitionError
from kafkastream.model.common.row import Row
from kafkastream.model.formats import ConfluentRegistryJsonSerializationSchema, InitializationContext
from kafkastream.testing.registry import EmbeddedSchemaRegistry

ORDER = '{"type": "object", "properties": {"id": {"type": "integer"}}}'


class Level(enum.IntEnum):
    HIGH = 3


@pytest.mark.parametrize(
    ("element", "text"),
    [
        ({"id": 7, "tags": ["é", None, True], "price": 1e10}, '{"id":7,"tags":["é",null,true],"price":1.0E10}'),
        (OrderedDict(id=Level.HIGH, pair=(1, 2)), '{"id":3,"pair":[1,2]}'),
        (float("nan"), '"NaN"'),
        ("text", '"text"'),
    ],
)
def test_elements_are_written_as_jackson_does(registry: EmbeddedSchemaRegistry, element: Any, text: str) -> None:
    schema = ConfluentRegistryJsonSerializationSchema.for_generic("orders-value", ORDER, registry.url)
    assert schema.serialize(element) == b"\0\0\0\0\1" + text.encode()
    assert schema.serialize(None) is None


def test_the_schema_is_registered_as_json_when_it_is_opened(registry: EmbeddedSchemaRegistry) -> None:
    schema = ConfluentRegistryJsonSerializationSchema.forGeneric("orders-value", ORDER, registry.url)
    pickle.loads(pickle.dumps(schema)).open(InitializationContext())
    assert registry.asked == ["POST /subjects/orders-value/versions"]
    status, found = registry.answer("GET", "/schemas/ids/1", None, {})
    assert (status, found["schemaType"]) == (200, "JSON")


@pytest.mark.parametrize(
    ("element", "says"),
    [
        ({"id": b"x"}, "JSON has no values of type bytes"),
        ({1: "x"}, "the names in a JSON object are text, this one is of type int"),
        (Row(id=1), "JSON has no values of type Row"),
    ],
)
def test_elements_that_json_cannot_hold_fail(registry: EmbeddedSchemaRegistry, element: Any, says: str) -> None:
    with pytest.raises(TypeError, match=says):
        ConfluentRegistryJsonSerializationSchema.for_generic("orders-value", ORDER, registry.url).serialize(element)


@pytest.mark.parametrize(
    ("subject", "schema", "says"),
    [("", ORDER, "there is no subject"), ("t", "{", "it is not JSON"), ("t", "7", "it is not an object")],
)
def test_schemas_that_cannot_be_used_are_refused(subject: str, schema: str, says: str) -> None:
    with pytest.raises(DefinitionError, match=says):
        ConfluentRegistryJsonSerializationSchema.for_generic(subject, schema, "http://registry:8081")
