"""Settings of the job page: where it listens, and who may read it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeVar, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.extras import UI, UI_SERVER
from kafkastream.options import rest as options
from kafkastream.options.option import Option
from kafkastream.web.local_host import is_loopback

__all__ = ["PageSettings", "page_settings_of"]

T = TypeVar("T")
_SHORTEST_TOKEN: Final = 8


@final
@attrs.frozen(kw_only=True)
class PageSettings:
    """Settings of the job page of one or more jobs.

    Args:
        ports: Ports to try, in this order; 0 is any free one.
        bind_address: Address to listen at.
        address: Host name for readers; None for that of the bind address.
        token: Token that readers must have; None for a random one, if one is needed.
    """

    ports: tuple[int, ...]
    bind_address: str = options.REST_BIND_ADDRESS.default
    address: str | None = None
    token: str | None = attrs.field(default=None, repr=lambda token: "None" if token is None else "'***'")

    def __attrs_post_init__(self) -> None:
        if self.token is not None and len(self.token) < _SHORTEST_TOKEN:
            raise DefinitionError(
                f"a token of {len(self.token)} characters is guessed easily",
                where=options.REST_TOKEN.key,
                now=f"Use at least {_SHORTEST_TOKEN}; python -c 'import secrets; print(secrets.token_urlsafe())' makes one.",
            )

    @property
    def is_local(self) -> bool:
        """True if only programs of this machine reach the page.

        Example:
            >>> PageSettings(ports=(0,)).is_local, PageSettings(ports=(0,), bind_address="0.0.0.0").is_local
            (True, False)
        """
        return is_loopback(self.bind_address)

    @property
    def needs_token(self) -> bool:
        """True if readers must have a token."""
        return self.token is not None or not self.is_local


def page_settings_of(configured: Mapping[str, str]) -> PageSettings | None:
    """Return the settings of the configured job page; None if none is configured.

    Raises:
        DefinitionError: A value is invalid.
        SetupError: The packages of the page are not installed.

    Example:
        >>> page_settings_of({"rest.port": "8081", "kafkastream.rest.token": "only-for-you"})
        PageSettings(ports=(8081,), bind_address='localhost', address=None, token='***')
        >>> page_settings_of({})
    """
    ports = _read(configured, options.REST_BIND_PORT) or _read(configured, options.REST_PORT)
    if ports is None:
        return None
    for extra in (UI, UI_SERVER):
        extra.check()  # importing them takes longer than a test of the job on the test driver
    return PageSettings(
        ports=ports,
        bind_address=_read(configured, options.REST_BIND_ADDRESS),
        address=_read(configured, options.REST_ADDRESS),
        token=_read(configured, options.REST_TOKEN),
    )


def _read(configured: Mapping[str, str], option: Option[T]) -> T:
    return option.read(configured[option.key]) if option.key in configured else option.default
