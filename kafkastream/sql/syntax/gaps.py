"""Gaps between two tokens of a query, where a value, a name or a clause is missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kafkastream.sql.syntax.cursor import Cursor, is_word
from kafkastream.sql.syntax.reserved_words import RESERVED, in_backticks
from kafkastream.sql.syntax.tokens import Token, TokenKind

__all__ = ["check_gaps"]

_VALUE: Final = "a value"
_TABLE: Final = "a table"
_NAME: Final = "a name"
_CONDITION: Final = "a condition"
_QUERY: Final = "a query"
_EXPECTED: Final[Mapping[str, str]] = {
    **dict.fromkeys(("+", "-", "/", "%", "=", "<", "|", "(", "[", ",", "SELECT", "THEN", "ELSE", "BETWEEN"), _VALUE),
    **dict.fromkeys(("LIKE", "IN", "IS", "BY", "INTERVAL", "ESCAPE", "VALUES"), _VALUE),
    **dict.fromkeys(("FROM", "JOIN", "INTO"), _TABLE),
    **dict.fromkeys(("AS", ".", "RECURSIVE"), _NAME),
    **dict.fromkeys(("WHERE", "HAVING", "QUALIFY", "ON", "AND", "OR", "NOT", "WHEN"), _CONDITION),
    **dict.fromkeys(("UNION", "INTERSECT", "EXCEPT", "EXISTS"), _QUERY),
    "USING": "a list of columns",
    "OVER": "a window",
    "LIMIT": "a number",
    "OFFSET": "a number",
}
"""Parts that must follow these tokens."""
_ENDS: Final = frozenset(
    """
    , ) ] ; FROM WHERE GROUP HAVING ORDER LIMIT OFFSET FETCH UNION INTERSECT EXCEPT AND OR THEN ELSE WHEN END AS ON JOIN
    """.split()  # noqa: SIM905 - a list would be one word a line
)
"""Tokens that no value, name, table, condition or query begins with."""
_BINARY: Final = frozenset("=/%|<>")
"""Operators that no value begins with."""
_COMBINED: Final = ("UNION", "INTERSECT", "EXCEPT")
_NAMING: Final = frozenset({"AS", ".", "SELECT", "FROM", "JOIN", "WITH", "(", ",", "<", "ALL", "DISTINCT"})
"""Tokens that a name may follow."""
_OPERANDS: Final = (TokenKind.WORD, TokenKind.NAME, TokenKind.STRING, TokenKind.NUMBER)
_MUST: Final[Mapping[str, frozenset[str]]] = {
    "ORDER": frozenset({"BY"}),
    "PARTITION": frozenset({"BY"}),
    "GROUP": frozenset({"BY", "("}),
    **dict.fromkeys(("LEFT", "RIGHT", "FULL"), frozenset({"JOIN", "OUTER", "("})),
    **dict.fromkeys(("INNER", "CROSS", "OUTER"), frozenset({"JOIN"})),
    "WITHIN": frozenset({"GROUP", "INTERVAL"}),
}
"""Tokens that must follow these words."""
_UNFILLED: Final = frozenset(
    {"IN", "VALUES", "USING", "EXISTS", "SELECT", "FROM", "WHERE", "AND", "OR", "NOT", "ON", "="}
)
"""Tokens in front of parentheses that are never empty."""


def check_gaps(cursor: Cursor) -> None:
    """Read all tokens of a query or an expression.

    Raises:
        DefinitionError: Something is missing between two of them, or at the end.
    """
    first, before = cursor.token, cursor.advance()
    waiting: list[bool] = []
    while not cursor.ended:
        if is_word(before, "/*+"):
            before = _end_of_hint(cursor)
        _check_case(cursor, waiting, before)
        _check(cursor, first, before, cursor.token)
        first, before = before, cursor.advance()
    _check(cursor, first, before, cursor.token)


def _check_case(cursor: Cursor, waiting: list[bool], token: Token) -> None:
    """Refuse a WHEN without THEN; ``waiting`` has an entry for each open CASE, which is true between WHEN and THEN."""
    word = _sign(token)
    if word == "CASE":
        waiting.append(False)
    elif waiting and word in ("WHEN", "THEN", "ELSE", "END"):
        if waiting[-1] and word != "THEN":
            raise cursor.error(token, f"Expected THEN before {word}.", "Write WHEN condition THEN value.")
        waiting[-1] = word == "WHEN"
        if word == "END":
            waiting.pop()


def _end_of_hint(cursor: Cursor) -> Token:
    while not cursor.ended and not is_word(cursor.token, "*/"):
        cursor.advance()
    return cursor.advance()


def _check(cursor: Cursor, first: Token, before: Token, found: Token) -> None:
    names = _maybe_names(first, before, found)
    if _is_keyword(before) and before.value in _MUST and _sign(found) not in _MUST[before.value]:
        wanted = min(_MUST[before.value] - {"("})
        what = f"Expected {wanted} after {before.value}, found {cursor.found(found)}."
        raise cursor.error(found, what, f"Write {wanted} there. {names}".rstrip())
    _check_pair(cursor, first, before, found)
    if not _is_gap(first, before, found):
        return
    if _sign(before) == ",":
        raise cursor.error(before, "Nothing follows this comma.", f"Leave it out. {names}".rstrip())
    expected = _EXPECTED.get(before.value, _QUERY if _sign(first) in _COMBINED else _VALUE)
    what = f"Expected {expected} after {cursor.found(before)}, found {cursor.found(found)}."
    raise cursor.error(found, what, f"Write {expected} there. {names}".rstrip())


def _check_pair(cursor: Cursor, first: Token, before: Token, found: Token) -> None:
    """Refuse pairs of tokens that only other dialects have."""
    match _sign(before), _sign(found):
        case ("=", "=") | ("!", "="):
            now = "Write = for equal, and <> for unequal."
            raise cursor.error(before, f"{before.value}= is not an operator of Flink SQL.", now)
        case "AS", _ if found.kind is TokenKind.STRING:
            raise cursor.error(
                found, f"Expected a name after AS, found {cursor.found(found)}.", "Write a name in backticks."
            )
        case "(", sign if _sign(first) == "FILTER" and sign != "WHERE":
            what = f"Expected WHERE after FILTER (, found {cursor.found(found)}."
            raise cursor.error(found, what, "Write FILTER (WHERE condition).")
        case "(", "SELECT" if first is not before and not _sign(first) and first.kind in _OPERANDS:
            what = f"Expected an operator before this parenthesis, after {cursor.found(first)}."
            now = f"A query in WITH has AS before it: WITH q AS (SELECT ...). {in_backticks(found.text)}"
            raise cursor.error(before, what, now)
        case _ if before.kind is TokenKind.NUMBER is found.kind:
            raise cursor.error(
                found, f"{found.text} does not fit after {before.text}.", "Write a comma or an operator."
            )
        case _:
            return


def _maybe_names(first: Token, before: Token, found: Token) -> str:
    """Return the advice about keywords that may be meant as names."""
    is_named = first is not before and _sign(first) in _NAMING
    words = [before.text] if is_named and _is_keyword(before) else []
    if _is_keyword(found) and (_sign(before) in _NAMING or words):
        words.append(found.text)
    return in_backticks(*words) if words else ""


def _is_keyword(token: Token) -> bool:
    return token.kind is TokenKind.WORD and token.value in RESERVED


def _sign(token: Token) -> str:
    """Return the keyword or the symbol that a token is."""
    return token.value if _is_keyword(token) or token.kind is TokenKind.SYMBOL else ""


def _is_gap(first: Token, before: Token, found: Token) -> bool:
    match _sign(before), _sign(found):
        case "", _:
            return False
        case "(", ")":
            return _sign(first) in _UNFILLED
        case ("+", ")") | ("(", "ORDER" | "WHERE"):
            return False  # as in PATTERN (A+), OVER (ORDER BY ts) and FILTER (WHERE b)
        case ("SELECT", "LATERAL" | "MATCH_RECOGNIZE") | (".", _) if _is_keyword(found):
            return True
        case "DISTINCT" | "ALL" as word, sign:
            return _sign(first) in ("SELECT", *(_COMBINED if word == "ALL" else ())) and _ends(found, sign)
        case word, sign:
            if sign in _BINARY and (word.isalpha() or word in "(,["):
                return word in _EXPECTED and word != "IS"
            return word in _EXPECTED and _ends(found, sign)


def _ends(found: Token, sign: str) -> bool:
    return found.kind is TokenKind.END or sign in _ENDS
