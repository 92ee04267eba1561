"""INSERT and statement sets."""

from __future__ import annotations

from kafkastream.sql.syntax.cursor import Cursor, is_word
from kafkastream.sql.syntax.ddl import create
from kafkastream.sql.syntax.expressions import begins_query, hinted_options, query
from kafkastream.sql.syntax.statements import CreateTable, Insert, Query, StatementSet

__all__ = ["begin", "execute", "filled_table", "insert", "own_query", "statement_set"]


def insert(cursor: Cursor) -> Insert:
    """Read an INSERT statement."""
    start = cursor.expect("INSERT")
    if is_word(cursor.token, "OVERWRITE"):
        what = "INSERT OVERWRITE is not supported: a topic is only ever appended to."
        raise cursor.refused(start, what, "Use INSERT INTO.")
    cursor.expect("INTO")
    target = cursor.path()
    hinted = hinted_options(cursor)
    if is_word(cursor.token, "PARTITION"):
        what = "INSERT INTO ... PARTITION is not supported."
        raise cursor.refused(cursor.token, what, "Give the column's value in the query.")
    is_name = is_word(cursor.ahead(2), ")") or is_word(cursor.ahead(2), ",")
    has_columns = cursor.sees("(") and (is_name or not begins_query(cursor.ahead()))
    columns = cursor.listed(cursor.name) if has_columns else ()
    return Insert(target=target, query=query(cursor), columns=columns, options=hinted, position=start.position)


def own_query(cursor: Cursor) -> Query:
    """Read a query as a statement."""
    position = cursor.token.position
    return Query(query(cursor), position=position)


def filled_table(cursor: Cursor) -> CreateTable:
    """Read ``CREATE TABLE ... AS``."""
    start = cursor.token
    created = create(cursor)
    if isinstance(created, CreateTable) and (created.query or created.as_table):
        return created
    raise cursor.error(start, "Only a CREATE TABLE ... AS that writes to its table is allowed here.")


def execute(cursor: Cursor) -> StatementSet | Insert | Query:
    """Read ``EXECUTE`` with a statement set, an INSERT or a query."""
    start = cursor.expect("EXECUTE")
    if is_word(cursor.token, "PLAN"):
        raise cursor.refused(start, "EXECUTE PLAN is not supported.", "Execute the INSERT statement itself.")
    if cursor.sees("STATEMENT"):
        return statement_set(cursor)
    return insert(cursor) if cursor.sees("INSERT") else own_query(cursor)


def statement_set(cursor: Cursor) -> StatementSet:
    """Read ``STATEMENT SET BEGIN INSERT ...; END``."""
    start = cursor.expect("STATEMENT", "SET", "BEGIN")
    return StatementSet(_until_end(cursor), position=start.position)


def begin(cursor: Cursor) -> StatementSet:
    """Read the older ``BEGIN STATEMENT SET; INSERT ...; END``."""
    start = cursor.expect("BEGIN", "STATEMENT", "SET", ";")
    return StatementSet(_until_end(cursor), position=start.position)


def _until_end(cursor: Cursor) -> tuple[Insert | CreateTable, ...]:
    statements: list[Insert | CreateTable] = []
    while not statements or not cursor.take("END"):
        statements.append(filled_table(cursor) if is_word(cursor.token, "CREATE") else insert(cursor))
        cursor.expect(";")
    return tuple(statements)
