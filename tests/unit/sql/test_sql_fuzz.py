"""Any text is either read, or refused with an error of the package."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from kafkastream.errors import DefinitionError, KafkastreamError, UnsupportedFeatureError
from kafkastream.sql.syntax.parser import parse
from kafkastream.sql.syntax.source import SqlText
from kafkastream.sql.syntax.tokens import tokenize

DOCUMENTS = sorted((Path(__file__).parent / "documents").glob("*.sql"))
STATEMENTS = [one for document in DOCUMENTS for one in document.read_text().split("\n\n")] + [
    "CREATE TABLE t (a ROW<b INT ARRAY, c TIMESTAMP(3)>, PRIMARY KEY (a) NOT ENFORCED, WATERMARK FOR a.c AS a.c) LIKE d (INCLUDING ALL)",
    "EXECUTE STATEMENT SET BEGIN INSERT INTO t (a) VALUES (1); CREATE TABLE u AS SELECT 1; END",
    "EXPLAIN CHANGELOG_MODE INSERT INTO t /*+ OPTIONS('a' = 'b') */ SELECT * FROM s",
    "CREATE TEMPORARY SYSTEM FUNCTION IF NOT EXISTS f AS 'a.b' LANGUAGE PYTHON; SHOW TABLES FROM d LIKE 'a'",
]
TOKENS = sorted(
    {token.text for one in STATEMENTS for token in tokenize(SqlText(one))} | {"U&'\\0041'", '"', "`", "'", "/*", "\\"}
)


def read(text: str) -> None:
    try:
        parse(text)
    except KafkastreamError as error:
        assert type(error) in {DefinitionError, UnsupportedFeatureError}  # noqa: PT017 - only some texts are wrong
        place = re.match(r"line (\d+), column (\d+)\n", error.where)
        assert place is not None
        line, column = map(int, place.groups())
        assert 1 <= line <= text.count("\n") + 1
        assert 1 <= column <= len(text.split("\n")[line - 1]) + 1


@given(st.text())
def test_any_text(text: str) -> None:
    read(text)


@given(st.lists(st.sampled_from(TOKENS)))
def test_any_tokens(tokens: list[str]) -> None:
    read(" ".join(tokens))


@given(st.sampled_from(STATEMENTS), st.data())
def test_statements_with_a_token_lost_or_changed(statement: str, data: st.DataObject) -> None:
    tokens = [token.text for token in tokenize(SqlText(statement))]
    at = data.draw(st.integers(0, len(tokens) - 1))
    changed = data.draw(
        st.one_of(st.just([]), st.sampled_from(TOKENS).map(lambda one: [one]), st.just(tokens[at : at + 1] * 2))
    )
    read("\n".join(tokens[:at] + changed + tokens[at + 1 :]))


@given(st.sampled_from(STATEMENTS), st.data())
def test_statements_that_break_off(statement: str, data: st.DataObject) -> None:
    read(statement[: data.draw(st.integers(0, len(statement)))])


def test_deep_nesting() -> None:
    for deep in (
        "(" * 9999,
        "CREATE TABLE t (a " + "ROW<a " * 9999,
        "INSERT INTO t SELECT " + "(" * 9999 + ")" * 9999,
        "EXPLAIN " * 9999,
    ):
        read(deep)
