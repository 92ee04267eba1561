"""Types of ASGI applications, and plain responses without a framework: https://asgi.readthedocs.io/en/latest/specs/www.html."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

__all__ = ["Application", "Message", "Receive", "Scope", "Send", "header_of", "send_text"]

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]


async def send_text(send: Send, status: int, text: str) -> None:
    """Answer a request with a line of text."""
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"x-content-type-options", b"nosniff")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text.encode(errors="replace")})


def header_of(scope: Scope, name: bytes) -> str | None:
    """Return the value of a request's header, or None."""
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), None)
