from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.model.common.types import RowTypeInfo, Types
from kafkastream.model.formats import JsonRowDeserializationSchema
from kafkastream.spark.worker.batches import ElementError
from kafkastream.spark.worker.json_rows import decode_json_rows

SCALARS = [
    Types.STRING(), Types.BOOLEAN(), Types.BYTE(), Types.SHORT(), Types.INT(), Types.LONG(), Types.FLOAT(),
    Types.DOUBLE(), Types.BIG_INT(), Types.BIG_DEC(), Types.SQL_DATE(), Types.SQL_TIME(), Types.SQL_TIMESTAMP(),
    Types.PRIMITIVE_ARRAY(Types.BYTE()), Types.PRIMITIVE_ARRAY(Types.DOUBLE()),
]  # fmt: skip
NAMES = st.sampled_from(["a", "b", "c", "é", "f0", 'q"'])
ORDER = Types.ROW_NAMED(["id", "when"], [Types.INT(), Types.SQL_DATE()])


def row_types(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[RowTypeInfo]:
    fields = st.dictionaries(NAMES, inner, max_size=4)
    return fields.map(lambda one: Types.ROW_NAMED(list(one), list(one.values())))


TYPES = st.recursive(
    st.sampled_from(SCALARS),
    lambda inner: st.one_of(
        row_types(inner),
        inner.map(Types.OBJECT_ARRAY),
        inner.map(lambda one: Types.MAP(Types.STRING(), one)),
        inner.map(lambda one: Types.MAP(Types.INT(), one)),
    ),
    max_leaves=5,
)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**65), 2**65),
    st.integers(-3, 3),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=5),
    st.sampled_from(["2024-02-30", "2024-01-01", "12:30:01Z", "2024-02-30T12:30:01.5Z", "AQI=", "1.50", " 7 ", "true"]),
)
NODES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=4)),
    max_leaves=8,
)
MESSAGES = st.one_of(NODES.map(lambda node: json.dumps(node).encode()), st.binary(max_size=12))


def outcome(decode: Any) -> object:
    try:
        return list(map(repr, decode()))
    except ElementError as error:
        return error.index, str(error.__cause__)


def one_by_one(schema: JsonRowDeserializationSchema, messages: list[bytes]) -> list[Any]:
    rows = []
    for index, message in enumerate(messages):
        try:
            rows.append(schema.deserialize(message))
        except Exception as error:
            raise ElementError(index) from error
    return rows


@given(
    row_types(TYPES), st.lists(MESSAGES, max_size=6), st.sampled_from([(False, False), (True, False), (False, True)])
)
def test_the_quick_way_gives_what_the_rules_give(
    type_info: RowTypeInfo, messages: list[bytes], options: tuple[bool, bool]
) -> None:
    schema = JsonRowDeserializationSchema(type_info, *options)
    column = pa.array(messages, pa.binary())
    assert outcome(lambda: decode_json_rows(schema, column)) == outcome(lambda: one_by_one(schema, messages))


@pytest.mark.parametrize("bad", [b'{"id": "x"}', b"{", b"[]", b'{"when": "2023-02-29"}', b'{"id": 1, "x": "\xff"}'])
@pytest.mark.parametrize("place", [0, 1, 50, 99])
def test_the_culprit_is_named(bad: bytes, place: int) -> None:
    messages = [b'{"id": 1, "when": "2024-01-01"}', b'{"id": "2"}'] * 50
    messages[place] = bad
    with pytest.raises(ElementError) as raised:
        decode_json_rows(JsonRowDeserializationSchema(ORDER), pa.array(messages, pa.binary()))
    assert raised.value.index == place


def test_rows_share_their_names_but_not_their_values() -> None:
    one, other = decode_json_rows(JsonRowDeserializationSchema(ORDER), pa.array([b'{"id": 1}'] * 2, pa.binary()))
    assert one is not None
    assert other is not None
    one["id"] = 2
    one.set_field_names(["x", "y"])
    assert (other.id, other.as_dict()) == (1, {"id": 1, "when": None})
