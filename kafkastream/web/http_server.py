"""HTTP server in a thread of the driver, with limits on its connections."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import threading
from collections.abc import Sequence
from typing import Any, Final, final

import uvicorn

from kafkastream.errors import SetupError
from kafkastream.web.asgi import Application
from kafkastream.web.connections import Admission, Connections, EarlyRefusal, LimitedConfig, Limits

__all__ = ["HttpServer", "bound_socket"]

log = logging.getLogger("kafkastream")

_ACCEPTED_AT_ONCE: Final = 16
"""Connections that asyncio accepts before it reads from one of them; each takes a file descriptor:
https://github.com/python/cpython/blob/3.13/Lib/asyncio/selector_events.py, ``_accept_connection``."""
_QUEUE_LENGTH: Final = 1024
"""Connections that the kernel queues, without a file descriptor, until the server accepts them."""
_STOP_TIMEOUT_S: Final = 5.0


@final
class HttpServer:
    """HTTP server that listens until the process ends or it is stopped.

    Args:
        app: ASGI application that answers.
        listener: Socket on which it listens; closed with the server.
        name: Name of the thread.
        limits: Limits on the connections.
        early_refusal: Answer to requests that are refused by their bytes alone; None if there are none.
    """

    def __init__(
        self,
        app: Application,
        listener: socket.socket,
        name: str,
        limits: Limits | None = None,
        early_refusal: EarlyRefusal | None = None,
    ) -> None:
        self._socket = listener
        self.port = int(listener.getsockname()[1])
        # proxy headers are ignored, since nothing here trusts a proxy; requests are not logged, since they contain tokens
        config = LimitedConfig(
            Admission(app),
            Connections(limits or Limits(), early_refusal),
            backlog=_ACCEPTED_AT_ONCE,
            log_config=None,
            log_level="warning",
            access_log=False,
            lifespan="off",
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        self._server = _Server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [listener]}, name=name, daemon=True)
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        """True while the server answers."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """Stop listening, and free the port."""
        self._server.should_exit = True
        self._thread.join(_STOP_TIMEOUT_S)
        self._socket.close()


@final
class _Server(uvicorn.Server):
    """Server that logs clients' errors at DEBUG: clients cannot make it write to standard error."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start listening. The kernel's queue is longer than asyncio's backlog, so that no connection is refused."""
        asyncio.get_running_loop().set_exception_handler(_log_loop_error)
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(_QUEUE_LENGTH)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening, and close all connections, even if a client does not read its response."""
        assert isinstance(self.config, LimitedConfig)
        for connection in self.config.connections:
            connection.abort()
        await super().shutdown(sockets)


def _log_loop_error(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log an error of the event loop, such as a client's broken connection; asyncio itself would log it with a traceback."""
    log.debug("HTTP server: %s", context.get("message"), exc_info=context.get("exception"))


def bound_socket(address: str, ports: Sequence[int], subject: str, address_key: str, port_key: str) -> socket.socket:
    """Return a socket that listens on the first free port.

    Args:
        address: Address of this machine; empty for all addresses.
        ports: Ports to try, in this order; 0 is any free one.
        subject: What listens; the subject of the error's sentence.
        address_key: Option of the address, for errors.
        port_key: Option of the ports, for errors.

    Raises:
        SetupError: No port is free, or the address is none of this machine.
    """
    try:
        family, _, _, _, resolved = socket.getaddrinfo(
            address or None, None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        raise _address_error(address, subject, address_key, error) from None
    for port in ports:
        try:
            return socket.create_server((str(resolved[0]), port), family=family)
        except OSError as error:
            if error.errno not in {errno.EADDRINUSE, errno.EACCES}:
                raise _address_error(address, subject, address_key, error) from None
            log.debug("port %d is not free: %s", port, error)
    first, last = ports[0], ports[-1]
    raise SetupError(
        f"{subject} found no free port to listen on",
        where=f"port {first}" if first == last else f"ports {first} to {last}",
        now=f"Set {port_key} to a range such as {first}-{first + 20}, or to 0 for any free port.",
    )


def _address_error(address: str, subject: str, key: str, error: OSError) -> SetupError:
    return SetupError(
        f"{subject} cannot listen at {address!r}: {error.strerror}",
        where=key,
        now="Use localhost, 0.0.0.0, or an address of this machine.",
    )
