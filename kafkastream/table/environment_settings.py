"""``EnvironmentSettings`` of a table environment, at PyFlink's path."""

from __future__ import annotations

from typing import final

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.model.job.configuration import Configuration

__all__ = ["EnvironmentSettings", "batch_mode_error"]

_CATALOG = "default_catalog"
_DATABASE = "default_database"


def batch_mode_error(where: str) -> UnsupportedFeatureError:
    """Return the error of a runtime mode other than STREAMING for tables.

    Args:
        where: Method or key that asks for the mode.
    """
    return UnsupportedFeatureError(
        "batch mode is not supported for tables",
        where=where,
        now="Use streaming mode with 'scan.bounded.mode' = 'latest-offset': the query ends, and the last change of each "
        "key is the result.",
    )


@final
class EnvironmentSettings:
    """Settings with which a table environment is created.

    Differs from Flink: batch mode is not supported; a query over bounded tables ends by itself and emits a changelog.

    Example:
        >>> EnvironmentSettings.in_streaming_mode().is_streaming_mode()
        True
    """

    def __init__(self, configuration: Configuration) -> None:
        self._configuration = configuration

    @final
    class Builder:
        """Builder of ``EnvironmentSettings``; each setter returns the builder."""

        def __init__(self) -> None:
            self._configuration = Configuration()

        def in_streaming_mode(self) -> EnvironmentSettings.Builder:
            """Set streaming mode, the only one."""
            return self

        inStreamingMode = in_streaming_mode

        def in_batch_mode(self) -> EnvironmentSettings.Builder:
            """Not supported.

            Raises:
                UnsupportedFeatureError: Always.
            """
            raise batch_mode_error("EnvironmentSettings.in_batch_mode")

        inBatchMode = in_batch_mode

        def with_configuration(self, config: Configuration) -> EnvironmentSettings.Builder:
            """Set options under Flink's keys.

            Args:
                config: Values by Flink's keys, which replace those set before.
            """
            self._configuration.add_all(config)
            return self

        withConfiguration = with_configuration

        def with_built_in_catalog_name(self, built_in_catalog_name: str) -> EnvironmentSettings.Builder:
            """Take the name of the catalog that a session begins in.

            Args:
                built_in_catalog_name: ``default_catalog``.

            Raises:
                UnsupportedFeatureError: The name is another one.
            """
            return self._checked(built_in_catalog_name, _CATALOG)

        withBuiltInCatalogName = with_built_in_catalog_name

        def with_built_in_database_name(self, built_in_database_name: str) -> EnvironmentSettings.Builder:
            """Take the name of the database that a session begins in.

            Args:
                built_in_database_name: ``default_database``.

            Raises:
                UnsupportedFeatureError: The name is another one.
            """
            return self._checked(built_in_database_name, _DATABASE)

        withBuiltInDatabaseName = with_built_in_database_name

        def build(self) -> EnvironmentSettings:
            """Build the settings."""
            return EnvironmentSettings(self._configuration)

        def _checked(self, name: str, own: str) -> EnvironmentSettings.Builder:
            if name != own:
                raise UnsupportedFeatureError(
                    f"a session that begins in {name!r}, not in {own!r}",
                    where="EnvironmentSettings",
                    now="Create a database with CREATE DATABASE, and choose it with USE.",
                )
            return self

    @staticmethod
    def new_instance() -> EnvironmentSettings.Builder:
        """Create a builder."""
        return EnvironmentSettings.Builder()

    newInstance = new_instance

    @staticmethod
    def in_streaming_mode() -> EnvironmentSettings:
        """Return the default settings."""
        return EnvironmentSettings.new_instance().in_streaming_mode().build()

    inStreamingMode = in_streaming_mode

    @staticmethod
    def in_batch_mode() -> EnvironmentSettings:
        """Not supported.

        Raises:
            UnsupportedFeatureError: Always.
        """
        return EnvironmentSettings.new_instance().in_batch_mode().build()

    inBatchMode = in_batch_mode

    def get_built_in_catalog_name(self) -> str:
        """Return the name of the catalog that a session begins in."""
        return _CATALOG

    getBuiltInCatalogName = get_built_in_catalog_name

    def get_built_in_database_name(self) -> str:
        """Return the name of the database that a session begins in."""
        return _DATABASE

    getBuiltInDatabaseName = get_built_in_database_name

    def is_streaming_mode(self) -> bool:
        """Return True."""
        return True

    isStreamingMode = is_streaming_mode

    def get_configuration(self) -> Configuration:
        """Return the options under Flink's keys."""
        return self._configuration

    getConfiguration = get_configuration
