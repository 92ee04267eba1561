"""A query's text and tree: positions of nodes, and a check that no word of the text is missing from the tree."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, final

from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError
from sqlglot.tokens import Token, TokenType

from kafkastream.errors import DefinitionError, KafkastreamError, UnsupportedFeatureError
from kafkastream.sql.parser.dialect import Flink, told_by_dialect
from kafkastream.sql.parser.supported_syntax import unread
from kafkastream.sql.quoting import literal
from kafkastream.sql.syntax.cursor import Cursor
from kafkastream.sql.syntax.data_types import read_type
from kafkastream.sql.syntax.gaps import check_gaps
from kafkastream.sql.syntax.reserved_words import RESERVED, in_backticks
from kafkastream.sql.syntax.source import SqlText
from kafkastream.sql.syntax.tokens import TokenKind, tokenize
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
_NAMES_OF_CLAUSES: Final = {"group": "GROUP BY"}
_INCOMPLETE: Final = ("Required keyword", "Failed to parse", "Expected table name", "Expecting")
"""Beginnings of sqlglot's errors at the end of a text."""
_LONGEST: Final = 40
_NAMELESS: Final = frozenset(
    {"CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP", "UNKNOWN"}
)
"""Reserved words that are values: functions without parentheses, and UNKNOWN."""
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
        self._text, self._of = expression.text, expression.of
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
        cursor = Cursor(self._source.text, self._of)  # which reports a text or comment that is not closed
        tokens = self._tokens(sql, cursor)
        for token in tokens:
            if (word := token.text.upper()) in _REFUSED and token.token_type not in _TEXTS:
                now = f"{_REFUSED[word]} {in_backticks(token.text)}"
                raise self._source.refused(self._place(token.start), f"{word} is not supported.", now)
        check_gaps(cursor)
        try:
            trees = Flink().parser().parse(tokens, sql)
        except ParseError as error:
            raise self._unreadable(sql, tokens, error) from None
        except SqlglotError as error:
            raise self.error(None, f"The query cannot be read: {error}") from None
        tree = trees[0] if len(trees) == 1 else None
        if tree is None:
            raise self.error(None, "One query is expected here.")
        nodes = _nodes(tree)
        self._check_order(nodes)
        for command in (node for node in nodes if isinstance(node, exp.Command)):
            raise self.refused(command, "This statement is not understood.", "Write a query: SELECT, WITH or VALUES.")
        self._read_types(nodes)
        self._check_names(nodes)
        self._check_words(nodes, tokens)
        for node, part in unread(nodes):
            what = f"{part.rstrip('_').upper() or type(node).__name__.upper()} is not supported in {self.shown(node)}."
            raise self.refused(node, what, "Write the query without it.")
        return tree

    def _tokens(self, sql: str, cursor: Cursor) -> list[Token]:
        try:
            return Flink().tokenize(sql)
        except SqlglotError as error:
            for before, token in pairwise(cursor.tokens):
                if before.value == "X" and before.end == token.start and token.kind is TokenKind.STRING:
                    what = f"Binary literal string {token.text} must contain only characters '0' - '9', 'A' - 'F'"
                    raise self._source.error(before.start, what, "Write two of them for each byte.") from None
            raise self.error(None, f"The query cannot be read: {error}") from None

    def _unreadable(self, sql: str, tokens: Sequence[Token], error: ParseError) -> DefinitionError:
        """Return the error about the token where the parser has stopped, in our words."""
        one = error.errors[0] if error.errors else {}
        lines = sql.split("\n")
        line, column = int(one.get("line") or 1), int(one.get("col") or 1)
        at = sum(len(before) + 1 for before in lines[: line - 1]) + column - len(str(one.get("highlight") or ""))
        number = next((number for number, token in enumerate(tokens) if token.end >= at), len(tokens) - 1)
        description = str(one.get("description") or "")
        if own := told_by_dialect(description):
            what, _, now = own.partition(": ")
            return self._source.error(self._place(max(at, 0)), f"{what.rstrip('.')}.", now)
        return self._source.error(self._place(max(at, 0)), *_misfit(tokens, number, description))

    def _check_order(self, nodes: Iterable[exp.Expr]) -> None:
        """Refuse clauses in an order that Flink does not have, such as WHERE after GROUP BY."""
        for node in (node for node in nodes if isinstance(node, exp.Select)):
            clauses = [clause for name in ("where", "group", "having", "qualify") if (clause := node.args.get(name))]
            places = [self.at(clause) for clause in clauses] if len(clauses) > 1 else []
            for clause, before, place in zip(clauses, places, places[1:], strict=False):
                if place < before:
                    what = f"{_NAMES_OF_CLAUSES.get(clause.key, clause.key.upper())} is behind a later clause."
                    raise self.error(clause, what, "Write WHERE, GROUP BY, HAVING and QUALIFY in this order.")

    def _read_types(self, nodes: Iterable[exp.Expr]) -> None:
        """Replace the texts of types by the types themselves."""
        for node in (node for node in nodes if isinstance(node, exp.Var) and "type" in node.meta):
            cursor = Cursor(node.meta["type"])
            try:
                node.meta["type"] = cursor.last(read_type(cursor), "the end of the type")
            except KafkastreamError as error:
                raise type(error)(error.what, where=self.error(node, "").where, now=error.now) from None

    def _check_names(self, nodes: Iterable[exp.Expr]) -> None:
        """Refuse the first reserved word that the parser has taken as a name."""
        names = (node for node in nodes if isinstance(node, exp.Identifier) and _is_misused(node))
        if (first := min(names, key=self.at, default=None)) is not None:
            raise self.error(first, f"{first.name} cannot be a name.", in_backticks(first.name))

    def _check_words(self, nodes: Sequence[exp.Expr], tokens: Sequence[Token]) -> None:
        """Refuse a word that the parser has skipped without a trace in the tree."""
        held = set(_held(nodes))
        for token in tokens:
            unknown = next((word for word in _words_of(token) if word not in held), None)
            if unknown is not None:
                what = f"{token.text} is not understood here."
                raise self._source.refused(
                    self._place(token.start), what, "Leave the clause out, or write it in another way."
                )

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
    escape = node.args.get("escape")
    ending = f" UESCAPE {literal(escape.name)}" if escape else ""
    return tokenize(SqlText(f"U&{literal(str(node.this))}{ending}"))[0].value


def _misfit(tokens: Sequence[Token], number: int, description: str) -> tuple[str, str]:
    """Return the error about a token that does not fit, and advice."""
    found, before = tokens[number], tokens[number - 1] if number else None
    if number == len(tokens) - 1 and description.startswith(_INCOMPLETE):
        what = f"The query ends after {_quoted(found)}, where more is expected."
        return what, in_backticks(found.text) if found.text.upper() in RESERVED else "Write the rest of it."
    if description.startswith("Expected END"):
        return (
            "A CASE has no END, or a WHEN no THEN.",
            f"Write CASE WHEN condition THEN value END. {in_backticks('CASE')}",
        )
    what = f"{_quoted(found)} is not expected " + (f"after {_quoted(before)}." if before else "here.")
    if (closing := description.removeprefix("Expecting ")) != description and len(closing) == 1:
        what = f"Expected '{closing}', found {_quoted(found)}."
    if found.text.upper() in RESERVED and found.token_type not in _TEXTS:
        return what, in_backticks(found.text)
    return what, "Write a comma, an operator or a keyword before it, or leave it out."


def _quoted(token: Token) -> str:
    return f"'{token.text}'" if len(token.text) <= _LONGEST else f"'{token.text[:_LONGEST]}…'"


def _is_misused(node: exp.Identifier) -> bool:
    """Return whether a name is a reserved word without backticks, other than a function, a unit of time, or ALL."""
    word, above = node.name.upper(), node.parent
    if word not in RESERVED or node.args.get("quoted") or "start" not in node.meta:
        return False
    if not isinstance(above, exp.Column) or above.args.get("table"):
        return True
    return word not in _NAMELESS and not isinstance(above.parent, exp.Bracket | exp.Anonymous | exp.Limit)


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
