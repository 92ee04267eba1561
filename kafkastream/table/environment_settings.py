"""Settings of a table environment, at PyFlink's path."""

from __future__ import annotations

from typing import final

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.model.job.configuration import Configuration

__all__ = ["EnvironmentSettings"]

_MODE = "execution.runtime-mode"


@final
class EnvironmentSettings:
    """How a table environment is to be made.

    Differs from Flink: there is no batch mode; a query over bounded tables ends by itself and tells its changes.

    Example:
        >>> EnvironmentSettings.in_streaming_mode().is_streaming_mode()
        True
    """

    def __init__(self, configuration: Configuration) -> None:
        self._configuration = configuration

    @final
    class Builder:
        """Collects the settings."""

        def __init__(self) -> None:
            self._configuration = Configuration()

        def in_streaming_mode(self) -> EnvironmentSettings.Builder:
            """Rows are told as they come."""
            return self

        inStreamingMode = in_streaming_mode

        def in_batch_mode(self) -> EnvironmentSettings.Builder:
            """Refused.

            Raises:
                UnsupportedFeatureError: Always.
            """
            raise UnsupportedFeatureError(
                "there is no batch mode for tables",
                where="EnvironmentSettings.in_batch_mode",
                now="Use streaming mode with 'scan.bounded.mode' = 'latest-offset': the query ends, and the last change "
                "of each key is the result.",
            )

        inBatchMode = in_batch_mode

        def with_configuration(self, config: Configuration) -> EnvironmentSettings.Builder:
            """Flink's keys with their values."""
            self._configuration.add_all(config)
            return self

        withConfiguration = with_configuration

        def build(self) -> EnvironmentSettings:
            """The settings."""
            return EnvironmentSettings(self._configuration)

    @staticmethod
    def new_instance() -> EnvironmentSettings.Builder:
        """A builder."""
        return EnvironmentSettings.Builder()

    newInstance = new_instance

    @staticmethod
    def in_streaming_mode() -> EnvironmentSettings:
        """The defaults."""
        return EnvironmentSettings.new_instance().in_streaming_mode().build()

    inStreamingMode = in_streaming_mode

    @staticmethod
    def in_batch_mode() -> EnvironmentSettings:
        """Refused.

        Raises:
            UnsupportedFeatureError: Always.
        """
        return EnvironmentSettings.new_instance().in_batch_mode().build()

    inBatchMode = in_batch_mode

    def is_streaming_mode(self) -> bool:
        """Always."""
        return True

    isStreamingMode = is_streaming_mode

    def get_configuration(self) -> Configuration:
        """Flink's keys with their values."""
        return self._configuration

    getConfiguration = get_configuration
