"""Completions of SQL that is being typed: keywords, tables, columns, functions, hints, options and their values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from kafkastream.cli.shell.hint_completion import open_hint
from kafkastream.cli.shell.statement_text import COMMANDS, identifier_of, last_statement, open_quote, tokens_of
from kafkastream.errors import KafkastreamError
from kafkastream.options.job import JOB_OPTIONS
from kafkastream.options.option import Option
from kafkastream.options.table_config import TABLE_OPTIONS
from kafkastream.sql.connectors import CONNECTORS
from kafkastream.sql.expressions.aggregate_names import AGGREGATES
from kafkastream.sql.formats import FORMATS
from kafkastream.sql.plan.functions import NAMES
from kafkastream.sql.quoting import quoted
from kafkastream.sql.syntax.tokens import Token, TokenKind
from kafkastream.sql.table import TableDefinition
from kafkastream.table.environment import TableEnvironment

__all__ = ["Completions", "completions"]

_KEYWORDS: Final = tuple(
    """
    ALL AND AS BETWEEN BY CASE CAST CATALOG CREATE CROSS CUMULATE DATABASE DESCRIBE DESCRIPTOR DISTINCT DROP ELSE END
    EXCEPT EXECUTE EXISTS EXPLAIN FALSE FILTER FOR FROM FULL FUNCTION GROUP HAVING HOP IF IN INNER INSERT INTERSECT
    INTERVAL INTO IS JOIN LATERAL LEFT LIKE LIMIT NOT NULL ON OR ORDER OUTER OVER PARTITION PRIMARY KEY RESET RIGHT
    ROW SELECT SESSION SET SHOW STATEMENT SYSTEM_TIME TABLE TEMPORARY THEN TRUE TUMBLE UNION UNNEST USE USING VALUES
    VIEW VIEWS TABLES CATALOGS DATABASES FUNCTIONS COLUMNS JOBS JOB STOP WATERMARK WHEN WHERE WITH
    """.split()  # noqa: SIM905 - a list would be one word a line
)
_BEFORE_TABLES: Final = frozenset({"FROM", "JOIN", "INTO", "TABLE", "DESCRIBE", "DESC", "VIEW", "COLUMNS"})
_BEFORE_FUNCTIONS: Final = frozenset({"FUNCTION"})
_WORD: Final = re.compile(r"[\w$]*\Z")
_BEFORE_VALUES: Final = "="


class Completions(NamedTuple):
    """Completions of a text.

    Args:
        typed: End of the text that a completion replaces.
        words: Completions, sorted.
    """

    typed: str
    words: Sequence[str]


def completions(text: str, t_env: TableEnvironment) -> Completions:
    """Return the completions at the end of a text.

    Example:
        >>> from kafkastream.table import EnvironmentSettings
        >>> t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
        >>> completions("SELECT JSON_V", t_env)
        Completions(typed='JSON_V', words=['JSON_VALUE'])
        >>> completions("SET 'table.local", t_env).words
        ['table.local-time-zone']
    """
    quote = open_quote(text)
    if quote == "'":
        return _complete_in_quotes(text, t_env)
    if quote == "`":
        typed = text[text.rindex("`") :]
        return _matching_words(typed, (f"`{name}`" for name in t_env.list_tables()))
    match = _WORD.search(text)
    typed = match.group() if match else ""
    tokens = tokens_of(text[: len(text) - len(typed)])
    if quote is not None or tokens is None:
        return Completions("", ())
    return _matching_words(typed, _possible_words(last_statement(tokens), t_env, lower=typed.islower()))


def _matching_words(typed: str, words: Iterable[str]) -> Completions:
    begins = typed.lstrip("`").upper()  # a name that needs backticks also matches without them
    return Completions(typed, sorted({word for word in words if word.lstrip("`").upper().startswith(begins)}))


def _possible_words(tokens: Sequence[Token], t_env: TableEnvironment, *, lower: bool) -> Iterator[str]:
    tables, hint = t_env.list_tables(), open_hint(tokens)
    if hint is not None:
        yield from hint.words(map(_quote_if_needed, tables))
        return
    if tokens and tokens[-1].kind is TokenKind.WORD and tokens[-1].value in _BEFORE_FUNCTIONS:
        yield from map(_quote_if_needed, t_env.list_user_defined_functions())
        return
    if tokens and tokens[-1].kind is TokenKind.WORD and tokens[-1].value in _BEFORE_TABLES:
        yield from map(_quote_if_needed, tables)
        return
    if not tokens:
        yield from COMMANDS
    words = (*_KEYWORDS, *NAMES, *AGGREGATES)
    yield from (word.lower() for word in words) if lower else words
    yield from map(_quote_if_needed, (*tables, *t_env.list_user_defined_functions()))
    for token in tokens:
        if identifier_of(token) in tables:
            yield from map(_quote_if_needed, _column_names(identifier_of(token), t_env))


def _quote_if_needed(name: str) -> str:
    return name if name.isidentifier() else quoted(name)


def _column_names(table: str, t_env: TableEnvironment) -> Sequence[str]:
    try:
        return t_env.from_path(quoted(table)).get_schema().get_field_names()
    except KafkastreamError:
        return ()


def _complete_in_quotes(text: str, t_env: TableEnvironment) -> Completions:
    """Complete within single quotes: keys of options, and some of their values."""
    start = text.rindex("'")
    typed, tokens = text[start + 1 :], last_statement(tokens_of(text[:start]) or ())
    if not tokens:
        return Completions(typed, ())
    first, last = tokens[0].value, tokens[-1]
    if last.value == _BEFORE_VALUES:
        return _matching_words(typed, _option_values(tokens[-2].value if len(tokens) > 1 else ""))
    if first in {"SET", "RESET"}:
        return _matching_words(typed, _option_keys((*TABLE_OPTIONS, *JOB_OPTIONS)))
    typed_options, hint = dict(_typed_options(tokens)), open_hint(tokens)
    if hint is not None and hint.name != "OPTIONS":
        return _matching_words(typed, hint.keys(t_env.list_tables()))
    options = typed_options if hint is None else _table_options(hint.table, t_env)
    connector = CONNECTORS.get(options.get("connector", ""))
    keys = (
        ["connector"]
        if connector is None and hint is None
        else list(_option_keys(connector.options if connector else ()))
    )
    return _matching_words(typed, (key for key in keys if key not in typed_options))


def _table_options(table: str | None, t_env: TableEnvironment) -> Mapping[str, str]:
    """Return the options of a table; empty for a view or an unknown table."""
    entry = None if table is None else t_env._catalog.find((table,))
    return entry.options if isinstance(entry, TableDefinition) else {}


def _option_keys(options: Iterable[object]) -> Iterator[str]:
    return (option.key for option in options if isinstance(option, Option))


def _typed_options(tokens: Sequence[Token]) -> Iterator[tuple[str, str]]:
    for key, equals, value in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if equals.value == "=" and key.kind is TokenKind.STRING and value.kind is TokenKind.STRING:
            yield key.value, value.value


def _option_values(key: str) -> Iterable[str]:
    if key == "connector":
        return CONNECTORS
    if key.endswith("format"):
        return FORMATS
    if key == "sql-client.execution.result-mode":
        return ("TABLE", "CHANGELOG", "TABLEAU")
    return ()
