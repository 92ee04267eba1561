"""Options of the connector ``jdbc``; the sink ``postgres`` of pipelines shares those with the same meaning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import attrs

from kafkastream.options.option import Option, OptionFamily
from kafkastream.options.parsers import boolean, choice, integer, millis_of_duration, positive, text
from kafkastream.sql.connectors.kafka_options import BUFFER_FLUSH_INTERVAL, BUFFER_FLUSH_MAX_ROWS

__all__ = [
    "DRIVER",
    "FLUSH_INTERVAL",
    "FLUSH_MAX_ROWS",
    "MAX_RETRIES",
    "MAX_RETRY_TIMEOUT",
    "PASSWORD",
    "PROPERTIES",
    "READING",
    "TABLE_NAME",
    "TOGETHER",
    "URL",
    "USERNAME",
]

_NOT_READ: Final = "No effect: `jdbc` tables cannot be read."

URL: Final = Option[str | None](
    key="url",
    parse=text,
    default=None,
    doc="URL of the database: `jdbc:postgresql://host:port/database`. Other databases are refused.",
)
TABLE_NAME: Final = Option[str | None](
    key="table-name",
    parse=text,
    default=None,
    doc='Name of the table, which must exist: `orders`, `shop.orders`, or with capitals `"Orders"`.',
)
USERNAME: Final = Option[str | None](
    key="username",
    parse=text,
    default=None,
    doc="Name of the user; by default, `PGUSER`, or the user of the operating system.",
)
PASSWORD: Final = Option[str | None](key="password", parse=text, default=None, doc="Password of the user.")
PROPERTIES: Final = OptionFamily(
    prefix="properties.",
    doc="Properties of the Java driver. Refused: append parameters of the connection to the URL, `?sslmode=require`.",
)
DRIVER: Final = Option[str | None](
    key="driver", parse=text, default=None, doc="Class of the Java driver. No effect: psycopg connects, not Java."
)
MAX_RETRY_TIMEOUT: Final = Option[int](
    key="connection.max-retry-timeout",
    parse=millis_of_duration,
    default=60_000,
    doc="Time to wait for a database that does not answer; at least 1 s.",
)
MAX_RETRIES: Final = Option[int](
    key="sink.max-retries",
    parse=integer,
    default=3,
    doc="Number of retries of a transaction after a deadlock or a lost connection, before the job fails.",
)
FLUSH_MAX_ROWS: Final = attrs.evolve(
    BUFFER_FLUSH_MAX_ROWS,
    default=100,
    doc=("Number of changes that Flink buffers. No effect: the changes of a micro-batch are written together."),
)
FLUSH_INTERVAL: Final = attrs.evolve(
    BUFFER_FLUSH_INTERVAL,
    default=1000,
    doc=("Time for which Flink buffers changes. No effect: changes become visible when their micro-batch ends."),
)


def _reading(key: str, parse: Callable[[str], Any], default: Any = None) -> Option[Any]:
    return Option(key=key, parse=parse, default=default, doc=_NOT_READ)


READING: Final = (
    _reading("scan.partition.column", text),
    _reading("scan.partition.num", positive),
    _reading("scan.partition.lower-bound", integer),
    _reading("scan.partition.upper-bound", integer),
    _reading("scan.fetch-size", integer, 0),
    _reading("scan.auto-commit", boolean, True),
    _reading("filter.handling.policy", choice("always", "never"), "always"),
    _reading("lookup.cache", choice("NONE", "PARTIAL"), "NONE"),
    _reading("lookup.max-retries", integer, 3),
    _reading("lookup.partial-cache.max-rows", positive),
    _reading("lookup.partial-cache.expire-after-access", millis_of_duration),
    _reading("lookup.partial-cache.expire-after-write", millis_of_duration),
    _reading("lookup.partial-cache.caching-missing-key", boolean, True),
    _reading("lookup.cache.max-rows", integer),
    _reading("lookup.cache.ttl", millis_of_duration),
    _reading("lookup.cache.caching-missing-key", boolean, True),
)
"""Options for reading, which a table may have although it can only be written here."""

TOGETHER: Final = (
    (USERNAME.key, PASSWORD.key),
    tuple(option.key for option in READING[:4]),
    ("lookup.cache.max-rows", "lookup.cache.ttl"),
)
"""Keys of options that must be given together."""
