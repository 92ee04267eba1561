"""Queries of SQL leave the program's own Spark session as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkastream.table import EnvironmentSettings, TableEnvironment

if TYPE_CHECKING:
    import pytest
    from pyspark.sql import SparkSession


def test_the_programs_session_stays_the_active_one(spark: SparkSession, capsys: pytest.CaptureFixture[str]) -> None:
    before = type(spark).getActiveSession()  # other tests may have made another one active
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.execute_sql("CREATE TABLE seen (a INT, n BIGINT) WITH ('connector' = 'print')")
    rows = "SELECT a, COUNT(*) FROM (VALUES (1, 'x'), (1, 'y')) AS t(a, b) GROUP BY a"
    t_env.execute_sql(f"INSERT INTO seen {rows}").wait()
    assert capsys.readouterr().out.splitlines()[-1].endswith("+I(1,2)")
    assert type(spark).getActiveSession() is before
    assert spark.conf.get("spark.sql.caseSensitive") == "false"
