"""The epoch server and its tasks on real sockets: who gets in, what is refused on the way, and what strangers cost."""

from __future__ import annotations

import os
import pickle
import resource
import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from threading import Thread
from typing import Any, final

import pytest

from kafkastream.common import Configuration
from kafkastream.datastream.connectors.kafka import KafkaTopicPartition
from kafkastream.errors import SetupError
from kafkastream.model.job.job_settings import job_settings
from kafkastream.spark.exchange.channel import (
    MAX_FRAME_BYTES,
    NONCE_BYTES,
    PROOF_BYTES,
    ChannelError,
    Secret,
    connect,
)
from kafkastream.spark.exchange.epoch_link import DriverLink, Endpoint, Share, TaskJoin, Tidings
from kafkastream.spark.job.epoch_server import EpochServer, ListenerAddress
from kafkastream.testing import wait_until

P0 = KafkaTopicPartition("t", 0)
SHARE = Share({0: {P0: 7}})
HEADER = struct.Struct(">?I")
ANSWER_BYTES = NONCE_BYTES + PROOF_BYTES
PATIENCE_S = 20.0


@pytest.fixture(params=[False, True], ids=["authenticated", "encrypted"])
def encrypts(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def told() -> list[Tidings]:
    return []


@pytest.fixture
def failures() -> list[Exception]:
    return []


@pytest.fixture
def server(told: list[Tidings], failures: list[Exception], encrypts: bool) -> Iterator[EpochServer]:
    with closing(EpochServer(ListenerAddress(encrypts=encrypts), told.append, failures.append)) as server:
        server.begin(1, lambda _: SHARE)
        yield server


@final
class Relay:
    """A man in the middle, who passes bytes on between a task and the driver, and may change those of either side."""

    def __init__(self, target: Endpoint, change: Callable[[str, bytes], bytes] = lambda _, content: content) -> None:
        self._target = target
        self.change = change
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.endpoint = target._replace(port=self._listener.getsockname()[1])
        self.seen: dict[str, bytes] = {"task": b"", "driver": b""}
        self._sockets: list[socket.socket] = []
        Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        with suppress(OSError):
            task, _ = self._listener.accept()
            driver = socket.create_connection((self._target.host, self._target.port))
            self._sockets += [task, driver]
            Thread(target=self._pass, args=("task", task, driver), daemon=True).start()
            self._pass("driver", driver, task)

    def _pass(self, sender: str, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while content := source.recv(1 << 20):
                self.seen[sender] += content
                sink.sendall(self.change(sender, content))
        with suppress(OSError):
            sink.shutdown(socket.SHUT_WR)

    def inject(self, receiver: str, content: bytes) -> None:
        self._sockets[0 if receiver == "task" else 1].sendall(content)

    def close(self) -> None:
        for one in [self._listener, *self._sockets]:
            one.close()


@pytest.fixture
def relayed(server: EpochServer) -> Iterator[Callable[..., Relay]]:
    with ExitStack() as stack:
        yield lambda *change: stack.enter_context(closing(Relay(server.endpoint, *change)))


def hung_up(connection: socket.socket) -> bool:
    """Whether the server has closed a connection; waits for it."""
    connection.settimeout(PATIENCE_S)
    try:
        while connection.recv(4096):
            pass
    except ConnectionResetError:
        pass
    return True


def stranger(server: EpochServer) -> socket.socket:
    return socket.create_connection(server.endpoint[:2], PATIENCE_S)


Join = Callable[[Endpoint], DriverLink]


@pytest.fixture
def joined() -> Iterator[Join]:
    """Returns the link of a task that has joined the first epoch."""

    def join(endpoint: Endpoint) -> DriverLink:
        link = stack.enter_context(closing(DriverLink.to(endpoint)))
        assert link.join(TaskJoin(1, 0, "worker")) == SHARE
        return link

    with ExitStack() as stack:
        yield join


def test_messages_of_all_sizes_arrive_whole_and_in_order(
    server: EpochServer, told: list[Tidings], joined: Join
) -> None:
    sizes = [0, 1, MAX_FRAME_BYTES - 100, MAX_FRAME_BYTES, 3 * MAX_FRAME_BYTES + 1, 5_000_000]
    link = joined(server.endpoint)
    for size in sizes:
        link.tell(Tidings(rows=[("kind", 1, os.urandom(size))]))
    link.close()
    server.quiet(PATIENCE_S)
    assert [len(row[2]) for tidings in told for row in tidings.rows] == sizes


def test_only_messages_that_are_encrypted_hide_their_content(
    server: EpochServer, relayed: Callable[..., Relay], told: list[Tidings], encrypts: bool, joined: Join
) -> None:
    relay = relayed()
    link = joined(relay.endpoint)
    link.tell(Tidings(rows=[("kind", 1, b"card 4111")]))
    wait_until(lambda: told, PATIENCE_S, "the message")
    assert (b"card 4111" in relay.seen["task"]) is not encrypts
    assert server.endpoint.secret.value not in relay.seen["task"] + relay.seen["driver"]


def test_a_secret_is_in_no_text(server: EpochServer) -> None:
    assert repr(server.endpoint.secret.value) not in repr(server.endpoint)


def test_who_does_not_know_the_secret_is_turned_away(server: EpochServer, encrypts: bool, joined: Join) -> None:
    for wrong in (
        Secret(os.urandom(32), encrypts),
        Secret(server.endpoint.secret.value, not encrypts),
        Secret(b"", encrypts),
    ):
        with pytest.raises((EOFError, ConnectionResetError)):
            connect(server.endpoint[:2], wrong)
    joined(server.endpoint).close()


def test_a_task_refuses_a_driver_that_does_not_know_the_secret(encrypts: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def impostor() -> None:
            with listener.accept()[0] as connection:
                connection.sendall(os.urandom(NONCE_BYTES))
                answer = connection.recv(ANSWER_BYTES, socket.MSG_WAITALL)
                connection.sendall(answer[-PROOF_BYTES:])  # the proof that it has just got

        Thread(target=impostor, daemon=True).start()
        with pytest.raises(ChannelError, match="does not know the job's secret"):
            connect(listener.getsockname(), Secret.random(encrypts=encrypts))


def test_a_recorded_connection_cannot_be_replayed(
    server: EpochServer, relayed: Callable[..., Relay], told: list[Tidings], joined: Join
) -> None:
    relay = relayed()
    link = joined(relay.endpoint)
    link.tell(Tidings(is_safe=True))
    wait_until(lambda: told, PATIENCE_S, "the message")
    with stranger(server) as connection:
        with suppress(OSError):
            connection.sendall(relay.seen["task"])
        assert hung_up(connection)
    assert len(told) == 1


@pytest.mark.parametrize("bit", [0, 7, 8, 9, 31, 39, 40, 41, 100, 1000, -1, -8])
def test_a_bit_that_is_flipped_ends_the_connection(
    server: EpochServer, relayed: Callable[..., Relay], told: list[Tidings], bit: int, joined: Join
) -> None:
    link: list[DriverLink] = []

    def change(sender: str, content: bytes) -> bytes:
        if sender == "driver" or not link:
            return content
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        return bytes(changed)

    relay = relayed(change)
    link.append(joined(relay.endpoint))
    link[0].tell(Tidings(rows=[("kind", 1, b"0" * 200)]))
    link[0].close()
    server.quiet(PATIENCE_S)
    assert told == []


@pytest.mark.parametrize("attack", ["repeated", "sent back", "forged", "huge", "left out"])
def test_frames_that_a_stranger_puts_in_are_refused(
    server: EpochServer,
    relayed: Callable[..., Relay],
    told: list[Tidings],
    failures: list[Exception],
    attack: str,
    joined: Join,
) -> None:
    relay = relayed()
    link = joined(relay.endpoint)
    before = len(relay.seen["task"])
    link.tell(Tidings())
    wait_until(lambda: len(told) == 1, PATIENCE_S, "the first message")
    first = relay.seen["task"][before:]
    code = len(first) - HEADER.size - HEADER.unpack(first[: HEADER.size])[1]
    content = pickle.dumps(Evil())
    if attack == "left out":
        relay.change = lambda _, __: b""
        link.tell(Tidings())
        wait_until(lambda: len(relay.seen["task"]) > before + len(first), PATIENCE_S, "the message that is left out")
        relay.change = lambda _, content: content
        link.tell(Tidings())
    else:
        frames = {
            "repeated": first,
            "sent back": relay.seen["driver"][NONCE_BYTES + PROOF_BYTES :],
            "forged": HEADER.pack(True, len(content)) + content + os.urandom(code),
            "huge": HEADER.pack(True, 2**32 - 1) + b"x" * 100,
        }
        relay.inject("driver", frames[attack])
    wait_until(lambda: _is_lost(link), PATIENCE_S, "the end of the connection")
    assert len(told) == 1
    assert failures == []
    assert not Evil.has_run


def _is_lost(link: DriverLink) -> bool:
    try:
        link.is_to_end()
    except Exception:  # noqa: BLE001 - it is lost
        return True
    return False


@final
class Evil:
    """Runs code where it is unpickled."""

    has_run = False

    def __reduce__(self) -> Any:
        return exec, ("from tests.unit.spark.test_task_channel import Evil; Evil.has_run = True",)


def test_strangers_delay_no_epoch_and_no_task(server: EpochServer, told: list[Tidings]) -> None:
    """1,000 connections that say nothing, some bytes, or nonsense: a few are kept, and a task gets in at once."""
    _, limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    count = min(1000, (limit - 200) // 2)
    with ExitStack() as stack:
        for number in range(count):
            connection = stack.enter_context(stranger(server))
            with suppress(OSError):
                connection.sendall((b"", b"x" * 10, os.urandom(64), b"GET / HTTP/1.1\r\n\r\n")[number % 4])
        start = time.monotonic()
        for _ in range(10):
            server.begin(1, lambda _: SHARE)
            link = DriverLink.to(server.endpoint)
            link.join(TaskJoin(server.begin(1, lambda _: SHARE), 0, "worker"))
            link.tell(Tidings())
            link.close()
            server.quiet(PATIENCE_S)
        assert time.monotonic() - start < 5
        assert len(told) == 10
        assert len(server._listener._unproven) <= 128


@pytest.mark.parametrize("encrypts", [False])
def test_a_silent_or_slow_stranger_is_hung_up_on_after_some_seconds(server: EpochServer) -> None:
    with stranger(server) as silent, stranger(server) as slow:
        start = time.monotonic()
        Thread(target=_drip, args=(slow,), daemon=True).start()
        assert hung_up(silent)
        assert hung_up(slow)
        assert 3 < time.monotonic() - start < 15


def _drip(connection: socket.socket) -> None:
    with suppress(OSError):
        while True:
            connection.sendall(b"x")
            time.sleep(0.3)


def test_a_task_whose_machine_has_gone_delays_one_epoch_only(server: EpochServer, joined: Join) -> None:
    link = joined(server.endpoint)
    for least, most in ((0.5, 5.0), (0.0, 0.4)):
        start = time.monotonic()
        server.quiet(0.5)
        time.sleep(0.05)
        assert least <= time.monotonic() - start <= most
    link.close()


def test_a_task_gives_up_when_the_driver_is_gone(server: EpochServer, joined: Join) -> None:
    link = joined(server.endpoint)
    server.close()
    wait_until(lambda: _is_lost(link), PATIENCE_S, "the end of the task")
    with pytest.raises(ConnectionRefusedError):
        connect(server.endpoint[:2], server.endpoint.secret)


def test_ports_are_tried_in_order() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, socket.create_server(("127.0.0.1", 0)) as free:
        ports = (taken.getsockname()[1], free.getsockname()[1])
        free.close()
        with closing(EpochServer(ListenerAddress(ports=ports), lambda _: None, lambda _: None)) as server:
            assert server.endpoint.port == ports[1]
        with pytest.raises(SetupError, match=r"kafkastream\.latency\.port"):
            EpochServer(ListenerAddress(ports=ports[:1]), lambda _: None, lambda _: None)


def test_an_option_sets_the_ports() -> None:
    settings = Configuration().set_string("execution.buffer-timeout.interval", "0")
    latency = job_settings(settings.set_string("kafkastream.latency.port", "50100-50102"), "job").latency
    assert latency is not None
    assert latency.ports == (50100, 50101, 50102)
