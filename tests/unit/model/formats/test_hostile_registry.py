"""A schema registry whose answers are hostile: which are the record's fault, and that none hangs or fills the memory."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Thread
from typing import Any, Final

import pytest

from kafkastream.model.formats import ConfluentRegistryAvroDeserializationSchema as Schema
from kafkastream.model.formats import schema_registry
from kafkastream.model.formats.malformed import RecordLimits, is_malformed, use_limits

ORDER: Final = json.dumps({"type": "record", "name": "Order", "fields": [{"name": "id", "type": "int"}]})
RECORD: Final = b"\0\0\0\0\x07\x0e"

Answers = Callable[[str], bytes]


def answer(content: object, status: str = "200 OK", headers: str = "") -> bytes:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{headers}\r\n".encode() + body


class Registry(ThreadingHTTPServer):
    """A server that answers each path with the bytes of a function."""

    daemon_threads = True

    def __init__(self, answers: Answers, pause_s: float = 0) -> None:
        asked = self.asked = []  # type: list[str]

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                self.close_connection = True
                data = answers(self.path)
                step = 1 if pause_s else len(data)
                for begin in range(0, len(data), step):
                    self.wfile.write(data[begin : begin + step])
                    time.sleep(pause_s)

            def log_message(self, *_: object) -> None:
                pass

        super().__init__(("127.0.0.1", 0), Handler)

    def handle_error(self, *_: object) -> None:
        """Say nothing of clients that have gone."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


@pytest.fixture
def started() -> Iterator[Callable[..., Registry]]:
    servers: list[Registry] = []

    def start(answers: Answers, pause_s: float = 0) -> Registry:
        servers.append(Registry(answers, pause_s))
        Thread(target=servers[-1].serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return servers[-1]

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def error_of(server: Registry) -> Exception:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the tests look at it
        Schema.for_generic(ORDER, server.url).deserialize(RECORD)
    assert isinstance(caught.value, OSError | ValueError)
    assert is_malformed(caught.value) is isinstance(caught.value, ValueError)
    return caught.value


@pytest.mark.parametrize(
    "content",
    [
        b"<html>maintenance</html>",
        b"",
        gzip.compress(b"0" * 10**6),
        b"[" * 100_000,
        b'{"schema":' * 100_000,
        b"\xff\xfe",
        [],
        None,
        7,
        {},
        {"schema": None},
        {"schema": {"type": "int"}},
        {"schema": ORDER, "references": [1]},
        {"schema": ORDER, "references": [{"subject": "a"}]},
        {"schema": ORDER, "references": {"a": 1}},
        {"schema": ORDER, "references": 5},
    ],
)
def test_answers_that_are_no_schema_are_the_registrys_fault(content: object, started: Callable[..., Registry]) -> None:
    assert isinstance(error_of(started(lambda _: answer(content))), OSError)


@pytest.mark.parametrize(
    "reply",
    [
        b"no HTTP at all\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1_000 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 10**6 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\n",
        answer({}, "302 Found", "Location: /again\r\n"),
        answer({}, "302 Found", "Location: file:///etc/passwd\r\n"),
        answer(b"not here", "404 Not Found"),
        answer({"error_code": 40401, "message": "Subject not found"}, "404 Not Found"),
        answer(b"[" * 100_000, "404 Not Found"),
        answer({"error_code": 50001, "message": "x" * 10**6}, "500 Internal Server Error"),
    ],
)
def test_other_answers_are_the_registrys_fault(reply: bytes, started: Callable[..., Registry]) -> None:
    error = error_of(started(lambda _: reply))
    assert isinstance(error, OSError)
    assert len(str(error)) < 2_000


def test_an_unknown_id_is_the_records_fault(started: Callable[..., Registry]) -> None:
    unknown = answer({"error_code": 40403, "message": "Schema not found"}, "404 Not Found")
    assert "Schema not found" in str(error_of(started(lambda _: unknown)))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '"Unknown"',
        '{"type":"record"}',
        "[" * 100_000,
        '{"type":"array","items":' * 500 + '"int"' + "}" * 500,
        "7",
    ],
)
def test_a_schema_that_cannot_be_used_is_asked_for_once(text: str, started: Callable[..., Registry]) -> None:
    server = started(lambda _: answer({"schema": text}))
    for _ in range(3):
        assert isinstance(error_of(server), ValueError)
    assert len(server.asked) == 1


def test_a_schema_that_is_too_large_is_asked_for_once(started: Callable[..., Registry]) -> None:
    server = started(lambda _: answer({"schema": ORDER + " " * 10 * 2**20}))
    for _ in range(3):
        assert "kafkastream.records.max-schema-size" in str(error_of(server))
    assert len(server.asked) == 1
    use_limits(RecordLimits(schema_bytes=20 * 2**20))
    try:
        assert Schema.for_generic(
            ORDER, started(lambda _: answer({"schema": ORDER + " " * 10 * 2**20})).url
        ).deserialize(RECORD) == {"id": 7}
    finally:
        use_limits(RecordLimits())


def test_references_in_a_cycle_are_asked_for_once(started: Callable[..., Registry]) -> None:
    cycle: Any = {"schema": ORDER, "references": [{"subject": "a", "version": 1}, {"subject": "b", "version": 1}]}
    server = started(lambda _: answer(cycle))
    assert Schema.for_generic(ORDER, server.url).deserialize(RECORD) == {"id": 7}
    assert sorted(server.asked) == ["/schemas/ids/7", "/subjects/a/versions/1", "/subjects/b/versions/1"]


@pytest.mark.parametrize("width", [1, 2, 1_000])
def test_references_without_end_have_one(width: int, started: Callable[..., Registry]) -> None:
    numbers = count()
    server = started(
        lambda _: answer(
            {"schema": ORDER, "references": [{"subject": f"s{next(numbers)}", "version": 1} for _ in range(width)]}
        )
    )
    assert "500 others" in str(error_of(server))
    assert len(server.asked) <= 502


def test_an_answer_that_drips_ends(started: Callable[..., Registry], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema_registry, "_DEADLINE_S", 0.5)
    for reply in (answer({"schema": ORDER + " " * 2**20}), b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 10_000):
        begin = time.monotonic()
        assert "no complete answer within 0.5 s" in str(error_of(started(lambda _, reply=reply: reply, pause_s=0.01)))
        assert time.monotonic() - begin < 5
