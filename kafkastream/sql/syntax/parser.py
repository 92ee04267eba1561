"""Parser of Flink SQL."""

from __future__ import annotations

from collections.abc import Callable

from kafkastream.sql.syntax import commands, ddl, inserts
from kafkastream.sql.syntax.cursor import Cursor
from kafkastream.sql.syntax.expressions import begins_query
from kafkastream.sql.syntax.statements import Statement
from kafkastream.sql.syntax.tokens import TokenKind

__all__ = ["parse", "parse_one"]

_STATEMENTS: dict[str, Callable[[Cursor], Statement]] = {
    "ADD": commands.add,
    "BEGIN": inserts.begin,
    "CREATE": ddl.create,
    "DESC": commands.describe,
    "DESCRIBE": commands.describe,
    "DROP": ddl.drop,
    "EXECUTE": inserts.execute,
    "EXPLAIN": commands.explain,
    "INSERT": inserts.insert,
    "RESET": commands.reset,
    "SET": commands.set_,
    "SHOW": commands.show,
    "USE": commands.use,
}
_REFUSED = {
    "ALTER": "DROP it, and CREATE it as it should be.",
    "ANALYZE": "Leave it out: there are no statistics to gather.",
    "CALL": "Call the function from Python.",
    "COMPILE": "Execute the INSERT statement itself.",
    "DELETE": "Write a changelog to an upsert-kafka table: its deletions are tombstones.",
    "LOAD": "Register what you need with CREATE FUNCTION.",
    "MERGE": "Write to an upsert-kafka table, which keeps the last row of a key.",
    "REMOVE": "Leave it out: ADD JAR has no effect either.",
    "REPLACE": "DROP the table, then CREATE it.",
    "STOP": "Stop the job by its JobClient.",
    "TRUNCATE": "Delete the topic's records with Kafka's tools.",
    "UNLOAD": "Leave it out: there are no modules here.",
    "UPDATE": "Write to an upsert-kafka table, which keeps the last row of a key.",
    "UPSERT": "Use INSERT INTO an upsert-kafka table.",
}


def parse(text: str) -> tuple[Statement, ...]:
    """Parse the statements of a text, separated by ``;``.

    The language is Flink's. Queries and expressions stay text.

    Raises:
        DefinitionError: The text is not a statement. The error has the text that was found, the alternatives, line and column, the
            line without passwords, and the closest known word.
        UnsupportedFeatureError: A statement of Flink is not supported; the error names an alternative.

    Example:
        >>> [type(statement).__name__ for statement in parse("USE db; INSERT INTO t SELECT * FROM s;")]
        ['Use', 'Insert']
    """
    cursor = Cursor(text)
    statements: list[Statement] = []
    while not cursor.ended:
        if cursor.take(";"):
            continue
        statements.append(_statement(cursor))
        if not cursor.ended:
            cursor.expect(";")
    return tuple(statements)


def parse_one(text: str) -> Statement:
    """Parse the only statement of a text.

    Raises:
        DefinitionError: As :func:`parse`, or the text has no statement or several.
        UnsupportedFeatureError: As :func:`parse`.

    Example:
        >>> parse_one("USE CATALOG lake").catalog
        'lake'
    """
    cursor = Cursor(text)
    while cursor.take(";"):
        pass
    statement = _statement(cursor)
    while cursor.take(";"):
        pass
    return cursor.last(statement, "the end of the text")


def _statement(cursor: Cursor) -> Statement:
    token = cursor.token
    if begins_query(token):
        return inserts.own_query(cursor)
    word = token.value if token.kind is TokenKind.WORD else ""
    if word in _REFUSED:
        raise cursor.refused(token, f"{word} is not supported.", _REFUSED[word])
    if word in _STATEMENTS:
        return _STATEMENTS[word](cursor)
    for known in ("SELECT", "WITH", *_STATEMENTS):
        cursor.missing(known)
    raise cursor.unexpected()
