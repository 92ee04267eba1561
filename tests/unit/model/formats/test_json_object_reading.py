"""Objects from JSON: nulls, and classes of the main script, which pickle takes along."""

from __future__ import annotations

import io
import pickle

import attrs
import cloudpickle
import pytest

from kafkastream.datastream.formats.json import object_of_json


@attrs.define
class Place:
    city: str = attrs.field(default=None)


@attrs.define
class Visit:
    id: int
    place: Place = attrs.field(default=None)
    guests: list[Place] = attrs.field(factory=list)


def test_null_leaves_a_field_at_its_default() -> None:
    text = '{"id": 1, "place": null, "guests": [{"city": null}, {"city": "Bonn"}]}'
    assert object_of_json(text, Visit) == Visit(1, guests=[Place(), Place("Bonn")])


def test_null_for_a_field_without_a_default_is_an_error() -> None:
    with pytest.raises(ValueError, match="missing required field `id`"):
        object_of_json('{"id": null}', Visit)


def test_null_hides_no_other_error() -> None:
    with pytest.raises(ValueError, match="Expected `int`, got `str`"):
        object_of_json('{"id": "x", "place": null}', Visit)


def test_a_class_that_was_read_can_be_pickled_by_value() -> None:
    visit = object_of_json('{"id": 1, "place": {"city": "Rome"}}', Visit)
    Visit.__module__ = Place.__module__ = "__main__"  # as in a script, whose classes workers cannot import
    pickled = io.BytesIO()
    cloudpickle.Pickler(pickled).dump(visit)
    copy = pickle.loads(pickled.getvalue())
    assert copy.place.city == "Rome"
    assert object_of_json('{"id": 2}', type(copy)).id == 2
