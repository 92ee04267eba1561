"""Strangers at a job's HTTP servers: whatever they send, and however long, those that may read are answered at once."""

from __future__ import annotations

import json
import logging
import resource
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Final

import pytest

from kafkastream.metrics import MetricsSnapshot
from kafkastream.metrics.prometheus import PrometheusReporter
from kafkastream.metrics.reporters import PrometheusReporterSettings
from kafkastream.model.job.page_settings import PageSettings
from kafkastream.page.server import PageServer
from kafkastream.testing import wait_until
from kafkastream.web.connections import Limits
from tests.unit.page import jobs

TOKEN: Final = "only-for-readers"
UNFINISHED: Final = b"GET /page/jobs HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
REFUSED: Final = b"HTTP/1.1 401 "
MALFORMED: Final = {
    "TLS hello": bytes.fromhex("1603010200010001fc0303") + bytes(range(256)),
    "HTTP/0.9": b"GET /\r\n",
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "no HTTP": b"\x00\xff" * 200 + b"\r\n\r\n",
    "long request line": b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n",
    "many headers": b"GET / HTTP/1.1\r\n" + b"".join(b"X-%d: y\r\n" % n for n in range(10_000)) + b"\r\n",
    "two hosts": b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
    "two lengths": b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    "folded header": b"GET / HTTP/1.1\r\nHost: a\r\n X: b\r\n\x00: c\r\n\r\n",
}
BODIES: Final = {
    "large": b"Content-Length: 999999999\r\n\r\n",
    "endless": b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
    "longer than any number": b"Content-Length: " + b"9" * 15 + b"\r\n\r\n",
}


@pytest.fixture
def page() -> Iterator[PageServer]:
    server = PageServer(PageSettings(ports=(0,), token=TOKEN), Limits(request_s=2, idle_s=2, answer_s=2))
    server.jobs.add(jobs.facts(), jobs.StandIn())
    yield server
    server.stop()


def dial(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=10)


def send(port: int, request: bytes) -> bytes:
    """Send a request, and return all that comes until the server ends the connection."""
    with dial(port) as connection:
        connection.sendall(request)
        return rest_of(connection)


def rest_of(connection: socket.socket) -> bytes:
    parts = []
    try:
        while part := connection.recv(65_536):
            parts.append(part)
    except ConnectionError:  # the server ends it with bytes unread
        pass
    return b"".join(parts)


def seconds_to_read(page: PageServer) -> float:
    begun = time.monotonic()
    with closing(HTTPConnection("127.0.0.1", page.port, timeout=10)) as connection:
        connection.request("GET", "/page/jobs", headers={"Authorization": f"Bearer {TOKEN}"})
        answer = connection.getresponse()
        assert (answer.status, json.loads(answer.read())["jobs"][0]["id"]) == (200, jobs.ID)
    return time.monotonic() - begun


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_unfinished_requests_keep_no_reader_out(page: PageServer, capfd: pytest.CaptureFixture[str]) -> None:
    """Clients and server share a process, so the number of its descriptors says how many connections the server has."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
    with ExitStack() as stack:
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        before = descriptors()
        strangers = [stack.enter_context(dial(page.port)) for _ in range(1000)]
        for stranger in strangers:
            send_some(stranger, UNFINISHED)
        assert seconds_to_read(page) < 1
        assert descriptors() - before - len(strangers) < 250
        for _ in range(20):  # drop by drop
            for stranger in strangers[-100:]:
                send_some(stranger, b"a")
            assert seconds_to_read(page) < 1
        wait_until(lambda: descriptors() - before - len(strangers) < 5, 10, "the end of unfinished requests")
    assert capfd.readouterr().err == ""


def send_some(connection: socket.socket, data: bytes) -> None:
    with suppress(ConnectionError):
        connection.sendall(data)


def test_many_quick_requests_keep_no_reader_out(page: PageServer) -> None:
    ended = threading.Event()
    answers: list[bytes] = []

    def ask() -> None:
        while not ended.is_set():
            answers.append(send(page.port, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")[: len(REFUSED)])

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    slowest = max(seconds_to_read(page) for _ in range(20))
    ended.set()
    for thread in threads:
        thread.join()
    assert slowest < 1
    assert set(answers) == {REFUSED}


def test_a_reader_stays_connected_while_strangers_come(page: PageServer) -> None:
    with closing(HTTPConnection("127.0.0.1", page.port, timeout=10)) as reader, ExitStack() as stack:
        for _ in range(5):
            reader.request("GET", "/page/jobs", headers={"Authorization": f"Bearer {TOKEN}"})
            assert reader.getresponse().read()
            connected = reader.sock
            for _ in range(100):
                stack.enter_context(dial(page.port)).sendall(UNFINISHED)
            assert reader.sock is connected


@pytest.mark.parametrize("request_", MALFORMED.values(), ids=MALFORMED)
def test_what_is_no_request_ends_the_connection(
    page: PageServer, request_: bytes, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    answer = send(page.port, request_)
    assert answer == b"" or answer.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 401 ")), answer
    assert seconds_to_read(page) < 1
    assert capfd.readouterr().err == ""
    assert caplog.records == []


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_request_has_a_small_body(page: PageServer, body: bytes) -> None:
    bearer = f"Authorization: Bearer {TOKEN}\r\n".encode()
    request = b"PATCH / HTTP/1.1\r\nHost: localhost\r\n" + bearer + body
    assert send(page.port, request).startswith(b"HTTP/1.1 413 ")


def test_flinks_client_sends_a_body_with_each_request(page: PageServer) -> None:
    bearer = f"Authorization: Bearer {TOKEN}\r\n".encode()
    request = b"GET /jobs HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n" + bearer + b"\r\n{}"
    assert send(page.port, request).startswith(b"HTTP/1.1 200 ")


def test_strangers_get_one_answer_for_many_requests(page: PageServer) -> None:
    assert send(page.port, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n" * 1000).count(b"HTTP/1.1") <= 1


@pytest.mark.parametrize("pieces", [1, 2])
def test_a_refusal_says_what_is_missing(page: PageServer, pieces: int) -> None:
    """In one piece the request is refused by its bytes, in two by the application."""
    request = b"GET /jobs HTTP/1.1\r\nHost: a\r\n\r\n"
    with dial(page.port) as connection:
        for piece in (request,) if pieces == 1 else (request[:20], request[20:]):
            connection.sendall(piece)
            time.sleep(0.1)
        head, _, body = rest_of(connection).partition(b"\r\n\r\n")
    lines = [line.lower() for line in head.splitlines() if not line.startswith(b"date")]
    assert lines[0] == b"http/1.1 401 unauthorized"
    assert {b"www-authenticate: bearer", b"connection: close", b"cache-control: no-store"} < set(lines)
    assert f"content-length: {len(body)}".encode() in lines
    assert list(json.loads(body)) == ["errors"]


def test_a_reader_may_send_requests_ahead(page: PageServer) -> None:
    one = f"GET /jobs HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {TOKEN}\r\n\r\n".encode()
    last = one.replace(b"Host", b"Connection: close\r\nHost")
    assert send(page.port, one * 4 + last).count(b"HTTP/1.1 200") == 5


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("HEAD", "/jobs", 200),
        ("OPTIONS", "/jobs", 405),
        ("OPTIONS", "*", 404),
        ("TRACE", "/jobs", 405),
        ("BREW", "/jobs", 405),
        ("CONNECT", "evil.example:443", 404),
        ("GET", "http://evil.example/jobs", 404),
        ("GET", "/page/%2e%2e/server.py", 404),
        ("GET", "/page/..%2fserver.py", 404),
        ("GET", "/page//etc/passwd", 404),
        ("GET", "/%ff%fe%00%0d%0aSet-Cookie:a", 404),
        ("GET", "/%", 404),
        ("DELETE", f"/jobs/{jobs.ID}", 405),
        ("POST", f"/jobs/{jobs.ID}?mode=cancel", 405),
        ("GET", f"/jobs/{jobs.ID}?mode=cancel", 200),
    ],
)
def test_paths_and_methods_lead_to_documents_only(page: PageServer, method: str, path: str, status: int) -> None:
    request = f"{method} {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer {TOKEN}\r\n\r\n"
    answer = send(page.port, request.encode())
    assert answer.startswith(f"HTTP/1.1 {status} ".encode()), answer
    assert b"root:" not in answer
    assert b"\nset-cookie" not in answer.lower()
    status_of_job = page.jobs.all()[0].view().status.name
    assert status_of_job == "RUNNING"


def test_no_path_leads_to_a_websocket(page: PageServer, capfd: pytest.CaptureFixture[str]) -> None:
    upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: YQ==\r\n"
    assert send(page.port, f"GET / HTTP/1.1\r\nHost: a\r\n{upgrade}\r\n".encode()).startswith(REFUSED)
    assert capfd.readouterr().err == ""


def test_clients_that_hang_up_are_not_worth_a_line(
    page: PageServer, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    request = f"GET /page/jobs/{jobs.ID} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {TOKEN}\r\n\r\n".encode()
    for _ in range(20):
        with dial(page.port) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # ends with a reset
            connection.sendall(request)
    assert seconds_to_read(page) < 1
    assert capfd.readouterr().err == ""
    assert caplog.records == []


def test_an_answer_that_is_not_read_ends(page: PageServer) -> None:
    one = f"GET /page/preact.js HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {TOKEN}\r\n\r\n".encode()
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", page.port))
        connection.settimeout(10)
        connection.sendall(one * 100)
        assert connection.recv(1)  # so the server has accepted it
        before = descriptors()
        wait_until(lambda: descriptors() < before, 10, "the end of the connection")


def test_a_failing_answer_is_one_line_in_the_log(
    page: PageServer, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    page.jobs.add(jobs.facts_of("f" * 32), jobs.Broken())
    path = f"/jobs/{'f' * 32}"
    request = f"GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer {TOKEN}\r\n\r\n"
    with caplog.at_level(logging.INFO):
        assert send(page.port, request.encode()).startswith(b"HTTP/1.1 500 ")
    assert [record.getMessage() for record in caplog.records] == [f"{path} was not answered: ValueError: no state"]
    assert "Traceback" not in capfd.readouterr().err
    assert TOKEN not in caplog.text


def test_a_page_ends_while_strangers_are_connected(page: PageServer, capfd: pytest.CaptureFixture[str]) -> None:
    with ExitStack() as stack:
        for _ in range(50):
            stack.enter_context(dial(page.port)).sendall(UNFINISHED)
        stack.enter_context(dial(page.port)).sendall(MALFORMED["no HTTP"])
        begun = time.monotonic()
        page.stop()
        assert time.monotonic() - begun < 3
    assert capfd.readouterr().err == ""


def test_prometheus_has_the_same_limits() -> None:
    settings = PrometheusReporterSettings("prom", (0,))
    reporter = PrometheusReporter(settings, lambda: MetricsSnapshot("job"), "127.0.0.1")
    threads = threading.active_count()
    try:
        with ExitStack() as stack:
            for _ in range(300):
                stack.enter_context(dial(reporter.port)).sendall(UNFINISHED)
            answer = send(reporter.port, b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert answer.startswith(b"HTTP/1.1 200 ")
            assert threading.active_count() <= threads
        rebound = send(reporter.port, b"GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n")
        assert rebound.startswith(b"HTTP/1.1 403 ")
    finally:
        reporter.stop()
