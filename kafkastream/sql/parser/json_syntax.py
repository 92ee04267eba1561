"""Parses the calls that construct JSON: ``JSON_OBJECT(KEY k VALUE v ... ABSENT ON NULL)`` and ``JSON_ARRAY(v, ...)``."""

from __future__ import annotations

from typing import Any

from sqlglot import exp
from sqlglot.tokens import TokenType

__all__ = ["json_list", "json_pairs"]


def json_pairs(parser: Any, name: str) -> exp.Expr:
    """Parse the pairs of ``JSON_OBJECT`` or ``JSON_OBJECTAGG``: keys and values by turns."""
    parts: list[exp.Expr] = []
    while not _ends(parser):
        parts += _pair(parser)
        if not parser._match(TokenType.COMMA):
            break
    return _with_nulls(parser, exp.Anonymous(this=name, expressions=parts))


def json_list(parser: Any, name: str) -> exp.Expr:
    """Parse the values of ``JSON_ARRAY`` or ``JSON_ARRAYAGG``."""
    values = [] if _ends(parser) else parser._parse_csv(parser._parse_disjunction)
    return _with_nulls(parser, exp.Anonymous(this=name, expressions=values))


def _pair(parser: Any) -> tuple[exp.Expr, exp.Expr]:
    if parser._curr.text.upper() == "KEY" and parser._next.text.upper() not in ("VALUE", ":", "."):
        parser._advance()
    key = parser._parse_bitwise()
    if not parser._match_text_seq("VALUE") and not parser._match(TokenType.COLON):
        parser.raise_error("Expected VALUE behind the key")
    return key, parser._parse_disjunction()


def _ends(parser: Any) -> bool:
    """Whether no value follows, but the end of the call or its clause."""
    words = [token.text.upper() for token in parser._tokens[parser._index : parser._index + 3]]
    return words[:1] == [")"] or words in (["NULL", "ON", "NULL"], ["ABSENT", "ON", "NULL"])


def _with_nulls(parser: Any, call: exp.Anonymous) -> exp.Anonymous:
    """Parse ``NULL ON NULL`` or ``ABSENT ON NULL``."""
    if parser._match_text_seq("NULL", "ON", "NULL"):
        call.meta["nulls"] = "NULL"
    elif parser._match_text_seq("ABSENT", "ON", "NULL"):
        call.meta["nulls"] = "ABSENT"
    return call
