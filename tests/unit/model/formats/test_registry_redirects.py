"""Credentials for a schema registry stay with it, wherever it redirects to."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.formats.schema_registry import SchemaRegistry

BASIC = {"basic.auth.credentials.source": "USER_INFO", "basic.auth.user.info": "me:hunter2"}
BEARER = {"bearer.auth.token": "hunter2"}


class Server(ThreadingHTTPServer):
    """Answers each request with what ``replies`` has for its path, and keeps the headers of all requests."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.moved: dict[str, tuple[int, str]] = {}
        self.headers: list[Mapping[str, str]] = []
        Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.headers.append(dict(self.headers))
        status, location = self.server.moved.get(self.path, (200, ""))
        content = json.dumps([self.path]).encode()
        self.send_response(status)
        if location:
            self.send_header("Location", location)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def servers() -> Iterator[tuple[Server, Server]]:
    with Server() as registry, Server() as stranger:
        yield registry, stranger
        registry.shutdown()
        stranger.shutdown()


@pytest.mark.parametrize("status", [301, 302, 303, 307])
@pytest.mark.parametrize("configs", [BASIC, BEARER, {}], ids=["basic", "bearer", "user of the URL"])
def test_a_stranger_gets_no_credentials(
    servers: tuple[Server, Server], configs: Mapping[str, str], status: int
) -> None:
    registry, stranger = servers
    registry.moved["/subjects"] = (status, f"http://me:there@{stranger.address}/subjects?password=there")
    user = "" if configs else "me:hunter2@"
    with pytest.raises(OSError, match="credentials are only sent to the configured address") as caught:
        SchemaRegistry(f"http://{user}{registry.address}", FrozenMap(configs)).ask("/subjects")
    assert "Authorization" in registry.headers[0]
    assert stranger.headers == []
    assert "hunter2" not in str(caught.value)
    assert "there" not in str(caught.value)


@pytest.mark.parametrize("location", ["http://localhost:{port}/b", "https://127.0.0.1:{port}/b", "ftp://127.0.0.1/b"])
def test_another_name_port_or_scheme_is_a_stranger(servers: tuple[Server, Server], location: str) -> None:
    registry, _ = servers
    registry.moved["/a"] = (302, location.format(port=registry.server_port))
    with pytest.raises(OSError, match="credentials are only sent to"):
        SchemaRegistry(f"http://{registry.address}", FrozenMap(BEARER)).ask("/a")
    assert len(registry.headers) == 1


def test_within_a_registry_redirects_are_followed(servers: tuple[Server, Server]) -> None:
    registry, _ = servers
    registry.moved["/a"] = (302, f"http://{registry.address}/b")
    registry.moved["/b"] = (302, "/c")
    assert SchemaRegistry(f"http://{registry.address}", FrozenMap(BEARER)).ask("/a") == ["/c"]
    assert [one["Authorization"] for one in registry.headers] == ["Bearer hunter2"] * 3


def test_without_credentials_redirects_are_followed(servers: tuple[Server, Server]) -> None:
    registry, stranger = servers
    registry.moved["/a"] = (302, f"http://{stranger.address}/b")
    assert SchemaRegistry(f"http://{registry.address}").ask("/a") == ["/b"]
    assert "Authorization" not in stranger.headers[0]
