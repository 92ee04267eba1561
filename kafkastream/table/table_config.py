"""``TableConfig``: the options of a table environment, at PyFlink's path."""

from __future__ import annotations

import datetime
from typing import Final, final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.time import Duration, machine_time_zone
from kafkastream.model.job.configuration import Configuration
from kafkastream.options.flink_settings import check_setting
from kafkastream.options.job import JOB_OPTIONS, PYTHON_EXECUTABLE, RUNTIME_MODE
from kafkastream.options.table_config import LOCAL_TIME_ZONE, STATE_TTL, TABLE_OPTIONS
from kafkastream.table.environment_settings import batch_mode_error
from kafkastream.table.sql_dialect import SqlDialect

__all__ = [
    "SqlDialect",
    "TableConfig",
]

_CODE_LENGTH: Final = "table.generated-code.max-length"


@final
class TableConfig:
    """Options under Flink's keys; changes apply to jobs that are started afterwards.

    Example:
        >>> config = TableConfig().set("table.local-time-zone", "Europe/Berlin")
        >>> config.get_local_timezone(), config.get("table.exec.state.ttl", "0 ms")
        ('Europe/Berlin', '0 ms')
    """

    def __init__(self, configuration: Configuration | None = None) -> None:
        self._configuration = Configuration() if configuration is None else configuration

    def get(self, key: str, default_value: str) -> str:
        """Return the value of an option as text.

        Args:
            key: Key of the option.
            default_value: Value to return if the option is not set.
        """
        return self._configuration.get_string(key, default_value)

    def set(self, key: str, value: str) -> TableConfig:
        """Set an option.

        Args:
            key: Key of the option, such as ``table.exec.state.ttl``.
            value: Value as text, such as ``1 h``.

        Raises:
            DefinitionError: The value is invalid for the key.
            UnsupportedFeatureError: The setting is Flink's, and ignoring it would change results or security.
        """
        check_setting(key, value)
        for option in (*TABLE_OPTIONS, *JOB_OPTIONS):
            if key in option.keys:
                option.read(value)
        if key == LOCAL_TIME_ZONE.key:
            _check_zone(value)
        if key == RUNTIME_MODE.key and RUNTIME_MODE.read(value) != RUNTIME_MODE.default:
            raise batch_mode_error(RUNTIME_MODE.key)
        self._configuration.set_string(key, value)
        return self

    def get_configuration(self) -> Configuration:
        """Return all options."""
        return self._configuration

    getConfiguration = get_configuration

    def add_configuration(self, configuration: Configuration) -> None:
        """Set all options of ``configuration``."""
        self._configuration.add_all(configuration)

    addConfiguration = add_configuration

    def get_local_timezone(self) -> str:
        """Return the session time zone, by default the machine's, in which TIMESTAMP_LTZ values are shown."""
        zone = self._configuration.get(LOCAL_TIME_ZONE)
        return machine_time_zone() if zone == LOCAL_TIME_ZONE.default else zone

    getLocalTimeZone = get_local_timezone

    def set_local_timezone(self, timezone_id: str) -> None:
        """Set the session time zone.

        Args:
            timezone_id: Name such as ``Europe/Berlin`` or ``UTC``.

        Raises:
            DefinitionError: No time zone has this name.
        """
        self.set(LOCAL_TIME_ZONE.key, timezone_id)

    setLocalTimeZone = set_local_timezone

    def get_idle_state_retention(self) -> datetime.timedelta:
        """Return the time after which unchanged state of a key may be dropped; 0 for never."""
        return datetime.timedelta(milliseconds=self._configuration.get(STATE_TTL))

    getIdleStateRetention = get_idle_state_retention

    def set_idle_state_retention(self, duration: datetime.timedelta | Duration) -> None:
        """Set the time after which unchanged state of a key may be dropped.

        Without it, the state of unbounded GROUP BY and JOIN queries grows with the number of keys.

        Args:
            duration: Time; 0 for never.
        """
        ms = duration.to_millis() if isinstance(duration, Duration) else duration // datetime.timedelta(milliseconds=1)
        self.set(STATE_TTL.key, f"{ms} ms")

    setIdleStateRetention = set_idle_state_retention

    @staticmethod
    def get_default() -> TableConfig:
        """Return settings without any option."""
        return TableConfig()

    getDefault = get_default

    def to_map(self) -> dict[str, str]:
        """Return the options that are set, by their keys."""
        return self._configuration.to_dict()

    toMap = to_map

    def get_sql_dialect(self) -> SqlDialect:
        """Return Flink's own dialect, the only one."""
        return SqlDialect.DEFAULT

    getSqlDialect = get_sql_dialect

    def set_sql_dialect(self, sql_dialect: SqlDialect) -> None:
        """Take Flink's own dialect.

        Args:
            sql_dialect: ``SqlDialect.DEFAULT``.

        Raises:
            UnsupportedFeatureError: With Hive's dialect.
        """
        if sql_dialect is not SqlDialect.DEFAULT:
            raise UnsupportedFeatureError(
                "the dialect of Hive", where="TableConfig.set_sql_dialect", now="Write statements in Flink SQL."
            )

    setSqlDialect = set_sql_dialect

    def get_python_executable(self) -> str | None:
        """Return the Python interpreter of the workers; None for that of the program."""
        return self._configuration.get(PYTHON_EXECUTABLE)

    getPythonExecutable = get_python_executable

    def set_python_executable(self, python_exec: str) -> None:
        """Set the Python interpreter of the workers.

        Args:
            python_exec: Path of the interpreter.
        """
        self.set(PYTHON_EXECUTABLE.key, python_exec)

    setPythonExecutable = set_python_executable

    def get_max_generated_code_length(self) -> int:
        """Return Flink's default; Spark generates code by limits of its own."""
        return int(self.get(_CODE_LENGTH, "4000"))

    getMaxGeneratedCodeLength = get_max_generated_code_length

    def set_max_generated_code_length(self, max_generated_code_length: int) -> None:
        """Accept a length, without effect: Spark generates code by limits of its own."""
        self.set(_CODE_LENGTH, str(max_generated_code_length))

    setMaxGeneratedCodeLength = set_max_generated_code_length


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
