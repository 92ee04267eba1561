"""Listens on the driver for its tasks, and gives strangers little time, few descriptors and no thread."""

from __future__ import annotations

import hmac
import os
import selectors
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Thread
from typing import Final, final

import attrs

from kafkastream.errors import SetupError
from kafkastream.spark.exchange.channel import NONCE_BYTES, PROOF_BYTES, Channel, Secret

__all__ = ["TaskListener"]

_ANSWER_BYTES: Final = NONCE_BYTES + PROOF_BYTES
_ANSWER_S: Final = 5.0
"""Time in which a connection must prove that it knows the secret."""
_MAX_UNPROVEN: Final = 128
"""Connections that have not proved it yet; the one that has waited longest makes room. A task answers within a round trip."""
_BACKLOG: Final = 1024
_EXHAUSTED_S: Final = 0.05
"""Pause after an accept that failed, for example since the process has no descriptors left."""


@final
@attrs.define(eq=False)
class _Unproven:
    """A connection whose other side has not proved yet that it knows the secret."""

    connection: socket.socket
    nonce: bytes
    expires_at: float
    answer: bytes = b""


@final
class TaskListener:
    """Accepts connections, in one thread, and hands out those of tasks.

    Args:
        address: Address to listen on.
        ports: Ports to try, in order; 0 lets the system choose.
        secret: Secret that tasks know.
        accepted: Called with the channel of each task; must not block.

    Raises:
        SetupError: None of the ports is free, or the address is not one of this machine.
    """

    def __init__(self, address: str, ports: Sequence[int], secret: Secret, accepted: Callable[[Channel], None]) -> None:
        self._socket = _listening(address, ports)
        self._socket.setblocking(False)
        self.port: int = self._socket.getsockname()[1]
        self._secret = secret
        self._accepted = accepted
        self._unproven: dict[socket.socket, _Unproven] = {}  # in the order in which they came, so the oldest is first
        self._selector = selectors.DefaultSelector()
        self._waker, woken = socket.socketpair()
        self._woken = woken
        self._selector.register(self._socket, selectors.EVENT_READ)
        self._selector.register(woken, selectors.EVENT_READ)
        self._thread = Thread(target=self._run, name="kafkastream-task-listener", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop listening, and close the connections that have proved nothing."""
        self._waker.close()  # which makes the other end readable
        self._thread.join()

    def _run(self) -> None:
        try:
            while True:
                ready = [key.fileobj for key, _ in self._selector.select(self._next_expiry_s())]
                if self._woken in ready:
                    return
                for connection in ready:
                    if connection is self._socket:
                        self._accept()
                    elif connection in self._unproven:  # it may have made room just now
                        self._read_answer(self._unproven[connection])
                self._drop_expired()
        finally:
            for unproven in list(self._unproven.values()):
                self._drop(unproven)
            self._selector.close()
            self._socket.close()
            self._woken.close()

    def _next_expiry_s(self) -> float | None:
        oldest = next(iter(self._unproven.values()), None)
        return None if oldest is None else max(oldest.expires_at - time.monotonic(), 0)

    def _accept(self) -> None:
        try:
            connection, _ = self._socket.accept()
        except BlockingIOError:
            return  # the other side has given up already
        except OSError:
            time.sleep(_EXHAUSTED_S)
            return
        if len(self._unproven) >= _MAX_UNPROVEN:
            self._drop(next(iter(self._unproven.values())))
        unproven = _Unproven(connection, os.urandom(NONCE_BYTES), time.monotonic() + _ANSWER_S)
        self._unproven[connection] = unproven
        self._selector.register(connection, selectors.EVENT_READ)
        try:
            connection.setblocking(False)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.sendall(unproven.nonce)  # fits into the socket's empty buffer
        except OSError:
            self._drop(unproven)

    def _read_answer(self, unproven: _Unproven) -> None:
        try:
            part = unproven.connection.recv(_ANSWER_BYTES - len(unproven.answer))
        except BlockingIOError:
            return
        except OSError:
            part = b""
        unproven.answer += part
        if not part:
            self._drop(unproven)
        elif len(unproven.answer) == _ANSWER_BYTES:
            self._check_answer(unproven)

    def _check_answer(self, unproven: _Unproven) -> None:
        nonces = unproven.nonce + unproven.answer[:NONCE_BYTES]
        if not hmac.compare_digest(unproven.answer[NONCE_BYTES:], self._secret.proof("task", nonces)):
            self._drop(unproven)
            return
        try:
            unproven.connection.sendall(self._secret.proof("driver", nonces))
        except OSError:
            self._drop(unproven)
            return
        self._forget(unproven)
        self._accepted(self._secret.channel(unproven.connection, "driver", nonces))

    def _drop_expired(self) -> None:
        now = time.monotonic()
        for unproven in [one for one in self._unproven.values() if one.expires_at <= now]:
            self._drop(unproven)

    def _drop(self, unproven: _Unproven) -> None:
        self._forget(unproven)
        with suppress(OSError):
            unproven.connection.close()

    def _forget(self, unproven: _Unproven) -> None:
        del self._unproven[unproven.connection]
        self._selector.unregister(unproven.connection)


def _listening(address: str, ports: Sequence[int]) -> socket.socket:
    """Return a socket that listens on the first free port."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    for port in ports:
        try:
            return socket.create_server((address, port), family=family, backlog=_BACKLOG)
        except OSError as error:
            reason = error
    raise SetupError(
        f"the driver cannot listen for its tasks on {address}, port {' to '.join(map(str, {ports[0], ports[-1]}))}: {reason}",
        now="Set kafkastream.latency.port to the first of some free ports, or to 0; spark.driver.bindAddress sets the address.",
    ) from None
