from __future__ import annotations

import datetime
import io
import json
import pickle
from decimal import Decimal
from typing import Any

import fastavro
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.row import Row
from kafkastream.model.common.types import Types
from kafkastream.model.formats import AvroRowDeserializationSchema, AvroRowSerializationSchema

ORDER: dict[str, Any] = {
    "type": "record",
    "name": "Order",
    "namespace": "shop",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "count", "type": ["null", "int"]},
        {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 30, "scale": 2}},
        {"name": "tax", "type": {"type": "fixed", "name": "Tax", "size": 8, "logicalType": "decimal", "precision": 9}},
        {"name": "day", "type": {"type": "int", "logicalType": "date"}},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "precisely", "type": ["null", {"type": "long", "logicalType": "timestamp-micros"}]},
        {"name": "time", "type": {"type": "int", "logicalType": "time-millis"}},
        {"name": "state", "type": {"type": "enum", "name": "State", "symbols": ["NEW", "PAID"]}},
        {"name": "before", "type": ["State", "null"]},
        {"name": "items", "type": {"type": "array", "items": ["null", "string"]}},
        {
            "name": "buyer",
            "type": {"type": "record", "name": "Buyer", "fields": [{"name": "paid", "type": "boolean"}]},
        },
        {"name": "others", "type": {"type": "map", "values": "shop.Buyer"}},
        {"name": "seal", "type": "bytes"},
        {"name": "ref", "type": {"type": "string", "logicalType": "uuid"}},
        {"name": "weight", "type": "double"},
    ],
}
TEXT = json.dumps(ORDER)
BUYERS = st.booleans().map(lambda paid: Row(paid=paid))
MILLIS = st.datetimes(datetime.datetime(1, 1, 1)).map(  # noqa: DTZ001
    lambda one: one.replace(microsecond=one.microsecond // 1000 * 1000)
)
ORDERS = st.tuples(
    st.integers(-(2**63), 2**63 - 1),
    st.none() | st.integers(-(2**31), 2**31 - 1),
    st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-(10**20), max_value=10**20),
    st.integers(-(10**8), 10**8).map(Decimal),
    st.dates(),
    MILLIS,
    st.none() | st.datetimes(),
    MILLIS.map(datetime.datetime.time),
    st.sampled_from(["NEW", "PAID"]),
    st.none() | st.sampled_from(["NEW", "PAID"]),
    st.lists(st.none() | st.text(st.characters(codec="utf-8"))),
    BUYERS,
    st.dictionaries(st.text(st.characters(codec="utf-8")), BUYERS),
    st.binary(),
    st.text(st.characters(codec="utf-8")),
    st.floats(allow_nan=False),
).map(lambda values: Row(**dict(zip([field["name"] for field in ORDER["fields"]], values, strict=True))))


def of(kind: object) -> str:
    return json.dumps({"type": "record", "name": "R", "fields": [{"name": "a", "type": kind}]})


def written(kind: Any, value: object) -> bytes:
    """By fastavro alone, which knows logical types."""
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(json.loads(of(kind))), {"a": value})
    return out.getvalue()


@given(ORDERS)
def test_rows_come_back_as_they_were(order: Row) -> None:
    data = AvroRowSerializationSchema(avro_schema_string=TEXT).serialize(order)
    assert AvroRowDeserializationSchema(avro_schema_string=TEXT).deserialize(data) == order


@pytest.mark.parametrize(
    ("kind", "value", "element"),
    [
        ({"type": "int", "logicalType": "date"}, datetime.date(1969, 12, 31), datetime.date(1969, 12, 31)),
        ({"type": "int", "logicalType": "time-millis"}, datetime.time(1, 2, 3, 4000), datetime.time(1, 2, 3, 4000)),
        ({"type": "long", "logicalType": "time-micros"}, datetime.time(1, 2, 3, 4567), datetime.time(1, 2, 3, 4000)),
        (
            {"type": "long", "logicalType": "timestamp-micros"},
            datetime.datetime(1969, 12, 31, 23, 59, 59, 1, tzinfo=datetime.timezone.utc),
            datetime.datetime(1969, 12, 31, 23, 59, 59, 1),  # noqa: DTZ001
        ),
        ({"type": "bytes", "logicalType": "decimal", "precision": 5, "scale": 2}, Decimal("-1.50"), Decimal("-1.50")),
        (["null", {"type": "long", "logicalType": "local-timestamp-millis"}], 7, 7),
        (["int", "string"], "x", "x"),
        (["null", "int"], None, None),
    ],
)
def test_what_another_library_wrote_is_read(kind: Any, value: object, element: object) -> None:
    schema = AvroRowDeserializationSchema(avro_schema_string=of(kind))
    assert schema.deserialize(written(kind, value)) == Row(a=element)
    if element == value:
        assert AvroRowSerializationSchema(avro_schema_string=of(kind)).serialize(Row(element)) == written(kind, value)


def test_the_type_is_that_of_flinks_converter() -> None:
    found = AvroRowDeserializationSchema(avro_schema_string=TEXT).get_produced_type()
    assert found.get_field_names() == [field["name"] for field in ORDER["fields"]]
    buyer = Types.ROW_NAMED(["paid"], [Types.BOOLEAN()])
    data = Types.PRIMITIVE_ARRAY(Types.BYTE())
    assert found.get_field_types() == [
        Types.LONG(), Types.INT(), Types.BIG_DEC(), Types.BIG_DEC(), Types.SQL_DATE(), Types.SQL_TIMESTAMP(),
        Types.SQL_TIMESTAMP(), Types.SQL_TIME(), Types.STRING(), Types.STRING(), Types.OBJECT_ARRAY(Types.STRING()),
        buyer, Types.MAP(Types.STRING(), buyer), data, Types.STRING(), Types.DOUBLE(),
    ]  # fmt: skip


def test_schemas_are_values() -> None:
    for kind in (AvroRowDeserializationSchema, AvroRowSerializationSchema):
        schema = kind(avro_schema_string=TEXT)
        twin = pickle.loads(pickle.dumps(schema))
        assert (twin, hash(twin)) == (schema, hash(schema))


@pytest.mark.parametrize("kind", [AvroRowDeserializationSchema, AvroRowSerializationSchema])
def test_schemas_that_mean_no_row_are_refused(kind: Any) -> None:
    with pytest.raises(UnsupportedFeatureError, match="record_class names a Java class"):
        kind("com.example.Order")
    with pytest.raises(DefinitionError, match="should be specified"):
        kind()
    for text in ("{", '"shop.Nothing"', '{"type": "record", "name": "R"}'):
        with pytest.raises(DefinitionError, match="the Avro schema cannot be used"):
            kind(avro_schema_string=text)
    with pytest.raises(DefinitionError, match="root is not a record"):
        kind(avro_schema_string='"long"')
    with pytest.raises(UnsupportedFeatureError, match="'R' contains itself"):
        kind(avro_schema_string=of(["null", "R"]))


@pytest.mark.parametrize("data", [b"", b"\x02", b"\xff" * 12])
def test_bytes_of_another_schema_fail(data: bytes) -> None:
    with pytest.raises(ValueError, match="Avro schema"):
        AvroRowDeserializationSchema(avro_schema_string=of("string")).deserialize(data)


@pytest.mark.parametrize(
    ("kind", "value", "says"),
    [
        ("int", 2**31, "does not fit into 32 bits"),
        ("string", 1, "expected a str"),
        ("boolean", 1, "expected a bool"),
        (
            {"type": "bytes", "logicalType": "decimal", "precision": 5, "scale": 1},
            Decimal("1.25"),
            "more than 1 digits",
        ),
    ],
)
def test_values_of_another_type_are_refused(kind: object, value: object, says: str) -> None:
    with pytest.raises(ValueError, match=f"field 'a': .*{says}"):
        AvroRowSerializationSchema(avro_schema_string=of(kind)).serialize(Row(a=value))


def test_rows_with_other_names_are_read_by_position() -> None:
    schema = AvroRowSerializationSchema(avro_schema_string=of("int"))
    assert schema.serialize(Row(f0=7)) == schema.serialize(Row(a=7)) == schema.serialize(Row(7))
    with pytest.raises(ValueError, match="2 values"):
        schema.serialize(Row(f0=7, f1=8))
