"""Options of tables before Flink 1.11, and their names today."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kafkastream.sql.connectors import jdbc_options, kafka_options
from kafkastream.sql.connectors.common_options import CONNECTOR
from kafkastream.sql.table_options import TableOptions

__all__ = ["check_legacy"]

_TODAY: Final[Mapping[str, str]] = {
    "connector.type": CONNECTOR.key,
    "connector.topic": kafka_options.TOPIC.key,
    "connector.startup-mode": kafka_options.STARTUP_MODE.key,
    "connector.specific-offsets": kafka_options.STARTUP_OFFSETS.key,
    "connector.startup-timestamp-millis": kafka_options.STARTUP_TIMESTAMP.key,
    "connector.sink-partitioner": kafka_options.PARTITIONER.key,
    "connector.url": jdbc_options.URL.key,
    "connector.table": jdbc_options.TABLE_NAME.key,
    "connector.driver": jdbc_options.DRIVER.key,
    "connector.username": jdbc_options.USERNAME.key,
    "connector.password": jdbc_options.PASSWORD.key,
    "connector.write.max-retries": jdbc_options.MAX_RETRIES.key,
    "format.type": kafka_options.FORMAT.key,
}
_PREFIXES: Final[Mapping[str, str]] = {"connector.properties.": kafka_options.PROPERTIES.prefix, "format.": "<format>."}
_GONE: Final = ("connector.", "schema.")
_UPDATE_MODE: Final = "update-mode"


def check_legacy(options: TableOptions) -> None:
    """Refuse a table with old options, and name today's ones.

    Raises:
        DefinitionError: It has options such as ``connector.type``.
    """
    old = {key: today for key in options.values if (today := _today(key)) is not None}
    if old:
        raise options.refusal(
            f"Options of tables before Flink 1.11: {', '.join(sorted(old))}",
            next(iter(sorted(old))),
            now="Now: " + "; ".join(f"{key!r} {today}" for key, today in sorted(old.items())) + ".",
        )


def _today(key: str) -> str | None:
    if key in _TODAY:
        return f"is {_TODAY[key]!r}"
    if key == _UPDATE_MODE:
        return "is left out, and 'connector' = 'upsert-kafka' takes updates"
    for prefix, today in _PREFIXES.items():
        if key.startswith(prefix):
            return f"is {today + key.removeprefix(prefix)!r}"
    return "is left out" if key.startswith(_GONE) else None
