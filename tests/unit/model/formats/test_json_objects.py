"""JSON of objects: classes with fields are read and written as by Jackson."""

from __future__ import annotations

from dataclasses import dataclass

import attrs
import pytest

from kafkastream.datastream.formats.json import JsonDeserializationSchema, JsonSerializationSchema
from kafkastream.errors import DefinitionError


@attrs.define
class Item:
    name: str
    price: float = 0.0


@attrs.define
class Order:
    id: int
    items: list[Item] = attrs.field(factory=list)
    note: str | None = None


@dataclass
class Point:
    x: int
    y: int


def test_objects_are_read_with_the_objects_in_them() -> None:
    order = JsonDeserializationSchema(Order).deserialize(b'{"id": "7", "items": [{"name": "tea", "price": 2}]}')
    assert order == Order(7, [Item("tea", 2.0)])
    assert JsonDeserializationSchema(Point).deserialize(b'{"y": 2, "x": 1}') == Point(1, 2)


def test_what_is_written_is_read_again() -> None:
    order = Order(7, [Item("tea")], "soon")
    assert JsonDeserializationSchema(Order).deserialize(JsonSerializationSchema().serialize(order)) == order


def test_fields_that_the_class_lacks_are_an_error_unless_they_are_ignored() -> None:
    message = b'{"id": 7, "colour": "red"}'
    with pytest.raises(ValueError, match="Order has no field 'colour'"):
        JsonDeserializationSchema(Order).deserialize(message)
    assert JsonDeserializationSchema(Order, ignore_unknown=True).deserialize(message) == Order(7)


def test_json_of_another_shape_is_an_error() -> None:
    with pytest.raises(ValueError, match="for Order"):
        JsonDeserializationSchema(Order).deserialize(b'{"id": "seven"}')
    with pytest.raises(ValueError, match="for Order"):
        JsonDeserializationSchema(Order).deserialize(b"{")


def test_a_class_without_fields_is_refused() -> None:
    with pytest.raises(DefinitionError, match="has no fields"):
        JsonDeserializationSchema(int)
