"""A schema registry for tests: Confluent's REST interface over HTTP, its schemas kept in memory.

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
    """A schema registry at a port of its own, empty at first; a context manager.

    It answers as Confluent's does, for what its clients ask to write and to read: schemas are registered, looked up and
    found by id or version, subjects listed, and a subject or all of them set READONLY. Avro and JSON schemas are
    checked; Protobuf ones are not, and whether a version is compatible with the one before is not looked at.

    Args:
        user_info: ``user:password`` that clients must give as basic authentication; nobody is asked without it.

    Attributes:
        asked: What clients have asked so far: ``GET /schemas/ids/1``.

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
        """Its address."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def register(
        self, subject: str, schema: str, schema_type: str = "AVRO", references: Iterable[Mapping[str, Any]] = ()
    ) -> int:
        """The id of a schema, registered over HTTP as a client would.

        Args:
            subject: Where the schema belongs.
            schema: Its text.
            schema_type: AVRO, JSON or PROTOBUF.
            references: What it refers to: ``{"name": …, "subject": …, "version": …}``.

        Raises:
            OSError: The registry refuses it.
        """
        user = {"basic.auth.credentials.source": "USER_INFO", "basic.auth.user.info": self._user_info or ""}
        question = {"schema": schema, "schemaType": schema_type, "references": list(references)}
        answer = SchemaRegistry(self.url, FrozenMap(user)).ask(
            f"/subjects/{quote(subject, safe='')}/versions", question
        )
        return int(answer["id"])

    def start(self) -> Self:
        """Begin to answer; once only."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Answer no more."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def answer(self, method: str, target: str, authorization: str | None, body: Mapping[str, Any]) -> tuple[int, Any]:
        """Status and JSON for a request."""
        with self._lock:
            self.asked.append(f"{method} {target}")
            expected = f"Basic {base64.b64encode((self._user_info or '').encode()).decode()}"
            if self._user_info is not None and authorization != expected:
                return 401, {"error_code": 401, "message": "Unauthorized"}
            return self._answers.answer(method, target, body)


class _Server(ThreadingHTTPServer):
    registry: EmbeddedSchemaRegistry


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def do_PUT(self) -> None:
        self._answer()

    def log_message(self, *_: object) -> None:
        """Say nothing."""

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
