"""The connector ``jdbc``: writes to a table of a PostgreSQL database."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, NoReturn, final

import attrs

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.model.common.endpoints import Sink
from kafkastream.model.connectors.jdbc_sink import JdbcConnectionOptions, JdbcExecutionOptions
from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.connectors import jdbc_options
from kafkastream.sql.connectors.common_options import COMMON_OPTIONS, SINK_PARALLELISM, check_no_written_metadata
from kafkastream.sql.connectors.table_endpoints import TableSink
from kafkastream.sql.option_group import OptionGroup
from kafkastream.sql.table import TableDefinition
from kafkastream.sql.table_options import TableOptions
from kafkastream.sql.type_families import INTERVALS, MAPS, STAMPS
from kafkastream.sql.types import DataType, Kind

__all__ = ["JDBC", "JdbcTableSink", "jdbc_sink", "jdbc_source"]

JDBC: Final = OptionGroup(
    "jdbc",
    (
        jdbc_options.URL,
        jdbc_options.TABLE_NAME,
        jdbc_options.DRIVER,
        jdbc_options.USERNAME,
        jdbc_options.PASSWORD,
        jdbc_options.PROPERTIES,
        jdbc_options.MAX_RETRY_TIMEOUT,
        jdbc_options.FLUSH_MAX_ROWS,
        jdbc_options.FLUSH_INTERVAL,
        jdbc_options.MAX_RETRIES,
        SINK_PARALLELISM,
        *jdbc_options.READING,
    ),
    required=(jdbc_options.URL, jdbc_options.TABLE_NAME),
    common=COMMON_OPTIONS,
)

_SECOND_MS: Final = 1000
_MOST_TIME_DIGITS: Final = 6
_REFUSED: Final = MAPS | INTERVALS | {Kind.ROW}


@final
@attrs.frozen(kw_only=True)
class JdbcTableSink(Sink, TableSink):
    """Sink of a table in a database.

    Args:
        connection: Connection to the database.
        execution: Retries of transactions.
        table_name: Name of the table in the database's SQL.
        columns: Names and types of the written columns.
        primary_key: Columns by which rows are updated and deleted; none for an insert-only sink.
        parallelism: Number of subtasks that write; None for that of the input.
    """

    engine_module: ClassVar[str] = "kafkastream.spark.sql.rows.jdbc_rows"
    connection: JdbcConnectionOptions
    execution: JdbcExecutionOptions
    table_name: str
    columns: tuple[tuple[str, DataType], ...]
    primary_key: tuple[str, ...] = ()
    parallelism: int | None = None

    @property
    def target_text(self) -> str:
        """Return database and table, for messages."""
        return f"table {self.table_name}"

    @property
    def deduplicates_batches(self) -> bool:
        """Always true: a repeated micro-batch is skipped, since each transaction stores its offset."""
        return True

    @property
    def changelog(self) -> ChangelogMode:
        """Return the upsert mode with a primary key, the insert-only mode without one."""
        return ChangelogMode.UPSERT if self.primary_key else ChangelogMode.APPEND

    @property
    def sink(self) -> JdbcTableSink:
        """Return the table itself."""
        return self

    @property
    def changes_hint(self) -> str:
        """Return Flink's advice: declare a primary key."""
        return "Please declare primary key for sink table when query contains update/delete record: PRIMARY KEY (…) NOT ENFORCED."


def jdbc_source(definition: TableDefinition, environ: Mapping[str, str] | None = None) -> NoReturn:
    """Refuse to read a table of the connector ``jdbc``.

    Raises:
        DefinitionError: Options are missing, unknown, or contradict each other.
        UnsupportedFeatureError: Otherwise, always.
    """
    options = TableOptions.of(definition, environ)
    _check(options)
    raise UnsupportedFeatureError(
        "tables of the connector 'jdbc' cannot be read here, neither scanned nor looked up; they can be written",
        where=options.where("connector"),
        now="Let Debezium write the table's changes to a topic, read that with 'format' = 'debezium-json', and join it "
        "as a table of its own.",
    )


def jdbc_sink(definition: TableDefinition, environ: Mapping[str, str] | None = None) -> JdbcTableSink:
    """Return the sink of a table of the connector ``jdbc``.

    Raises:
        DefinitionError: Options are missing, unknown, or contradict each other; PostgreSQL has no type for a column.
        UnsupportedFeatureError: The URL is not one of PostgreSQL.
    """
    options = TableOptions.of(definition, environ)
    _check(options)
    check_no_written_metadata(options)
    for column in definition.schema.physical:
        _check_type(options, column.name, column.type)
    table_name = options.get(jdbc_options.TABLE_NAME)
    assert table_name is not None
    return JdbcTableSink(
        connection=_connection(options),
        execution=JdbcExecutionOptions(
            batch_interval_ms=options.get(jdbc_options.FLUSH_INTERVAL),
            batch_size=options.get(jdbc_options.FLUSH_MAX_ROWS),
            max_retries=options.get(jdbc_options.MAX_RETRIES),
        ),
        table_name=table_name,
        columns=tuple((column.name, column.type) for column in definition.schema.physical),
        primary_key=definition.schema.primary_key,
        parallelism=options.get(SINK_PARALLELISM),
    )


def _connection(options: TableOptions) -> JdbcConnectionOptions:
    url = options.get(jdbc_options.URL)
    assert url is not None
    with options.reading(jdbc_options.URL.key):
        return JdbcConnectionOptions(
            url=url,
            driver_name=options.get(jdbc_options.DRIVER),
            user_name=options.get(jdbc_options.USERNAME),
            password=options.get(jdbc_options.PASSWORD),
            connection_check_timeout_s=options.get(jdbc_options.MAX_RETRY_TIMEOUT) // _SECOND_MS,
        )


def _check(options: TableOptions) -> None:
    JDBC.check(options)
    for name in options.under(jdbc_options.PROPERTIES):
        key = jdbc_options.PROPERTIES.prefix + name
        raise UnsupportedFeatureError(
            f"properties of the Java driver, as {key!r}, cannot be set here: psycopg connects, not Java",
            where=options.where(key),
            now="Append parameters of the connection to the URL: jdbc:postgresql://host:port/database?sslmode=require.",
        )
    for option in jdbc_options.READING:
        options.get(option)
    for keys in jdbc_options.TOGETHER:
        given = [key for key in keys if key in options.values]
        if given and len(given) < len(keys):
            raise options.refusal(
                f"Either all or none of the following options should be provided: {', '.join(keys)}",
                given[0],
                now=f"Add {', '.join(repr(key) for key in keys if key not in given)}.",
            )
    _check_least(
        options, jdbc_options.MAX_RETRY_TIMEOUT.key, options.get(jdbc_options.MAX_RETRY_TIMEOUT), _SECOND_MS, "1 second"
    )
    for option in (jdbc_options.MAX_RETRIES, jdbc_options.FLUSH_MAX_ROWS):
        _check_least(options, option.key, options.get(option), 0, "0")


def _check_least(options: TableOptions, key: str, value: int, least: int, told: str) -> None:
    if value < least:
        raise options.refusal(
            f"The value of '{key}' option shouldn't be smaller than {told}, but is {options.shown(key)}", key
        )


def _check_type(options: TableOptions, name: str, type_: DataType) -> None:
    element = type_
    while element.kind is Kind.ARRAY:
        element = element.parts[0]
    if element.kind in _REFUSED:
        raise options.column_refusal(
            f"The PostgreSQL dialect doesn't support type: {type_}",
            name,
            now="Make columns of its parts, or a STRING in a column of the type text or jsonb.",
        )
    if element.kind in STAMPS and (element.size or 0) > _MOST_TIME_DIGITS:
        raise options.column_refusal(
            f"The precision of field '{name}' is out of the TIMESTAMP precision range [1, {_MOST_TIME_DIGITS}] supported by "
            "PostgreSQL dialect.",
            name,
            now=f"Declare it with {_MOST_TIME_DIGITS} digits.",
        )
