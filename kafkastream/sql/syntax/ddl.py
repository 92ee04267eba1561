"""CREATE and DROP."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from kafkastream.model.common.immutable import FrozenMap
from kafkastream.sql.syntax.columns import comment
from kafkastream.sql.syntax.cursor import Cursor, is_word
from kafkastream.sql.syntax.expressions import options, query
from kafkastream.sql.syntax.kinds import ObjectKind
from kafkastream.sql.syntax.statements import (
    CreateCatalog,
    CreateDatabase,
    CreateFunction,
    CreateTable,
    CreateView,
    Drop,
)
from kafkastream.sql.syntax.tables import create_table
from kafkastream.sql.syntax.tokens import Token
from kafkastream.sql.table import Position

__all__ = ["create", "drop"]

SPACE = TypeVar("SPACE", CreateCatalog, CreateDatabase)

_REFUSED = {
    "MATERIALIZED": "Create a table, and INSERT INTO it.",
    "MODEL": "Call the model in a Python function.",
    "CONNECTION": "Give the options in the table's WITH clause.",
}
_LANGUAGES = ("PYTHON", "JAVA", "SCALA", "SQL")


def create(cursor: Cursor) -> CreateTable | CreateView | CreateCatalog | CreateDatabase | CreateFunction:
    """Read a CREATE statement."""
    start = cursor.expect("CREATE")
    if cursor.take("OR"):
        raise cursor.refused(start, "CREATE OR REPLACE is not supported.", "DROP ... IF EXISTS first, then CREATE.")
    temporary = cursor.take("TEMPORARY")
    _refuse(cursor, "CREATE")
    if cursor.take("TABLE"):
        return create_table(cursor, start, temporary=temporary)
    if cursor.take("VIEW"):
        return _create_view(cursor, start, temporary=temporary)
    if cursor.take("FUNCTION"):
        return _create_function(cursor, start, temporary=temporary)
    if temporary:
        cursor.expect("SYSTEM", "FUNCTION")
        return _create_function(cursor, start, temporary=True, system=True)
    if cursor.take("CATALOG"):
        return _create_space(cursor, start, lambda: (cursor.name(),), CreateCatalog)
    cursor.expect("DATABASE")
    return _create_space(cursor, start, cursor.path, CreateDatabase)


def drop(cursor: Cursor) -> Drop:
    """Read a DROP statement."""
    start = cursor.expect("DROP")
    temporary = cursor.take("TEMPORARY")
    _refuse(cursor, "DROP")
    system = temporary and cursor.take("SYSTEM")
    if system:
        cursor.expect("FUNCTION")
        kind = ObjectKind.FUNCTION
    else:
        kind = ObjectKind(cursor.choose(*(kind.value for kind in ObjectKind)))
    if_exists = cursor.take("IF", "EXISTS")
    name = cursor.path()
    cascade = kind is ObjectKind.DATABASE and not cursor.take("RESTRICT") and cursor.take("CASCADE")
    return Drop(
        kind=kind,
        name=name,
        if_exists=if_exists,
        temporary=temporary,
        system=system,
        cascade=cascade,
        position=start.position,
    )


def _refuse(cursor: Cursor, verb: str) -> None:
    token = cursor.token
    for word, now in _REFUSED.items():
        if is_word(token, word):
            raise cursor.refused(token, f"{verb} {word} is not supported.", now)


def _create_view(cursor: Cursor, start: Token, *, temporary: bool) -> CreateView:
    if_not_exists = cursor.take("IF", "NOT", "EXISTS")
    name = cursor.path()
    columns = cursor.listed(cursor.name) if cursor.sees("(") else ()
    described = comment(cursor)
    cursor.expect("AS")
    return CreateView(
        name=name,
        query=query(cursor),
        columns=columns,
        comment=described,
        if_not_exists=if_not_exists,
        temporary=temporary,
        position=start.position,
    )


def _create_space(cursor: Cursor, start: Token, name: Callable[[], tuple[str, ...]], kind: type[SPACE]) -> SPACE:
    if_not_exists = cursor.take("IF", "NOT", "EXISTS")
    path, described = name(), comment(cursor)
    given, positions = options(cursor) if cursor.take("WITH") else (FrozenMap[str, str](), FrozenMap[str, Position]())
    return kind(
        name=path,
        comment=described,
        options=given,
        if_not_exists=if_not_exists,
        positions=positions,
        position=start.position,
    )


def _create_function(cursor: Cursor, start: Token, *, temporary: bool, system: bool = False) -> CreateFunction:
    if_not_exists = cursor.take("IF", "NOT", "EXISTS")
    name = cursor.path()
    cursor.expect("AS")
    function = cursor.string()
    language = cursor.choose(*_LANGUAGES) if cursor.take("LANGUAGE") else "JAVA"
    if language != "PYTHON":
        what = f"Functions in {language} are not supported; without LANGUAGE they are in JAVA."
        raise cursor.refused(
            cursor.before, what, "Write it in Python: CREATE FUNCTION f AS 'module.f' LANGUAGE PYTHON."
        )
    if is_word(cursor.token, "USING"):
        raise cursor.refused(cursor.token, "USING JAR is not supported.", "Put the module on the Python path.")
    return CreateFunction(
        name=name,
        function=function,
        if_not_exists=if_not_exists,
        temporary=temporary,
        system=system,
        position=start.position,
    )
