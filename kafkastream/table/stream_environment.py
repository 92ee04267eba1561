"""A table environment beside a DataStream environment, at PyFlink's path."""

from __future__ import annotations

from typing import NoReturn, final

import attrs

from kafkastream.datastream.data_stream import DataStream
from kafkastream.datastream.environment import StreamExecutionEnvironment
from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.spec.row import Row
from kafkastream.sql.query.node import Target, query_nodes
from kafkastream.sql.query.relations import Relation
from kafkastream.sql.type_information import row_type_info
from kafkastream.table.environment import TableEnvironment
from kafkastream.table.environment_settings import EnvironmentSettings
from kafkastream.table.table import Table
from kafkastream.table.table_config import TableConfig

__all__ = ["StreamTableEnvironment"]


@final
class StreamTableEnvironment(TableEnvironment):
    """A table environment whose tables become streams of a DataStream environment.

    Args:
        config: The settings.
        env: The environment of the streams.
    """

    def __init__(self, config: TableConfig, env: StreamExecutionEnvironment) -> None:
        super().__init__(config)
        self._env = env

    @staticmethod
    def create(  # type: ignore[override]
        stream_execution_environment: StreamExecutionEnvironment | None = None,
        environment_settings: EnvironmentSettings | None = None,
    ) -> StreamTableEnvironment:
        """A new environment.

        Args:
            stream_execution_environment: Whose settings hold here, too; a new one if not given.
            environment_settings: More settings.
        """
        env = stream_execution_environment or StreamExecutionEnvironment.get_execution_environment()
        config = TableConfig()
        config.add_configuration(env._configuration)
        if environment_settings is not None:
            config.add_configuration(environment_settings.get_configuration())
        return StreamTableEnvironment(config, env)

    def to_data_stream(self, table: Table) -> DataStream[Row]:
        """The rows of a query as a stream, which runs with ``execute`` of the stream's environment.

        Raises:
            DefinitionError: Rows change, and are not only added: use ``to_changelog_stream``.
        """
        relation = table._relation
        if not relation.changelog.is_insert_only:
            raise DefinitionError(
                "Table sink '*anonymous_datastream_sink*' doesn't support consuming update and delete changes",
                where="to_data_stream",
                now="Use to_changelog_stream: the kind of a row tells what it changes.",
            )
        return self._stream(relation)

    toDataStream = to_data_stream

    def to_changelog_stream(self, table: Table) -> DataStream[Row]:
        """The changes of a query as a stream: ``Row.get_row_kind`` tells which."""
        return self._stream(self._planner.shown(table._query).relation)

    toChangelogStream = to_changelog_stream

    def from_data_stream(self, data_stream: DataStream[Row], *_: object) -> NoReturn:
        """Refused.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise UnsupportedFeatureError(
            "a stream of Python elements cannot be read by SQL yet",
            where=f"from_data_stream({data_stream.get_name()!r})",
            now="Write it to a topic with sink_to, and declare a table on the topic.",
        )

    fromDataStream = from_data_stream

    def from_changelog_stream(self, data_stream: DataStream[Row], *_: object) -> NoReturn:
        """Refused, as ``from_data_stream`` is.

        Raises:
            UnsupportedFeatureError: Always.
        """
        self.from_data_stream(data_stream)

    fromChangelogStream = from_changelog_stream

    def _stream(self, relation: Relation) -> DataStream[Row]:
        nodes = query_nodes(relation, Target(), self._planner.settings, self._env._ids)
        fields = [(field.name, field.type) for field in relation.fields]
        *before, query = nodes
        for node in before:
            self._env._add(node)
        return DataStream(self._env, self._env._add(attrs.evolve(query, output_type=row_type_info(fields))))
