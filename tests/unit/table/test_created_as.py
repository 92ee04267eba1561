"""What CREATE TABLE ... AS TABLE reads: names and options as they are, whatever is in them, and never metadata alone."""

from __future__ import annotations

import pytest

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.sql.syntax.parser import parse_one
from kafkastream.sql.syntax.statements import CreateTable, Query
from kafkastream.table import EnvironmentSettings, TableEnvironment
from kafkastream.table.session.statements import all_of


def test_a_table_without_columns_of_its_messages_is_not_copied() -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    options = "'topic' = 'orders', 'properties.bootstrap.servers' = 'localhost:9092', 'format' = 'json'"
    t_env.execute_sql(f"CREATE TABLE orders (`offset` BIGINT METADATA) WITH ('connector' = 'kafka', {options})")
    created = "CREATE TABLE seen WITH ('connector' = 'print') AS TABLE orders"
    for statement in (created, f"{created} ADD COLUMN (`next` AS `offset` + 1)", f"EXPLAIN {created}"):
        with pytest.raises(UnsupportedFeatureError, match="only metadata columns"):
            t_env.execute_sql(statement)
    explained = t_env.execute_sql("EXPLAIN CREATE TABLE seen WITH ('connector' = 'print') AS SELECT * FROM orders")
    assert [row for row in explained.collect() if "fields=[offset]" in row[0]]


def test_names_and_options_are_quoted_again() -> None:
    options = "OPTIONS('csv.quote-character'='''', 'csv.null-literal'='`')"
    created = parse_one(f"CREATE TABLE t AS TABLE db.`a``b` /*+ {options} */ ADD COLUMN (`c``d` AS 'it''s')")
    assert isinstance(created, CreateTable)
    query = all_of(created)
    assert query.text == f"SELECT *, 'it''s' AS `c``d` FROM `db`.`a``b` /*+ {options} */"
    assert isinstance(parse_one(query.text), Query)
