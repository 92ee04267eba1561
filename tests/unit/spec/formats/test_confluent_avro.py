"""Against an HTTP server that speaks the registry's REST interface; a real registry is not to be had as a package."""

from __future__ import annotations

import base64
import io
import json
import pickle
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import attrs
import fastavro
import pytest

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.spec.formats import ConfluentRegistryAvroDeserializationSchema as Schema

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


@attrs.define
class Registry:
    """What the server answers, and what it was asked."""

    url: str
    answers: dict[str, Any]
    asked: list[str] = attrs.field(factory=list)
    user_info: str | None = None

    def answer(self, path: str, authorization: str | None) -> tuple[int, Any]:
        self.asked.append(path)
        if self.user_info is not None:
            expected = f"Basic {base64.b64encode(self.user_info.encode()).decode()}"
            if authorization != expected:
                return 401, {"error_code": 401, "message": "Unauthorized"}
        found = self.answers.get(path)
        return (200, found) if found else (404, {"error_code": 40403, "message": "Schema not found"})


@pytest.fixture
def registry() -> Iterator[Registry]:
    answers = {
        "/schemas/ids/1": {"schema": json.dumps(OLD)},
        "/schemas/ids/2": {"schema": json.dumps(NEW)},
        "/schemas/ids/3": {
            "schema": json.dumps(WITH_BUYER),
            "references": [{"name": "shop.Buyer", "subject": "buyers/all", "version": 4}],
        },
        "/schemas/ids/4": {"schema": "syntax", "schemaType": "PROTOBUF"},
        "/subjects/buyers%2Fall/versions/4": {"schema": json.dumps(BUYER)},
    }

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, answer = served.answer(self.path, self.headers.get("Authorization"))
            body = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/vnd.schemaregistry.v1+json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        served = Registry(f"http://127.0.0.1:{server.server_port}", answers)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield served
        server.shutdown()
        thread.join()


def message(schema_id: int, schema: Any, record: dict[str, Any]) -> bytes:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(schema), record)
    return b"\0" + schema_id.to_bytes(4, "big") + out.getvalue()


def test_records_are_read_as_the_reader_wants_them(registry: Registry) -> None:
    schema = Schema.for_generic(READER, registry.url)
    old = message(1, OLD, {"id": 7, "gone": "x"})
    new = message(2, NEW, {"id": 8, "at": 1_700_000_000_000})
    records = [schema.deserialize(one) for one in (old, new, old)]
    assert records == [{"id": 7, "at": 0}, {"id": 8, "at": 1_700_000_000_000}, {"id": 7, "at": 0}]
    assert registry.asked == ["/schemas/ids/1", "/schemas/ids/2"]


def test_references_are_followed(registry: Registry) -> None:
    data = message(3, INLINE_BUYER, {"buyer": {"name": "Alice"}})
    schema = Schema.for_generic(json.dumps(INLINE_BUYER), registry.url)
    assert schema.deserialize(data) == {"buyer": {"name": "Alice"}}


@pytest.mark.parametrize(
    ("data", "kind", "says"),
    [
        (b"", ValueError, "Magic number does not match"),
        (b"\1\0\0\0\1", ValueError, "Magic number does not match"),
        (b"\0\0\0", ValueError, "ends within the id"),
        (b"\0\0\0\0\2", ValueError, "not of the Avro schema"),
        (b"\0\0\0\0\4\0", ValueError, "schema 4 of the registry is of type PROTOBUF"),
        (b"\0\0\0\0\x63", OSError, "answered /schemas/ids/99 with HTTP 404"),
    ],
)
def test_messages_that_cannot_be_read_fail(registry: Registry, data: bytes, kind: type[Exception], says: str) -> None:
    with pytest.raises(kind, match=says):
        Schema.for_generic(READER, registry.url).deserialize(data)


@pytest.mark.parametrize("prefix", ["", "schema.registry."])
def test_the_user_is_named_as_the_settings_say(registry: Registry, prefix: str) -> None:
    registry.user_info = "alice:pass word"
    data = message(2, NEW, {"id": 8, "at": 0})
    settings = {
        f"{prefix}basic.auth.credentials.source": "USER_INFO",
        f"{prefix}basic.auth.user.info": "alice:pass word",
    }
    by_settings = Schema.for_generic(READER, registry.url, 10, settings)
    by_url = Schema.for_generic(READER, registry.url.replace("//", "//alice:pass%20word@"))
    for schema in (by_settings, by_url):
        assert schema.deserialize(data) == {"id": 8, "at": 0}
        assert "pass" not in repr(schema)
        assert pickle.loads(pickle.dumps(schema)) == schema


def test_no_secret_is_in_an_error(registry: Registry) -> None:
    registry.user_info = "alice:right"
    settings = {"basic.auth.credentials.source": "USER_INFO", "basic.auth.user.info": "alice:wrong"}
    with pytest.raises(OSError, match="HTTP 401") as raised:
        Schema.for_generic(READER, registry.url, configs=settings).deserialize(b"\0\0\0\0\2")
    assert "wrong" not in str(raised.value)


def test_the_next_address_is_asked(registry: Registry) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        dead = f"http://bob:secret@127.0.0.1:{taken.getsockname()[1]}"
        schema = Schema.for_generic(READER, f"{dead}, {registry.url}/")
        assert schema.deserialize(message(2, NEW, {"id": 8, "at": 0}))["id"] == 8
        with pytest.raises(OSError, match=r"no schema registry answered: 'http://127\.0\.0\.1") as raised:
            Schema.for_generic(READER, dead).deserialize(b"\0\0\0\0\2")
    assert "secret" not in str(raised.value)


def test_settings_that_cannot_be_used_are_refused() -> None:
    with pytest.raises(DefinitionError, match="the Avro schema cannot be used"):
        Schema.for_generic("{", "http://registry")
    with pytest.raises(DefinitionError, match="no address of a schema registry"):
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
    assert Schema.forGeneric(READER, "http://registry").drops_tombstones
