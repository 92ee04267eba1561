"""Responses of Confluent's schema registry: status and JSON for each request of its REST API."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, final
from urllib.parse import unquote, urlsplit

import attrs

from kafkastream.model.formats.avro_schema import parsed_schema

__all__ = ["RegistryAnswers"]

Body = Mapping[str, Any]


@final
@attrs.frozen
class _Schema:
    """Registered schema; equal ones share an id."""

    kind: str
    text: str
    references: str

    def fields(self) -> dict[str, Any]:
        """Return the fields that responses have for the schema."""
        kind = {} if self.kind == "AVRO" else {"schemaType": self.kind}
        references = json.loads(self.references)
        return {"schema": self.text, **kind, **({"references": references} if references else {})}


class _RefusedError(Exception):
    """Error response of the registry."""

    def __init__(self, status: int, code: int, message: str) -> None:
        super().__init__(message)
        self.answer = status, {"error_code": code, "message": message}


@final
@attrs.define
class RegistryAnswers:
    """Schemas of a registry, and its responses; not thread-safe.

    Example:
        >>> registry = RegistryAnswers()
        >>> registry.answer("POST", "/subjects/orders-value/versions", {"schema": '"string"'})
        (200, {'id': 1})
        >>> registry.answer("GET", "/schemas/ids/2", {})
        (404, {'error_code': 40403, 'message': 'Schema 2 not found'})
    """

    schemas: list[_Schema] = attrs.field(factory=list)
    subjects: dict[str, list[int]] = attrs.field(factory=dict)
    modes: dict[str, str] = attrs.field(factory=dict)

    def answer(self, method: str, target: str, body: Body) -> tuple[int, Any]:
        """Return status and JSON of the response to a request.

        Args:
            method: HTTP method.
            target: Path and query of the URL.
            body: JSON of the request; empty for none.
        """
        path = urlsplit(target).path
        for (verb, pattern), act in _ROUTES.items():
            if verb == method and (found := re.fullmatch(pattern, path)):
                try:
                    return 200, act(self, body, *map(unquote, found.groups(default="")))
                except _RefusedError as refused:
                    return refused.answer
        return 404, {"error_code": 404, "message": "HTTP 404 Not Found"}

    def register(self, body: Body, subject: str) -> Any:
        """Register a schema and return its id, an existing one if the schema is known."""
        schema = self._checked(body)
        versions, schema_id = self.subjects.get(subject, []), self._id_of(schema)
        if schema_id not in versions:
            if self.mode({}, subject)["mode"] == "READONLY":
                raise _RefusedError(422, 42205, f"Subject {subject} is in read-only mode")
            self.schemas.extend([schema] if schema_id > len(self.schemas) else [])
            self.subjects[subject] = [*versions, schema_id]
        return {"id": schema_id}

    def look_up(self, body: Body, subject: str) -> Any:
        """Return the version of a subject that has a schema."""
        versions, schema_id = self._known(subject), self._id_of(self._checked(body))
        if schema_id not in versions:
            raise _RefusedError(404, 40403, "Schema not found")
        return self.version({}, subject, str(versions.index(schema_id) + 1))

    def version(self, _: Body, subject: str, version: str) -> Any:
        """Return a version of a subject."""
        versions = self._known(subject)
        number = len(versions) if version in {"latest", "-1"} else int(version)
        if not 1 <= number <= len(versions):
            raise _RefusedError(404, 40402, f"Version {version} not found.")
        schema_id = versions[number - 1]
        return {"subject": subject, "version": number, "id": schema_id, **self.schemas[schema_id - 1].fields()}

    def versions(self, _: Body, subject: str) -> Any:
        """Return the version numbers of a subject."""
        return list(range(1, len(self._known(subject)) + 1))

    def all_subjects(self, _: Body) -> Any:
        """Return the names of all subjects."""
        return sorted(self.subjects)

    def types(self, _: Body) -> Any:
        """Return the supported schema types."""
        return list(_CHECKS)

    def by_id(self, _: Body, schema_id: str) -> Any:
        """Return a schema by id."""
        if not 1 <= int(schema_id) <= len(self.schemas):
            raise _RefusedError(404, 40403, f"Schema {schema_id} not found")
        return self.schemas[int(schema_id) - 1].fields()

    def mode(self, _: Body, subject: str) -> Any:
        """Return the mode of a subject, or of the registry."""
        return {"mode": self.modes.get(subject, self.modes.get("", "READWRITE"))}

    def set_mode(self, body: Body, subject: str) -> Any:
        """Set the mode of a subject, or of the registry."""
        mode = str(body.get("mode", "")).upper()
        if mode not in {"READONLY", "READWRITE"}:
            raise _RefusedError(422, 42204, "Invalid mode. Valid values are READWRITE, READONLY")
        self.modes[subject] = mode
        return {"mode": mode}

    def _known(self, subject: str) -> list[int]:
        if subject not in self.subjects:
            raise _RefusedError(404, 40401, f"Subject '{subject}' not found.")
        return self.subjects[subject]

    def _id_of(self, schema: _Schema) -> int:
        """Return the id of a schema, or the one that it would get."""
        return 1 + (self.schemas.index(schema) if schema in self.schemas else len(self.schemas))

    def _checked(self, body: Body) -> _Schema:
        kind, text, references = body.get("schemaType") or "AVRO", body.get("schema", ""), body.get("references") or []
        try:
            kept = _CHECKS[kind](text, [self._referred(one) for one in references])
        except _RefusedError:
            raise
        except Exception as error:
            message = f"Invalid schema {text} of type {kind}, details: {error}"
            raise _RefusedError(422, 42201, message) from error
        return _Schema(kind, kept, json.dumps(references, sort_keys=True))

    def _referred(self, reference: Body) -> Body:
        """Return a referenced schema, with the schemas that it references itself."""
        found = self.version({}, reference["subject"], str(reference["version"]))
        return {"text": found["schema"], "needs": [self._referred(one) for one in found.get("references", ())]}


def _avro(text: str, needs: Iterable[Body]) -> str:
    _parse_avro(text, needs, {})
    return _compact(json.loads(text))


def _parse_avro(text: str, needs: Iterable[Body], named: dict[str, Any]) -> None:
    for need in needs:
        _parse_avro(need["text"], need["needs"], named)
    parsed_schema(json.loads(text), named)


def _json(text: str, _: Iterable[Body]) -> str:
    schema = json.loads(text)
    if not isinstance(schema, (dict, bool)):
        raise TypeError("a JSON Schema is an object or a boolean")
    return _compact(schema)


def _compact(schema: object) -> str:
    return json.dumps(schema, separators=(",", ":"), ensure_ascii=False)


_CHECKS: Final[Mapping[str, Callable[[str, Iterable[Body]], str]]] = {
    "AVRO": _avro,
    "JSON": _json,
    "PROTOBUF": lambda text, _: text,
}
_ROUTES: Final[Mapping[tuple[str, str], Callable[..., Any]]] = {
    ("GET", "/subjects"): RegistryAnswers.all_subjects,
    ("POST", "/subjects/([^/]+)"): RegistryAnswers.look_up,
    ("POST", "/subjects/([^/]+)/versions"): RegistryAnswers.register,
    ("GET", "/subjects/([^/]+)/versions"): RegistryAnswers.versions,
    ("GET", r"/subjects/([^/]+)/versions/(latest|-1|\d+)"): RegistryAnswers.version,
    ("GET", r"/schemas/ids/(\d+)"): RegistryAnswers.by_id,
    ("GET", "/schemas/types"): RegistryAnswers.types,
    ("GET", "/mode(?:/([^/]+))?"): RegistryAnswers.mode,
    ("PUT", "/mode(?:/([^/]+))?"): RegistryAnswers.set_mode,
}
