"""Server of the job page, in a thread of the driver."""

from __future__ import annotations

import logging
import secrets
import socket
import threading
from typing import Final, final

import uvicorn

from kafkastream.errors import SetupError
from kafkastream.model.job.page_settings import PageSettings
from kafkastream.options.rest import REST_BIND_PORT
from kafkastream.page.guard import TOKEN_PARAMETER
from kafkastream.page.routes import application
from kafkastream.page.shown_jobs import ShownJobs

__all__ = ["PageServer", "served"]

log = logging.getLogger("kafkastream")

_EVERYWHERE: Final = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 - compared with what the user has set
_PATIENCE_S: Final = 5.0


@final
class PageServer:
    """Job page of this process, which listens until the process ends or it is stopped.

    Args:
        settings: Where it listens, and who may read it.

    Raises:
        SetupError: No port is free, or the address is none of this machine.
    """

    def __init__(self, settings: PageSettings) -> None:
        self.jobs = ShownJobs()
        self._settings = settings
        self._token = (settings.token or secrets.token_urlsafe(24)) if settings.needs_token else None
        self._socket = _bound(settings)
        self.port = int(self._socket.getsockname()[1])
        # No header tells a proxy's client, since the page trusts none, and no log of requests has tokens.
        config = uvicorn.Config(
            application(self.jobs, self._token),
            log_config=None,
            log_level="warning",
            access_log=False,
            lifespan="off",
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, name="kafkastream-page", daemon=True
        )
        self._thread.start()

    @property
    def address(self) -> str:
        """Address of the page for readers, with the token if it was made up."""
        token = "" if self._token is None or self._settings.token else f"?{TOKEN_PARAMETER}={self._token}"
        return f"http://{_host(self._settings)}:{self.port}/{token}"

    @property
    def is_alive(self) -> bool:
        """True while the page is served."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """Stop listening, and free the port."""
        self._server.should_exit = True
        self._thread.join(_PATIENCE_S)
        self._socket.close()


_SERVERS: Final[dict[PageSettings, PageServer]] = {}
_LOCK: Final = threading.Lock()


def served(settings: PageSettings) -> PageServer:
    """Return the page with these settings, which all jobs of this process share that have them.

    Raises:
        SetupError: No port is free, or the address is none of this machine.
    """
    with _LOCK:
        server = _SERVERS.get(settings)
        if server is None or not server.is_alive:
            server = _SERVERS[settings] = PageServer(settings)
        return server


def _bound(settings: PageSettings) -> socket.socket:
    """Return a socket that listens on the first free port."""
    try:
        family, _, _, _, address = socket.getaddrinfo(
            settings.bind_address or None, None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        raise _no_address(settings, error) from None
    for port in settings.ports:
        try:
            return socket.create_server((str(address[0]), port), family=family)
        except OSError as error:
            if not _is_in_use(error):
                raise _no_address(settings, error) from None
            log.debug("port %d is not free: %s", port, error)
    first, last = settings.ports[0], settings.ports[-1]
    raise SetupError(
        "the job page found no free port to listen on",
        where=f"port {first}" if first == last else f"ports {first} to {last}",
        now=f"Set {REST_BIND_PORT.key} to a range such as 8081-8099, or to 0 for any free port.",
    )


def _is_in_use(error: OSError) -> bool:
    import errno

    return error.errno in {errno.EADDRINUSE, errno.EACCES}


def _no_address(settings: PageSettings, error: OSError) -> SetupError:
    return SetupError(
        f"the job page cannot listen at {settings.bind_address!r}: {error.strerror}",
        where="rest.bind-address",
        now="Use localhost, 0.0.0.0, or an address of this machine.",
    )


def _host(settings: PageSettings) -> str:
    if settings.address is not None:
        return settings.address
    if settings.bind_address in _EVERYWHERE:
        return socket.gethostname()
    return f"[{settings.bind_address}]" if ":" in settings.bind_address else settings.bind_address
