"""The protocol, over HTTP; confluent-kafka's own client reads the same answers."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from kafkastream.testing.registry import EmbeddedSchemaRegistry

TEXT = '"string"'
ORDER = {"type": "record", "name": "shop.Order", "fields": [{"name": "id", "type": "long"}]}
BASKET = {"type": "record", "name": "Basket", "fields": [{"name": "order", "type": "shop.Order"}]}


@pytest.fixture
def registry() -> Iterator[EmbeddedSchemaRegistry]:
    with EmbeddedSchemaRegistry() as started:
        yield started


def ask(registry: EmbeddedSchemaRegistry, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(registry.url + path, data, method=method)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def test_a_schema_has_one_id_everywhere(registry: EmbeddedSchemaRegistry) -> None:
    spaced = json.dumps(ORDER, indent=2)
    ids = [registry.register(*one) for one in (("a", TEXT), ("a", spaced), ("b/c", json.dumps(ORDER)), ("a", TEXT))]
    assert ids == [1, 2, 2, 1]
    assert ask(registry, "GET", "/subjects") == (200, ["a", "b/c"])
    assert ask(registry, "GET", "/subjects/a/versions") == (200, [1, 2])
    kept = json.dumps(ORDER, separators=(",", ":"))
    assert ask(registry, "GET", "/schemas/ids/2") == (200, {"schema": kept})
    found = {"subject": "b/c", "version": 1, "id": 2, "schema": kept}
    assert ask(registry, "GET", "/subjects/b%2Fc/versions/latest") == (200, found)
    assert ask(registry, "POST", "/subjects/b%2Fc?normalize=false", {"schema": spaced}) == (200, found)


def test_types_and_references_are_kept(registry: EmbeddedSchemaRegistry) -> None:
    registry.register("orders", json.dumps(ORDER))
    reference = {"name": "shop.Order", "subject": "orders", "version": 1}
    basket = registry.register("baskets", json.dumps(BASKET), references=[reference])
    text = registry.register("text", '{"type": "string"}', "JSON")
    assert ask(registry, "GET", f"/schemas/ids/{basket}")[1]["references"] == [reference]
    assert ask(registry, "GET", f"/schemas/ids/{text}") == (200, {"schema": '{"type":"string"}', "schemaType": "JSON"})
    assert ask(registry, "GET", "/schemas/types") == (200, ["AVRO", "JSON", "PROTOBUF"])


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("POST", "/subjects/a/versions", {"schema": "{"}, 422, 42201),
        ("POST", "/subjects/a/versions", {}, 422, 42201),
        ("POST", "/subjects/a/versions", {"schema": "7", "schemaType": "JSON"}, 422, 42201),
        ("POST", "/subjects/a/versions", {"schema": TEXT, "schemaType": "XML"}, 422, 42201),
        ("POST", "/subjects/a/versions", {"schema": json.dumps(BASKET)}, 422, 42201),
        ("POST", "/subjects/a", {"schema": json.dumps(ORDER)}, 404, 40403),
        ("POST", "/subjects/b", {"schema": TEXT}, 404, 40401),
        ("GET", "/subjects/b/versions", None, 404, 40401),
        ("GET", "/subjects/a/versions/2", None, 404, 40402),
        ("GET", "/schemas/ids/2", None, 404, 40403),
        ("GET", "/nowhere", None, 404, 404),
        ("PUT", "/mode", {"mode": "ODD"}, 422, 42204),
    ],
)
def test_what_cannot_be_answered_is_refused_with_a_code(
    registry: EmbeddedSchemaRegistry, method: str, path: str, body: Any, status: int, code: int
) -> None:
    registry.register("a", TEXT)
    found, answer = ask(registry, method, path, body)
    assert (found, answer["error_code"]) == (status, code)
    assert answer["message"]


def test_a_subject_that_is_read_only_takes_nothing_new(registry: EmbeddedSchemaRegistry) -> None:
    registry.register("a", TEXT)
    assert ask(registry, "PUT", "/mode/a", {"mode": "READONLY"}) == (200, {"mode": "READONLY"})
    assert registry.register("a", TEXT) == 1
    with pytest.raises(OSError, match="Subject a is in read-only mode"):
        registry.register("a", json.dumps(ORDER))
    assert registry.register("b", json.dumps(ORDER)) == 2


def test_only_the_user_enters() -> None:
    with EmbeddedSchemaRegistry("ann:pw") as registry:
        assert registry.register("a", TEXT) == 1
        assert ask(registry, "GET", "/subjects") == (401, {"error_code": 401, "message": "Unauthorized"})


def test_a_registry_may_be_stopped_before_it_starts() -> None:
    registry = EmbeddedSchemaRegistry()
    registry.stop()
    with pytest.raises(OSError, match="no schema registry answered"):
        registry.register("a", TEXT)
