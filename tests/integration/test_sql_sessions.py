"""Jobs have Spark sessions of their own: they have the program's settings and listeners, and leave its session as it is."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from pyspark.sql.streaming.listener import StreamingQueryListener

from kafkastream.common import WatermarkStrategy
from kafkastream.spark.session.query_settings import job_session
from kafkastream.table import EnvironmentSettings, TableEnvironment
from kafkastream.testing import wait_until
from tests.integration.conftest import Parts

if TYPE_CHECKING:
    import pytest
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.listener import QueryStartedEvent

    from kafkastream.datastream import StreamExecutionEnvironment


def test_a_notebook_shows_the_rows_of_a_query_and_leaves_them_to_be_taken(spark: SparkSession) -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    result = t_env.execute_sql("SELECT a, COUNT(*) FROM (VALUES ('<x>'), ('<x>')) AS t(a) GROUP BY a")
    assert "<td>+I</td><td>&lt;x&gt;</td><td>2</td>" in result._repr_html_()
    with result.collect() as rows:
        assert [tuple(row) for row in rows] == [("<x>", 2)]
    assert "taken" in result._repr_html_()
    assert "<th>table name</th>" in t_env.execute_sql("SHOW TABLES")._repr_html_()


def test_a_listener_of_the_program_hears_of_the_queries_of_jobs(
    spark: SparkSession, env: StreamExecutionEnvironment, parts: Parts, topic: str
) -> None:
    heard: list[str] = []

    class Listener(StreamingQueryListener):
        def onQueryStarted(self, event: QueryStartedEvent) -> None:
            heard.append(str(event.name).partition(":")[0])

        def onQueryProgress(self, event: object) -> None: ...
        def onQueryTerminated(self, event: object) -> None: ...

    listener = Listener()
    spark.streams.addListener(listener)
    try:
        stream = env.from_source(parts.bounded(topic), WatermarkStrategy.no_watermarks(), "records")
        assert list(stream.execute_and_collect("heard stream")) == []
        wait_until(lambda: heard == ["heard stream"], 30, "the query's start")
    finally:
        spark.streams.removeListener(listener)


def test_settings_of_the_program_are_those_of_its_jobs(spark: SparkSession) -> None:
    spark.conf.set("spark.sql.streaming.minBatchesToRetain", "7")
    try:
        assert job_session(spark).conf.get("spark.sql.streaming.minBatchesToRetain") == "7"
    finally:
        spark.conf.unset("spark.sql.streaming.minBatchesToRetain")


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]


def test_the_programs_session_stays_the_active_one(
    spark: SparkSession, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    before = type(spark).getActiveSession()  # other tests may have made another one active
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.execute_sql("CREATE TABLE seen (a INT, n BIGINT) WITH ('connector' = 'print')")
    for key, value in {"state.backend.type": "rocksdb", "execution.checkpointing.mod": "EXACTLY_ONCE"}.items():
        t_env.execute_sql(f"SET '{key}' = '{value}'")
    rows = "SELECT a, COUNT(*) FROM (VALUES (1, 'x'), (1, 'y')) AS t(a, b) GROUP BY a"
    t_env.execute_sql(f"INSERT INTO seen {rows}").wait()
    assert capsys.readouterr().out.splitlines()[-1].endswith("+I[1, 2]")
    assert [text.partition(": ")[2] for text in warnings(caplog)] == [
        "no effect on Spark: state.backend.type; docs/support.md has the reasons",
        "no options of Flink: 'execution.checkpointing.mod' (did you mean 'execution.checkpointing.mode'?)",
    ]
    assert type(spark).getActiveSession() is before
    assert spark.conf.get("spark.sql.caseSensitive") == "false"
