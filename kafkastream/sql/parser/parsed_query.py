"""A query's text and tree: positions of nodes, and a check that no word of the text is missing from the tree."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Final, final

from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError
from sqlglot.tokens import Token, TokenType

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.sql.parser.dialect import Flink
from kafkastream.sql.parser.supported_syntax import unread
from kafkastream.sql.quoting import literal
from kafkastream.sql.syntax.source import SqlText
from kafkastream.sql.syntax.tokens import tokenize
from kafkastream.sql.table import Expression

__all__ = ["QueryText", "unquoted"]

_SELECT = "SELECT "
_KEYWORDS = frozenset(
    """
    ALL ANTI AND ANY ARRAY AS ASC AT BETWEEN BOTH BY CASE CAST CROSS CUBE CURRENT CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP
    CUMULATE DATE DATA DAY DEFAULT DESC DESCRIPTOR DISTINCT ELSE EMPTY END ERROR ESCAPE EXCEPT EXISTS EXTRACT FALSE FETCH
    FILTER FIRST FLOOR CEIL CEILING FOLLOWING FOR FROM FULL GROUP GROUPING HAVING HOP HOUR IGNORE IN INNER INTERSECT INTERVAL
    IS JOIN LAST LATERAL LEADING LEFT LIKE LIMIT MAP MINUTE MONTH MULTISET NATURAL NEXT NOT NULL NULLS OF OFFSET ON ONLY OR
    ORDER ORDINALITY OUTER OVER OVERLAY PARTITION PLACING POSITION PRECEDING QUALIFY QUARTER RANGE RECURSIVE RESPECT RETURNING RIGHT
    ROLLUP ROW ROWS SECOND SELECT SEMI SESSION SETS SIMILAR SOME SUBSTRING SYSTEM_TIME TABLE TABLESAMPLE THEN TIME TIMESTAMP TO
    TRAILING TRIM TRUE TRY_CAST TUMBLE UNBOUNDED UNION UNKNOWN UNNEST USING VALUES WEEK WHEN WHERE WINDOW WITH WITHIN YEAR
    DAYS HOURS MINUTES SECONDS MONTHS YEARS WEEKS QUARTERS LOCALTIMESTAMP LOCALTIME UESCAPE
    ABSENT ASYMMETRIC CONDITIONAL JSON KEY OBJECT OVERLAPS SCALAR SYMMETRIC UNCONDITIONAL VALUE WITHOUT WRAPPER
    """.split()  # noqa: SIM905 - a list would be one word a line
)
"""Keywords that a tree represents by its structure."""
_REFUSED = {
    "TABLESAMPLE": "Take rows by a condition, as in WHERE RAND() < 0.1.",
    "PIVOT": "Write aggregates with FILTER (WHERE ...).",
    "UNPIVOT": "Write a UNION ALL of the columns.",
}
_TEXTS: Final = frozenset(
    {
        TokenType.HINT,
        TokenType.IDENTIFIER,
        TokenType.NUMBER,
        *(kind for kind in TokenType if kind.name.endswith("STRING")),
    }
)
"""Tokens whose text is not a word."""


@final
class QueryText:
    """Text of a query or an expression, with the positions of its parts in the user's text."""

    def __init__(self, expression: Expression) -> None:
        line, column = expression.position
        self._before = "\n" * (line - 1) + " " * (column - 1)
        self._source = SqlText(self._before + expression.text, expression.of)
        self._text = expression.text
        self._ahead = 0

    def query(self) -> exp.Expr:
        """Parse the tree of a query."""
        tree = self._parsed(self._text)
        if not isinstance(tree, exp.Select | exp.SetOperation | exp.Values | exp.Subquery | exp.Paren):
            raise self.refused(None, "The text is not a query.", "Begin it with SELECT, WITH or VALUES.")
        return tree

    def expression(self) -> exp.Expr:
        """Parse the tree of an expression."""
        self._ahead = len(_SELECT)
        tree = self._parsed(_SELECT + self._text)
        projected = tree.expressions
        others = {name for name, value in tree.args.items() if value and name != "expressions"}
        if not isinstance(tree, exp.Select) or others or len(projected) != 1 or isinstance(projected[0], exp.Alias):
            raise self.error(None, "One expression is expected here.", "")
        only: exp.Expr = projected[0]
        return only

    def _parsed(self, sql: str) -> exp.Expr:
        tokens = self._tokens(sql)
        for token in tokens:
            if (word := token.text.upper()) in _REFUSED and token.token_type not in _TEXTS:
                raise self._source.refused(self._place(token.start), f"{word} is not supported.", _REFUSED[word])
        try:
            trees = Flink().parser().parse(tokens, sql)
        except ParseError as error:
            raise self._unreadable(sql, error) from None
        except SqlglotError as error:
            raise self.error(None, f"The query cannot be read: {error}") from None
        tree = trees[0] if len(trees) == 1 else None
        if tree is None:
            raise self.error(None, "One query is expected here.")
        nodes = _nodes(tree)
        for command in (node for node in nodes if isinstance(node, exp.Command)):
            raise self.refused(command, "This statement is not understood.", "Write a query: SELECT, WITH or VALUES.")
        self._check_words(nodes, tokens)
        for node, part in unread(nodes):
            what = f"{part.rstrip('_').upper() or type(node).__name__.upper()} is not supported in {self.shown(node)}."
            raise self.refused(node, what, "Write the query without it.")
        return tree

    def _tokens(self, sql: str) -> list[Token]:
        try:
            return Flink().tokenize(sql)
        except SqlglotError as error:
            tokenize(self._source)  # which reports the position of an unterminated text or comment
            raise self.error(None, f"The query cannot be read: {error}") from None

    def _unreadable(self, sql: str, error: ParseError) -> DefinitionError:
        one = error.errors[0] if error.errors else {}
        lines = sql.split("\n")
        line, column = int(one.get("line") or 1), int(one.get("col") or 1)
        at = sum(len(before) + 1 for before in lines[: line - 1]) + column - len(str(one.get("highlight") or ""))
        what = str(one.get("description") or error).rstrip(".")
        return self._source.error(self._place(max(at, 0)), f"The query cannot be read here: {what}.")

    def _check_words(self, nodes: Sequence[exp.Expr], tokens: Sequence[Token]) -> None:
        """Refuse a word that the parser has skipped without a trace in the tree."""
        held = set(_held(nodes))
        for token, behind in zip_longest(tokens, tokens[1:]):
            start = self._place(token.start)
            if token.token_type is TokenType.COMMA and (behind is None or behind.text.upper() in (")", "]", "FROM")):
                raise self._source.error(start, "Nothing follows this comma.", "Leave it out.")
            unknown = next((word for word in _words_of(token) if word not in held), None)
            if unknown is not None:
                what = f"{token.text} is not understood here."
                raise self._source.refused(start, what, "Leave the clause out, or write it in another way.")

    def _place(self, start: int) -> int:
        return len(self._before) + max(0, start - self._ahead)

    def at(self, node: exp.Expr | None) -> int:
        """Return the position of a node's first character in the whole text."""
        starts = [int(one.meta["start"]) for one in (node.walk() if node else ()) if "start" in one.meta]
        above = node.parent if node else None
        while node and not starts and above is not None:
            starts = [int(one.meta["start"]) for one in above.walk() if "start" in one.meta]
            above = above.parent
        return self._place(min(starts)) if starts else len(self._before)

    def error(self, node: exp.Expr | None, what: str, now: str = "") -> DefinitionError:
        """Return an error about a node, with its position."""
        return self._source.error(self.at(node), what, now)

    def refused(self, node: exp.Expr | None, what: str, now: str) -> UnsupportedFeatureError:
        """Return an error about a node that Flink supports and this package does not."""
        return self._source.refused(self.at(node), what, now)

    def only(self, node: exp.Expr, *known: str) -> None:
        """Refuse a node with unsupported parts."""
        for name, value in node.args.items():
            if value and name not in known:
                part = value[0] if isinstance(value, list) else value
                shown = name.rstrip("_").upper()
                what = f"{shown} is not supported here."
                raise self.refused(part if isinstance(part, exp.Expr) else node, what, "Write the query without it.")

    def shown(self, node: exp.Expr) -> str:
        """Return a node as SQL, for errors."""
        return node.sql(dialect=Flink)


def unquoted(node: exp.UnicodeString) -> str:
    """Return the value of ``U&'...'``."""
    return tokenize(SqlText(f"U&{literal(str(node.this))}"))[0].value


def _nodes(tree: exp.Expr) -> list[exp.Expr]:
    """Return all nodes of a tree.

    Raises:
        RecursionError: The tree has more levels than Python has frames, so no planner gets to its end. A chain of set
            operations is planned one by one, whatever its length.
    """
    found, open_, most = [], [(tree, 0)], sys.getrecursionlimit()
    while open_:
        node, depth = open_.pop()
        if depth > most:
            raise RecursionError
        found.append(node)
        below = depth if isinstance(node, exp.SetOperation) else depth + 1
        for value in node.args.values():
            if isinstance(value, exp.Expr):
                open_.append((value, below))
            elif isinstance(value, list):
                open_.extend((part, below) for part in value if isinstance(part, exp.Expr))
    return found


def _held(nodes: Iterable[exp.Expr]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, exp.Var):
            yield from node.meta.get("words", [str(node.this).upper()])
        elif isinstance(node, exp.Identifier | exp.Anonymous):
            yield str(node.this.this if isinstance(node.this, exp.Identifier) else node.this).upper()


def _words_of(token: Token) -> Iterator[str]:
    """Return the words of a token; sqlglot makes one token of ``GROUP BY``."""
    if token.token_type is TokenType.IDENTIFIER:
        yield token.text.upper()
    elif token.token_type not in _TEXTS and (token.text[:1].isalpha() or token.text[:1] == "_"):
        yield from (word for word in token.text.upper().split() if word not in _KEYWORDS)
