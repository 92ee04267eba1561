"""Connections to PostgreSQL, and the translation of its errors."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

from kafkastream.cdc.sinks import SinkError
from kafkastream.extras import POSTGRES
from kafkastream.postgres.settings import PostgresSettings

if TYPE_CHECKING:
    import psycopg

__all__ = ["Connection", "connect", "is_refusal", "is_transient", "sink_error"]

Connection: TypeAlias = "psycopg.Connection[tuple[Any, ...]]"

_CONNECT_TIMEOUT_S = 10
_PAUSE_S = 0.5
_TRANSIENT_MESSAGES = re.compile(r"starting up|shutting down|recovery|too many|connection slots|terminating")
_LIMIT_EXCEEDED = "54"  # too many columns; https://www.postgresql.org/docs/current/errcodes-appendix.html
_MISSING_OBJECTS = ("42P01", "42703", "42P10")  # no such table, column, or key
_COPY_COLUMN = re.compile(r"COPY .{0,300}?, line \d+, column (.*)", re.DOTALL)

# so that texts of times and numbers do not depend on the server's settings
_SESSION = "SET TimeZone TO 'UTC'; SET DateStyle TO 'ISO'; SET extra_float_digits TO 1"


def connect(settings: PostgresSettings, application_name: str = "kafkastream") -> Connection:
    """Connect to the database, and wait for it if it does not answer.

    Args:
        settings: The database.
        application_name: The session's name in ``pg_stat_activity``.

    Raises:
        SetupError: psycopg is not installed.
        SinkError: The database refuses, or has not answered in ``retry_timeout_s``.
    """
    psycopg = POSTGRES.imported()
    deadline = time.monotonic() + settings.retry_timeout_s
    while True:
        try:
            return _open_session(settings, application_name)
        except psycopg.OperationalError as error:
            is_final = "FATAL" in str(error) and not _TRANSIENT_MESSAGES.search(str(error))
            if is_final or time.monotonic() > deadline:
                raise _unreachable_error(settings, error) from None
        time.sleep(_PAUSE_S)


def is_transient(error: Exception) -> bool:
    """Return whether repeating the transaction may succeed: after a deadlock or a lost connection."""
    psycopg = POSTGRES.imported()
    is_limit = (getattr(error, "sqlstate", None) or "").startswith(_LIMIT_EXCEEDED)
    return isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError)) and not is_limit


def is_refusal(error: Exception) -> bool:
    """Return whether the database refuses the written values, so that repeating cannot succeed."""
    return isinstance(error, POSTGRES.imported().Error) and not is_transient(error)


def sink_error(error: Exception, settings: PostgresSettings, table: str = "", columns: Iterable[str] = ()) -> SinkError:
    """Translate an error of the database for the user.

    Args:
        error: The error of psycopg.
        settings: The database.
        table: The table that was written.
        columns: Names of its columns.
    """
    diagnostics = getattr(error, "diag", None)
    message = (diagnostics and diagnostics.message_primary) or str(error).strip() or type(error).__name__
    column = _column_in_error(diagnostics, columns) if diagnostics else ""
    context = [settings.address, f"table {table}" if table else "", f"column {column!r}" if column else ""]
    return SinkError(
        f"PostgreSQL could not write: {message}",
        where=", ".join(filter(None, context)),
        now=_advice(error, column),
    )


def _open_session(settings: PostgresSettings, application_name: str) -> Connection:
    psycopg = POSTGRES.imported()
    parameters: dict[str, Any] = {"connect_timeout": _CONNECT_TIMEOUT_S, **settings.properties}
    connection: Connection = psycopg.connect(
        host=settings.host,
        port=settings.port,
        dbname=settings.database,
        user=settings.user,
        password=settings.password or None,
        application_name=application_name,
        autocommit=True,
        **parameters,
    )
    connection.execute(_SESSION)
    connection.autocommit = False
    return connection


def _unreachable_error(settings: PostgresSettings, error: Exception) -> SinkError:
    lines = [line for line in str(error).strip().splitlines() if not line.startswith("\t")]  # libpq's own advice
    return SinkError(
        f"PostgreSQL cannot be reached: {lines[-1] if lines else type(error).__name__}",
        where=settings.address,
        now="Check the address, the database, the user and the password, and that the server runs.",
    )


def _column_in_error(diagnostics: Any, columns: Iterable[str]) -> str:
    if diagnostics.column_name:
        return str(diagnostics.column_name)
    match = _COPY_COLUMN.search(diagnostics.context or "")
    if match is None:
        return ""
    text = match.group(1)
    names = [name for name in columns if text == name or text.startswith((f"{name}:", f"{name}\n"))]
    return max(names, key=len, default="")


def _advice(error: Exception, column: str) -> str:
    if is_transient(error):
        return "The job may succeed when it is started again; it continues after the last committed record."
    if column:
        return "Make the column's type wider or drop its constraint, or change the values before they are written."
    if getattr(error, "sqlstate", None) in _MISSING_OBJECTS:
        return "The table is to have the columns and the key that the job writes by: make it so, and start again."
    return ""
