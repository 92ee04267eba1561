"""Columns that an INSERT names, and those that it leaves out."""

from __future__ import annotations

import pytest

from kafkastream.errors import DefinitionError
from kafkastream.table import EnvironmentSettings, TableEnvironment


@pytest.fixture
def t_env() -> TableEnvironment:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.execute_sql("CREATE TABLE t (a INT, b STRING NOT NULL, c BIGINT) WITH ('connector' = 'print')")
    t_env.execute_sql("CREATE TABLE k (a INT, b INT, PRIMARY KEY (a) NOT ENFORCED) WITH ('connector' = 'print')")
    return t_env


def test_columns_that_may_be_null_are_left_out(t_env: TableEnvironment) -> None:
    assert "CAST(NULL AS bigint) AS c" in t_env.explain_sql("INSERT INTO t (b, a) VALUES ('x', 1)")


@pytest.mark.parametrize(
    ("insert", "what"),
    [
        ("INSERT INTO t (a) VALUES (1)", "Column 'b' has no default value and does not allow NULLs"),
        ("INSERT INTO k (b) VALUES (1)", "Column 'a' has no default value and does not allow NULLs"),
        ("INSERT INTO t (a, d) VALUES (1, 2)", "Unknown target column 'd'"),
        ("INSERT INTO t (a, a) VALUES (1, 2)", "Target column 'a' is assigned more than once"),
        ("INSERT INTO t (a, b) VALUES (1)", "Different number of columns"),
    ],
)
def test_columns_that_cannot_be_inserted_are_named(t_env: TableEnvironment, insert: str, what: str) -> None:
    with pytest.raises(DefinitionError) as raised:
        t_env.explain_sql(insert)
    assert what in raised.value.what
