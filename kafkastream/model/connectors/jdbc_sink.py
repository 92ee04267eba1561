"""Sinks that execute a statement for each element, in a PostgreSQL database; with Flink's names and defaults."""

from __future__ import annotations

import re
from typing import ClassVar, Final, final
from urllib.parse import parse_qsl, unquote, urlsplit

import attrs
from typing_extensions import Self

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.endpoints import Sink, SinkFunction
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.common.stand_ins import Refused
from kafkastream.model.common.types import RowTypeInfo
from kafkastream.secret_masking import redacted

__all__ = ["JdbcAddress", "JdbcConnectionOptions", "JdbcExecutionOptions", "JdbcSink"]

_PREFIX: Final = "jdbc:postgresql:"
_DEFAULT_PORT: Final = 5432
_SEARCH_PATH: Final = "currentSchema"
_LIBPQ: Final = {"sslmode", "sslrootcert", "sslcert", "sslkey", "connectTimeout", "ApplicationName", _SEARCH_PATH}
_WITHOUT_EFFECT: Final = {"reWriteBatchedInserts", "stringtype", "prepareThreshold", "ApplicationName", "tcpKeepAlive"}
_RENAMED: Final = {"connectTimeout": "connect_timeout"}


@final
@attrs.frozen
class JdbcAddress:
    """A PostgreSQL database as a JDBC URL names it.

    Args:
        host: Host of the server.
        port: Port of the server.
        database: Name of the database.
        user: User, if the URL has one.
        password: The user's password, if the URL has it.
        properties: Further parameters, by libpq's names.
    """

    host: str
    port: int
    database: str
    user: str | None = None
    password: str | None = attrs.field(default=None, repr=False)
    properties: FrozenMap[str, str] = attrs.field(default=FrozenMap(), converter=FrozenMap[str, str], repr=redacted)

    @staticmethod
    def parse(url: str) -> JdbcAddress:
        """Parse a URL.

        Raises:
            UnsupportedFeatureError: The URL is of another database, or has a parameter without a counterpart.
            DefinitionError: The text is not a JDBC URL.

        Example:
            >>> JdbcAddress.parse("jdbc:postgresql://db:5433/shop?user=ann").port
            5433
        """
        kind = url.split(":")[1] if url.startswith("jdbc:") and url.count(":") > 1 else ""
        if kind and kind != "postgresql":
            raise UnsupportedFeatureError(
                f"JDBC sinks cannot write to {kind}",
                where=f"url {redacted(url)}",
                now="Only jdbc:postgresql works. Write to a topic, and let Kafka Connect's JDBC sink copy it.",
            )
        try:
            parts = urlsplit(url.removeprefix("jdbc:"))
            port = parts.port or _DEFAULT_PORT
        except ValueError:
            raise _malformed(url) from None
        database = unquote(parts.path.removeprefix("/"))
        if not url.startswith(_PREFIX) or not parts.hostname or not database:
            raise _malformed(url)
        parameters = dict(parse_qsl(parts.query, keep_blank_values=True))
        user, password = parameters.pop("user", None), parameters.pop("password", None)
        for name in parameters.keys() - _LIBPQ - _WITHOUT_EFFECT:
            raise UnsupportedFeatureError(
                f"parameter {name!r} of a JDBC URL has no counterpart",
                where=f"url of {parts.hostname}:{port}/{database}",
                now=f"Remove it; there are user, password, {', '.join(sorted(_LIBPQ))}.",
            )
        path = parameters.pop(_SEARCH_PATH, None)
        kept = {_RENAMED.get(name, name): text for name, text in parameters.items() if name not in _WITHOUT_EFFECT}
        if path is not None:
            kept["options"] = "-c search_path=" + re.sub(r"([\\\s])", r"\\\1", path)  # as libpq reads it
        return JdbcAddress(parts.hostname, port, database, user, password, FrozenMap(kept))


def _malformed(url: str) -> DefinitionError:
    return DefinitionError(
        f"{redacted(url)} is not a JDBC URL",
        where="JdbcConnectionOptions",
        now="Write jdbc:postgresql://host:port/database.",
    )


@final
@attrs.frozen(kw_only=True)
class JdbcConnectionOptions:
    """Address and credentials of a database; made by ``JdbcConnectionOptionsBuilder``.

    Raises:
        UnsupportedFeatureError: The URL is not PostgreSQL's.
        DefinitionError: The text is not a JDBC URL.

    Example:
        >>> builder = JdbcConnectionOptions.JdbcConnectionOptionsBuilder().with_url("jdbc:postgresql://db:5432/shop")
        >>> builder.with_driver_name("org.postgresql.Driver").with_user_name("ann").build().get_user_name()
        'ann'
    """

    url: str = attrs.field(repr=redacted)
    driver_name: str | None = None
    user_name: str | None = None
    password: str | None = attrs.field(default=None, repr=False)
    connection_check_timeout_s: int = 60
    address: JdbcAddress = attrs.field(init=False, repr=False, eq=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "address", JdbcAddress.parse(self.url))

    _j_jdbc_connection_options = Refused()

    def get_db_url(self) -> str:
        """Return the URL."""
        return self.url

    getDbUrl = get_db_url

    def get_driver_name(self) -> str | None:
        """Return the name of Java's driver, which has no effect."""
        return self.driver_name

    getDriverName = get_driver_name

    def get_user_name(self) -> str | None:
        """Return the user."""
        return self.user_name

    getUserName = get_user_name

    def get_password(self) -> str | None:
        """Return the user's password."""
        return self.password

    getPassword = get_password

    @final
    @checked_methods
    class JdbcConnectionOptionsBuilder:
        """Builds ``JdbcConnectionOptions``."""

        def __init__(self) -> None:
            self._url: str | None = None
            self._driver_name: str | None = None
            self._user_name: str | None = None
            self._password: str | None = None

        def with_url(self, url: str) -> Self:
            """Set the database: ``jdbc:postgresql://host:port/database``; required.

            Args:
                url: JDBC URL, with parameters of PostgreSQL's driver after ``?``.
            """
            self._url = url
            return self

        withUrl = with_url

        def with_driver_name(self, driver_name: str) -> Self:
            """Accept the class of Java's driver, without effect; differs from Flink, which loads it."""
            self._driver_name = driver_name
            return self

        withDriverName = with_driver_name

        def with_user_name(self, user_name: str) -> Self:
            """Set the user who logs in.

            Args:
                user_name: Role of PostgreSQL.
            """
            self._user_name = user_name
            return self

        withUserName = with_user_name

        def with_password(self, password: str) -> Self:
            """Set the user's password.

            Args:
                password: Never shown in logs, errors or ``repr``.
            """
            self._password = password
            return self

        withPassword = with_password

        def build(self) -> JdbcConnectionOptions:
            """Make the options.

            Raises:
                DefinitionError: The URL is missing or invalid.
            """
            if self._url is None:
                raise DefinitionError("there is no URL", where="JdbcConnectionOptionsBuilder", now="Call with_url.")
            return JdbcConnectionOptions(
                url=self._url, driver_name=self._driver_name, user_name=self._user_name, password=self._password
            )


@final
@attrs.frozen(kw_only=True)
class JdbcExecutionOptions:
    """Batches and retries of statements, with Flink's defaults.

    Differs from Flink: rows become visible when their micro-batch has ended, and the batch interval has no effect.

    Example:
        >>> JdbcExecutionOptions.builder().with_batch_size(100).build().get_batch_size()
        100
    """

    batch_interval_ms: int = 0
    batch_size: int = 5000
    max_retries: int = 3

    def __attrs_post_init__(self) -> None:
        if self.batch_interval_ms < 0 or self.batch_size < 0 or self.max_retries < 0:
            raise DefinitionError("an interval, a size or a number of retries is less than 0", where=repr(self))

    _j_jdbc_execution_options = Refused()

    def get_batch_interval_ms(self) -> int:
        """Return the batch interval, in milliseconds."""
        return self.batch_interval_ms

    getBatchIntervalMs = get_batch_interval_ms

    def get_batch_size(self) -> int:
        """Return the number of rows that are sent at once."""
        return self.batch_size

    getBatchSize = get_batch_size

    def get_max_retries(self) -> int:
        """Return the maximum number of retries of a transaction."""
        return self.max_retries

    getMaxRetries = get_max_retries

    @staticmethod
    def defaults() -> JdbcExecutionOptions:
        """Return Flink's defaults."""
        return JdbcExecutionOptions()

    @staticmethod
    def builder() -> JdbcExecutionOptions.Builder:
        """Begin to build options."""
        return JdbcExecutionOptions.Builder()

    @final
    @checked_methods
    class Builder:
        """Builds ``JdbcExecutionOptions``."""

        def __init__(self) -> None:
            self._options: dict[str, int] = {}

        def with_batch_size(self, size: int) -> Self:
            """Set the number of rows that are sent at once; 0 sends all of a micro-batch at once.

            Args:
                size: Rows per batch; Flink's default is 5000.
            """
            self._options["batch_size"] = size
            return self

        withBatchSize = with_batch_size

        def with_batch_interval_ms(self, interval_ms: int) -> Self:
            """Accept the longest time between two batches in ms, without effect; differs from Flink."""
            self._options["batch_interval_ms"] = interval_ms
            return self

        withBatchIntervalMs = with_batch_interval_ms

        def with_max_retries(self, max_retries: int) -> Self:
            """Set the maximum number of retries of a transaction after a deadlock or a lost connection.

            Args:
                max_retries: Repetitions before the job fails; Flink's default is 3.
            """
            self._options["max_retries"] = max_retries
            return self

        withMaxRetries = with_max_retries

        def build(self) -> JdbcExecutionOptions:
            """Make the options."""
            return JdbcExecutionOptions(**self._options)


@final
@checked_methods
@attrs.frozen(kw_only=True)
class JdbcSink(Sink, SinkFunction):
    """Executes a statement for each row, in PostgreSQL; for ``stream.add_sink``.

    Elements from a Kafka source that pass no keyed operator are written exactly once; differs from Flink, whose
    ``JdbcSink.sink`` writes at least once.

    Example:
        >>> from kafkastream.common import Types
        >>> connection = JdbcConnectionOptions.JdbcConnectionOptionsBuilder().with_url("jdbc:postgresql://db/shop")
        >>> sink = JdbcSink.sink(
        ...     "INSERT INTO words VALUES (?, ?)", Types.ROW([Types.STRING(), Types.INT()]), connection.build()
        ... )
        >>> sink.execution.batch_size
        5000
    """

    engine_module: ClassVar[str] = "kafkastream.spark.worker.jdbc_writer"
    statement: str
    type_info: RowTypeInfo
    connection: JdbcConnectionOptions
    execution: JdbcExecutionOptions

    @property
    def deduplicates_batches(self) -> bool:
        """Always true: a repeated micro-batch is skipped, since each transaction stores its offset."""
        return True

    @staticmethod
    def sink(
        sql: str,
        type_info: RowTypeInfo,
        jdbc_connection_options: JdbcConnectionOptions,
        jdbc_execution_options: JdbcExecutionOptions | None = None,
    ) -> JdbcSink:
        """Make a sink.

        Args:
            sql: An INSERT, UPDATE, DELETE or upsert, with ``?`` for the values of a row, in order.
            type_info: The type of the rows.
            jdbc_connection_options: Connection to the database.
            jdbc_execution_options: Batches and retries; None for Flink's defaults.
        """
        return JdbcSink(
            statement=sql,
            type_info=type_info,
            connection=jdbc_connection_options,
            execution=jdbc_execution_options or JdbcExecutionOptions(),
        )

    def to_sink(self) -> JdbcSink:
        """Return the sink itself."""
        return self
