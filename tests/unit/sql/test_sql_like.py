"""CREATE TABLE ... LIKE takes over what Flink takes over."""

from __future__ import annotations

import pytest

from kafkastream.errors import DefinitionError
from kafkastream.sql.syntax.like import liked
from kafkastream.sql.syntax.parser import parse_one
from kafkastream.sql.syntax.statements import CreateTable
from kafkastream.sql.table import Position, TableDefinition

BASE = """CREATE TABLE base (
  id BIGINT,
  ts TIMESTAMP(3),
  sent TIMESTAMP(3) METADATA FROM 'timestamp',
  dated AS CAST(ts AS DATE),
  WATERMARK FOR ts AS ts,
  PRIMARY KEY (id) NOT ENFORCED
) COMMENT 'base' WITH ('connector' = 'kafka', 'topic' = 'a')"""
COLUMNS = "id BIGINT, ts TIMESTAMP(3), sent TIMESTAMP(3) METADATA FROM 'timestamp', dated AS CAST(ts AS DATE)"
REST = "WATERMARK FOR ts AS ts, PRIMARY KEY (id) NOT ENFORCED"
MINE = "'connector' = 'kafka', 'topic' = 'b'"


def create(text: str) -> CreateTable:
    created = parse_one(text)
    assert isinstance(created, CreateTable)
    return created


def merged(text: str, base: str = BASE) -> TableDefinition:
    created = create(text)
    assert created.like is not None
    return liked(created.definition, created.like, create(base).definition)


@pytest.mark.parametrize(
    ("elements", "clauses", "expected"),
    [
        (
            "",
            "LIKE base",
            f"({COLUMNS}, {REST}) WITH ('connector' = 'kafka', 'topic' = 'a')",
        ),
        (
            "(more INT, twice AS more * 2, topic STRING METADATA)",
            "COMMENT 'mine' WITH ('topic' = 'b') LIKE base",
            f"({COLUMNS}, more INT, twice AS more * 2, topic STRING METADATA, {REST}) COMMENT 'mine' WITH ({MINE})",
        ),
        (
            "",
            "WITH ('topic' = 'b') LIKE base (EXCLUDING ALL)",
            "(id BIGINT NOT NULL, ts TIMESTAMP(3)) WITH ('topic' = 'b')",
        ),
        (
            "",
            "WITH ('topic' = 'b') LIKE base (EXCLUDING ALL INCLUDING GENERATED OVERWRITING OPTIONS)",
            "(id BIGINT NOT NULL, ts TIMESTAMP(3), dated AS CAST(ts AS DATE)) WITH ('connector' = 'kafka', 'topic' = 'b')",
        ),
        (
            "(WATERMARK FOR ts AS ts - INTERVAL '1' SECOND, PRIMARY KEY (id) NOT ENFORCED)",
            "LIKE base (OVERWRITING WATERMARKS EXCLUDING CONSTRAINTS EXCLUDING METADATA EXCLUDING GENERATED EXCLUDING OPTIONS)",
            "(id BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND, PRIMARY KEY (id) NOT ENFORCED)",
        ),
        (
            "(WATERMARK FOR sent AS sent)",
            "LIKE base (EXCLUDING WATERMARKS EXCLUDING CONSTRAINTS EXCLUDING GENERATED EXCLUDING OPTIONS)",
            "(id BIGINT NOT NULL, ts TIMESTAMP(3), sent TIMESTAMP(3) METADATA FROM 'timestamp', WATERMARK FOR sent AS sent)",
        ),
        (
            "(dated AS 1, sent STRING METADATA FROM 'topic')",
            "LIKE base (OVERWRITING GENERATED OVERWRITING METADATA EXCLUDING CONSTRAINTS EXCLUDING OPTIONS)",
            "(id BIGINT NOT NULL, ts TIMESTAMP(3), sent STRING METADATA FROM 'topic', dated AS 1, WATERMARK FOR ts AS ts)",
        ),
        (
            "(dated STRING, sent BIGINT)",
            "LIKE base (EXCLUDING GENERATED EXCLUDING METADATA EXCLUDING CONSTRAINTS EXCLUDING WATERMARKS EXCLUDING OPTIONS)",
            "(id BIGINT NOT NULL, ts TIMESTAMP(3), dated STRING, sent BIGINT)",
        ),
    ],
)
def test_what_is_taken_over(elements: str, clauses: str, expected: str) -> None:
    assert merged(f"CREATE TABLE t {elements} {clauses}") == create(f"CREATE TABLE t {expected}").definition


@pytest.mark.parametrize(
    ("elements", "clauses", "words"),
    [
        ("(id INT)", "LIKE base", "A column named 'id' already exists in the base table."),
        ("(id INT)", "LIKE base (OVERWRITING METADATA)", "A column named 'id' already exists in the base table."),
        ("(id AS 1)", "LIKE base (OVERWRITING GENERATED)", "A column named 'id' already exists in the base table."),
        ("(dated INT METADATA)", "LIKE base (OVERWRITING METADATA)", "A column named 'dated' already exists"),
        ("(dated AS 1)", "LIKE base", "EXCLUDING GENERATED or OVERWRITING GENERATED"),
        ("(sent STRING METADATA)", "LIKE base", "EXCLUDING METADATA or OVERWRITING METADATA"),
        ("(WATERMARK FOR ts AS ts)", "LIKE base", "EXCLUDING WATERMARKS or OVERWRITING WATERMARKS"),
        ("(WATERMARK FOR sent AS sent)", "LIKE base (OVERWRITING WATERMARKS)", "Specify EXCLUDING WATERMARKS."),
        (
            "(PRIMARY KEY (id) NOT ENFORCED)",
            "LIKE base",
            "The base table already has a primary key. Specify EXCLUDING CONSTRAINTS.",
        ),
        (
            "(PRIMARY KEY (di) NOT ENFORCED)",
            "LIKE base (EXCLUDING CONSTRAINTS)",
            "Primary key column 'di' is not defined",
        ),
        (
            "(PRIMARY KEY (ts) NOT ENFORCED)",
            "LIKE base (EXCLUDING CONSTRAINTS)",
            "Primary key column 'ts' is nullable.",
        ),
        ("(PRIMARY KEY (dated) NOT ENFORCED)", "LIKE base (EXCLUDING CONSTRAINTS)", "computed column 'dated'"),
        (
            "(WATERMARK FOR dawn AS dawn)",
            "LIKE base (EXCLUDING WATERMARKS)",
            "watermark's column 'dawn' is not defined",
        ),
        (
            "",
            "WITH ('topic' = 'b') LIKE base (INCLUDING OPTIONS)",
            "the option 'topic'. Specify EXCLUDING OPTIONS or OVERWRITING OPTIONS.",
        ),
        ("", "WITH ('topic' = 'b') LIKE base (INCLUDING ALL)", "the option 'topic'."),
    ],
)
def test_what_clashes(elements: str, clauses: str, words: str) -> None:
    text = f"CREATE TABLE t {elements} {clauses}"
    with pytest.raises(DefinitionError) as caught:
        merged(text)
    assert words in f"{caught.value.what} {caught.value.now}"
    assert caught.value.where == f"LIKE base, line 1, column {text.index('LIKE') + 1}"


def test_options_know_where_they_stand() -> None:
    definition = merged("CREATE TABLE t WITH ('topic' = 'b', 'x' = 'y') LIKE base")
    assert definition.positions == {"connector": Position(8, 24), "topic": Position(1, 22), "x": Position(1, 37)}
