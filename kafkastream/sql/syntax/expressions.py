"""Expressions and queries, which stay text, and lists of options."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.sql.syntax.cursor import Cursor, is_word
from kafkastream.sql.syntax.tokens import Token, TokenKind
from kafkastream.sql.table import Expression, Position

__all__ = ["begins_query", "expression", "hinted_options", "options", "parse_expression", "query"]

_CLOSING = {"(": ")", "[": "]"}
_OPENING = {close: opening for opening, close in _CLOSING.items()}


def expression(cursor: Cursor) -> Expression:
    """Read an expression, up to a comma, COMMENT or closing parenthesis outside of it."""
    return _cut(cursor, "an expression", _is_behind_expression)


def parse_expression(text: str, of: str) -> Expression:
    """Check that a text is one expression, and return it.

    Args:
        text: The text.
        of: Owner of the text, for errors.

    Raises:
        DefinitionError: The text is empty, has several expressions, or unbalanced parentheses.

    Example:
        >>> parse_expression(" ts - INTERVAL '5' SECOND ", "watermark('ts')").text
        "ts - INTERVAL '5' SECOND"
    """
    cursor = Cursor(text, of)
    return attrs.evolve(cursor.last(expression(cursor), "the end of the expression"), of=of)


def query(cursor: Cursor) -> Expression:
    """Read a query, up to the semicolon or the end of the text."""
    if not begins_query(cursor.token):
        cursor.missing("a query (SELECT, WITH, VALUES)")
        raise cursor.unexpected()
    return _cut(cursor, "a query", _is_behind_query)


def begins_query(token: Token) -> bool:
    """Return whether a query may begin with this token."""
    return any(is_word(token, word) for word in ("SELECT", "WITH", "VALUES", "TABLE", "("))


def options(cursor: Cursor) -> tuple[FrozenMap[str, str], FrozenMap[str, Position]]:
    """Read ``('key' = 'value', ...)``: the options, of which the last of a key counts, and their positions."""
    if is_word(cursor.ahead(), ")"):
        cursor.expect("(", ")")
        return FrozenMap(), FrozenMap()
    pairs = cursor.listed(lambda: _option(cursor))
    return FrozenMap((key, value) for key, value, _ in pairs), FrozenMap((key, position) for key, _, position in pairs)


def hinted_options(cursor: Cursor) -> FrozenMap[str, str]:
    """Read an optional ``/*+ OPTIONS('key' = 'value') */``."""
    if not cursor.take("/*+"):
        return FrozenMap()
    cursor.expect("OPTIONS")
    hinted, _ = options(cursor)
    cursor.expect("*/")
    return hinted


def _option(cursor: Cursor) -> tuple[str, str, Position]:
    position = cursor.token.position
    key = cursor.string()
    cursor.expect("=")
    return key, cursor.string(), position


def _cut(cursor: Cursor, what: str, is_behind: Callable[[Cursor], bool]) -> Expression:
    first = cursor.token
    opened: list[Token] = []
    while not cursor.ended and not is_word(cursor.token, ";") and (opened or not is_behind(cursor)):
        token = cursor.advance()
        if token.kind is TokenKind.SYMBOL:
            _balance(cursor, token, opened)
    if opened:
        raise _never_closed(cursor, opened[-1])
    if cursor.token is first:
        cursor.missing(what)
        raise cursor.unexpected()
    return Expression(cursor.source.text[first.start : cursor.before.end], first.position)


def _is_behind_query(cursor: Cursor) -> bool:
    if is_word(cursor.token, "ON") and is_word(cursor.ahead(), "CONFLICT"):
        what = "INSERT ... ON CONFLICT is not supported."
        raise cursor.refused(cursor.token, what, "Write to an upsert-kafka table with this key.")
    return False


def _is_behind_expression(cursor: Cursor) -> bool:
    return (
        is_word(cursor.token, ",")
        or is_word(cursor.token, ")")
        or (is_word(cursor.token, "COMMENT") and cursor.ahead().kind is TokenKind.STRING)
    )


def _balance(cursor: Cursor, token: Token, opened: list[Token]) -> None:
    if token.value in _CLOSING:
        opened.append(token)
    elif token.value in _OPENING:
        if not opened:
            raise cursor.error(token, f"This {token.value} closes nothing.", "Leave it out, or open it before.")
        if opened[-1].value != _OPENING[token.value]:
            raise _never_closed(cursor, opened[-1])
        opened.pop()


def _never_closed(cursor: Cursor, opening: Token) -> DefinitionError:
    return cursor.error(opening, f"This {opening.value} is never closed.", f"Close it with {_CLOSING[opening.value]}.")
