from __future__ import annotations

import datetime
import io
import json
import pickle
import socket
from collections.abc import Iterator
from typing import Any

import fastavro
import pytest

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.formats import ConfluentRegistryAvroDeserializationSchema as Schema
from kafkastream.model.formats import ConfluentRegistryAvroSerializationSchema as Writing
from kafkastream.model.formats import InitializationContext
from kafkastream.testing.registry import EmbeddedSchemaRegistry

BUYER = {"type": "record", "name": "shop.Buyer", "fields": [{"name": "name", "type": "string"}]}
OLD = {"type": "record", "name": "Order", "fields": [{"name": "id", "type": "int"}, {"name": "gone", "type": "string"}]}
NEW = {
    "type": "record",
    "name": "Order",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}, "default": 0},
    ],
}
WITH_BUYER = {"type": "record", "name": "Order", "fields": [{"name": "buyer", "type": "shop.Buyer"}]}
INLINE_BUYER = {"type": "record", "name": "Order", "fields": [{"name": "buyer", "type": BUYER}]}
READER = json.dumps(NEW)
USER = {"basic.auth.credentials.source": "USER_INFO", "basic.auth.user.info": "alice:pass word"}


@pytest.fixture
def orders(registry: EmbeddedSchemaRegistry) -> EmbeddedSchemaRegistry:
    """A registry with the schemas 1 to 4."""
    registry.register("orders", json.dumps(OLD))
    registry.register("orders", READER)
    registry.register("buyers/all", json.dumps(BUYER))
    registry.register("syntax", 'syntax = "proto3";', "PROTOBUF")
    registry.asked.clear()
    return registry


@pytest.fixture
def locked() -> Iterator[EmbeddedSchemaRegistry]:
    """A registry that only alice may enter."""
    with EmbeddedSchemaRegistry("alice:pass word") as started:
        yield started


def message(schema_id: int, schema: Any, record: Any) -> bytes:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(schema), record)
    return b"\0" + schema_id.to_bytes(4, "big") + out.getvalue()


def test_records_are_read_as_the_reader_wants_them(orders: EmbeddedSchemaRegistry) -> None:
    schema = Schema.for_generic(READER, orders.url)
    old = message(1, OLD, {"id": 7, "gone": "x"})
    new = message(2, NEW, {"id": 8, "at": 1_700_000_000_000})
    records = [schema.deserialize(one) for one in (old, new, old)]
    assert records == [{"id": 7, "at": 0}, {"id": 8, "at": 1_700_000_000_000}, {"id": 7, "at": 0}]
    assert orders.asked == ["GET /schemas/ids/1", "GET /schemas/ids/2"]


def test_references_are_followed(orders: EmbeddedSchemaRegistry) -> None:
    buyer = {"name": "shop.Buyer", "subject": "buyers/all", "version": 1}
    schema_id = orders.register("with buyer", json.dumps(WITH_BUYER), references=[buyer])
    data = message(schema_id, INLINE_BUYER, {"buyer": {"name": "Alice"}})
    schema = Schema.for_generic(json.dumps(INLINE_BUYER), orders.url)
    assert schema.deserialize(data) == {"buyer": {"name": "Alice"}}


def _record(name: str, *fields: tuple[Any, ...]) -> dict[str, Any]:
    keys = ("name", "type", "default")
    return {"type": "record", "name": name, "fields": [dict(zip(keys, field, strict=False)) for field in fields]}


def test_fields_that_the_writer_lacks_have_their_defaults_as_in_java(registry: EmbeddedSchemaRegistry) -> None:
    writer = _record("Order", ("id", "int"), ("far", "long"))
    reader = _record(
        "Order",
        ("far", "float"),
        ("raw", "bytes", "\u00ff"),
        ("fixed", {"type": "fixed", "name": "One", "size": 1}, "\u00fe"),
        ("price", {"type": "double"}, 0),
        ("buyer", _record("Buyer", ("zip", "string", "?"), ("n", "int", 5)), {"zip": "q"}),
        ("tags", {"type": "array", "items": "string"}, []),
        ("id", "int"),
    )
    schema = Schema.for_generic(json.dumps(reader), registry.url)
    data = message(registry.register("orders", json.dumps(writer)), writer, {"id": 7, "far": 2**62 + 2**38 + 1})
    read = schema.deserialize(data)
    assert read == {
        "far": float(2**62 + 2**39),
        "raw": b"\xff",
        "fixed": b"\xfe",
        "price": 0.0,
        "buyer": {"zip": "q", "n": 5},
        "tags": [],
        "id": 7,
    }
    assert read is not None
    assert list(read) == [field["name"] for field in reader["fields"]]
    assert isinstance(read["price"], float)
    read["tags"].append("of this record alone")
    again = schema.deserialize(data)
    assert again is not None
    assert again["tags"] == []


def test_names_of_records_need_not_be_equal(registry: EmbeddedSchemaRegistry) -> None:
    writer, reader = _record("Order", ("id", "int")), _record("sales.OrderRow", ("id", "long"))
    schema = Schema.for_generic(json.dumps(reader), registry.url)
    assert schema.deserialize(message(registry.register("orders", json.dumps(writer)), writer, {"id": 7})) == {"id": 7}


def test_a_union_of_registered_records_is_read(registry: EmbeddedSchemaRegistry) -> None:
    paid, shipped = _record("shop.Paid", ("sum", "int")), _record("shop.Shipped", ("day", "int"))
    registry.register("paid", json.dumps(paid))
    registry.register("shipped", json.dumps(shipped))
    references = [{"name": f"shop.{name}", "subject": name.lower(), "version": 1} for name in ("Paid", "Shipped")]
    union = registry.register("events", json.dumps(["shop.Paid", "shop.Shipped"]), references=references)
    schema = Schema.for_generic(json.dumps(shipped), registry.url)
    assert schema.deserialize(message(union, [paid, shipped], ("shop.Shipped", {"day": 3}))) == {"day": 3}
    with pytest.raises(ValueError, match=r"writer's shop\.Paid cannot be read as shop\.Shipped"):
        schema.deserialize(message(union, [paid, shipped], ("shop.Paid", {"sum": 3})))


def test_defaults_of_bytes_are_written(registry: EmbeddedSchemaRegistry) -> None:
    schema = json.dumps(_record("Order", ("id", "int"), ("raw", "bytes", "\u00ff"), ("price", {"type": "double"}, 0)))
    written = Writing.for_generic("orders", schema, registry.url).serialize({"id": 7})
    assert written is not None
    assert Schema.for_generic(schema, registry.url).deserialize(written) == {"id": 7, "raw": b"\xff", "price": 0.0}


@pytest.mark.parametrize(
    ("data", "kind", "says"),
    [
        (b"", ValueError, "Magic number does not match"),
        (b"\1\0\0\0\1", ValueError, "Magic number does not match"),
        (b"\0\0\0", ValueError, "ends within the id"),
        (b"\0\0\0\0\2", ValueError, "not of the Avro schema"),
        (b"\0\0\0\0\4\0", ValueError, "schema 4 of the registry is of type PROTOBUF"),
        (b"\0\0\0\0\x63", ValueError, "answered /schemas/ids/99 with HTTP 404 Not Found: Schema 99 not found"),
    ],
)
def test_messages_that_cannot_be_read_fail(
    orders: EmbeddedSchemaRegistry, data: bytes, kind: type[Exception], says: str
) -> None:
    with pytest.raises(kind, match=says):
        Schema.for_generic(READER, orders.url).deserialize(data)


@pytest.mark.parametrize("prefix", ["", "schema.registry."])
def test_the_user_is_named_as_the_settings_say(locked: EmbeddedSchemaRegistry, prefix: str) -> None:
    data = message(locked.register("orders", READER), NEW, {"id": 8, "at": 0})
    by_settings = Schema.for_generic(READER, locked.url, 10, {prefix + key: value for key, value in USER.items()})
    by_url = Schema.for_generic(READER, locked.url.replace("//", "//alice:pass%20word@"))
    for schema in (by_settings, by_url):
        assert schema.deserialize(data) == {"id": 8, "at": 0}
        assert "pass" not in repr(schema)
        assert pickle.loads(pickle.dumps(schema)) == schema


def test_no_secret_is_in_an_error(locked: EmbeddedSchemaRegistry) -> None:
    wrong = {**USER, "basic.auth.user.info": "alice:wrong"}
    with pytest.raises(OSError, match="HTTP 401 Unauthorized: Unauthorized") as raised:
        Schema.for_generic(READER, locked.url, configs=wrong).deserialize(b"\0\0\0\0\2")
    with pytest.raises(OSError, match="/subjects/orders/versions with HTTP 401") as refused:
        Writing.for_generic("orders", READER, locked.url, wrong).open(InitializationContext())
    assert "wrong" not in f"{raised.value} {refused.value}"


def test_the_next_address_is_asked(orders: EmbeddedSchemaRegistry) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        dead = f"http://bob:secret@127.0.0.1:{taken.getsockname()[1]}"
        schema = Schema.for_generic(READER, f"{dead}, {orders.url}/")
        element = schema.deserialize(message(2, NEW, {"id": 8, "at": 0}))
        assert element is not None
        assert element["id"] == 8
        with pytest.raises(OSError, match=r"no schema registry answered: 'http://127\.0\.0\.1") as raised:
            Schema.for_generic(READER, dead).deserialize(b"\0\0\0\0\2")
    assert "secret" not in str(raised.value)


def test_settings_that_cannot_be_used_are_refused() -> None:
    with pytest.raises(DefinitionError, match="the Avro schema cannot be used"):
        Schema.for_generic("{", "http://registry")
    with pytest.raises(DefinitionError, match="not the URL of a schema registry"):
        Schema.for_generic(READER, "registry:8081")
    with pytest.raises(DefinitionError, match="identity_map_capacity is 0"):
        Schema.for_generic(READER, "http://registry", 0)
    with pytest.raises(DefinitionError, match=r"basic\.auth\.credentials\.source is 'x'"):
        Schema.for_generic(READER, "http://registry", configs={"basic.auth.credentials.source": "x"})
    for settings in (
        {"ssl.truststore.location": "/x.jks", "ssl.truststore.type": "JKS"},
        {"basic.auth.credentials.source": "SASL_INHERIT"},
    ):
        with pytest.raises(UnsupportedFeatureError):
            Schema.for_generic(READER, "http://registry", configs=settings)


def test_tombstones_are_dropped() -> None:
    assert Schema.forGeneric(READER, "http://registry").deserialize(None) is None


def test_records_are_written_with_the_id_of_their_schema(registry: EmbeddedSchemaRegistry) -> None:
    registry.register("others", '"string"')
    schema = Writing.for_generic("orders/all", READER, registry.url)
    assert schema.serialize({"id": 8, "at": 1}) == b"\0\0\0\0\2\x10\2"
    assert schema.serialize({"id": 8}) == b"\0\0\0\0\2\x10\0"
    assert schema.serialize(None) is None
    assert registry.asked[1:] == ["POST /subjects/orders%2Fall/versions"]


def test_what_was_written_is_read_again(registry: EmbeddedSchemaRegistry) -> None:
    element = {"buyer": {"name": "Zoë"}}
    data = Writing.for_generic("orders", json.dumps(INLINE_BUYER), registry.url).serialize(element)
    assert data is not None
    assert Schema.for_generic(json.dumps(INLINE_BUYER), registry.url).deserialize(data) == element


def test_the_schema_is_registered_when_it_is_opened(registry: EmbeddedSchemaRegistry) -> None:
    schema = pickle.loads(pickle.dumps(Writing.forGeneric("orders", READER, registry.url)))
    assert registry.asked == []
    schema.open(InitializationContext())
    asked = list(registry.asked)
    assert schema.serialize({"id": 1}) == b"\0\0\0\0\1\2\0"
    assert asked == registry.asked == ["POST /subjects/orders/versions"]


def test_without_registering_the_schema_is_looked_up(registry: EmbeddedSchemaRegistry) -> None:
    schema = Writing.for_generic("orders", READER, registry.url, {"auto.register.schemas": "False"})
    with pytest.raises(
        OSError, match=r"answered /subjects/orders with HTTP 404 Not Found: Subject 'orders' not found\."
    ):
        schema.open(InitializationContext())
    registry.register("orders", READER)
    schema.open(InitializationContext())
    assert registry.asked[-1] == "POST /subjects/orders"


def test_a_registry_that_refuses_says_why(registry: EmbeddedSchemaRegistry) -> None:
    registry.answer("PUT", "/mode", None, {"mode": "READONLY"})
    refusal = "versions with HTTP 422 .*: Subject orders is in read-only mode"
    with pytest.raises(OSError, match=refusal):
        Writing.for_generic("orders", READER, registry.url).open(InitializationContext())


def test_a_registry_that_is_away_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        dead = f"http://bob:secret@127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(OSError, match=r"no schema registry answered: 'http://127\.0\.0\.1") as raised:
            Writing.for_generic("orders", READER, dead).open(InitializationContext())
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("element", "kind", "says"),
    [
        ({"id": 1.5}, ValueError, "Order.id is <1.5> of type <class 'float'> expected long"),
        ({"id": 2**63}, ValueError, "Order.id is <9223372036854775808>"),
        ({"id": 1, "at": datetime.date(2024, 2, 29)}, ValueError, "Order.at is <2024-02-29>"),
        ({"at": 1}, ValueError, "Order.id"),
        ({"id": 1, "no": 1}, ValueError, "more fields than the schema specifies: no"),
        (7, TypeError, "writes dictionaries, the element is of type int"),
    ],
)
def test_elements_that_are_not_as_the_schema_says_fail(
    registry: EmbeddedSchemaRegistry, element: Any, kind: type[Exception], says: str
) -> None:
    with pytest.raises(kind, match=says):
        Writing.for_generic("orders", READER, registry.url).serialize(element)


@pytest.mark.parametrize(
    ("subject", "schema", "url", "says"),
    [
        ("", READER, "http://registry", "there is no subject"),
        ("orders", "{", "http://registry", "the Avro schema cannot be used"),
        ("orders", '"string"', "http://registry", "the schema's root is not a record"),
        ("orders", READER, "registry:8081", "not the URL of a schema registry"),
    ],
)
def test_a_writing_schema_that_cannot_be_used_is_refused(subject: str, schema: str, url: str, says: str) -> None:
    with pytest.raises(DefinitionError, match=says):
        Writing.for_generic(subject, schema, url)
