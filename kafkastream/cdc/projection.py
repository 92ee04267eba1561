"""Transform rules as Flink SQL queries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from kafkastream.cdc.spec.rules import TransformRule
from kafkastream.sql.quoting import quoted
from kafkastream.sql.syntax.source import SqlText
from kafkastream.sql.syntax.tokens import Token, TokenKind, tokenize

__all__ = ["EVENT_TYPE", "HIDDEN", "computes", "transform_query"]

EVENT_TYPE: Final = "__data_event_type__"
HIDDEN: Final = ("__namespace_name__", "__schema_name__", "__table_name__", EVENT_TYPE)
"""Hidden columns, which expressions may name and ``*`` excludes, in the order in which they follow a table's own."""


class _Item(NamedTuple):
    """Column of a projection."""

    name: str
    text: str


def computes(rule: TransformRule) -> bool:
    """Return whether a rule has expressions: a filter, or a projection other than all columns."""
    return bool(rule.filter) or rule.projection not in ("", "*")


def transform_query(rule: TransformRule, columns: Sequence[str]) -> str:
    """Return a rule as a query over a table ``t`` with these columns and the hidden ones.

    A computed column replaces a column of the same name, and the filter sees the computed one.

    Args:
        rule: Transform rule.
        columns: Names of the table's columns.

    Raises:
        DefinitionError: The projection cannot be parsed, or a column of it has no name.

    Example:
        >>> rule = TransformRule(source_table="t", projection="*, UPPER(name) AS name", filter="id > 10")
        >>> print(transform_query(rule, ["id", "name"]))
        SELECT `id`, `name` FROM (SELECT `id` AS `id`, UPPER(name) AS `name`, `__namespace_name__`, `__schema_name__`, `__table_name__`, `__data_event_type__` FROM t) WHERE id > 10
    """
    items = _items(rule, columns)
    names = [item.name for item in items]
    computed = ", ".join(f"{item.text} AS {quoted(item.name)}" for item in items)
    if not rule.filter:
        return f"SELECT {computed} FROM t"  # noqa: S608 - of the user, who may read the table
    others = ", ".join(quoted(name) for name in (*columns, *HIDDEN) if name not in names)
    inner = ", ".join(filter(None, (computed, others)))
    return f"SELECT {', '.join(map(quoted, names))} FROM (SELECT {inner} FROM t) WHERE {rule.filter}"  # noqa: S608


def _items(rule: TransformRule, columns: Sequence[str]) -> list[_Item]:
    found: dict[str, _Item] = {}
    for item in _listed(rule, columns):
        found[item.name] = item
    return list(found.values())


def _listed(rule: TransformRule, columns: Sequence[str]) -> Iterator[_Item]:
    source = SqlText(rule.projection or "*", f"projection of {rule.source_table.text}")
    for tokens in _parts(tokenize(source)):
        if not tokens:
            raise source.error(0, "A column is missing between two commas.")
        if [token.text for token in tokens] == ["*"]:
            yield from (_Item(name, quoted(name)) for name in columns)
        else:
            yield _item(source, tokens)


def _parts(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Split tokens at commas outside of brackets."""
    depth, part = 0, list[Token]()
    for token in tokens:
        is_symbol = token.kind is TokenKind.SYMBOL
        depth += (is_symbol and token.text in "([{") - (is_symbol and token.text in ")]}")
        if token.kind is TokenKind.END or (depth == 0 and is_symbol and token.text == ","):
            yield part
            part = []
        else:
            part.append(token)


def _item(source: SqlText, tokens: list[Token]) -> _Item:
    last = tokens[-1]
    if last.kind not in (TokenKind.WORD, TokenKind.NAME):
        raise source.error(tokens[0].start, "This column has no name.", "Give it one: expression AS name.")
    name = last.value if last.kind is TokenKind.NAME else last.text
    is_named = len(tokens) > 2 and tokens[-2].kind is TokenKind.WORD and tokens[-2].value == "AS"
    if not is_named and len(tokens) > 1 and tokens[-2].text != ".":
        raise source.error(tokens[0].start, "This column has no name.", "Give it one: expression AS name.")
    expression = tokens[:-2] if is_named else tokens
    return _Item(name, source.text[expression[0].start : expression[-1].end])
