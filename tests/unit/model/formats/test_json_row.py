from __future__ import annotations

import datetime
import pickle
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.row import Row
from kafkastream.model.common.types import TypeInformation, Types
from kafkastream.model.formats import JsonRowDeserializationSchema, JsonRowSerializationSchema

ITEM = Types.ROW_NAMED(["sku", "count"], [Types.STRING(), Types.SHORT()])
ORDER = Types.ROW_NAMED(
    ["id", "price", "total", "paid", "items", "tags", "day", "at", "seal"],
    [
        Types.LONG(),
        Types.DOUBLE(),
        Types.BIG_DEC(),
        Types.BOOLEAN(),
        Types.OBJECT_ARRAY(ITEM),
        Types.MAP(Types.STRING(), Types.INT()),
        Types.SQL_DATE(),
        Types.SQL_TIMESTAMP(),
        Types.PRIMITIVE_ARRAY(Types.BYTE()),
    ],
)
ITEMS = st.builds(lambda sku, count: Row(sku=sku, count=count), st.text(), st.none() | st.integers(-(2**15), 2**15 - 1))
ORDERS = st.tuples(
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.decimals(allow_nan=False, allow_infinity=False).map(lambda one: one.normalize() + 0),
    st.booleans(),
    st.lists(st.none() | ITEMS),
    st.dictionaries(st.text(), st.integers(-(2**31), 2**31 - 1)),
    st.dates(),
    st.datetimes(),
    st.binary(),
).map(lambda values: Row(**dict(zip(ORDER.field_names, values, strict=True))))


def reading(field: TypeInformation[Any], **options: bool) -> JsonRowDeserializationSchema:
    return JsonRowDeserializationSchema(Types.ROW_NAMED(["a"], [field]), **options)


def writing(field: TypeInformation[Any]) -> JsonRowSerializationSchema:
    return JsonRowSerializationSchema(Types.ROW_NAMED(["a"], [field]))


@given(ORDERS)
def test_rows_come_back_as_they_were(order: Row) -> None:
    written = JsonRowSerializationSchema(ORDER).serialize(order)
    assert JsonRowDeserializationSchema(ORDER).deserialize(written) == order


@given(st.lists(st.text(), min_size=1, unique=True))
def test_any_name_may_be_a_fields(names: list[str]) -> None:
    type_info = Types.ROW_NAMED(names, [Types.INT()] * len(names))
    row = Row(*range(len(names)))
    row.set_field_names(names)
    written = JsonRowSerializationSchema(type_info).serialize(row)
    assert JsonRowDeserializationSchema(type_info).deserialize(written) == row


def test_builders_build_what_constructors_do() -> None:
    built = JsonRowDeserializationSchema.builder().type_info(ITEM).fail_on_missing_field().build()
    assert built == JsonRowDeserializationSchema.Builder(ITEM).failOnMissingField().build()
    assert built == JsonRowDeserializationSchema(ITEM, fail_on_missing_field=True)
    assert built.get_produced_type() == ITEM
    with pytest.raises(ValueError, match="tombstone"):
        built.deserialize(None)
    lenient = JsonRowDeserializationSchema.Builder().type_info(ITEM).ignore_parse_errors().build()
    assert lenient == JsonRowDeserializationSchema(ITEM, ignore_parse_errors=True)
    assert lenient.deserialize(None) is None
    assert JsonRowSerializationSchema.builder().with_type_info(ITEM).build() == JsonRowSerializationSchema(ITEM)


def test_schemas_are_values() -> None:
    for schema in (JsonRowDeserializationSchema(ORDER, ignore_parse_errors=True), JsonRowSerializationSchema(ORDER)):
        twin = pickle.loads(pickle.dumps(schema))
        assert (twin, hash(twin)) == (schema, hash(schema))
    assert JsonRowDeserializationSchema(ITEM) != JsonRowDeserializationSchema(ITEM, ignore_parse_errors=True)


def test_both_switches_contradict_each_other() -> None:
    builder = JsonRowDeserializationSchema.builder().type_info(ITEM).fail_on_missing_field().ignore_parse_errors()
    with pytest.raises(DefinitionError, match="failOnMissingField and ignoreParseErrors are both true"):
        builder.build()


@pytest.mark.parametrize("given_type", [None, Types.STRING()])
def test_only_rows_are_read_and_written(given_type: Any) -> None:
    with pytest.raises(DefinitionError, match="type"):
        JsonRowDeserializationSchema.builder().type_info(given_type).build()
    with pytest.raises(DefinitionError, match="type"):
        JsonRowSerializationSchema.builder().with_type_info(given_type).build()


@pytest.mark.parametrize(
    "field",
    [
        Types.INSTANT(),
        Types.PICKLED_BYTE_ARRAY(),
        Types.TUPLE([Types.INT()]),
        Types.MAP(Types.STRING(), Types.INSTANT()),
        Types.PRIMITIVE_ARRAY(Types.CHAR()),
    ],
)
def test_what_json_cannot_hold_is_refused_when_a_schema_is_built(field: TypeInformation[Any]) -> None:
    with pytest.raises(UnsupportedFeatureError, match="JSON rows cannot hold"):
        reading(field)


@pytest.mark.parametrize("inner", [ITEM, Types.SQL_TIME(), Types.SQL_TIMESTAMP()])
@pytest.mark.parametrize("outer", [Types.LIST, lambda inner: Types.MAP(Types.STRING(), inner)])
def test_what_flink_writes_otherwise_in_collections_is_refused(outer: Any, inner: TypeInformation[Any]) -> None:
    with pytest.raises(UnsupportedFeatureError, match="JSON rows cannot hold"):
        writing(outer(inner))


@pytest.mark.parametrize(
    ("message", "says"),
    [
        (b'{"b": {"c": "x"}}', "field 'b': field 'c': 'x' is not a whole number"),
        (b'{"b": {"c": 2147483648}}', "field 'b': field 'c': 2147483648 does not fit into 32 bits"),
        (b'{"b": [1]}', r"field 'b': \[1\] is not a JSON object"),
        (b"[1]", r"\[1\] is not a JSON object"),
        (b'{"b": 1', "Expecting ',' delimiter"),
        (b"", "Expecting value"),
    ],
)
def test_errors_name_the_field(message: bytes, says: str) -> None:
    type_info = Types.ROW_NAMED(["b"], [Types.ROW_NAMED(["c"], [Types.INT()])])
    with pytest.raises(ValueError, match=says):
        JsonRowDeserializationSchema(type_info).deserialize(message)


def test_a_missing_field_is_named() -> None:
    with pytest.raises(ValueError, match="field 'count' is missing"):
        JsonRowDeserializationSchema(ITEM, fail_on_missing_field=True).deserialize(b'{"sku": "x"}')


def test_digits_beyond_microseconds_are_cut_off() -> None:
    row = reading(Types.SQL_TIMESTAMP()).deserialize(b'{"a": "2024-02-29T12:30:01.123456789Z"}')
    assert row == Row(a=datetime.datetime.fromisoformat("2024-02-29T12:30:01.123456"))


def test_rows_are_written_by_name_or_by_position() -> None:
    schema = JsonRowSerializationSchema(ITEM)
    assert schema.serialize(Row("x", 1)) == schema.serialize(Row(count=1, sku="x")) == b'{"sku":"x","count":1}'


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        (Types.INT(), "1", "cannot be interpreted as an integer"),
        (Types.BYTE(), 128, "does not fit into 8 bits"),
        (Types.DOUBLE(), "1.5", "must be real number"),
        (Types.BOOLEAN(), 1, "expected a bool"),
        (Types.BIG_DEC(), Decimal("NaN"), "not a number that BIG_DEC can represent"),
        (Types.STRING(), 1, "expected string"),
        (Types.CHAR(), "ab", "is not a character"),
        (Types.SQL_DATE(), "2024-01-01", "has no attribute"),
    ],
)
def test_values_of_another_type_are_refused(field: TypeInformation[Any], value: object, says: str) -> None:
    with pytest.raises(ValueError, match=f"field 'a': .*{says}"):
        writing(field).serialize(Row(a=value))


def test_what_is_no_row_of_the_type_is_refused() -> None:
    with pytest.raises(TypeError, match="writes rows, got a dict"):
        JsonRowSerializationSchema(ITEM).serialize({"sku": "x"})  # type: ignore[arg-type]  # what this test is about
    with pytest.raises(ValueError, match="has 1 values, its type has 2"):
        JsonRowSerializationSchema(ITEM).serialize(Row("x"))
    with pytest.raises(ValueError, match="has 1 values, its type has 2"):
        JsonRowSerializationSchema(ITEM).serialize(Row(sku="x"))
