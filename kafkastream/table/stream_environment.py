"""``StreamTableEnvironment``: converts between tables and streams, at PyFlink's path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import attrs

from kafkastream.datastream.environment import StreamExecutionEnvironment
from kafkastream.datastream.stream import DataStream
from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.row import Row, RowKind
from kafkastream.model.common.types import TypeInformation
from kafkastream.model.graph.job_graph import JobGraph
from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.plan.query_node import Target, query_graph, query_nodes
from kafkastream.sql.plan.relations import Relation
from kafkastream.sql.table import TableSchema
from kafkastream.sql.table_stream import TableStream
from kafkastream.sql.type_information import row_type_info
from kafkastream.table.api.expression_tree import ColumnNode, Renamed
from kafkastream.table.api.operation import nodes_of
from kafkastream.table.environment import TableEnvironment
from kafkastream.table.environment_settings import EnvironmentSettings
from kafkastream.table.expression import Expression
from kafkastream.table.schema import Schema
from kafkastream.table.session.session_planner import Plan
from kafkastream.table.table import Table
from kafkastream.table.table_config import TableConfig

__all__ = ["StreamTableEnvironment"]


@final
class StreamTableEnvironment(TableEnvironment):
    """Table environment that converts tables to streams of a ``StreamExecutionEnvironment``, and streams to tables.

    Args:
        config: Settings.
        env: Environment of the streams.
    """

    def __init__(self, config: TableConfig, env: StreamExecutionEnvironment) -> None:
        super().__init__(config)
        self._env = env

    @staticmethod
    def create(  # type: ignore[override]
        stream_execution_environment: StreamExecutionEnvironment | None = None,
        environment_settings: EnvironmentSettings | None = None,
    ) -> StreamTableEnvironment:
        """Create an environment.

        Args:
            stream_execution_environment: Environment of the streams, whose settings also apply to tables; by default, a
                new one.
            environment_settings: Further settings.
        """
        env = stream_execution_environment or StreamExecutionEnvironment.get_execution_environment()
        config = TableConfig()
        config.add_configuration(env._configuration)
        if environment_settings is not None:
            config.add_configuration(environment_settings.get_configuration())
        return StreamTableEnvironment(config, env)

    def to_data_stream(self, table: Table) -> DataStream[Row]:
        """Convert an insert-only table to a stream of rows, which is executed with the stream environment.

        Args:
            table: Query whose rows are only added.

        Raises:
            DefinitionError: The query updates or deletes rows: use ``to_changelog_stream``.
        """
        relation = table._relation
        if not relation.changelog.is_insert_only:
            raise DefinitionError(
                "Table sink '*anonymous_datastream_sink*' doesn't support consuming update and delete changes",
                where="to_data_stream",
                now="Use to_changelog_stream: the kind of a row says whether it is inserted, updated or deleted.",
            )
        return self._stream(relation)

    toDataStream = to_data_stream

    def to_changelog_stream(
        self, table: Table, target_schema: Schema | None = None, changelog_mode: ChangelogMode | None = None
    ) -> DataStream[Row]:
        """Convert a table to a stream of changes; ``Row.get_row_kind`` returns the kind of each.

        Args:
            table: Query.
            target_schema: Not supported: CAST columns in the query.
            changelog_mode: Allowed row kinds: all (the default), or insert-only.

        Raises:
            DefinitionError: The mode is insert-only, and the query updates or deletes rows.
            UnsupportedFeatureError: A target schema, or a mode without UPDATE_BEFORE, is given.
        """
        if target_schema is not None or changelog_mode is ChangelogMode.UPSERT:
            raise UnsupportedFeatureError(
                "rows in another form than the query has them: a target schema, or a changelog mode of upserts",
                where="to_changelog_stream",
                now="CAST columns in the query, and leave out rows whose kind is UPDATE_BEFORE with a filter after it.",
            )
        if changelog_mode is ChangelogMode.APPEND:
            return self.to_data_stream(table)
        return self._stream(self._planner.shown(table._query).relation)

    toChangelogStream = to_changelog_stream

    def to_append_stream(self, table: Table, type_info: TypeInformation[Any] | None = None) -> DataStream[Row]:
        """Convert an insert-only table to a stream of rows; older name of ``to_data_stream``.

        Args:
            table: Query whose rows are only added.
            type_info: No effect; the rows have the types of the query's columns.

        Raises:
            DefinitionError: The query updates or deletes rows.
        """
        return self.to_data_stream(table)

    toAppendStream = to_append_stream

    def to_retract_stream(
        self, table: Table, type_info: TypeInformation[Any] | None = None
    ) -> DataStream[tuple[bool, Row]]:
        """Convert a table to a stream of pairs: True and an added row, or False and a retracted row.

        Args:
            table: Query.
            type_info: No effect; the rows have the types of the query's columns.
        """
        return self.to_changelog_stream(table).map(_retracted).name("Retract")

    toRetractStream = to_retract_stream

    def from_data_stream(self, data_stream: DataStream[Any], *fields_or_schema: Any) -> Table:
        """Convert a stream to an insert-only table.

        Same as in Flink: columns are the fields of rows and tuples, or ``f0`` for other elements, by the stream's
        declared type. A schema can rename columns, omit some, add computed ones, the element's timestamp (metadata
        ``rowtime``) and a watermark (``SOURCE_WATERMARK()`` is that of the stream).
        Differs from Flink: expressions only name fields, without time attributes; times have 6 fractional digits where Flink has 9; a
        stream from which two tables are read is executed twice.

        Args:
            data_stream: Stream of this environment's ``StreamExecutionEnvironment``, with a declared type.
            fields_or_schema: One ``Schema``; or fields as columns, by their names (``col("f0").alias("id")``) or, with
                other names, by position; by default, the columns of the stream.

        Raises:
            DefinitionError: The stream has no type, or the schema does not match it.
            UnsupportedFeatureError: A field's type does not exist in SQL, or an expression is not a name.

        Example:
            >>> from kafkastream.common import Types
            >>> from kafkastream.datastream import StreamExecutionEnvironment
            >>> env = StreamExecutionEnvironment.get_execution_environment()
            >>> t_env = StreamTableEnvironment.create(env)
            >>> orders = env.from_collection([(1, "a")], Types.TUPLE([Types.LONG(), Types.STRING()]))
            >>> t_env.from_data_stream(orders).print_schema()
            (
              `f0` BIGINT,
              `f1` STRING
            )
        """
        where = "from_data_stream"
        if fields_or_schema and not isinstance(fields_or_schema[0], Schema):
            return _named(self._read(data_stream, TableSchema(), ChangelogMode.APPEND, where), fields_or_schema)
        return self._read(data_stream, _schema(fields_or_schema), ChangelogMode.APPEND, where)

    fromDataStream = from_data_stream

    def from_changelog_stream(
        self, data_stream: DataStream[Row], schema: Schema | None = None, changelog_mode: ChangelogMode | None = None
    ) -> Table:
        """Convert a stream of changes to a table; ``Row.get_row_kind`` is the kind of each change.

        Args:
            data_stream: Stream of rows; otherwise as for ``from_data_stream``.
            schema: Columns, with a primary key for a changelog of upserts.
            changelog_mode: Row kinds that may occur; by default, all.

        Raises:
            DefinitionError: The stream has no type, the schema does not match it, or a changelog of upserts has no
                primary key.
            UnsupportedFeatureError: A field's type does not exist in SQL.
        """
        where, mode = "from_changelog_stream", changelog_mode or ChangelogMode.all()
        declared = _schema(() if schema is None else (schema,))
        if mode is ChangelogMode.UPSERT and not declared.primary_key:
            raise DefinitionError(
                "a changelog without UPDATE_BEFORE needs a primary key, by which a row replaces the previous one",
                where=where,
                now="Declare it: Schema.new_builder() ... .primary_key('id').",
            )
        return self._read(data_stream, declared, mode, where)

    fromChangelogStream = from_changelog_stream

    def create_temporary_view(
        self, view_path: str, table_or_data_stream: Table | DataStream[Any], *fields_or_schema: Any
    ) -> None:
        """Register a query or a stream as a temporary view.

        Args:
            view_path: Name, with or without catalog and database.
            table_or_data_stream: Query, or a stream as for ``from_data_stream``.
            fields_or_schema: One ``Schema``, or fields, for a stream; none for a query.

        Raises:
            DefinitionError: A temporary table or view of this name exists, or the stream cannot be converted.
            UnsupportedFeatureError: A field's type does not exist in SQL, or an expression is not a name.
        """
        if isinstance(table_or_data_stream, DataStream):
            table_or_data_stream, fields_or_schema = self.from_data_stream(table_or_data_stream, *fields_or_schema), ()
        super().create_temporary_view(view_path, table_or_data_stream, *fields_or_schema)

    createTemporaryView = create_temporary_view

    def _read(self, stream: DataStream[Any], declared: TableSchema, mode: ChangelogMode, where: str) -> Table:
        """Create an anonymous table of a stream."""
        if stream._env is not self._env:
            raise DefinitionError(
                "the stream belongs to another environment",
                where=where,
                now="Create the table environment with that one: StreamTableEnvironment.create(env).",
            )
        nodes = JobGraph(tuple(self._env._nodes.values())).reaching(stream._id).nodes
        return self._of_stream(TableStream(nodes, _type_of(stream, where), mode), declared, where)

    def _attach(self, plans: Sequence[Plan]) -> None:
        for plan in plans:
            for node in query_graph(plan.relation, plan.target, self._planner.settings, self._env._ids).nodes:
                self._env._add(node)

    def _stream(self, relation: Relation) -> DataStream[Row]:
        nodes = query_nodes(relation, Target(), self._planner.settings, self._env._ids)
        fields = [(field.name, field.type) for field in relation.fields]
        *before, query = nodes
        for node in before:
            self._env._add(node)
        return DataStream(self._env, self._env._add(attrs.evolve(query, output_type=row_type_info(fields))))


def _retracted(row: Row) -> tuple[bool, Row]:
    is_added = row.get_row_kind() in {RowKind.INSERT, RowKind.UPDATE_AFTER}
    row.set_row_kind(RowKind.INSERT)
    return is_added, row


def _schema(given: Sequence[Any]) -> TableSchema:
    """Return the declared schema, or an empty one."""
    if not given:
        return TableSchema()
    if len(given) > 1 or not isinstance(given[0], Schema):
        raise DefinitionError(
            "a stream takes one Schema, or expressions alone", where=", ".join(map(repr, given)), now="Give one Schema."
        )
    return given[0]._declared


def _named(table: Table, fields: Sequence[Any]) -> Table:
    """Return the fields of a stream that expressions name; names that it lacks are new ones, by position."""
    nodes = [one.node if isinstance(one, Renamed) else one for one in nodes_of("from_data_stream", fields)]
    names = [node.name for node in nodes if isinstance(node, ColumnNode)]
    if len(names) != len(fields):
        raise UnsupportedFeatureError(
            "an expression is not the name of a field, such as a time attribute",
            where=", ".join(map(repr, fields)),
            now="Declare time attributes with a Schema: column_by_metadata('ts', 'TIMESTAMP_LTZ(3)', 'rowtime').",
        )
    if set(names) <= set(table._names):
        return table.select(*fields)
    return table.select(*map(Expression, table._names[: len(names)])).alias(names[0], *names[1:])


def _type_of(stream: DataStream[Any], where: str) -> TypeInformation[Any]:
    type_info = stream.get_type()
    if type_info is None:
        raise DefinitionError(
            "the stream has no declared type, so the columns of its table are unknown",
            where=where,
            now="Give its last function output_type=Types.ROW_NAMED(['id'], [Types.LONG()]), or what its elements are.",
        )
    return type_info
