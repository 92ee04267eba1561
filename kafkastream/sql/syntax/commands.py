"""The statements SHOW, DESCRIBE, EXPLAIN, USE, SET, RESET and ADD JAR."""

from __future__ import annotations

from kafkastream.model.common.immutable import FrozenMap
from kafkastream.sql.syntax.cursor import Cursor, is_word
from kafkastream.sql.syntax.inserts import filled_table, insert, own_query, statement_set
from kafkastream.sql.syntax.kinds import ExplainDetail, ObjectKind, Shown
from kafkastream.sql.syntax.statements import (
    AddJar,
    CreateTable,
    Describe,
    Explain,
    Insert,
    NamePattern,
    Query,
    Reset,
    Set,
    Show,
    StatementSet,
    Use,
    UseCatalog,
)
from kafkastream.sql.syntax.tokens import TokenKind

__all__ = ["add", "describe", "explain", "reset", "set_", "show", "use"]

_NAMED = {Shown.CREATE_TABLE, Shown.CREATE_VIEW, Shown.CREATE_CATALOG}
_ALONE = {Shown.CURRENT_CATALOG, Shown.CURRENT_DATABASE, Shown.JARS}
_NOT_SHOWN = ("MODULES", "FULL", "PARTITIONS", "PROCEDURES", "JOBS", "MODELS", "CONNECTIONS", "MATERIALIZED")
_DESCRIBED = (ObjectKind.CATALOG, ObjectKind.DATABASE, ObjectKind.FUNCTION)


def show(cursor: Cursor) -> Show:
    """Read a SHOW statement."""
    start = cursor.expect("SHOW")
    for word in _NOT_SHOWN:
        if is_word(cursor.token, word):
            refused = f"SHOW {word} is not supported: there are none here."
            raise cursor.refused(start, refused, f"SHOW works with {', '.join(one.value for one in Shown)}.")
    what = next((one for one in Shown if cursor.take(*one.value.split())), None)
    if what is None:
        raise cursor.unexpected()
    if what in _NAMED:
        return Show(what, cursor.path(), position=start.position)
    if what in _ALONE:
        return Show(what, position=start.position)
    if what is Shown.COLUMNS:
        cursor.choose("FROM", "IN")
        return Show(what, cursor.path(), _pattern(cursor), position=start.position)
    of = cursor.path() if cursor.take("FROM") or cursor.take("IN") else ()
    return Show(what, of, _pattern(cursor), position=start.position)


def _pattern(cursor: Cursor) -> NamePattern | None:
    negated = cursor.take("NOT")
    if negated or cursor.sees("LIKE") or cursor.sees("ILIKE"):
        any_case = cursor.choose("LIKE", "ILIKE") == "ILIKE"
        return NamePattern(cursor.string(), negated=negated, any_case=any_case)
    return None


def describe(cursor: Cursor) -> Describe:
    """Read a DESCRIBE or DESC statement."""
    start = cursor.advance()
    kind = next((one for one in _DESCRIBED if _is_kind(cursor, one)), ObjectKind.TABLE)
    if kind is not ObjectKind.TABLE:
        cursor.advance()
    extended = cursor.take("EXTENDED")
    return Describe(kind, cursor.path(), extended, position=start.position)


def _is_kind(cursor: Cursor, kind: ObjectKind) -> bool:
    """Return whether the next word is a kind of object, rather than the name of a table."""
    return is_word(cursor.token, kind.value) and cursor.ahead().kind in {TokenKind.WORD, TokenKind.NAME}


def explain(cursor: Cursor) -> Explain:
    """Read an EXPLAIN statement."""
    start = cursor.expect("EXPLAIN")
    details = () if cursor.take("PLAN", "FOR") else _details(cursor)
    return Explain(_explained(cursor), details, position=start.position)


def _details(cursor: Cursor) -> tuple[ExplainDetail, ...]:
    details: list[ExplainDetail] = []
    while detail := next((one for one in ExplainDetail if cursor.take(one.value)), None):
        if detail in details:
            raise cursor.error(cursor.before, f"{detail.value} is given twice.")
        details.append(detail)
        if not cursor.take(","):
            break
    return tuple(details)


def _explained(cursor: Cursor) -> Insert | Query | StatementSet | CreateTable:
    if cursor.sees("STATEMENT"):
        return statement_set(cursor)
    if cursor.sees("INSERT"):
        return insert(cursor)
    return filled_table(cursor) if cursor.sees("CREATE") else own_query(cursor)


def use(cursor: Cursor) -> Use | UseCatalog:
    """Read a USE statement."""
    start = cursor.expect("USE")
    if is_word(cursor.token, "MODULES"):
        raise cursor.refused(start, "USE MODULES is not supported: there are no modules here.", "Leave it out.")
    if cursor.take("CATALOG"):
        return UseCatalog(cursor.name(), position=start.position)
    return Use(cursor.path(), position=start.position)


def set_(cursor: Cursor) -> Set:
    """Read a SET statement."""
    start = cursor.expect("SET")
    if cursor.ended or cursor.sees(";"):
        return Set(position=start.position)
    key = cursor.string()
    cursor.expect("=")
    return Set(FrozenMap({key: cursor.string()}), position=start.position)


def reset(cursor: Cursor) -> Reset:
    """Read a RESET statement."""
    start = cursor.expect("RESET")
    key = "" if cursor.ended or cursor.sees(";") else cursor.string()
    return Reset(key, position=start.position)


def add(cursor: Cursor) -> AddJar:
    """Read an ADD JAR statement."""
    start = cursor.expect("ADD", "JAR")
    return AddJar(cursor.string(), position=start.position)
