"""Embedded schema registry: Confluent's REST API over HTTP, with schemas in memory.

::

    from kafkastream.testing.registry import EmbeddedSchemaRegistry

    with EmbeddedSchemaRegistry() as registry:
        schema_id = registry.register("orders-value", '{"type": "string"}')
        assert registry.url.startswith("http://127.0.0.1:")
"""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, final
from urllib.parse import quote

from typing_extensions import Self

from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.formats.schema_registry import SchemaRegistry
from kafkastream.testing.registry_answers import RegistryAnswers

__all__ = ["EmbeddedSchemaRegistry"]


@final
class EmbeddedSchemaRegistry:
    """Schema registry on a free port, initially empty; a context manager.

    Supports what Confluent's clients call: schemas can be registered, looked up, and found by id or version, subjects
    can be listed, and one subject or all can be set READONLY. Avro and JSON schemas are validated, Protobuf ones are
    not; compatibility between versions is not checked.

    Args:
        user_info: ``user:password`` that clients have to send as basic authentication; by default, none.

    Attributes:
        asked: Requests so far, such as ``GET /schemas/ids/1``.

    Example:
        >>> with EmbeddedSchemaRegistry() as registry:
        ...     registry.register("orders-value", '{"type": "string"}')
        1
    """

    def __init__(self, user_info: str | None = None) -> None:
        self.asked: list[str] = []
        self._user_info = user_info
        self._answers = RegistryAnswers()
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.registry = self
        self._thread = threading.Thread(target=self._server.serve_forever, name="schema registry", daemon=True)

    @property
    def url(self) -> str:
        """URL of the registry."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def register(
        self, subject: str, schema: str, schema_type: str = "AVRO", references: Iterable[Mapping[str, Any]] = ()
    ) -> int:
        """Register a schema over HTTP, like a client, and return its id.

        Args:
            subject: Subject of the schema.
            schema: Text of the schema.
            schema_type: AVRO, JSON or PROTOBUF.
            references: Referenced schemas: ``{"name": …, "subject": …, "version": …}``.

        Raises:
            OSError: The registry refuses the schema.
        """
        user = {"basic.auth.credentials.source": "USER_INFO", "basic.auth.user.info": self._user_info or ""}
        question = {"schema": schema, "schemaType": schema_type, "references": list(references)}
        answer = SchemaRegistry(self.url, FrozenMap(user)).ask(
            f"/subjects/{quote(subject, safe='')}/versions", question
        )
        return int(answer["id"])

    def start(self) -> Self:
        """Start serving; may be called once only."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Stop serving."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def answer(self, method: str, target: str, authorization: str | None, body: Mapping[str, Any]) -> tuple[int, Any]:
        """Return status and JSON of the response to a request.

        Args:
            method: HTTP method, such as ``GET``.
            target: Path with query, such as ``/subjects/orders-value/versions``.
            authorization: Value of the header ``Authorization``; None without it.
            body: JSON object of the request; empty without one.
        """
        with self._lock:
            self.asked.append(f"{method} {target}")
            expected = f"Basic {base64.b64encode((self._user_info or '').encode()).decode()}"
            if self._user_info is not None and authorization != expected:
                return 401, {"error_code": 401, "message": "Unauthorized"}
            return self._answers.answer(method, target, body)


class _Server(ThreadingHTTPServer):
    """HTTP server with the registry that it serves."""

    registry: EmbeddedSchemaRegistry


class _Handler(BaseHTTPRequestHandler):
    """HTTP handler that lets the registry answer each request."""

    server: _Server

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def do_PUT(self) -> None:
        self._answer()

    def log_message(self, *_: object) -> None:
        """Log nothing."""

    def _answer(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        registry = self.server.registry
        status, answer = registry.answer(self.command, self.path, self.headers.get("Authorization"), body)
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/vnd.schemaregistry.v1+json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
