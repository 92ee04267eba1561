"""Options of the job page and its REST interface, under Flink's keys."""

from __future__ import annotations

from typing import Any, Final

from kafkastream.options.option import Option
from kafkastream.options.parsers import port_list, text

__all__ = [
    "DEFAULT_PORTS",
    "REST_ADDRESS",
    "REST_BIND_ADDRESS",
    "REST_BIND_PORT",
    "REST_OPTIONS",
    "REST_PORT",
    "REST_TOKEN",
]

DEFAULT_PORTS: Final = "8081-8181"
"""Ports of ``kafkastream run --ui``: Flink's, and those after it for further programs on the machine."""

REST_PORT: Final = Option[tuple[int, ...] | None](
    key="rest.port",
    parse=port_list,
    default=None,
    doc="Port of the job page; `0` for any free port. Without it and `rest.bind-port`, there is no page.",
)
REST_BIND_PORT: Final = Option[tuple[int, ...] | None](
    key="rest.bind-port",
    parse=port_list,
    default=None,
    doc="Ports to try for the job page instead of `rest.port`: `8081`, `8081-8099`, or several separated by `,`.",
)
REST_BIND_ADDRESS: Final = Option[str](
    key="rest.bind-address",
    parse=text,
    default="localhost",
    doc="Address at which the job page listens, such as `0.0.0.0` for all; any but this machine's own needs the token.",
)
REST_ADDRESS: Final = Option[str | None](
    key="rest.address",
    parse=text,
    default=None,
    doc="Host name in the printed address of the job page; by default, that of `rest.bind-address`, or of this machine.",
)
REST_TOKEN: Final = Option[str | None](
    key="kafkastream.rest.token",
    parse=text,
    default=None,
    doc="Token that readers of the job page must have. By default none on `localhost`, and elsewhere a random one, which "
    "is part of the printed address.",
)

REST_OPTIONS: Final[tuple[Option[Any], ...]] = (
    REST_PORT,
    REST_BIND_PORT,
    REST_BIND_ADDRESS,
    REST_ADDRESS,
    REST_TOKEN,
)
