"""Access to the job page, checked by Host header and token, and the headers of each response."""

from __future__ import annotations

import hmac
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from typing import Final, final
from urllib.parse import parse_qs, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse, Response

from kafkastream.page.json_response import JsonResponse
from kafkastream.web.asgi import Application, Message, Receive, Scope, Send
from kafkastream.web.connections import EarlyRefusal
from kafkastream.web.local_host import is_local_host

__all__ = ["TOKEN_PARAMETER", "Guard"]

TOKEN_PARAMETER: Final = "token"  # noqa: S105 - its name
_NO_ACCESS: Final = "This page needs a token: open the address that the job has printed."
_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@final
class Guard:
    """ASGI middleware that refuses requests without permission to read or cancel jobs.

    Without a token, only this machine may read the page: the Host header must name it. Otherwise any web site could read
    the page through a host name that resolves to 127.0.0.1 (DNS rebinding). With a token, a request must present it: as
    a bearer token, in the cookie, or once in the address, for which the response sets the cookie.

    Browsers send a cookie to every port of a host, so its name contains the port, and its value is not the token itself.

    Args:
        app: Application behind it.
        token: Token that readers must have; None if the page is for this machine.
        port: Port of the page.
    """

    def __init__(self, app: Application, token: str | None, port: int) -> None:
        self._app = app
        self._token = token
        self._cookie = f"kafkastream-page-{port}"
        self._cookie_value = hmac.digest((token or "").encode(), self._cookie.encode(), sha256).hex()

    @property
    def early_refusal(self) -> EarlyRefusal | None:
        """Response to requests that contain the token nowhere; None if no token is needed."""
        if self._token is None:
            return None
        response = _error_response(401, _NO_ACCESS)
        headers = {**_HEADERS, "Connection": "close", **response.headers}
        lines = ["HTTP/1.1 401 Unauthorized", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
        return EarlyRefusal(
            (self._token.encode(), self._cookie_value.encode(), f"{TOKEN_PARAMETER}=".encode()),
            "\r\n".join(lines).encode() + bytes(response.body),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, receive, _with_headers(send))
        else:
            await refusal(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not _is_same_site(headers, host):
            return _error_response(403, "The request comes from another site.")
        if self._token is None:
            return (
                None
                if is_local_host(host)
                else _error_response(403, f"Host {host!r} is not this machine; use localhost.")
            )
        if _is_same(_bearer_token(headers), self._token) or _is_same(self._cookie_of(headers), self._cookie_value):
            return None
        query = parse_qs(scope["query_string"].decode("latin-1"))
        if _is_same(next(iter(query.pop(TOKEN_PARAMETER, [])), None), self._token):
            return self._exchange_token(scope["path"], query)
        return _error_response(401, _NO_ACCESS)

    def _exchange_token(self, path: str, query: dict[str, list[str]]) -> Response:
        """Exchange the token in an address for a cookie, so that it does not stay in the browser's address line."""
        # a browser reads a path with two slashes at its start as another host
        location = "/" + path.lstrip("/") + (f"?{urlencode(query, doseq=True)}" if query else "")
        response = RedirectResponse(location, status_code=303)
        response.set_cookie(self._cookie, self._cookie_value, path="/", httponly=True, samesite="strict")
        return response

    def _cookie_of(self, headers: Headers) -> str | None:
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        except CookieError:
            return None
        return None if cookie is None else cookie.value


def _is_same(secret: str | None, expected: str) -> bool:
    """Compare secrets in constant time."""
    return secret is not None and hmac.compare_digest(secret.encode(), expected.encode())


def _is_same_site(headers: Headers, host: str) -> bool:
    """Return whether a browser's request comes from this page, or opens it.

    Browsers send ``Origin`` with requests that change something, and ``Sec-Fetch-Site`` with all:
    https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Site.
    """
    origin = headers.get("origin")
    if origin is not None:
        return origin.partition("://")[2] == host != ""
    opens_page = headers.get("sec-fetch-mode") == "navigate"
    return opens_page or headers.get("sec-fetch-site", "none") in {"none", "same-origin"}


def _bearer_token(headers: Headers) -> str | None:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def _error_response(status: int, text: str) -> Response:
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
    return JsonResponse({"errors": [text]}, status_code=status, headers=headers)


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers
