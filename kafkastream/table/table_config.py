"""The configuration of a table environment, at PyFlink's path."""

from __future__ import annotations

import datetime
from typing import final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from kafkastream.errors import DefinitionError
from kafkastream.model.common.time import Duration, machine_time_zone
from kafkastream.model.job.configuration import Configuration
from kafkastream.options.job import JOB_OPTIONS
from kafkastream.options.table_config import LOCAL_TIME_ZONE, STATE_TTL, TABLE_OPTIONS
from kafkastream.table.sql_dialect import SqlDialect

__all__ = [
    "SqlDialect",
    "TableConfig",
]


@final
class TableConfig:
    """Flink's keys with their values, which hold for what is started from then on.

    Example:
        >>> config = TableConfig().set("table.local-time-zone", "Europe/Berlin")
        >>> config.get_local_timezone(), config.get("table.exec.state.ttl", "0 ms")
        ('Europe/Berlin', '0 ms')
    """

    def __init__(self, configuration: Configuration | None = None) -> None:
        self._configuration = Configuration() if configuration is None else configuration

    def get(self, key: str, default_value: str) -> str:
        """The value of a key, as text."""
        return self._configuration.get_string(key, default_value)

    def set(self, key: str, value: str) -> TableConfig:
        """Set a key.

        Raises:
            DefinitionError: The value does not fit the key.
        """
        for option in (*TABLE_OPTIONS, *JOB_OPTIONS):
            if key in option.keys:
                option.read(value)
        if key == LOCAL_TIME_ZONE.key:
            _check_zone(value)
        self._configuration.set_string(key, value)
        return self

    def get_configuration(self) -> Configuration:
        """All keys."""
        return self._configuration

    getConfiguration = get_configuration

    def add_configuration(self, configuration: Configuration) -> None:
        """Set all keys of ``configuration``."""
        self._configuration.add_all(configuration)

    addConfiguration = add_configuration

    def get_local_timezone(self) -> str:
        """The time zone of TIMESTAMP_LTZ: the machine's, if none was set."""
        zone = self._configuration.get(LOCAL_TIME_ZONE)
        return machine_time_zone() if zone == LOCAL_TIME_ZONE.default else zone

    getLocalTimeZone = get_local_timezone

    def set_local_timezone(self, timezone_id: str) -> None:
        """Set the time zone.

        Raises:
            DefinitionError: There is none of this name.
        """
        self.set(LOCAL_TIME_ZONE.key, timezone_id)

    setLocalTimeZone = set_local_timezone

    def get_idle_state_retention(self) -> datetime.timedelta:
        """After how long without a change a key's state may be forgotten; never, if 0."""
        return datetime.timedelta(milliseconds=self._configuration.get(STATE_TTL))

    getIdleStateRetention = get_idle_state_retention

    def set_idle_state_retention(self, duration: datetime.timedelta | Duration) -> None:
        """Set after how long without a change a key's state may be forgotten."""
        ms = duration.to_millis() if isinstance(duration, Duration) else duration // datetime.timedelta(milliseconds=1)
        self.set(STATE_TTL.key, f"{ms} ms")

    setIdleStateRetention = set_idle_state_retention


def _check_zone(name: str) -> None:
    if name == LOCAL_TIME_ZONE.default:
        return
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        raise DefinitionError(
            f"the supplied zone ID {name!r} is not valid",
            where=LOCAL_TIME_ZONE.key,
            now="Give a name such as 'Europe/Berlin' or 'UTC'.",
        ) from None
