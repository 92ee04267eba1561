"""Options of tables before Flink 1.11, and their names today."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kafkastream.sql.table_options import TableOptions

__all__ = ["check_legacy"]

_TODAY: Final[Mapping[str, str]] = {
    "connector.type": "connector",
    "connector.topic": "topic",
    "connector.startup-mode": "scan.startup.mode",
    "connector.specific-offsets": "scan.startup.specific-offsets",
    "connector.startup-timestamp-millis": "scan.startup.timestamp-millis",
    "connector.sink-partitioner": "sink.partitioner",
    "connector.url": "url",
    "connector.table": "table-name",
    "connector.driver": "driver",
    "connector.username": "username",
    "connector.password": "password",
    "connector.write.max-retries": "sink.max-retries",
    "format.type": "format",
}
_PREFIXES: Final[Mapping[str, str]] = {"connector.properties.": "properties.", "format.": "<format>."}
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
