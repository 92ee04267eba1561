from __future__ import annotations

import json

import pytest

from kafkastream.errors import DefinitionError
from kafkastream.model.common.types import TypeInformation, Types
from kafkastream.model.formats import JsonRowDeserializationSchema
from kafkastream.model.formats.json_schema import row_type_of


def of(**properties: object) -> list[TypeInformation[object]]:
    document = {"type": "object", "properties": properties, "definitions": {"d": {"type": "string", "format": "date"}}}
    found = row_type_of(json.dumps(document))
    assert found.get_field_names() == list(properties)
    return found.get_field_types()


def test_each_type_has_its_counterpart() -> None:
    assert of(
        a={"type": "string"},
        b={"type": "integer"},
        c={"type": "number"},
        d={"type": "boolean"},
        e={"type": "null"},
        f={"type": "string", "format": "date-time"},
        g={"type": "string", "format": "time"},
        h={"type": "string", "format": "email"},
        i={"type": "string", "contentEncoding": "base64"},
        j={"type": ["null", "string"]},
        k={"oneOf": [{"type": "null"}, {"type": "boolean"}]},
        l={"$ref": "#/definitions/d"},
        m={"type": "array", "items": {"type": "number"}},
        n={"type": "array", "items": [{"type": "number"}, {"type": "string"}]},
        o={"type": "object", "properties": {"x": {"type": "string"}}},
    ) == [
        Types.STRING(),
        Types.BIG_DEC(),
        Types.BIG_DEC(),
        Types.BOOLEAN(),
        Types.VOID(),
        Types.SQL_TIMESTAMP(),
        Types.SQL_TIME(),
        Types.STRING(),
        Types.PRIMITIVE_ARRAY(Types.BYTE()),
        Types.STRING(),
        Types.BOOLEAN(),
        Types.SQL_DATE(),
        Types.OBJECT_ARRAY(Types.BIG_DEC()),
        Types.ROW([Types.BIG_DEC(), Types.STRING()]),
        Types.ROW_NAMED(["x"], [Types.STRING()]),
    ]


def test_a_schema_reads_by_it() -> None:
    document = json.dumps({"type": "object", "properties": {"id": {"type": "integer"}}})
    schema = JsonRowDeserializationSchema.builder().json_schema(document).build()
    assert schema == JsonRowDeserializationSchema.Builder(document).build()
    assert schema.get_produced_type() == Types.ROW_NAMED(["id"], [Types.BIG_DEC()])


@pytest.mark.parametrize(
    ("node", "says"),
    [
        ({}, "no type at <root>/a"),
        ({"type": "any"}, "unknown type 'any'"),
        ({"type": ["string", "number"]}, "several types"),
        ({"anyOf": [{"type": "string"}]}, "'anyOf' at <root>/a"),
        ({"type": "array"}, "an array without 'items'"),
        ({"type": "array", "items": [], "additionalItems": True}, "additional items"),
        ({"type": "object", "additionalProperties": True}, "additional properties"),
        ({"type": "string", "contentEncoding": "7bit"}, "encoding '7bit'"),
        ({"$ref": "other.json"}, "leaves the document"),
        ({"$ref": "#/nothing"}, "leads nowhere"),
    ],
)
def test_what_rows_cannot_hold_is_refused_with_its_place(node: object, says: str) -> None:
    with pytest.raises(DefinitionError, match=says):
        of(a=node)


@pytest.mark.parametrize("text", ["{", '{"type": "string"}'])
def test_what_is_no_objects_schema_is_refused(text: str) -> None:
    with pytest.raises(DefinitionError, match="cannot be used"):
        row_type_of(text)
