"""``Gson`` writes and reads JSON as Google's library does."""

from __future__ import annotations

import enum
from datetime import timezone
from typing import Any

import attrs
import pytest

from kafkastream.util.gson import Gson


class Color(enum.Enum):
    RED = "r"


@attrs.define
class Item:
    name: str = attrs.field(default=None)
    price: float = attrs.field(default=None)
    color: Color = attrs.field(default=None)
    parts: list[Any] = attrs.field(factory=list)


def test_fields_without_a_value_are_left_out() -> None:
    assert Gson().to_json(Item("tea")) == '{"name":"tea","parts":[]}'
    assert Gson(writes_nulls=True).to_json(Item("tea", 1e7)) == '{"name":"tea","price":1.0E7,"color":null,"parts":[]}'


def test_what_html_reads_as_markup_is_escaped() -> None:
    assert Gson().to_json("<a href='x'>&=\u2028é\n") == r'"\u003ca href\u003d\u0027x\u0027\u003e\u0026\u003d\u2028é\n"'
    assert Gson(escapes_html=False).to_json("<&'=\u2029\"") == r'"<&' + "'" + r'=\u2029\""'


def test_values_are_written_as_java_prints_them() -> None:
    value = {"a": [1, None, True, 0.5], 2: Color.RED, "c": {}, "d": {"e": None}}
    assert Gson().to_json(value) == '{"a":[1,null,true,0.5],"2":"RED","c":{},"d":{}}'


@pytest.mark.parametrize(("value", "error"), [(float("nan"), ValueError), (timezone.utc, TypeError)])
def test_what_gson_refuses_is_refused(value: object, error: type[Exception]) -> None:
    with pytest.raises(error, match="no JSON by Gson"):
        Gson().to_json([value])


def test_reading_leaves_out_what_the_class_lacks() -> None:
    assert Gson().from_json('{"name": null, "price": 2, "size": 7}', Item) == Item(price=2.0)
    assert Gson().from_json("", Item) is None
    with pytest.raises(ValueError, match="for Item"):
        Gson().from_json("tea", Item)
