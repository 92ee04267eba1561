"""EXPLAIN and its like refuse what the statement itself refuses, and show what hints change."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.table import EnvironmentSettings, TableEnvironment

HINT = "/*+ OPTIONS('nonsense'='x') */"
READ = f"SELECT * FROM orders {HINT}"


@pytest.fixture
def t_env() -> TableEnvironment:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    options = "'topic' = 'orders', 'properties.bootstrap.servers' = 'localhost:9092', 'format' = 'json'"
    t_env.execute_sql(f"CREATE TABLE orders (id BIGINT) WITH ('connector' = 'kafka', {options})")
    t_env.execute_sql("CREATE TABLE seen (id BIGINT) WITH ('connector' = 'print')")
    t_env.execute_sql("CREATE TABLE wrong (id BIGINT) WITH ('connector' = 'print', 'nonsense' = 'x')")
    return t_env


# Flink 2.2.1 refuses each of these, too.
WRONG_OPTIONS: dict[str, Callable[[TableEnvironment], object]] = {
    "INSERT": lambda t_env: t_env.execute_sql(f"INSERT INTO seen {READ}"),
    "EXPLAIN of a query": lambda t_env: t_env.execute_sql(f"EXPLAIN {READ}"),
    "EXPLAIN of INSERT, source": lambda t_env: t_env.execute_sql(f"EXPLAIN INSERT INTO seen {READ}"),
    "EXPLAIN of INSERT, sink": lambda t_env: t_env.execute_sql(f"EXPLAIN INSERT INTO seen {HINT} SELECT 1"),
    "EXPLAIN of a sink's own options": lambda t_env: t_env.execute_sql("EXPLAIN INSERT INTO wrong SELECT 1"),
    "EXPLAIN of a statement set": lambda t_env: t_env.execute_sql(
        f"EXPLAIN STATEMENT SET BEGIN INSERT INTO seen {READ}; END"
    ),
    "explain_sql": lambda t_env: t_env.explain_sql(f"INSERT INTO seen {READ}"),
    "StatementSet.explain": lambda t_env: (
        t_env.create_statement_set().add_insert_sql(f"INSERT INTO seen {READ}").explain()
    ),
    "TablePipeline.explain": lambda t_env: t_env.from_path("orders").insert_into("wrong").explain(),
    "EXPLAIN of CREATE TABLE AS": lambda t_env: t_env.execute_sql(
        f"EXPLAIN CREATE TABLE c WITH ('connector' = 'print') AS {READ}"
    ),
    "sql_query": lambda t_env: t_env.sql_query(READ),
    "CREATE VIEW": lambda t_env: t_env.execute_sql(f"CREATE VIEW v AS {READ}"),
    "CREATE TABLE AS": lambda t_env: t_env.execute_sql(f"CREATE TABLE c WITH ('connector' = 'print') AS {READ}"),
}


@pytest.mark.parametrize("statement", WRONG_OPTIONS.values(), ids=WRONG_OPTIONS)
def test_wrong_options_are_refused(t_env: TableEnvironment, statement: Callable[[TableEnvironment], object]) -> None:
    with pytest.raises(DefinitionError, match=r"Unsupported options found for '(kafka|print)'"):
        statement(t_env)
    assert t_env.list_tables() == ["orders", "seen", "wrong"]


def test_a_hint_that_changes_the_format_changes_the_changelog(t_env: TableEnvironment) -> None:
    query = "SELECT COUNT(*) FROM orders {}"
    assert "TableSourceScan(table=[[default_catalog.default_database.orders]], fields=[id]), changelogMode=[I]" in (
        t_env.explain_sql(query.format(""))
    )
    hinted = t_env.explain_sql(query.format("/*+ OPTIONS('format'='debezium-json') */"))
    assert "orders]], fields=[id]), changelogMode=[I,UB,UA,D]" in hinted


@pytest.mark.parametrize("explain", ["EXPLAIN {}", "EXPLAIN STATEMENT SET BEGIN {}; END"])
def test_a_table_of_a_query_is_not_created_by_explain(t_env: TableEnvironment, explain: str) -> None:
    statement = "CREATE TABLE c WITH ('connector' = 'print') AS SELECT id FROM orders"
    (row,) = t_env.execute_sql(explain.format(statement)).collect()
    assert "Sink(table=[default_catalog.default_database.c], fields=[id])" in row[0]
    assert t_env.list_tables() == ["orders", "seen", "wrong"]


def test_a_runtime_mode_that_insert_refuses_is_refused(t_env: TableEnvironment) -> None:
    t_env.get_config().get_configuration().set_string("execution.runtime-mode", "BATCH")
    with pytest.raises(UnsupportedFeatureError, match="batch mode"):
        t_env.explain_sql("SELECT * FROM orders")
