"""Completions inside of a hint, ``/*+ … */``: names of hints, of tables, and of options."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, final

from kafkastream.cli.shell.statement_text import identifier_of
from kafkastream.sql.planner.hints import HINTS, LOOKUP_KEYS
from kafkastream.sql.syntax.tokens import Token, TokenKind

__all__ = ["OpenHint", "open_hint"]

_TABLE_HINT = "OPTIONS"
"""The one hint that follows a table; the others follow SELECT."""


@final
class OpenHint(NamedTuple):
    """A hint that is being typed.

    Args:
        table: Table that it follows; None after SELECT.
        name: Name of the hint whose parenthesis is open; empty outside of parentheses.
    """

    table: str | None
    name: str

    def words(self, tables: Iterable[str]) -> Iterable[str]:
        """Return the words that may come next outside of quotes: names of hints or of the session's tables."""
        if self.name:
            return tables if self.name in HINTS - {_TABLE_HINT, "LOOKUP"} else ()
        return {_TABLE_HINT} if self.table is not None else HINTS - {_TABLE_HINT}

    def keys(self, tables: Iterable[str]) -> Iterable[str]:
        """Return the options of a hint; OPTIONS has none here, since it takes the table's options."""
        return {"STATE_TTL": tables, "LOOKUP": LOOKUP_KEYS}.get(self.name, ())


def open_hint(tokens: Sequence[Token]) -> OpenHint | None:
    """Return the unclosed hint at the end of a text; None outside of hints.

    Example:
        >>> from kafkastream.cli.shell.statement_text import tokens_of
        >>> open_hint(tokens_of("SELECT * FROM t /*+ OPTIONS("))
        OpenHint(table='t', name='OPTIONS')
    """
    symbols = [token.value if token.kind is TokenKind.SYMBOL else "" for token in tokens]
    if "/*+" not in symbols or "*/" in symbols[_last_index(symbols, "/*+") :]:
        return None
    begin = _last_index(symbols, "/*+")
    is_table = begin > 0 and not (tokens[begin - 1].kind is TokenKind.WORD and tokens[begin - 1].value == "SELECT")
    inside = symbols[begin:]
    name = ""
    if "(" in inside and ")" not in inside[_last_index(inside, "(") :]:
        name = tokens[begin + _last_index(inside, "(") - 1].value.upper()
    return OpenHint(identifier_of(tokens[begin - 1]) if is_table else None, name)


def _last_index(symbols: Sequence[str], symbol: str) -> int:
    return max(index for index, other in enumerate(symbols) if other == symbol)
