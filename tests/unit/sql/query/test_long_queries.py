"""Long queries are planned, or refused, in seconds of this process."""

from __future__ import annotations

import time

import pytest

from kafkastream.errors import DefinitionError
from kafkastream.table import EnvironmentSettings, TableEnvironment


@pytest.fixture
def t_env() -> TableEnvironment:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.execute_sql("CREATE TABLE t (id BIGINT, s STRING) WITH ('connector' = 'datagen')")
    return t_env


def test_many_values_in_a_list(t_env: TableEnvironment) -> None:
    began = time.process_time()
    t_env.explain_sql(f"SELECT id FROM t WHERE s IN ({', '.join(repr(str(number)) for number in range(20_000))})")
    assert time.process_time() - began < 10


def test_many_queries_of_a_union(t_env: TableEnvironment) -> None:
    began = time.process_time()
    t_env.explain_sql(" UNION ALL ".join(["SELECT id FROM t"] * 3_000))
    assert time.process_time() - began < 10


def test_a_megabyte_of_500_columns(t_env: TableEnvironment) -> None:
    columns = [f"CASE WHEN id > {at} THEN UPPER(s || '{'x' * 2000}') ELSE s END AS c{at}" for at in range(500)]
    query = f"SELECT {', '.join(columns)} FROM t"
    assert len(query) > 1_000_000
    began = time.process_time()
    t_env.execute_sql(f"CREATE TEMPORARY VIEW wide AS {query}")
    assert len(t_env.sql_query("SELECT * FROM wide WHERE c499 <> ''").get_schema().get_field_names()) == 500
    assert time.process_time() - began < 20


@pytest.mark.parametrize("chain", [" + ".join(["id"] * 20_000), " OR ".join(["id = 1"] * 20_000)])
def test_chains_that_are_too_long_are_refused(t_env: TableEnvironment, chain: str) -> None:
    began = time.process_time()
    with pytest.raises(DefinitionError, match="nested too deeply"):
        t_env.explain_sql(f"SELECT {chain} FROM t")
    assert time.process_time() - began < 10
