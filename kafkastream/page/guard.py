"""Guard of the job page: who may read it, by Host header and token, and the headers of each answer."""

from __future__ import annotations

import hmac
import ipaddress
from http.cookies import CookieError, SimpleCookie
from typing import Final, final
from urllib.parse import parse_qs, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["COOKIE", "TOKEN_PARAMETER", "Guard"]

COOKIE: Final = "kafkastream-page"
TOKEN_PARAMETER: Final = "token"  # noqa: S105 - its name
_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@final
class Guard:
    """ASGI middleware that lets only those read who may.

    Without a token, the page is for this machine: a request must name it in its Host header, or any site could read the
    page through a name that it lets point to 127.0.0.1 (DNS rebinding). With a token, a request must have it: as a bearer,
    in the cookie, or once in the address, which is then exchanged for the cookie.

    Args:
        app: Application behind it.
        token: Token that readers must have; None if the page is for this machine.
    """

    def __init__(self, app: ASGIApp, token: str | None) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] != "http":
            return
        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, receive, _with_headers(send))
        else:
            await refusal(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not _is_from_here(headers.get("origin"), host):
            return _error(403, "The request comes from another site.")
        if self._token is None:
            return None if _is_this_machine(host) else _error(403, f"Host {host!r} is not this machine; use localhost.")
        if self._knows(_bearer(headers)) or self._knows(_cookie(headers)):
            return None
        query = parse_qs(scope["query_string"].decode("latin-1"))
        if self._knows(next(iter(query.pop(TOKEN_PARAMETER, [])), None)):
            return self._welcome(scope["path"], query)
        return _error(401, "This page needs a token: open the address that the job has printed.")

    def _welcome(self, path: str, query: dict[str, list[str]]) -> Response:
        """Exchange the token in an address for a cookie."""
        assert self._token is not None
        # A path with two slashes would lead to another host.
        to = "/" + path.lstrip("/") + (f"?{urlencode(query, doseq=True)}" if query else "")
        answer = RedirectResponse(to, status_code=303)
        answer.set_cookie(COOKIE, self._token, httponly=True, samesite="strict")
        return answer

    def _knows(self, given: str | None) -> bool:
        return given is not None and hmac.compare_digest(given.encode(), (self._token or "").encode())


def _is_this_machine(host: str) -> bool:
    """Return whether a Host header names this machine.

    Example:
        >>> _is_this_machine("localhost:8081"), _is_this_machine("[::1]:8081"), _is_this_machine("evil.example:8081")
        (True, True, False)
    """
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return False


def _is_from_here(origin: str | None, host: str) -> bool:
    """Return whether a browser's request comes from this page, as far as the ``Origin`` header says."""
    return origin is None or origin.partition("://")[2] == host


def _bearer(headers: Headers) -> str | None:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def _cookie(headers: Headers) -> str | None:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return None
    return None if found is None else found.value


def _error(status: int, text: str) -> Response:
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
    return JSONResponse({"errors": [text]}, status_code=status, headers=headers)


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers
