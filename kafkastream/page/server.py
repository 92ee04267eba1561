"""Server of the job page, in a thread of the driver."""

from __future__ import annotations

import secrets
import socket
import threading
from typing import Final, final

from kafkastream.model.job.page_settings import PageSettings
from kafkastream.options.rest import REST_BIND_ADDRESS, REST_BIND_PORT
from kafkastream.page.guard import TOKEN_PARAMETER
from kafkastream.page.routes import application
from kafkastream.page.shown_jobs import ShownJobs
from kafkastream.web.connections import Limits
from kafkastream.web.http_server import HttpServer, bound_socket

__all__ = ["PageServer", "shared_page_server"]

_ALL_ADDRESSES: Final = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 - compared with what the user has set


@final
class PageServer:
    """Job page of this process; listens until it is stopped or the process ends.

    Args:
        settings: Where it listens, and who may read it.
        limits: Limits on the connections.

    Raises:
        SetupError: No port is free, or the address is none of this machine.
    """

    def __init__(self, settings: PageSettings, limits: Limits | None = None) -> None:
        self.jobs = ShownJobs()
        self._settings = settings
        self._token = (settings.token or secrets.token_urlsafe(24)) if settings.needs_token else None
        listener = bound_socket(
            settings.bind_address, settings.ports, "the job page", REST_BIND_ADDRESS.key, REST_BIND_PORT.key
        )
        self.port = int(listener.getsockname()[1])
        app = application(self.jobs, self._token, self.port)
        self._server = HttpServer(app, listener, "kafkastream-page", limits, app.early_refusal)

    @property
    def address(self) -> str:
        """Address of the page, with the token if it was generated."""
        token = "" if self._token is None or self._settings.token else f"?{TOKEN_PARAMETER}={self._token}"
        return f"http://{_host_text(self._settings)}:{self.port}/{token}"

    @property
    def is_alive(self) -> bool:
        """True while the page is served."""
        return self._server.is_alive

    def stop(self) -> None:
        """Stop listening, and free the port."""
        self._server.stop()


_SERVERS: Final[dict[PageSettings, PageServer]] = {}
_LOCK: Final = threading.Lock()


def shared_page_server(settings: PageSettings) -> PageServer:
    """Return the page server for these settings, which jobs of this process with equal settings share.

    Raises:
        SetupError: No port is free, or the address is none of this machine.
    """
    with _LOCK:
        server = _SERVERS.get(settings)
        if server is None or not server.is_alive:
            server = _SERVERS[settings] = PageServer(settings)
        return server


def _host_text(settings: PageSettings) -> str:
    if settings.address is not None:
        return settings.address
    if settings.bind_address in _ALL_ADDRESSES:
        return socket.gethostname()
    return f"[{settings.bind_address}]" if ":" in settings.bind_address else settings.bind_address
