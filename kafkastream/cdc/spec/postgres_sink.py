"""Sinks ``postgres`` and ``hologres``: tables of databases that speak PostgreSQL's protocol."""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from typing import Any, ClassVar, Final, final
from urllib.parse import unquote, urlsplit

import attrs

from kafkastream.cdc.spec.section import TYPE, SectionOptions, SectionType
from kafkastream.cdc.spec.sink import PipelineSink
from kafkastream.cdc.tables import TableId
from kafkastream.errors import DefinitionError
from kafkastream.options.option import Option, OptionFamily
from kafkastream.options.parsers import enum_member, positive, text
from kafkastream.secret_masking import Secret, redacted
from kafkastream.sql.connectors.jdbc_options import FLUSH_MAX_ROWS, MAX_RETRIES, PASSWORD, USERNAME
from kafkastream.sql.option_group import OptionGroup
from kafkastream.sql.settings import options_of, read_settings, setting, settings_under

__all__ = [
    "HOLOGRES",
    "POSTGRES",
    "PROGRESS_TABLE",
    "PostgresSink",
    "TypeNormalization",
    "postgres_name_problem",
    "postgres_table_problem",
]

PROGRESS_TABLE: Final = "kafkastream_progress"
"""Name of the table that records how far each partition has been written."""
_LONGEST_NAME: Final = 63  # bytes; PostgreSQL cuts a longer one: https://www.postgresql.org/docs/current/limits.html
_SYSTEM_COLUMNS: Final = frozenset({"tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"})
"""Columns that every table has: https://www.postgresql.org/docs/current/ddl-system-columns.html."""


def postgres_name_problem(name: str) -> str | None:
    """Return why PostgreSQL cannot have a schema, table or column of this name; None if it can."""
    if not name:
        return "a name is empty"
    if "\0" in name or any("\ud800" <= character <= "\udfff" for character in name):
        return f"{name[:_LONGEST_NAME]!r} has a character that PostgreSQL does not accept"
    if len(name.encode()) > _LONGEST_NAME:
        return f"{name[:_LONGEST_NAME]!r} has more than {_LONGEST_NAME} bytes, and PostgreSQL would cut it"
    return None


def postgres_table_problem(schema: str, table: str) -> str | None:
    """Return why no table of this name is written: it cannot exist, or belongs to PostgreSQL or kafkastream.

    Args:
        schema: Schema of the table.
        table: Name of the table.
    """
    if table == PROGRESS_TABLE:
        return f"the name {PROGRESS_TABLE!r} is reserved: kafkastream keeps there what it has written"
    # https://www.postgresql.org/docs/current/ddl-schemas.html#DDL-SCHEMAS-CATALOG
    if schema.startswith("pg_") or schema == "information_schema":
        return f"the schema {schema!r} is PostgreSQL's own"
    return postgres_name_problem(schema) or postgres_name_problem(table)


class TypeNormalization(enum.Enum):
    """Width of the columns of new tables."""

    STANDARD = "STANDARD"
    BROADEN = "BROADEN"
    ONLY_BIGINT_OR_TEXT = "ONLY_BIGINT_OR_TEXT"


URL: Final = Option[str | None](
    key="url",
    parse=text,
    default=None,
    doc="URL of the database: `postgresql://host:port/database`; alternative to `hostname`, `port` and `database`.",
)
HOSTNAME: Final = Option[str](key="hostname", parse=text, default="localhost", doc="Host of the server.")
PORT: Final = Option[int](key="port", parse=positive, default=5432, doc="Port of the server.")
DATABASE: Final = Option[str](
    key="database", parse=text, default="postgres", doc="Name of the database, which must exist."
)
SCHEMA: Final = Option[str](
    key="schema",
    parse=text,
    default="public",
    doc="Schema of tables whose ids have one part; others are in the schema that their ids name.",
)
TYPES: Final = Option[TypeNormalization](
    key="sink.type-normalize-strategy",
    parse=enum_member(TypeNormalization),
    default=TypeNormalization.STANDARD,
    doc=(
        "Types of the columns of new tables. `STANDARD`: the exact types. `BROADEN`: the widest type of each "
        "family, so that wider values fit later. `ONLY_BIGINT_OR_TEXT`: BIGINT for whole numbers, TEXT for "
        "everything else."
    ),
)
MAX_ROWS: Final = attrs.evolve(
    FLUSH_MAX_ROWS, parse=positive, default=10_000, doc="Number of rows that are sent to the server at once."
)
PROPERTIES: Final = OptionFamily(
    prefix="properties.", doc="Further parameters of libpq, such as `properties.sslmode: require`."
)
ENDPOINT: Final = Option[str | None](
    key="endpoint", parse=text, default=None, doc="Address of the instance: `host:port`."
)
DBNAME: Final = attrs.evolve(DATABASE, key="dbname", default="")


@final
@attrs.frozen(kw_only=True)
class PostgresSink(PipelineSink):
    """Sink that writes to tables of a PostgreSQL database.

    The fields are options, with the same names in a document.

    Raises:
        DefinitionError: The server or database is invalid, or a number is out of range.

    Example:
        >>> sink = PostgresSink.of_url("postgresql://writer:pw@db:5433/shop")
        >>> sink.hostname, sink.port, sink.database, sink.password == "pw"
        ('db', 5433, 'shop', True)
        >>> "pw" in repr(sink)
        False
    """

    engine_module: ClassVar[str] = "kafkastream.spark.cdc.postgres_sink"
    hostname: str = setting(HOSTNAME)
    port: int = setting(PORT)
    database: str = setting(DATABASE)
    username: str | None = setting(USERNAME)
    password: str | None = setting(PASSWORD)
    schema: str = setting(SCHEMA)
    types: TypeNormalization = setting(TYPES)
    max_rows: int = setting(MAX_ROWS)
    max_retries: int = setting(MAX_RETRIES)
    properties: Mapping[str, str] = settings_under(PROPERTIES)

    def __attrs_post_init__(self) -> None:
        problems = [f"'{key}' is empty" for key in ("hostname", "database", "schema") if not getattr(self, key).strip()]
        if not 0 < self.port < 65536:
            problems.append(f"'port' is {self.port}, and ports are between 1 and 65535")
        if self.max_retries < 0:
            problems.append(f"'{MAX_RETRIES.key}' is {self.max_retries}, less than 0")
        if problems:
            raise DefinitionError("; ".join(problems), where="PostgreSQL sink of a pipeline")

    def table_problem(self, table: TableId) -> str | None:
        """Return why the database can have no table of this name for rows; None if it can."""
        return postgres_table_problem(table.schema or self.schema, table.table)

    def column_problem(self, name: str) -> str | None:
        """Return why PostgreSQL can have no column of this name; None if it can."""
        if name in _SYSTEM_COLUMNS:
            return f"{name!r} is a system column of PostgreSQL"
        return postgres_name_problem(name)

    @staticmethod
    def of_url(url: str, **options: object) -> PostgresSink:
        """Create a sink from a URL.

        Args:
            url: ``postgresql://user:password@host:port/database``, with or without ``jdbc:`` before it.
            options: Other fields of the class, which override parts of the URL.

        Raises:
            DefinitionError: The URL is invalid.
        """
        return PostgresSink(**{**_of_url(url), **options})  # type: ignore[arg-type]  # the constructor checks


def _of_url(url: str) -> dict[str, object]:
    found: dict[str, object] = {}
    try:
        parts = urlsplit(url.removeprefix("jdbc:"))
        port = parts.port
    except ValueError:
        raise _bad_url(url) from None
    database = unquote(parts.path.removeprefix("/"))
    if parts.scheme not in {"postgresql", "postgres"} or not parts.hostname or not database or parts.query:
        raise _bad_url(url)
    found |= {"hostname": parts.hostname, "database": database}
    found |= {"port": port} if port is not None else {}
    found |= {"username": unquote(parts.username)} if parts.username else {}
    found |= {"password": Secret(unquote(parts.password))} if parts.password else {}
    return found


def _bad_url(url: str) -> DefinitionError:
    return DefinitionError(
        f"{redacted(url)} is not a URL of a PostgreSQL database", now="Write postgresql://host:port/database."
    )


def _settings(options: SectionOptions) -> dict[str, Any]:
    def read(option: Option[Any] | OptionFamily) -> Any:
        return options.under(option) if isinstance(option, OptionFamily) else options.get(option)

    return read_settings(PostgresSink, read)


def _read(options: SectionOptions) -> PostgresSink:
    settings = _settings(options)
    url = options.get(URL)
    if url is None:
        with options.reading():
            return PostgresSink(**settings)
    if other := next((key for key in (HOSTNAME.key, PORT.key, DATABASE.key) if key in options.values), None):
        raise options.refusal(f"'{URL.key}' and '{other}' exclude each other", other, now="Give one of them.")
    of_url = {} if not options.has(USERNAME) else {"username": settings["username"]}
    of_url |= {} if not options.has(PASSWORD) else {"password": settings["password"]}
    others = {name: value for name, value in settings.items() if name not in _IN_URL}
    with options.reading(URL.key):
        return PostgresSink.of_url(url, **others, **of_url)


_IN_URL: Final = frozenset({"hostname", "port", "database", "username", "password"})


def _read_hologres(options: SectionOptions) -> PostgresSink:
    endpoint = re.fullmatch(r"(?P<host>[^:/\s]+)(?::(?P<port>\d+))?", options.get(ENDPOINT) or "")
    if endpoint is None:
        raise options.refusal(f"{options.shown(ENDPOINT.key)} is not an endpoint", ENDPOINT.key, now="Write host:port.")
    settings = _settings(options)
    settings |= {"hostname": endpoint["host"], "database": options.get(DBNAME)}
    settings |= {"port": int(endpoint["port"])} if endpoint["port"] else {"port": 80}
    with options.reading():
        return PostgresSink(**settings)


_COMMON: Final = tuple(option for option in options_of(PostgresSink) if option not in (HOSTNAME, PORT, DATABASE))
POSTGRES: Final = SectionType(
    OptionGroup("postgres", (URL, HOSTNAME, PORT, DATABASE, *_COMMON), common=(TYPE,)),
    _read,
    "Tables of a PostgreSQL database.",
)
HOLOGRES: Final = SectionType(
    OptionGroup(
        "hologres", (ENDPOINT, DBNAME, *_COMMON), required=(ENDPOINT, DBNAME, USERNAME, PASSWORD), common=(TYPE,)
    ),
    _read_hologres,
    "Tables of Hologres, which speaks PostgreSQL's protocol.",
)
