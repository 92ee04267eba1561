"""Requests that name this machine in their Host header."""

from __future__ import annotations

import ipaddress
from typing import final

from kafkastream.web.asgi import Application, Receive, Scope, Send, header_of, send_text

__all__ = ["LocalHostOnly", "is_local_host", "is_loopback"]


def is_loopback(address: str) -> bool:
    """Return whether an address is reachable only from this machine.

    Example:
        >>> is_loopback("localhost"), is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0")
        (True, True, True, False)
    """
    if address == "localhost":
        return True
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def is_local_host(host: str) -> bool:
    """Return whether a Host header names this machine.

    Example:
        >>> is_local_host("localhost:8081"), is_local_host("[::1]:8081"), is_local_host("evil.example:8081")
        (True, True, False)
    """
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
    return is_loopback(name.strip("[]").lower())


@final
class LocalHostOnly:
    """ASGI middleware for a server on a loopback address: refuses requests whose Host header names another host.

    Otherwise any web site could read the responses through a host name that resolves to 127.0.0.1 (DNS rebinding).

    Args:
        app: Application behind it.
    """

    def __init__(self, app: Application) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        host = header_of(scope, b"host") or ""
        if is_local_host(host):
            await self._app(scope, receive, send)
        else:
            await send_text(send, 403, f"Host {host!r} is not this machine; use localhost.\n")
