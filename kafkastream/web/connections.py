"""Limits on the connections of an HTTP server: their number, their duration, and which one is closed first."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final, final

import attrs
import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from kafkastream.web.asgi import Application, Message, Receive, Scope, Send, header_of, send_text

__all__ = ["Admission", "Connection", "Connections", "EarlyRefusal", "LimitedConfig", "Limits"]

log = logging.getLogger("kafkastream")
_SILENT_LOGGER: Final = logging.getLogger("kafkastream.web.uvicorn")
_SILENT_LOGGER.setLevel(logging.CRITICAL + 1)

_CONNECTION: Final = "kafkastream.connection"
_REFUSALS: Final = frozenset({400, 401, 403, 413})
"""Status codes of refused requests: 400 malformed, 401 without the token, 403 from another site or for another host, 413
with a large body."""
_BODY_BYTES: Final = 16_384
"""Maximum size of a request's body. No path reads one, but Flink's REST client sends ``{}`` with each request:
https://github.com/apache/flink/blob/release-2.2/flink-runtime/src/main/java/org/apache/flink/runtime/rest/RestClient.java."""


@final
@attrs.frozen(kw_only=True)
class Limits:
    """Limits on the connections of an HTTP server.

    Args:
        connections: Maximum number of open connections.
        request_s: Time in s from the start of a connection to the end of its first request's headers.
        answer_s: Time in s in which a client has to read a response.
        idle_s: Time in s from a response to the end of the next request's headers.
    """

    connections: int = 200
    request_s: float = 5.0
    answer_s: float = 30.0
    idle_s: float = 10.0


@final
@attrs.frozen
class EarlyRefusal:
    """Response to requests that are refused by their bytes alone, which takes half the time of parsing them.

    Args:
        texts: Byte strings, of which each permitted request contains at least one.
        answer: Complete response to a request without any of them.
    """

    texts: tuple[bytes, ...]
    answer: bytes

    def refuses(self, data: bytes) -> bool:
        """Return whether the data contains complete headers, and none of the texts."""
        return b"\r\n\r\n" in data and not any(text in data for text in self.texts)


@final
class Connections:
    """Open connections of a server; used by the server's thread only.

    A new connection above the limit closes the oldest connection that has not been admitted yet, or else the one whose
    last request is the oldest. So clients that never finish a request cannot keep out permitted ones.

    Args:
        limits: Limits on the connections.
        early_refusal: Answer to requests that are refused by their bytes alone; None if there are none.
    """

    def __init__(self, limits: Limits, early_refusal: EarlyRefusal | None = None) -> None:
        self.limits = limits
        self.early_refusal = early_refusal
        # Ordered by age: https://docs.python.org/3/library/stdtypes.html#dict
        self._unadmitted: dict[Connection, None] = {}
        self._admitted: dict[Connection, None] = {}

    def __iter__(self) -> Iterator[Connection]:
        return iter([*self._unadmitted, *self._admitted])

    def add(self, connection: Connection) -> None:
        """Add a new connection, and end another one if there are too many."""
        if len(self._unadmitted) + len(self._admitted) >= self.limits.connections:
            oldest = next(iter(self._unadmitted or self._admitted))
            oldest.abort()
        self._unadmitted[connection] = None

    def admit(self, connection: Connection) -> None:
        """Move a connection to the admitted ones: its request was not refused."""
        self.discard(connection)
        self._admitted[connection] = None

    def discard(self, connection: Connection) -> None:
        """Remove a connection that has ended."""
        self._unadmitted.pop(connection, None)
        self._admitted.pop(connection, None)


@final
class LimitedConfig(uvicorn.Config):
    """Settings of uvicorn with the connections of the server."""

    def __init__(self, app: Application, connections: Connections, **options: Any) -> None:
        super().__init__(app, http=Connection, ws="none", **options)
        self.connections = connections


@final
class Connection(H11Protocol):
    """Connection of a client, closed at a deadline, however many bytes the client sends meanwhile.

    uvicorn limits the time between two requests only: https://www.uvicorn.org/settings/#timeouts.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        # The application finds the connection of a request in the request's scope.
        super().__init__(config, server_state, {**app_state, _CONNECTION: self}, _loop)
        assert isinstance(config, LimitedConfig)
        self.logger = _SILENT_LOGGER  # uvicorn would log each malformed request
        self._connections = config.connections
        self._deadline: asyncio.TimerHandle | None = None
        self._is_new = True

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start the time for the first request."""
        super().connection_made(transport)  # type: ignore[arg-type]  # narrower than asyncio's own
        self._connections.add(self)
        self._end_after(self._connections.limits.request_s)

    def data_received(self, data: bytes) -> None:
        """Refuse the first request, or read on."""
        refusal = self._connections.early_refusal
        if self._is_new and refusal is not None and refusal.refuses(data):
            self.transport.write(refusal.answer)
            self.transport.close()
            return
        self._is_new = False
        super().data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._forget()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """Close the connection when the server stops, even if the client has not sent HTTP."""
        with suppress(h11.LocalProtocolError):
            super().shutdown()

    def abort(self) -> None:
        """End the connection at once."""
        self._forget()
        self.transport.abort()

    def begin_answer(self) -> None:
        """Start the time in which the client has to read the response."""
        self._end_after(self._connections.limits.answer_s)

    def end_answer(self, *, is_refusal: bool) -> None:
        """Start the time for the next request, and admit the connection unless its request was refused."""
        if not self.transport.is_closing() and not is_refusal:
            self._connections.admit(self)
        self._end_after(self._connections.limits.idle_s)

    def _end_after(self, seconds: float) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = asyncio.get_running_loop().call_later(seconds, self.abort)

    def _forget(self) -> None:
        self._connections.discard(self)
        if self._deadline is not None:
            self._deadline.cancel()


@final
class Admission:
    """ASGI middleware that sets the deadlines of connections, and closes the ones of refused clients.

    Args:
        app: Application behind it.
    """

    def __init__(self, app: Application) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request within the limits of its connection."""
        connection: Connection = scope["state"][_CONNECTION]
        status = 0

        async def send_within_limits(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                if status in _REFUSALS:
                    message["headers"] = [*message["headers"], (b"connection", b"close")]
            await send(message)

        connection.begin_answer()
        try:
            await self._answer(scope, receive, send_within_limits)
        except Exception as error:
            log.warning("%s was not answered: %s: %.500s", scope["path"][:200], type(error).__name__, error)
            log.debug("its error", exc_info=True)
            if not status:
                await send_text(send_within_limits, 500, "The answer failed; the log has the reason.\n")
        finally:
            connection.end_answer(is_refusal=status in _REFUSALS)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        length = header_of(scope, b"content-length") or "0"
        if header_of(scope, b"transfer-encoding") is not None or len(length) > 9 or int(length) > _BODY_BYTES:
            await send_text(send, 413, f"A request has at most {_BODY_BYTES:,} bytes, and says how many.\n")
        else:
            await self._app(scope, receive, send)
